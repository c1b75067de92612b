"""What one session measures and opens, and the engine that all sessions share.

A closed tab ends its sweep a little later. Runs are kept in the user's data folder; a hosted
server keeps none. Nothing is drawn here.
"""

from __future__ import annotations

import datetime
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from embviz import timing
from embviz.core.bounds import hosted
from embviz.core.data_folder import data_folder
from embviz.core.refused import Refused
from embviz.timing.case import Case, varying
from embviz.timing.lines import RunError
from embviz.timing.run import Run, RunFile, read_run
from embviz.timing.sweep import Engine, Sweep

GRACE_S = 10.0  # after the tab has closed; a reload is a new session
KEPT = 100  # runs in the data folder
OPEN = 8  # runs in one chart, because times take memory
# The page opens on it. It answers the page's first question.
RECORDED = Path(timing.__file__).parent / "reference" / "recorded.jsonl"
ENGINE = Engine()
close = ENGINE.close  # as the server ends


@cache
def warm() -> None:
    """Start the measuring process before the first sweep needs it."""
    ENGINE.warm()


@cache
def recorded() -> Run:
    """The run that embviz ships."""
    return read_run(RECORDED.read_bytes(), RECORDED.stem)


class Session:
    """The sweep of one session.

    Attributes:
        sweep: the last one.
        before: the run that was there when it started, if any.
        refusal: why the next one could not start.
    """

    def __init__(self) -> None:
        self.sweep: Sweep | None = None
        self.before: list[Run] = []
        self.refusal = ""
        self._file = RunFile(Path())

    def start(self, cases: Sequence[Case], processes: int = 1) -> None:
        """Measure these in so many fresh processes; an earlier sweep of this session is stopped."""
        self.stop()
        self.refusal, file = "", RunFile(_folder() / f"{_title(cases)}.jsonl")
        try:
            sweep = ENGINE.start(cases, None if hosted() else file.append, processes)
        except Refused as error:
            self.refusal = str(error)
            return
        sweep.run.name = "this machine"
        self.before, self.sweep, self._file = self.runs, sweep, file

    def stop(self) -> None:
        """End the sweep under way; its times stay."""
        if self.sweep:
            self.sweep.stop()

    def leave(self) -> None:
        """The tab is closed: end the sweep after a grace period."""
        gone = threading.Timer(GRACE_S, self.stop)
        gone.daemon = True
        gone.start()

    @property
    def active(self) -> bool:
        """Whether the sweep waits or runs."""
        return self.sweep is not None and self.sweep.active

    @property
    def runs(self) -> list[Run]:
        """The last run, as far as it is; the one before while it has nothing."""
        run = self.sweep and self.sweep.run
        return [run] if run and (run.cases or run.failures) else self.before

    @property
    def troubles(self) -> list[str]:
        """What went wrong, a sentence each."""
        failed = self.sweep.reason if self.sweep and self.sweep.state == "failed" else ""
        lost = self._file.trouble and f"This run is not kept: {self._file.trouble}"
        return [one for one in (self.refusal, failed, lost) if one]


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda mine: mine.leave())
def session() -> Session:
    """That of this session; released when the tab closes."""
    return Session()


def kept() -> dict[str, Path]:
    """The recorded run and earlier ones by name, the newest first; none of those where hosted."""
    paths = [] if hosted() else sorted(_folder().glob("*.jsonl"), reverse=True)
    return {path.stem: path for path in (RECORDED, *paths)}


def opened(names: Sequence[str], uploads: Sequence[Any]) -> tuple[list[Run], list[str]]:
    """The runs of these names and files, and a sentence for each that cannot be read."""
    runs, troubles, files = list[Run](), list[str](), kept()
    sources = [(name, files[name].read_bytes) for name in names if name in files]
    sources += [(one.name, one.getvalue) for one in uploads]
    for name, read in sources[:OPEN]:
        try:
            runs.append(read_run(read(), name))
        except (RunError, OSError) as error:
            troubles.append(str(error))
    most = f"is left out: a chart has {OPEN} more runs at most."
    return runs, [*troubles, *(f"{name} {most}" for name, _ in sources[OPEN:])]


def _folder() -> Path:
    """Where runs are kept, without the oldest ones; what reads or writes there says what fails."""
    path = data_folder() / "runs"
    if not hosted():
        with suppress(OSError):
            path.mkdir(parents=True, exist_ok=True)
            for old in sorted(path.glob("*.jsonl"))[: 1 - KEPT]:
                old.unlink()
    return path


def _title(cases: Sequence[Case]) -> str:
    """The name of a run that begins now: moment and question."""
    now = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H.%M.%S}"
    return " ".join([now, varying(cases), *dict.fromkeys(case.method for case in cases)])[:150]
