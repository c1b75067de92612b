"""Reruns go first in, first out, few at a time; long computations leave them the processor."""

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from embviz.server import scheduler
from embviz.server.scheduler import RunQueue, time_slice

LONG_S = 30.0  # never reached in a test that passes


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
        self._ends: list[threading.Event] = []
        self._threads: list[threading.Thread] = []

    def ask(self, times: int) -> None:
        """That many more reruns; returns when each holds a slot or waits."""
        for _ in range(times):
            number, end = len(self._threads), threading.Event()
            self._ends.append(end)
            self._threads.append(threading.Thread(target=self._run, args=(number, end)))
            before = len(self.queue.waiting)
            self._threads[-1].start()
            until(partial(self._has_asked, number, before))

    def _has_asked(self, number: int, before: int) -> bool:
        return number in self.began or len(self.queue.waiting) > before

    def _run(self, number: int, end: threading.Event) -> None:
        with self.queue.slot():
            self.began.append(number)
            assert end.wait(LONG_S)

    def end(self, *numbers: int) -> None:
        """End these; returns when they have released their slots."""
        for number in numbers:
            self._ends[number].set()
        for number in numbers:
            self._threads[number].join()


@pytest.mark.parametrize("together", [1, 2])
def test_reruns_begin_in_the_order_they_asked_and_few_compute_at_once(together: int) -> None:
    """The first hold the slots; whenever one ends, exactly the next one begins."""
    queue = RunQueue(together, LONG_S)
    reruns = Reruns(queue)
    reruns.ask(6)
    for ended in range(6):
        until(lambda: len(reruns.began) == queue.held + ended)  # noqa: B023
        assert queue.held == min(together, 6 - ended)
        assert reruns.began == sorted(reruns.began)
        reruns.end(ended)
    assert (queue.held, len(queue.waiting), queue.is_busy) == (0, 0, False)


def test_no_wait_is_longer_than_its_bound() -> None:
    """A rerun begins beside stuck ones; when all have ended, no slot more is free than before."""
    queue = RunQueue(1, 0.05)
    reruns = Reruns(queue)
    began = time.monotonic()
    reruns.ask(3)
    until(lambda: reruns.began == [0, 1, 2])
    assert time.monotonic() - began >= 0.04
    assert queue.held == 3
    queue.longest_wait_s = LONG_S
    reruns.ask(1)
    reruns.end(0, 1)
    assert len(queue.waiting) == 1  # the third is still under way
    reruns.end(2, 3)
    reruns.ask(2)
    assert (queue.held, len(queue.waiting)) == (1, 1)
    reruns.end(4, 5)


def test_a_long_computation_releases_the_slot() -> None:
    """Others run inside `released`, also of a nested slot; then the slot is asked for again."""
    queue = RunQueue(1, LONG_S)
    reruns = Reruns(queue)
    with queue.slot(), queue.slot():
        reruns.ask(1)
        assert reruns.began == []
        with queue.released(), queue.released():
            until(lambda: reruns.began == [0])
            reruns.end(0)
            assert queue.held == 0
        assert queue.held == 1
    with queue.released():  # a script without a page
        assert queue.held == 0
    assert queue.held == 0


def test_a_failure_releases_the_slot() -> None:
    """The slot is free after an exception, also after one inside `released`."""
    queue = RunQueue(1, LONG_S)
    with suppress(ZeroDivisionError), queue.slot(), queue.released():
        raise ZeroDivisionError
    assert queue.held == 0
    with suppress(ZeroDivisionError), queue.slot(), queue.slot():
        raise ZeroDivisionError
    assert queue.held == 0


@pytest.mark.parametrize("ends", ["pass", "st.stop()", "1 / 0", "st.rerun()"])
def test_a_page_releases_the_slot_however_it_ends(ends: str) -> None:
    """The slot is free after a rerun that Streamlit ended by an exception of its own."""
    app = AppTest.from_string(
        f"""
import streamlit as st
from embviz.server.scheduler import run_queue
from embviz.ui.frame.body import queued_fragment

with run_queue.slot():
    queued_fragment(None, lambda: st.text(run_queue.held))
    if "again" not in st.session_state:
        st.session_state["again"] = True
        {ends}
""",
        default_timeout=LONG_S,
    ).run()
    assert app.text[0].value == "1"
    assert not scheduler.run_queue.is_busy


def test_a_time_slice_is_short_while_others_compute_and_zero_when_none_is_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The page's slot is free during a time slice, and a failure gives the slice back."""
    queue = RunQueue(1, LONG_S)
    monkeypatch.setattr(scheduler, "run_queue", queue)
    monkeypatch.setattr(scheduler, "_slices", threading.BoundedSemaphore(1))
    reruns = Reruns(queue)
    with queue.slot():
        with suppress(ZeroDivisionError), time_slice("one", 0.2) as seconds:
            assert (seconds, queue.held) == (0.2, 0)
            raise ZeroDivisionError
        assert queue.held == 1
    reruns.ask(1)
    with time_slice("one", 0.2) as seconds, time_slice("other", 0.2, 0.01) as none:
        assert 0 < seconds < 0.1
        assert none == 0
    reruns.end(0)
    with time_slice("one") as seconds:
        assert seconds == math.inf


def test_one_object_is_computed_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """An object that is computed gets no second time slice, whatever else is free."""
    monkeypatch.setattr(scheduler, "_slices", threading.BoundedSemaphore(4))
    with time_slice("model") as mine, time_slice("other") as other:
        for _ in range(2):
            with time_slice("model") as again:
                assert (mine, other, again) == (math.inf, math.inf, 0)
    with time_slice("model") as mine:
        assert mine
