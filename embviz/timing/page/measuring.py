"""The sweeps of a session: one begins, ends, and each question keeps its last measured one.

A press on *Measure here* puts a sweep into the queue of the engine that all sessions share. A
closed tab ends its sweep. Nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from functools import cache
from typing import Any

import streamlit as st

from embviz.settings.pages import SETTINGS
from embviz.system.bounds import Fixed
from embviz.system.devices import available_devices, why_no_gpu
from embviz.text.refused import Refused, refusals_about
from embviz.timing.cases import cases_of, device_of_model, model_of, question_of
from embviz.timing.measure.axes import MODES
from embviz.timing.measure.run import Run
from embviz.timing.measure.sweep import Engine, Sweep
from embviz.timing.measure.timed import CaseError, Timed
from embviz.timing.page import kept
from embviz.timing.settings import PAGE as TIMING
from embviz.timing.tell.my_model import left_out as why_left_out
from embviz.timing.tell.questions import MY_MODEL
from embviz.timing.tell.recorded import recorded
from embviz.ui.state.address import setting, settings
from embviz.ui.state.changes import refuse_long
from embviz.ui.state.session import cached, session

# Lines of all measured runs that a session keeps, beside the newest run.
KEPT_LINES = Fixed(100_000, 6_000)
ENGINE = Engine()
warm = cache(ENGINE.warm)  # The measuring process starts before the first sweep.


class Sweeps:
    """The sweeps of one session.

    Attributes:
        newest: the one that was started last, or None.
    """

    def __init__(self) -> None:
        self.newest: Sweep | None = None
        self._last: dict[str, Run] = {}  # By question, oldest first.

    def begin(self, sweep: Sweep) -> None:
        """Take a new sweep; the run before stays the answer to its question if it has found some.

        The oldest runs are forgotten where all have too many lines together.
        """
        if self.newest is not None and not self.newest.run.is_empty:
            self._last.pop(self.newest.question, None)
            self._last[self.newest.question] = self.newest.run
        while len(self._last) > 1 and self._lines() > KEPT_LINES.value():
            del self._last[next(iter(self._last))]
        self.newest = sweep

    def stop(self) -> None:
        """End the newest sweep; its times stay."""
        if self.newest:
            self.newest.stop()

    @property
    def active(self) -> bool:
        """Whether the newest sweep waits or runs."""
        return self.newest is not None and self.newest.active

    def run_of(self, question: str) -> Run | None:
        """The last run of a question that has times or failures."""
        newest = self.newest
        if newest and newest.question == question and not newest.run.is_empty:
            return newest.run
        return self._last.get(question)

    def is_measuring(self, question: str) -> bool:
        """Whether a sweep of this question waits or runs."""
        return self.active and self.newest is not None and self.newest.question == question

    def _lines(self) -> int:
        return sum(run.count for run in self._last.values())


@st.cache_resource(scope="session", show_spinner=False, on_release=Sweeps.stop)
def sweeps() -> Sweeps:
    """The sweeps of this session; a running one ends when the tab closes."""
    return Sweeps()


def own_settings() -> dict[str, Any]:
    """All settings of the timing page."""
    return settings([record.name for record in TIMING.settings])


def question() -> str:
    """The question whose settings the page has; OWN for other settings."""
    return question_of(own_settings())


def planned() -> tuple[list[Timed], Refused | None]:
    """The cases that the settings ask for, and why there are none.

    They are kept for these settings: a running sweep is looked at each second.
    """
    return cached("planned", (own_settings(), session().over.get("values")), _plan)


def _plan() -> tuple[list[Timed], Refused | None]:
    own = own_settings()
    try:
        refuse_long("values")
        cases = cases_of(own)
        return (cases[:1] if left_out() else cases), None
    except Refused as error:
        if isinstance(error, CaseError) and not error.fixes:
            error.fixes = _fixes(own, error.about)
        return [], error


def left_out() -> str:
    """Why *My model* is timed without its matmul, in a sentence; empty where it is not."""
    own = own_settings()
    if not own["my_model"]:
        return ""
    return why_left_out(model_of(own), device_of_model(), recorded(MY_MODEL))


def _fixes(own: Mapping[str, Any], about: str) -> dict[str, Mapping[str, Any]]:
    """The changes that would make these settings measurable, by the name of their press."""
    names = [name for name in dict.fromkeys([about, "methods"]) if name != "mode"]
    fixes = {f"Take the usual {name}": {name: SETTINGS[name].default} for name in names}
    if about == "mode":
        fixes |= {f"Time {mode}": {"mode": mode} for mode in MODES}
    return {words: change for words, change in fixes.items() if _fits({**own, **change})}


def _fits(own: Mapping[str, Any]) -> bool:
    try:
        return bool(cases_of(own))
    except CaseError:
        return False


def refusal() -> Refused | None:
    """Why the settings cannot be measured, or why the last press of *Measure here* failed."""
    _, refused = planned()
    asked, of_start = session().own.get("timing_refusal") or (None, None)
    return refused or (of_start if asked == own_settings() else None)


def missing_devices() -> list[str]:
    """The devices of the settings that this machine lacks: nothing can be measured."""
    devices = () if setting("my_model") else setting("devices")
    return sorted({*devices} - {*available_devices()})


def why_missing(devices: list[str]) -> str:
    """Why these devices cannot be measured here."""
    why = why_no_gpu() or f"This machine has {', '.join(available_devices())}."
    return f"{', '.join(devices)} cannot be measured here. {why}"


def start() -> None:
    """Measure what the settings ask for; an earlier sweep of this session is stopped."""
    mine = sweeps()
    mine.stop()
    cases, refused = planned()
    if refused:
        return  # The page says it.
    try:
        if missing := missing_devices():
            raise Refused(why_missing(missing), about="devices")
        varies = setting("vary") == "threads"  # The field of values has these.
        with refusals_about("values", instead_of=("threads",)) if varies else nullcontext():
            sweep = ENGINE.start(cases, kept.new(cases), int(setting("repeat")), question())
        mine.begin(sweep)
        session().own["timing_refusal"] = None
    except Refused as error:
        session().own["timing_refusal"] = own_settings(), error


def is_of_settings(sweep: Sweep) -> bool:
    """Whether a sweep measures what the settings ask for, or more."""
    cases, _ = planned()
    return {*cases} <= {*sweep.cases}
