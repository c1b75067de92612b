"""Runs of pages go one after another, and no slow one holds up the others."""

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from streamlit.testing.v1 import AppTest

from embviz.server import scheduler as gate_module
from embviz.server.scheduler import Gate
from embviz.server.slices import turn

LONG_S = 30.0  # never reached in a test that passes


def until(holds: Callable[[], bool]) -> None:
    """Wait for it, and fail if it does not come."""
    end = time.monotonic() + LONG_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


def enter(gate: Gate, work: Callable[[], object], patient: bool = False) -> threading.Thread:
    """A run that is in line, or inside, when this returns."""
    asked = threading.Event()

    def run() -> None:
        asked.set()
        with gate.inside(patient):
            work()

    line = gate._patient if patient else gate._line
    before = len(line)
    inside = gate._inside
    thread = threading.Thread(target=run)
    thread.start()
    asked.wait()
    until(lambda: len(line) > before or gate._inside is not inside or not thread.is_alive())
    return thread


def test_who_comes_first_is_served_first_and_alone() -> None:
    """Runs that share the place last as long as all of them together."""
    gate, leave = Gate(LONG_S, LONG_S), threading.Event()
    order: list[int] = []
    now: list[int] = []

    def work(number: int) -> None:
        now.append(number)
        order.append(number)
        assert now == [number]
        if number == 0:
            leave.wait()
        now.remove(number)

    runs = [enter(gate, lambda number=number: work(number)) for number in range(8)]
    assert order == [0]
    begun = time.monotonic()
    leave.set()
    for run in runs:
        run.join()
    assert time.monotonic() - begun < LONG_S / 2  # who is next is called, and need not look
    assert order == list(range(8))


def test_who_stays_for_long_is_overtaken_once_for_all() -> None:
    """One slow page would stop the class; or, leaving, let in two at a time."""
    gate, slow, second = Gate(0.05, LONG_S), threading.Event(), threading.Event()
    came: list[str] = []
    first = enter(gate, slow.wait)
    begun = time.monotonic()
    other = enter(gate, lambda: (came.append("second"), second.wait()))
    until(lambda: came == ["second"])
    assert time.monotonic() - begun >= 0.04
    gate.overstay_s = LONG_S  # of the second
    third = enter(gate, lambda: came.append("third"))
    slow.set()
    first.join()
    time.sleep(0.05)
    assert came == ["second"]  # the one overtaken had no place to give away
    second.set()
    for thread in (other, third):
        thread.join()
    assert came == ["second", "third"]


def test_what_redraws_itself_lets_the_others_go_first() -> None:
    """Animations would keep those waiting who type."""
    gate, leave, back = Gate(LONG_S, LONG_S), threading.Event(), threading.Event()
    came: list[str] = []

    def trains() -> None:
        came.append("training")
        with gate.outside():
            back.wait()
        came.append("drawing")  # as patient as it came

    first = enter(gate, leave.wait)
    other = [enter(gate, trains, patient=True), enter(gate, lambda: None, patient=True)]
    assert not gate.is_crowded
    typed = [enter(gate, lambda: came.append("typed")) for _ in range(2)]
    assert gate.is_crowded
    leave.set()
    for run in (first, *typed, other[1]):
        run.join()
    assert came == ["typed", "typed", "training"]
    leave.clear()
    slow = enter(gate, leave.wait)
    back.set()
    until(lambda: len(gate._patient) == 1)
    last = enter(gate, lambda: came.append("typed"))
    leave.set()
    for run in (slow, last, other[0]):
        run.join()
    assert came == ["typed", "typed", "training", "typed", "drawing"]


def test_nobody_waits_for_ever() -> None:
    """A page would hang, or an animation."""
    gate, slow = Gate(LONG_S, 0.05), threading.Event()
    came: list[str] = []
    first = enter(gate, slow.wait)
    runs = [enter(gate, lambda: came.append("in"), patient) for patient in (True, False, False)]
    until(lambda: len(came) == 3)
    slow.set()
    for run in (first, *runs):
        run.join()
    assert not [*gate._line, *gate._patient]
    assert gate._inside is None


def test_who_computes_for_long_lets_others_in() -> None:
    """Training would hold up whoever types."""
    gate = Gate(LONG_S, LONG_S)
    came: list[str] = []
    with gate.inside(), gate.inside():  # a part of a page stands in the page's own place
        other = enter(gate, lambda: came.append("other"))
        assert came == []
        with gate.outside():
            other.join()
            assert came == ["other"]
            assert gate._inside is None
        assert gate._inside is not None
    with gate.outside():  # a script without a page
        pass
    assert gate._inside is None


def test_a_run_that_fails_leaves() -> None:
    """After an error every page would wait."""
    gate = Gate(LONG_S, LONG_S)
    with suppress(ZeroDivisionError), gate.inside():
        1 / 0  # noqa: B018
    assert gate._inside is None
    with gate.inside(), suppress(ZeroDivisionError), gate.outside():
        1 / 0  # noqa: B018
    assert gate._inside is None


def test_turns_at_computing_are_taken_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The place would be held for as long as somebody trains."""
    mine = Gate(LONG_S, LONG_S)
    monkeypatch.setattr("embviz.server.slices.gate", mine)
    with mine.inside():
        with turn("a model", 0.2) as seconds:
            assert seconds == 0.2
            assert mine._inside is None
        assert mine._inside is not None


def test_turns_are_short_while_others_wait_and_none_where_all_are_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ten who train would take the processor from a hundred who type."""
    mine, leave = Gate(LONG_S, LONG_S), threading.Event()
    monkeypatch.setattr("embviz.server.slices.gate", mine)
    monkeypatch.setattr("embviz.server.slices._turns", threading.BoundedSemaphore(1))
    runs = [enter(mine, leave.wait), enter(mine, leave.wait)]
    with turn("one", 0.2) as seconds, turn("another", 0.2, wait_s=0.01) as none:
        assert 0 < seconds < 0.1
        assert none == 0
    leave.set()
    for run in runs:
        run.join()


def test_one_thing_is_computed_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that begins before the one it replaces has ended would train the same model with it."""
    monkeypatch.setattr("embviz.server.slices._turns", threading.BoundedSemaphore(4))
    model, other = object(), object()
    with turn(model) as mine, turn(model) as again, turn(other) as others:
        assert (mine, again, others) == (math.inf, 0, math.inf)
    with suppress(ZeroDivisionError), turn(model) as mine:
        assert mine
        1 / 0  # noqa: B018
    with turn(model) as mine:
        assert mine


def test_who_presses_in_a_part_that_redraws_itself_does_not_stand_back() -> None:
    """Pause, pressed in a full class, would act late."""
    app = AppTest.from_string("""
import streamlit as st
from embviz.server.scheduler import gate, redrawn

def part():
    st.write(f"patient: {gate._mine.patient}")
    st.button("Pause", on_click=gate.hurry)

redrawn(60, part)
""").run()
    assert app.markdown[0].value == "patient: True"
    app.button[0].click().run()
    assert app.markdown[0].value == "patient: False"
    app.run()
    assert app.markdown[0].value == "patient: True"


@pytest.mark.parametrize("ends", ["", "st.stop()", "1 / 0", "st.rerun()"])
def test_a_page_leaves_however_it_ends(ends: str) -> None:
    """Streamlit ends runs by exceptions of its own."""
    app = AppTest.from_string(f"""
import streamlit as st
from embviz.server.scheduler import gate, redrawn

def part(word):
    assert gate._inside is not None
    st.write(word)

with gate.inside():
    redrawn(None, part, "here")
    if "again" not in st.session_state:
        st.session_state["again"] = True
        {ends or "pass"}
redrawn(None, part, "and here")
""").run()
    assert app.markdown[0].value == "here"
    assert gate_module.gate._inside is None
    assert not gate_module.gate._line
