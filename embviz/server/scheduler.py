"""The scheduler: which rerun of a page computes now, and for how long a training may.

Python computes one rerun at a time anyway. If all reruns of a class share the processor, each
lasts as long as all of them together. The event loop then sends every answer late. So one rerun
computes at a time, and the others wait in a queue, first in, first out. A rerun that a user
asked for goes before a fragment that redraws itself. No slow rerun blocks the queue: after
EXCLUSIVE_S the next one starts beside it, up to TOGETHER. Long computations release the slot while
they run. These share a few time slices, so that none starves: training grows slower with every
session that trains, and pages stay quick. The scheduler does not stop a computation; each keeps to
its time slice by itself.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

P = ParamSpec("P")

EXCLUSIVE_S = 0.1  # longer than most reruns take
TOGETHER = 3  # more share the processor, and all of them, and the event loop, become slow
MAX_WAIT_S = 1.0  # a session runs one rerun at a time, so its user waits for a background one
STUCK_S = 5.0  # then TOGETHER are exceeded
SLICE_WAIT_S = 0.05  # a longer wait would delay the page itself
BUSY_DIVISOR = 4  # of a time slice while reruns wait or compute


@dataclass(eq=False)
class _Waiting:
    asked: float
    wake: threading.Event = field(default_factory=threading.Event)


class RunQueue:
    """A first-in, first-out queue of two priorities for a few slots.

    Attributes:
        exclusive_s: seconds after which the next rerun starts although a slot is still held.
        max_wait_s: a background rerun goes before a user's rerun that came this many seconds later.
        together: slots that are held at the same time.
        stuck_s: seconds after which the first rerun starts although `together` are held.
    """

    def __init__(
        self,
        exclusive_s: float = EXCLUSIVE_S,
        max_wait_s: float = MAX_WAIT_S,
        together: int = TOGETHER,
        stuck_s: float = STUCK_S,
    ) -> None:
        self.exclusive_s, self.max_wait_s = exclusive_s, max_wait_s
        self.together, self.stuck_s = together, stuck_s
        self._lock = threading.Lock()
        self._foreground: deque[_Waiting] = deque()
        self._background: deque[_Waiting] = deque()  # served when the other is empty
        self._held: dict[object, float] = {}  # slots, with the time each was taken
        self._thread = threading.local()  # held: this thread's slot; background; prioritized

    @contextmanager
    def slot(self, background: bool = False) -> Iterator[None]:
        """Hold the slot until the block ends; a nested call does nothing.

        Background reruns start when no other rerun waits.
        """
        if getattr(self._thread, "held", None) is not None:
            yield
            return
        self._acquire(background)
        try:
            yield
        finally:
            self._release()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Release the slot until the block ends; without a slot this does nothing."""
        if getattr(self._thread, "held", None) is None:
            yield
            return
        background = self._thread.background
        self._release()
        try:
            yield
        finally:
            self._acquire(background)

    def prioritize(self, *_: object) -> None:
        """A widget callback: the rerun that follows it is not a background rerun."""
        self._thread.prioritized = True  # Streamlit calls back in the thread of the rerun

    @property
    def is_busy(self) -> bool:
        """Whether a rerun waits that a user asked for, or any computes."""
        return bool(self._foreground or self._held)

    def _acquire(self, background: bool) -> None:
        background = background and not getattr(self._thread, "prioritized", False)
        self._thread.background, self._thread.prioritized = background, False
        me = _Waiting(time.monotonic())
        queue = self._background if background else self._foreground
        with self._lock:
            queue.append(me)
        while True:
            with self._lock:
                now = time.monotonic()
                wait_s = self._wait_s(me, now)
                if wait_s <= 0:
                    queue.remove(me)
                    self._held[me] = now
                    self._wake_next()  # it now waits for this one
                    break
            me.wake.wait(wait_s)
            me.wake.clear()
        self._thread.held = me

    def _wait_s(self, me: _Waiting, now: float) -> float:
        """Seconds until this rerun may start, unless something changes; call with the lock held."""
        if self._next() is not me:
            return self.exclusive_s
        if not self._held:
            return 0.0
        exclusive_s = max(self._held.values()) + self.exclusive_s - now
        stuck_s = me.asked + self.stuck_s - now
        return exclusive_s if len(self._held) < self.together else max(exclusive_s, stuck_s)

    def _next(self) -> _Waiting | None:
        """The rerun that goes first; call with the lock held."""
        front = self._foreground[0] if self._foreground else None
        back = self._background[0] if self._background else None
        if front is None or back is None:
            return front or back
        return back if back.asked + self.max_wait_s < front.asked else front

    def _wake_next(self) -> None:
        if (first := self._next()) is not None:
            first.wake.set()

    def _release(self) -> None:
        me, self._thread.held = self._thread.held, None
        with self._lock:
            del self._held[me]
            self._wake_next()


run_queue = RunQueue()
_computing: set[int] = set()
_computing_lock = threading.Lock()
_slices = threading.BoundedSemaphore(max(1, (os.cpu_count() or 1) // 2))


@contextmanager
def time_slice(
    of: object, budget_s: float = math.inf, wait_s: float = SLICE_WAIT_S
) -> Iterator[float]:
    """Seconds that a session may compute now, held until the block ends; 0 if none is free.

    A caller that gets 0 asks again at its next redraw. The page's slot is released meanwhile.

    Args:
        of: the object that computes, such as a model; it never computes in two threads at once.
        budget_s: seconds of a whole time slice.
        wait_s: the longest wait for a time slice.
    """
    with run_queue.released(), exclusive(of) as mine:
        acquired = mine and _slices.acquire(timeout=wait_s)
        try:
            if not acquired:
                yield 0.0
            else:
                yield budget_s / BUSY_DIVISOR if run_queue.is_busy else budget_s
        finally:
            if acquired:
                _slices.release()


@contextmanager
def exclusive(of: object) -> Iterator[bool]:
    """Whether no other thread computes this object; if so, none starts until the block ends.

    Streamlit may start a rerun before the previous one has stopped.
    """
    with _computing_lock:
        free = id(of) not in _computing
        _computing.add(id(of))
    try:
        yield free
    finally:
        if free:
            with _computing_lock:
                _computing.discard(id(of))


def buttons_row(key: str) -> DeltaGenerator:
    """A row for the buttons of a computation, to be made before it asks for its time slice.

    A superseded rerun stops when it draws, so it stops here and not after the wait.
    """
    return st.container(horizontal=True, vertical_alignment="center", gap="small", key=key)
