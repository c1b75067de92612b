"""The scheduler: which rerun of a page computes now, and for how long a training may.

Python computes one rerun at a time anyway. If all reruns of a class share the processor, each lasts
as long as all of them together: with 100 students 480 ms at the 95th percentile. In a queue it is
120 ms. A rerun that a user asked for goes before a fragment that redraws itself. Nothing blocks the
queue: a rerun loses its exclusive slot after EXCLUSIVE_S, none waits longer than MAX_WAIT_S, and
long computations release the slot while they run. These share a few time slices, so that none
starves: training grows slower with every session that trains, and pages stay quick. The scheduler
does not stop a computation; each keeps to its time slice by itself.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

P = ParamSpec("P")

EXCLUSIVE_S = 0.1  # longer than most reruns take
MAX_WAIT_S = 1.0
SLICE_WAIT_S = 0.05  # a longer wait would delay the page itself
BUSY_DIVISOR = 4  # of a time slice while users wait for a rerun


class RunQueue:
    """A lock with a first-in, first-out queue of two priorities.

    Attributes:
        exclusive_s: seconds after which the next rerun starts although the slot is still held.
        max_wait_s: seconds after which a waiting rerun starts in any case.
    """

    def __init__(self, exclusive_s: float = EXCLUSIVE_S, max_wait_s: float = MAX_WAIT_S) -> None:
        self.exclusive_s, self.max_wait_s = exclusive_s, max_wait_s
        self._lock = threading.Lock()
        self._foreground: deque[threading.Event] = deque()
        self._background: deque[threading.Event] = deque()  # served when the other is empty
        self._holder: object = None
        self._since = 0.0
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
    def has_waiting(self) -> bool:
        """Whether a rerun that a user asked for waits."""
        return bool(self._foreground)

    def _acquire(self, background: bool) -> None:
        background = background and not getattr(self._thread, "prioritized", False)
        self._thread.background, self._thread.prioritized = background, False
        wake, me = threading.Event(), object()
        until = time.monotonic() + self.max_wait_s
        queue = self._background if background else self._foreground
        with self._lock:
            queue.append(wake)
        while True:
            with self._lock:
                now = time.monotonic()
                if (self._next() is wake and self._is_free(now)) or now >= until:
                    queue.remove(wake)
                    self._holder, self._since = me, now
                    break
            wake.wait(min(self.exclusive_s, until - now))
            wake.clear()
        self._thread.held = me

    def _next(self) -> threading.Event | None:
        """The first in the queue; call with the lock held."""
        return (self._foreground or self._background or [None])[0]

    def _is_free(self, now: float) -> bool:
        return self._holder is None or now - self._since >= self.exclusive_s

    def _release(self) -> None:
        me, self._thread.held = self._thread.held, None
        with self._lock:
            if self._holder is me:  # otherwise another rerun has taken the slot over
                self._holder = None
                if (wake := self._next()) is not None:
                    wake.set()


run_queue = RunQueue()
_computing: set[int] = set()
_computing_lock = threading.Lock()
_slices = threading.BoundedSemaphore(max(1, (os.cpu_count() or 1) // 2))


def queued_fragment(
    every_s: float | None, part: Callable[P, None], *args: P.args, **kw: P.kwargs
) -> None:
    """Draw a fragment that redraws itself every `every_s` seconds; None: never.

    Streamlit reruns a fragment without the shell, so the fragment waits for a slot by itself. It
    waits in the background, unless a callback of its own widgets called `run_queue.prioritize`.
    """

    @wraps(part)
    def run() -> None:
        with run_queue.slot(background=every_s is not None):
            part(*args, **kw)

    st.fragment(run, run_every=every_s)()


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
                yield budget_s / BUSY_DIVISOR if run_queue.has_waiting else budget_s
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
