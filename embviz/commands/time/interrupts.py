"""Ctrl+C without an exception: counted while results exist, the end of the process before that.

An exception could come while PyTorch is imported, which may catch it, or while results are printed.
"""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import Any, Self

MOST = 3  # this one ends the process at once
STOPPED = 128 + signal.SIGINT  # the exit code


class Interrupts:
    """Takes Ctrl+C inside its `with` block.

    Attributes:
        count: how often it came.
        results: whether there is something to lose.
    """

    def __init__(self) -> None:
        self.count = 0
        self.results = False
        self._before: Any = None

    def __enter__(self) -> Self:
        here = threading.current_thread() is threading.main_thread()  # no other may set a handler
        if here and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            self._before = signal.signal(signal.SIGINT, self._count)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _count(self, number: int, frame: FrameType | None) -> None:
        # It may come at any line of the main thread, so no lock may be taken here.
        self.count += 1
        if self.count >= MOST or not self.results:
            os.write(2, b"embviz: stopped.\n")
            os._exit(STOPPED)
