"""A few threads for work of routes that may have to wait, with a bounded queue before them.

Starlette's own 40 threads also serve the files of pages: work that waits in them for a locked file
makes every page wait.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from embviz.text.refused import Refused

T = TypeVar("T")
# Seconds within which work must begin; a browser asks again, or gives up 1 s later.
WAIT_S = 3.0


class LateError(Refused):
    """The queue is full, or the work has waited in it for too long."""

    def __init__(self) -> None:
        super().__init__("The server is busy. Try again in a few seconds.")


class Threads:
    """Threads of one kind of work.

    Args:
        name: of the threads.
        count: how many.
        most: work that waits or runs, at most.

    Attributes:
        open: work that waits or runs.
    """

    def __init__(self, name: str, count: int, most: int) -> None:
        self.open, self._most = 0, most
        self._pool = ThreadPoolExecutor(count, name)
        self._turn = asyncio.Lock()  # Work on the event loop is done once in each of its rounds.

    async def run(self, work: Callable[..., T], *args: Any, on_loop: bool = False) -> T:
        """The result of the work in one of the threads, or on the event loop itself.

        Raises:
            LateError: at once, or after `WAIT_S`; the work is not begun.
        """
        if self.open >= self._most:
            raise LateError
        self.open += 1
        begun = partial(_begun, time.monotonic(), work, *args)
        try:
            if not on_loop:
                return await asyncio.get_running_loop().run_in_executor(self._pool, begun)
            async with self._turn:
                await asyncio.sleep(0)  # Others that are ready in this round come first.
                return begun()
        finally:
            self.open -= 1


def _begun(since: float, work: Callable[..., T], *args: Any) -> T:
    if time.monotonic() - since > WAIT_S:
        raise LateError
    return work(*args)
