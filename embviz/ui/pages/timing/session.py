"""What one session measures and opens, and the engine and the cluster that all sessions share.

A closed tab ends its sweeps a little later. Runs are kept in the user's data folder; a hosted
server keeps none. Nothing is drawn here.
"""

from __future__ import annotations

import datetime
import os
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from embviz import timing
from embviz.core.bounds import hosted
from embviz.core.data_folder import data_folder
from embviz.core.refused import Refused
from embviz.timing.case import Case, varying
from embviz.timing.cluster import VARIABLE, Cluster
from embviz.timing.methods import HERE
from embviz.timing.run import Run, RunError, RunFile, read_run
from embviz.timing.sweep import Engine, Sweep

GRACE_S = 10.0  # after the tab has closed; a reload is a new session
KEPT = 100  # runs in the data folder
OPEN = 8  # runs in one chart, because times take memory
FRESH_S, LOOK_S = 5.0, 1.5  # how long a look at the cluster holds, and may delay a page
ANY = ""  # the first machine of the cluster that is free
UNREACHABLE = "No machine can measure this now. Times that have arrived are kept."
# The page opens on it. It answers the page's first question.
RECORDED = Path(timing.__file__).parent / "reference" / "recorded.jsonl"
ENGINE = Engine()
_looks = ThreadPoolExecutor(1, "cluster")


@cache
def warm() -> None:
    """Start the measuring process before the first sweep needs it."""
    ENGINE.warm()


@cache
def recorded() -> Run:
    """The run that embviz ships."""
    return read_run(RECORDED.read_bytes(), RECORDED.stem)


def clustered() -> bool:
    """Whether EMBVIZ_CLUSTER names a cluster."""
    return bool(os.environ.get(VARIABLE))


@cache
def cluster() -> Cluster:
    """The cluster that is named.

    Raises:
        ClusterError: its address is refused, or Dask is missing.
    """
    return Cluster(os.environ[VARIABLE])


@st.cache_resource(show_spinner=False, ttl=FRESH_S)
def machines() -> tuple[list[str], str]:
    """The cluster's machines, and why none can be used, in one sentence."""
    try:
        return _looks.submit(lambda: cluster().machines()).result(LOOK_S), ""
    except TimeoutError:
        return [], "The cluster has not answered yet."
    except Refused as error:
        return [], str(error)


class Session:
    """The sweeps of one session: the same cases on one machine or on several.

    Attributes:
        sweeps: the last ones, by machine.
        cases: what they measure.
        refusals: why they, or some of them, could not start.
    """

    def __init__(self) -> None:
        self.sweeps: dict[str, Sweep] = {}
        self.cases: list[Case] = []
        self.refusals: list[str] = []
        self._files: list[RunFile] = []

    def start(
        self, cases: Sequence[Case], names: Sequence[str] = (HERE,), processes: int = 1
    ) -> None:
        """Measure these; earlier sweeps of this session are stopped.

        Args:
            cases: of one sweep.
            names: HERE, machines of the cluster, or ANY.
            processes: fresh worker processes, each of which measures all rounds.
        """
        self.stop()
        self.refusals, self._files, started = [], [], dict[str, Sweep]()
        for name in names:
            file = RunFile(_folder() / f"{_title(cases, name)}.jsonl")
            sink = None if hosted() else file.append
            try:
                start = ENGINE.start if name == HERE else partial(cluster().start, machine=name)
                started[name] = start(cases, sink, processes)
            except (Refused, OSError) as error:
                self.refusals.append(_why(name, str(error)))
            else:
                started[name].run.name = name
                self._files.append(file)
        if started:
            self.sweeps, self.cases = started, [*cases]

    def stop(self) -> None:
        """End the sweeps under way; their times stay."""
        for sweep in self.sweeps.values():
            sweep.stop()

    def leave(self) -> None:
        """The tab is closed: end the sweeps after a grace period."""
        gone = threading.Timer(GRACE_S, self.stop)
        gone.daemon = True
        gone.start()

    @property
    def active(self) -> list[Sweep]:
        """The sweeps that wait or run."""
        return [sweep for sweep in self.sweeps.values() if sweep.active]

    @property
    def runs(self) -> list[Run]:
        """The last runs, as far as they are."""
        return [one.run for one in self.sweeps.values() if one.run.cases or one.run.failures]

    @property
    def troubles(self) -> list[str]:
        """What went wrong with the last sweeps, a sentence each."""
        ended = self.sweeps.items()
        failed = [_why(name, one.reason) for name, one in ended if one.state == "failed"]
        lost = [f"This run is not kept: {one.trouble}" for one in self._files if one.trouble]
        return [*self.refusals, *failed, *lost[:1]]


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda mine: mine.leave())
def session() -> Session:
    """That of this session; released when the tab closes."""
    return Session()


def named(machine: str, text: str) -> str:
    """The text, behind the name of another machine."""
    return text if machine in (HERE, ANY) or machine in text else f"machine {machine}: {text}"


def _why(machine: str, error: str) -> str:
    """The sentence as this session may read it: strangers learn no names and addresses."""
    return UNREACHABLE if hosted() and machine != HERE else named(machine, error)


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


def _title(cases: Sequence[Case], machine: str) -> str:
    """The name of a run that begins now: moment, question and machine."""
    now = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H.%M.%S}"
    words = now, varying(cases), *dict.fromkeys(case.method for case in cases), "on", machine
    return re.sub(r"[^\w. -]+", "_", " ".join(words)[:150])


def close() -> None:
    """Stop all sweeps and leave the cluster; the server ends."""
    ENGINE.close()
    if clustered():
        with suppress(Refused):
            cluster().close()
