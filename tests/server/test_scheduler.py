"""Reruns go one after another, and no slow one holds up the others."""

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress

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


def rerun(
    queue: RunQueue, work: Callable[[], object], background: bool = False
) -> threading.Thread:
    """A rerun that waits, or holds the slot, when this returns."""
    asked = threading.Event()

    def run() -> None:
        asked.set()
        with queue.slot(background):
            work()

    waiting = queue._background if background else queue._foreground
    before, held = len(waiting), list(queue._held)
    thread = threading.Thread(target=run)
    thread.start()
    asked.wait()
    until(lambda: len(waiting) > before or list(queue._held) != held or not thread.is_alive())
    return thread


def test_reruns_go_one_at_a_time_in_the_order_they_came() -> None:
    """One rerun runs at a time, first in, first out, and the next is woken at once."""
    queue, leave = RunQueue(LONG_S, LONG_S), threading.Event()
    order: list[int] = []
    now: list[int] = []

    def work(number: int) -> None:
        now.append(number)
        order.append(number)
        assert now == [number]
        if number == 0:
            leave.wait()
        now.remove(number)

    runs = [rerun(queue, lambda number=number: work(number)) for number in range(8)]
    assert order == [0]
    begun = time.monotonic()
    leave.set()
    for run in runs:
        run.join()
    assert time.monotonic() - begun < LONG_S / 2
    assert order == list(range(8))


def test_a_slow_rerun_loses_its_exclusive_slot_once() -> None:
    """The next rerun starts after `exclusive_s`; the slow one has no slot left to release."""
    queue, slow, second = RunQueue(0.05, LONG_S), threading.Event(), threading.Event()
    came: list[str] = []
    begun = time.monotonic()
    first = rerun(queue, slow.wait)
    other = rerun(queue, lambda: (came.append("second"), second.wait()))
    until(lambda: came == ["second"])
    assert time.monotonic() - begun >= 0.04
    queue.exclusive_s = LONG_S  # of the second
    third = rerun(queue, lambda: came.append("third"))
    slow.set()
    first.join()
    time.sleep(0.05)
    assert came == ["second"]
    second.set()
    for thread in (other, third):
        thread.join()
    assert came == ["second", "third"]


def test_a_background_rerun_starts_after_all_others() -> None:
    """A fragment that redraws itself goes after each rerun of a user, also when it comes back."""
    queue, leave, back = RunQueue(LONG_S, LONG_S), threading.Event(), threading.Event()
    came: list[str] = []

    def trains() -> None:
        came.append("training")
        with queue.released():
            back.wait()
        came.append("drawing")

    first = rerun(queue, leave.wait)
    other = [rerun(queue, trains, True), rerun(queue, lambda: None, True)]
    typed = [rerun(queue, lambda: came.append("typed")) for _ in range(2)]
    assert queue.is_busy
    leave.set()
    for run in (first, *typed, other[1]):
        run.join()
    assert came == ["typed", "typed", "training"]
    leave.clear()
    slow = rerun(queue, leave.wait)
    back.set()
    until(lambda: len(queue._background) == 1)
    last = rerun(queue, lambda: came.append("typed"))
    leave.set()
    for run in (slow, last, other[0]):
        run.join()
    assert came == ["typed", "typed", "training", "typed", "drawing"]


def test_the_wait_is_bounded() -> None:
    """Every rerun starts after `stuck_s` although all slots are held, in the background too."""
    queue, slow = RunQueue(0.001, 0.05, together=2, stuck_s=0.05), threading.Event()
    came: list[str] = []
    holders = [rerun(queue, slow.wait) for _ in range(2)]
    runs = [rerun(queue, lambda: came.append("in"), one) for one in (True, False, False)]
    until(lambda: len(came) == 3)
    slow.set()
    for run in (*holders, *runs):
        run.join()
    assert not [*queue._foreground, *queue._background]
    assert not queue._held


def test_few_slots_are_held_together() -> None:
    """With `together` slow reruns under way the next one waits until one of them ends."""
    queue, leave = RunQueue(0.001, LONG_S, together=2), [threading.Event() for _ in range(3)]
    runs = [rerun(queue, one.wait) for one in leave]
    until(lambda: (len(queue._held), len(queue._foreground)) == (2, 1))
    leave[0].set()
    until(lambda: not queue._foreground)
    assert len(queue._held) == 2
    for one, run in zip(leave, runs, strict=True):
        one.set()
        run.join()
    assert not queue._held


@pytest.mark.parametrize("later_s", [0.0, 0.1])
def test_a_background_rerun_goes_before_those_asked_much_later(later_s: float) -> None:
    """A user's rerun waits behind the background reruns that asked `max_wait_s` before it alone."""
    queue, slow = RunQueue(LONG_S, 0.05), threading.Event()
    came: list[str] = []
    first = rerun(queue, slow.wait)
    background = rerun(queue, lambda: came.append("background"), True)
    time.sleep(later_s)
    typed = rerun(queue, lambda: came.append("typed"))
    time.sleep(0.06)
    slow.set()
    for run in (first, background, typed):
        run.join()
    assert came == (["background", "typed"] if later_s else ["typed", "background"])


def test_a_long_computation_releases_the_slot() -> None:
    """Others run inside `released`; a nested slot is the outer one."""
    queue = RunQueue(LONG_S, LONG_S)
    came: list[str] = []
    with queue.slot(), queue.slot():
        other = rerun(queue, lambda: came.append("other"))
        assert came == []
        with queue.released():
            other.join()
            assert came == ["other"]
            assert not queue._held
        assert queue._held
    with queue.released():  # a script without a page
        pass
    assert not queue._held


def test_a_failed_rerun_releases_the_slot() -> None:
    """The slot is free after an exception, also after one inside `released`."""
    queue = RunQueue(LONG_S, LONG_S)
    with suppress(ZeroDivisionError), queue.slot():
        1 / 0  # noqa: B018
    assert not queue._held
    with queue.slot(), suppress(ZeroDivisionError), queue.released():
        1 / 0  # noqa: B018
    assert not queue._held


def test_a_time_slice_releases_the_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slot is free during a time slice and held again after it."""
    queue = RunQueue(LONG_S, LONG_S)
    monkeypatch.setattr(scheduler, "run_queue", queue)
    with queue.slot():
        with time_slice("a model", 0.2) as seconds:
            assert seconds == 0.2
            assert not queue._held
        assert queue._held


def test_a_time_slice_is_short_while_others_wait_and_zero_when_none_is_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Waiting reruns shorten a time slice; with all slices taken it is 0 s."""
    queue, leave = RunQueue(LONG_S, LONG_S), threading.Event()
    monkeypatch.setattr(scheduler, "run_queue", queue)
    monkeypatch.setattr(scheduler, "_slices", threading.BoundedSemaphore(1))
    runs = [rerun(queue, leave.wait), rerun(queue, leave.wait)]
    with time_slice("one", 0.2) as seconds, time_slice("another", 0.2, wait_s=0.01) as none:
        assert 0 < seconds < 0.1
        assert none == 0
    leave.set()
    for run in runs:
        run.join()


def test_one_object_is_computed_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that computes gets no second time slice; after an exception it is free again."""
    monkeypatch.setattr(scheduler, "_slices", threading.BoundedSemaphore(4))
    model, other = object(), object()
    with time_slice(model) as mine, time_slice(model) as again, time_slice(other) as others:
        assert (mine, again, others) == (math.inf, 0, math.inf)
    with suppress(ZeroDivisionError), time_slice(model) as mine:
        assert mine
        1 / 0  # noqa: B018
    with time_slice(model) as mine:
        assert mine


def test_a_click_inside_a_background_fragment_runs_in_the_foreground() -> None:
    """The rerun after a prioritized callback, and only that one, is a foreground rerun."""
    app = AppTest.from_string("""
import streamlit as st
from embviz.server.scheduler import run_queue
from embviz.ui.frame.body import queued_fragment

def part():
    st.write(f"background: {run_queue._thread.background}")
    st.button("Pause", on_click=run_queue.prioritize)

queued_fragment(60, part)
""").run()
    assert app.markdown[0].value == "background: True"
    app.button[0].click().run()
    assert app.markdown[0].value == "background: False"
    app.run()
    assert app.markdown[0].value == "background: True"


@pytest.mark.parametrize("ends", ["", "st.stop()", "1 / 0", "st.rerun()"])
def test_a_page_releases_the_slot_however_it_ends(ends: str) -> None:
    """The slot is free after a rerun that Streamlit ended by an exception of its own."""
    app = AppTest.from_string(f"""
import streamlit as st
from embviz.server.scheduler import run_queue
from embviz.ui.frame.body import queued_fragment

def part(word):
    assert run_queue._held
    st.write(word)

with run_queue.slot():
    queued_fragment(None, part, "here")
    if "again" not in st.session_state:
        st.session_state["again"] = True
        {ends or "pass"}
queued_fragment(None, part, "and here")
""").run()
    assert app.markdown[0].value == "here"
    assert not scheduler.run_queue._held
    assert not scheduler.run_queue._foreground
