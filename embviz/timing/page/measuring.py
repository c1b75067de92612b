"""The sweeps of a session: one begins, ends, and each question keeps its last measured one.

A press on *Measure here* puts a sweep into the queue of the engine that all sessions share. A
closed tab ends its sweep. Nothing is drawn here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import nullcontext
from functools import cache
from typing import Any

import streamlit as st
import torch

from embviz.fact.dtypes import DTYPES
from embviz.settings.pages import SETTINGS
from embviz.system.bounds import Fixed
from embviz.system.devices import available_devices, why_no_gpu
from embviz.text.refused import Refused, refusals_about
from embviz.timing.cases import cases_of, question_of
from embviz.timing.measure.axes import MODES
from embviz.timing.measure.run import Run
from embviz.timing.measure.sweep import Engine, Sweep
from embviz.timing.measure.timed import CaseError, Timed
from embviz.timing.page import kept
from embviz.timing.settings import PAGE as TIMING
from embviz.timing.tell.my_model import fitting
from embviz.ui.state.address import setting, settings
from embviz.ui.state.changes import refuse_long
from embviz.ui.state.session import cached, session

# Lines of all measured runs that a session keeps, beside the newest run.
KEPT_LINES = Fixed(100_000, 6_000)
SIDE = (64, 512, 256)  # Rows, products and columns of the product that `product_flops` times.
ENGINE = Engine()
warm = cache(ENGINE.warm)  # The measuring process starts before the first sweep.


class Sweeps:
    """The sweeps of one session.

    Attributes:
        newest: the one that was started last, or None.
        left_out: sentences on what the newest sweep of *My model* could not measure.
    """

    def __init__(self) -> None:
        self.newest: Sweep | None = None
        self.left_out: list[str] = []
        self._last: dict[str, Run] = {}  # By question, oldest first.

    def begin(self, sweep: Sweep, left_out: list[str]) -> None:
        """Take a new sweep; the run before stays the answer to its question if it has found some.

        The oldest runs are forgotten where all have too many lines together.
        """
        if self.newest is not None and not self.newest.run.is_empty:
            self._last.pop(self.newest.question, None)
            self._last[self.newest.question] = self.newest.run
        while len(self._last) > 1 and self._lines() > KEPT_LINES.value():
            del self._last[next(iter(self._last))]
        self.newest, self.left_out = sweep, left_out

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
        return cases_of(own), None
    except Refused as error:
        if isinstance(error, CaseError) and not error.fixes:
            error.fixes = _fixes(own, error.about)
        return [], error


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
        fit, left_out = _measurable(cases)
        varies = setting("vary") == "threads"  # The field of values has these.
        with refusals_about("values", instead_of=("threads",)) if varies else nullcontext():
            sweep = ENGINE.start(fit, kept.new(fit), int(setting("repeat")), question())
        mine.begin(sweep, left_out)
        session().own["timing_refusal"] = None
    except Refused as error:
        session().own["timing_refusal"] = own_settings(), error


def _measurable(cases: list[Timed]) -> tuple[list[Timed], list[str]]:
    """The cases to measure, and a sentence for each that is left out.

    Raises:
        Refused: nothing can be measured here.
    """
    if missing := missing_devices():
        raise Refused(why_missing(missing), about="devices")
    if not setting("my_model"):
        return cases, []
    rate = product_flops(cases[0].dtype) * cases[0].threads
    fit, left_out = fitting(cases, rate)
    if not fit:
        raise Refused(" ".join(left_out), about="model_rows")
    return fit, left_out


@cache
def product_flops(dtype: str) -> float:
    """Operations of a matrix product in one second, with one thread of this process.

    A first look of a few milliseconds: it decides whether a model would take too long.
    """
    rows, products, columns = SIDE
    left = torch.ones(rows, products, dtype=DTYPES[dtype].torch)
    right = torch.ones(columns, products, dtype=DTYPES[dtype].torch)
    taken = []
    for _ in range(4):
        begun = time.perf_counter()
        torch.nn.functional.linear(left, right)
        taken.append(time.perf_counter() - begun)
    return 2 * rows * products * columns / max(min(taken), 1e-9)


def is_of_settings(sweep: Sweep) -> bool:
    """Whether a sweep measures what the settings ask for, or more."""
    cases, _ = planned()
    return {*cases} <= {*sweep.cases}
