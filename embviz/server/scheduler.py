"""The scheduler: which reruns of pages compute now, and for how long a training may.

Python computes one thing at a time. If all reruns of a class share the processor, each lasts as
long as all of them together, and the event loop sends every answer late. So one rerun computes at a
time, and the others wait in a queue: first in, first out. But sessions whose last rerun was
expensive, and new ones, stand behind all others: they do not hold up a class. So that a slow one
does not stop others, the next one begins beside it after `beside_after_s`, up to `together`.

Long computations release their slot while they run, and share a few time slices, so that training
grows slower with every session that trains, and pages stay quick. The scheduler stops no
computation.

Invariants:
- Each rerun begins after `longest_wait_s` at the latest, however many come before it.
- A thread that holds a slot releases it, also where it raises; a nested slot is the same one.
- Whenever a slot is released, or its time alone is over, the first in the queue is woken.
"""

from __future__ import annotations

import math
import threading
import time
from bisect import insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from embviz.system.machine import most_threads

BUSY_DIVISOR = 5  # Divisor of a time slice while reruns wait or compute.
EXPENSIVE_S = 0.1  # Processor seconds of a rerun that stands behind others; most take 0.02.


@dataclass(eq=False)
class Turn:
    """A rerun that waits until its event is set; an expensive one stands behind all others."""

    is_expensive: bool
    event: threading.Event = field(default_factory=threading.Event)


@dataclass(eq=False)
class RunQueue:
    """A queue for a few slots, of which a thread holds one at a time.

    Attributes:
        together: how many compute at once, at most.
        longest_wait_s: seconds after which a rerun begins in any case.
        beside_after_s: a second rerun starts beside the first only after this many seconds.
        held: slots in use; more than `together` after a wait of `longest_wait_s`.
        waiting: the reruns that wait, the next one first.
        last_s: processor seconds of each session's last rerun, while it held a slot.
    """

    together: int = 3
    longest_wait_s: float = 5.0
    beside_after_s: float = 0.1

    def __post_init__(self) -> None:
        self.held = 0
        self.waiting = list[Turn]()
        self.last_s = dict[str, float]()
        self._began = 0.0  # Time at which the last rerun began.
        self._lock = threading.Lock()
        self._thread = threading.local()

    @contextmanager
    def slot(self, session: str) -> Iterator[None]:
        """Hold a slot until the block ends; a nested call does nothing."""
        if self._holds():
            yield
            return
        self.last_s.setdefault(session, math.inf)
        self._acquire(self.is_expensive(session))
        self._thread.outside_s = 0.0
        begun = time.thread_time()
        try:
            yield
        finally:
            if session in self.last_s:  # else it has ended meanwhile
                self.last_s[session] = time.thread_time() - begun - self._thread.outside_s
            self._release()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Release the slot until the block ends; without a slot this does nothing."""
        if not self._holds():
            yield
            return
        self._release()
        begun = time.thread_time()
        try:
            yield
        finally:
            self._thread.outside_s += time.thread_time() - begun
            self._acquire(False)  # It has begun already.

    def is_expensive(self, session: str) -> bool:
        """Whether the next rerun of a session may be expensive, as the first of a new one may."""
        return self.last_s.get(session, math.inf) > EXPENSIVE_S

    def forget(self, session: str) -> None:
        """Drop what is known of a session that has ended."""
        self.last_s.pop(session, None)

    @property
    def is_busy(self) -> bool:
        """Whether any rerun computes or waits."""
        return self.held > 0

    def _holds(self) -> bool:
        return getattr(self._thread, "holds", False)

    def _acquire(self, is_expensive: bool) -> None:
        turn, asked = Turn(is_expensive), time.monotonic()
        with self._lock:
            insort(self.waiting, turn, key=lambda waiting: waiting.is_expensive)
        while (wait_s := self._begin(turn, asked)) > 0:
            turn.event.wait(wait_s)
            turn.event.clear()
        self._thread.holds = True

    def _begin(self, turn: Turn, asked: float) -> float:
        """Seconds until this rerun may begin, unless one ends before; at 0 it has begun."""
        with self._lock:
            now = time.monotonic()
            wait_s = self._began + self.beside_after_s - now if self.held else 0.0
            if turn is not self.waiting[0] or self.held >= self.together:
                wait_s = math.inf
            wait_s = max(0.0, min(wait_s, asked + self.longest_wait_s - now))
            if wait_s == 0:
                self.waiting.remove(turn)
                self.held += 1
                self._began = now
                self._wake_next()  # The next one must compute its new waiting time.
            return wait_s

    def _release(self) -> None:
        self._thread.holds = False
        with self._lock:
            self.held -= 1
            self._wake_next()

    def _wake_next(self) -> None:
        if self.waiting:
            self.waiting[0].event.set()


run_queue = RunQueue()
_computing: dict[int, object] = {}
_slices = threading.BoundedSemaphore(max(1, most_threads()[0] // 2))


@contextmanager
def time_slice(
    of: object, budget_s: float = math.inf, wait_s: float = 0.05
) -> Iterator[Callable[[], bool]]:
    """A time slice until the block ends: a function that says whether some of it is left.

    Nothing is left if no slice is free: then the caller tries again at its next redraw. The page's
    slot is released meanwhile. A slice becomes shorter while a rerun waits or computes.

    Args:
        of: the object that computes, such as a model; it never computes in two threads at once.
        budget_s: seconds of a whole time slice.
        wait_s: the longest wait for a time slice; a longer one would delay the page itself.
    """

    def is_left() -> bool:
        used_s = time.monotonic() - begun
        return used_s < (budget_s / BUSY_DIVISOR if run_queue.is_busy else budget_s)

    with run_queue.released(), exclusive(of) as mine:
        if not (mine and _slices.acquire(timeout=wait_s)):
            yield lambda: False
            return
        begun = time.monotonic()
        try:
            yield is_left
        finally:
            _slices.release()


@contextmanager
def exclusive(of: object) -> Iterator[bool]:
    """Whether no other thread computes this object; if so, none starts until the block ends.

    Streamlit may start a rerun before the previous one has stopped.
    """
    mine = object()
    free = _computing.setdefault(id(of), mine) is mine  # one step, so it needs no lock
    try:
        yield free
    finally:
        if free:
            del _computing[id(of)]
