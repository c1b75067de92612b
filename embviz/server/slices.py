"""Turns at computing: long work of all sessions shares a few of them, so that none starves.

A page that trains takes a turn, computes for a fraction of a second, and gives
it back. If all turns are taken it computes nothing this time and asks again at
its next redraw: training grows slower with every session that trains, and the
pages of all others stay quick. While others wait for their pages a turn is
shorter, for they share the processor too. What computes already gets no second
turn: a run of a page may begin before the one that it takes the place of has ended.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.server.scheduler import gate

WAIT_S = 0.05  # for a turn; longer would keep the page itself waiting
CROWDED = 4  # how often shorter a turn is then

_computing: set[int] = set()
_look = threading.Lock()
_turns = threading.BoundedSemaphore(max(1, (os.cpu_count() or 1) // 2))


@contextmanager
def turn(of: object, budget_s: float = math.inf, wait_s: float = WAIT_S) -> Iterator[float]:
    """How many seconds a session may compute now, 0 if not at all; held until the block ends.

    Args:
        of: what computes, such as a model; one thing is computed by one thread at a time.
        budget_s: seconds of a whole turn.
        wait_s: the most seconds to wait for one.
    """
    with gate.outside(), alone(of) as mine:
        got = mine and _turns.acquire(timeout=wait_s)
        try:
            yield 0.0 if not got else budget_s / CROWDED if gate.is_crowded else budget_s
        finally:
            if got:
                _turns.release()


@contextmanager
def alone(of: object) -> Iterator[bool]:
    """Whether nobody else computes it now; if so, nobody else does until the block ends."""
    with _look:
        free = id(of) not in _computing
        _computing.add(id(of))
    try:
        yield free
    finally:
        if free:
            with _look:
                _computing.discard(id(of))


def buttons_row(key: str) -> DeltaGenerator:
    """A row for the buttons of what computes, to be made before it takes its turn.

    Whoever has clicked meanwhile need not wait for the turn: a run that is superseded ends when it
    draws something.
    """
    return st.container(horizontal=True, vertical_alignment="center", gap="small", key=key)
