"""Reruns go first in, first out, few at a time; long computations leave them the processor."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import pytest

from embviz.server import scheduler
from embviz.server.scheduler import EXPENSIVE_S, RunQueue, time_slice

LONG_S = 30.0  # Seconds that are never reached in a test that passes.
NEW = None  # Seconds of the last rerun of a session that has none.
QUICK_S = 0.01


def until(holds: Callable[[], bool]) -> None:
    """Wait for it, and fail if it does not come."""
    end = time.monotonic() + LONG_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


class Reruns:
    """Threads that ask for a slot one after another, and hold it until they are told to end."""

    def __init__(self, queue: RunQueue) -> None:
        self.queue = queue
        self.began: list[int] = []
        self.at_s: list[float] = []  # of these, on the clock
        self._ends: list[tuple[threading.Event, Future[None]]] = []
        self._pool = ThreadPoolExecutor(9)

    def ask(self, times: int, last_s: float | None = QUICK_S) -> None:
        """A rerun of that many more sessions; returns when each holds a slot or waits."""
        for _ in range(times):
            before, end, number = self._asked(), threading.Event(), len(self._ends)
            if last_s is not NEW:
                self.queue.last_s[str(number)] = last_s
            thread = self._pool.submit(self._run, number, end)
            self._ends.append((end, thread))
            until(lambda: self._asked() > before)  # noqa: B023

    def _asked(self) -> int:
        return self.queue.held + len(self.queue.waiting)

    def _run(self, number: int, end: threading.Event) -> None:
        with self.queue.slot(str(number)):
            self.at_s.append(time.monotonic())
            self.began.append(number)
            assert end.wait(LONG_S)

    def end(self, *numbers: int) -> None:
        """End these; returns when they have released their slots."""
        for number in numbers:
            self._ends[number][0].set()
        for number in numbers:
            self._ends[number][1].result()


@pytest.mark.parametrize("together", [1, 2])
def test_reruns_begin_in_the_order_they_asked_and_few_compute_at_once(together: int) -> None:
    """The first hold the slots; whenever one ends, exactly the next one begins."""
    queue = RunQueue(together, LONG_S, 0.0)
    reruns = Reruns(queue)
    reruns.ask(6)
    for ended in range(6):
        begun = min(ended + together, 6)
        until(lambda: len(reruns.began) == begun)  # noqa: B023
        assert queue.held == begun - ended
        assert reruns.began == sorted(reruns.began)
        reruns.end(ended)
    assert queue.held == 0
    assert len(queue.waiting) == 0
    assert not queue.is_busy


def test_expensive_and_new_sessions_stand_behind_all_others() -> None:
    """Whoever opens many tabs of an expensive page does not hold up those who type.

    After the longest wait it begins in any case.
    """
    reruns = Reruns(RunQueue(1, LONG_S, LONG_S))
    for last_s in (QUICK_S, NEW, 0.3, QUICK_S, QUICK_S):
        reruns.ask(1, last_s)
    for ended in range(5):
        until(lambda: len(reruns.began) == ended + 1)  # noqa: B023
        reruns.end(reruns.began[-1])
    assert reruns.began == [0, 3, 4, 1, 2]
    reruns = Reruns(RunQueue(1, 0.1, LONG_S))
    reruns.ask(1)
    reruns.ask(1, NEW)
    until(lambda: reruns.began == [0, 1])
    reruns.end(0, 1)


def compute(seconds: float) -> None:
    """Keep a processor busy in this thread for so long."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_a_rerun_is_the_last_one_of_its_session() -> None:
    """Its own processor time with a slot, not that of others; an ended session leaves nothing."""
    queue = RunQueue()
    assert queue.is_expensive("a")
    with queue.slot("a"):
        time.sleep(1.5 * EXPENSIVE_S)
        with queue.released():  # a training holds nobody up
            compute(1.5 * EXPENSIVE_S)
        assert queue.held == 1
    assert not queue.is_expensive("a")
    assert queue.is_expensive("b")
    with queue.slot("a"):
        compute(1.5 * EXPENSIVE_S)
    assert queue.is_expensive("a")
    queue.forget("a")
    queue.forget("b")
    assert queue.last_s == {}
    with queue.slot("c"):
        queue.forget("c")  # its tab was closed long ago
    assert queue.last_s == {}


def test_a_rerun_is_alone_for_a_while_and_then_holds_up_nobody() -> None:
    """The next one begins beside it, and after as long again the third, and no more."""
    queue = RunQueue(3, LONG_S, 0.1)
    reruns = Reruns(queue)
    reruns.ask(4)
    until(lambda: sorted(reruns.began) == [0, 1, 2])  # two whose wait ends at once, in any order
    first, second, third = reruns.at_s
    assert second - first >= 0.09
    assert third - first >= 0.15
    time.sleep(0.3)
    assert sorted(reruns.began) == [0, 1, 2]
    reruns.end(0)
    until(lambda: len(reruns.began) == 4)
    reruns.end(1, 2, 3)


def test_a_long_computation_releases_the_slot() -> None:
    """Others run inside `released`, also of a nested slot; then the slot is asked for again."""
    queue = RunQueue(1, LONG_S)
    reruns = Reruns(queue)
    with queue.slot("a"):
        with suppress(ZeroDivisionError), queue.slot("a"):
            raise ZeroDivisionError
        reruns.ask(1)
        assert reruns.began == []
        with suppress(ZeroDivisionError), queue.released(), queue.released():
            until(lambda: reruns.began == [0])
            reruns.end(0)
            assert queue.held == 0
            raise ZeroDivisionError
        assert queue.held == 1
    with (
        suppress(ZeroDivisionError),
        queue.released(),
        queue.slot("a"),
    ):  # a script without a page
        assert queue.held == 1
        raise ZeroDivisionError
    assert queue.held == 0


def test_a_time_slice_is_short_beside_others_and_zero_when_none_is_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The page's slot is free during a time slice, and a failure gives the slice back."""
    queue = RunQueue(1, LONG_S)
    monkeypatch.setattr(scheduler, "run_queue", queue)
    monkeypatch.setattr(scheduler, "_slices", threading.BoundedSemaphore(1))
    reruns = Reruns(queue)
    with queue.slot("a"):
        with suppress(ZeroDivisionError), time_slice("one", LONG_S) as is_left:
            assert (is_left(), queue.held) == (True, 0)
            raise ZeroDivisionError
        assert queue.held == 1
    with time_slice("one", LONG_S) as is_left, time_slice("other", LONG_S, 0.01) as none:
        assert (is_left(), none()) == (True, False)
        monkeypatch.setattr(scheduler, "BUSY_DIVISOR", 1e9)
        assert is_left()
        reruns.ask(1)
        until(lambda: queue.is_busy)
        assert not is_left()
        reruns.end(0)
        until(lambda: not queue.is_busy)
        assert is_left()
    with time_slice("one", 1e-9) as is_left:
        assert not is_left()
    monkeypatch.setattr(scheduler, "_slices", threading.BoundedSemaphore(4))
    with time_slice("one") as mine, time_slice("other") as other:
        for _ in range(2):  # one object is computed by one thread at a time
            with time_slice("one") as again:
                assert mine()
                assert other()
                assert not again()
    with time_slice("one") as mine:
        assert mine()
