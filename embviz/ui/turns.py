"""Turns at computing: long work of all sessions shares a few of them, so that none starves.

A page that trains takes a turn, computes for a fraction of a second, and gives
it back. If all turns are taken it computes nothing this time and asks again at
its next redraw: training grows slower with every session that trains, and the
pages of all others stay quick.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from embviz.ui.gate import gate

WAIT_S = 0.05  # for a turn; longer would keep the page itself waiting

_turns = threading.BoundedSemaphore(max(1, (os.cpu_count() or 1) // 2))


@contextmanager
def turn(wait_s: float = WAIT_S) -> Iterator[bool]:
    """Whether this session may compute now; held until the block ends."""
    with gate.outside():
        got = _turns.acquire(timeout=wait_s)
        try:
            yield got
        finally:
            if got:
                _turns.release()
