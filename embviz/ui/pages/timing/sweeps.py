"""Sweeps of this server, and the runs that one session measures and opens.

One `Engine` serves all sessions, and so does one cluster. Each session has a `SessionSweep`, which
Streamlit releases when the tab closes; its sweeps then end too. Runs are kept in the user's data
folder; a hosted server keeps none.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from embviz.core import bounds
from embviz.core.bounds import hosted
from embviz.core.data_folder import data_folder
from embviz.core.refused import Refused
from embviz.core.wording import format_apart
from embviz.timing.cases import Case, CaseError
from embviz.timing.cluster_address import ClusterError
from embviz.timing.cluster_sweep import RemoteSweep
from embviz.timing.phrases import capitalized
from embviz.timing.results import Failure
from embviz.timing.run_file import RunFile
from embviz.timing.runs import MAX_RUN_BYTES, Run, RunError, read_run
from embviz.timing.settings import HERE
from embviz.timing.sweep import Engine, Sweep
from embviz.ui.pages.timing import cluster

_LOGGER = logging.getLogger("embviz")
GRACE_S = 10.0  # after the tab has closed; a reload is a new session
UNREACHABLE = (
    "no machine can measure this now: each is lost, cannot be reached or has too few threads. "
    "Times that have arrived are kept."
)
KEPT_RUNS = 100
OPEN_RUNS = 8  # in one chart
OPEN_BYTES = 8 * MAX_RUN_BYTES  # of their files together, because times take memory
REFERENCE = Path(__file__).resolve().parents[3] / "timing" / "reference"
# The page opens on it. It answers the page's first question. To record it again:
# python -m embviz time --methods lookup matmul --cache same new --repeat 3 --no-hostname --out FILE
RECORDED = REFERENCE / "recorded.jsonl"


@st.cache_resource(show_spinner=False)
def engine() -> Engine:
    """The engine of this server; its worker starts with the first sweep."""
    return Engine()


BEFORE = ("queued", "starting")  # states of a sweep before it measures
Seen = tuple[tuple[Sweep, ...], bool, bool]  # the sweeps, whether active, whether measuring


class SessionSweep:
    """The sweeps of one session: the same cases on one machine or on several.

    Attributes:
        sweeps: the last ones, by machine.
        refusal: why the last one, or one of them, could not start, in a sentence each.
    """

    def __init__(self) -> None:
        self.sweeps: dict[str, Sweep] = {}
        self.refusal = ""
        self._files: list[RunFile] = []
        self._gone: threading.Timer | None = None

    def start(
        self,
        cases: Sequence[Case],
        machines: Sequence[str] = (HERE,),
        own_threads: bool = True,
    ) -> None:
        """Measure these; earlier sweeps of this session are stopped.

        Args:
            cases: as of `Engine.start`.
            machines: HERE, names of the cluster's, or "" for the first that is free.
            own_threads: whether a machine of the cluster uses its own number of threads.
        """
        self.stop()
        self._files, started, refusals = [], dict[str, Sweep](), []
        for name in machines:
            try:
                file = _new_file("" if name == HERE else name)
                if name == HERE:
                    started[name] = engine().start(cases, file)
                else:
                    started[name] = _start_elsewhere(name, cases, file, own_threads)
                self._files += [] if file is None else [file]
            except (Refused, OSError) as error:  # OSError: no room for a ticket
                refusals.append(_named(name, str(error)))
        self.refusal = " ".join(refusals)
        self.sweeps = started or self.sweeps

    def stop(self) -> None:
        """End the sweeps under way; their results stay."""
        for sweep in self.sweeps.values():
            sweep.stop()

    def leave(self) -> None:
        """End the sweeps after a grace period: the tab is closed."""
        self._gone = threading.Timer(GRACE_S, self.stop)
        self._gone.daemon = True
        self._gone.start()

    @property
    def cases(self) -> list[Case]:
        """What the last sweeps measure."""
        return next((sweep.cases for sweep in self.sweeps.values()), [])

    @property
    def active(self) -> bool:
        """Whether a sweep waits or runs."""
        return any(sweep.active for sweep in self.sweeps.values())

    @property
    def measuring(self) -> bool:
        """Whether results arrive: a sweep that waits in the queue has nothing new to show."""
        every = self.sweeps.values()
        return any(one.state == "running" and one.arrived for one in every)

    @property
    def seen(self) -> Seen:
        """What the page shows; when it changes, the whole page is drawn again."""
        return tuple(self.sweeps.values()), self.active, self.measuring

    @property
    def machines(self) -> list[str]:
        """Their names where there are several, else none: a chart then has one run."""
        return [*self.sweeps] if len(self.sweeps) > 1 else []

    def failures(self) -> list[str]:
        """Why sweeps failed."""
        every = self.sweeps.items()
        return [_named(name, error_of(one)) for name, one in every if one.state == "failed"]

    def runs(self) -> list[Run]:
        """The last runs that have results, as far as they are, with their machines' names."""
        names = {HERE: "this run"} if len(self.sweeps) == 1 else {}
        begun = {n: one for n, one in self.sweeps.items() if one.state not in BEFORE}
        made = [_shown(one.run(names.get(name, name))) for name, one in begun.items()]
        return [run for run in made if run.results]

    @property
    def trouble(self) -> str:
        """Why the last run is not kept, in one sentence; empty where it is."""
        trouble = next((file.trouble for file in self._files if file.trouble), "")
        return trouble and f"This run is not kept: {trouble}"


def _start_elsewhere(
    name: str, cases: Sequence[Case], file: RunFile | None, own_threads: bool
) -> Sweep:
    """A sweep on a machine of the cluster; for a visitor within the bounds of this server.

    Raises:
        ValueError: it cannot even wait.
    """
    shared, public = cluster.watched(), hosted()
    most = bounds.TIMING.value() * bounds.MIB
    large = [case for case in cases if public and case.memory_bytes > most]
    left_out = list[Failure]()  # whatever the machine would allow
    for case in large:
        needs, allowed = format_apart(case.memory_bytes, most)
        over = f"needs {needs}, over the budget of {allowed} ({bounds.TIMING.variable})"
        left_out.append(Failure(case, over))
    if len(large) == len(cases):
        raise CaseError(f"no case can be measured. The first {left_out[0].reason}.")
    try:
        return shared.cluster().start(
            [case for case in cases if case not in large],
            file,
            _log if public else shared.changed,
            machine=name,
            own_threads=own_threads,
            hostname=not public,
            left_out=left_out,
        )
    except ClusterError as error:
        if public:
            _LOGGER.warning("cluster: %s", error)
            raise ClusterError(UNREACHABLE) from None
        raise


def _log(sweep: Sweep) -> None:
    """For the host: a visitor does not learn why a machine failed."""
    if sweep.error:
        _LOGGER.warning("cluster: %s", sweep.error)


def _named(machine: str, error: str) -> str:
    """The sentence with its machine's name, if it is not this one and not named there."""
    named = machine in (HERE, "") or f"machine {machine} " in error
    return capitalized(error) if named else f"{machine}: {error}"


def error_of(sweep: Sweep) -> str:
    """Why a sweep failed; a visitor does not learn names and addresses of machines."""
    return UNREACHABLE if hosted() and isinstance(sweep, RemoteSweep) else sweep.error


def _shown(run: Run) -> Run:
    """The run as this session may have it."""
    if not hosted() or "worker" not in run.environment:
        return run
    facts = {name: value for name, value in run.environment.items() if name != "worker"}
    end = run.end
    if end is not None and end["status"] == "failed":
        end = end | {"reason": UNREACHABLE}
    return replace(run, name="this run", environment=facts, end=end)


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda mine: mine.leave())
def session_sweep() -> SessionSweep:
    """The sweep of this session."""
    return SessionSweep()


def kept() -> list[str]:
    """Names of the runs kept on this machine, the newest first; none where hosted."""
    if hosted():
        return []
    with contextlib.suppress(OSError):
        return sorted((path.stem for path in _folder().glob("*.jsonl")), reverse=True)
    return []


def references() -> list[str]:
    """Names of the runs that embviz ships; each file names its machine."""
    return sorted(path.stem for path in REFERENCE.glob("*.jsonl"))


@st.cache_resource(show_spinner=False)
def recorded() -> Run | None:
    """The run that the page opens on; None where there is none. It is read once."""
    try:
        return read_run(RECORDED.read_bytes(), RECORDED.stem)
    except OSError:
        return None


def title(name: str, files: Mapping[str, Path]) -> str:
    """Machine, date and question of a run of `paths()`; its name where it cannot be read."""
    try:
        with files[name].open("rb") as file:  # the first line has the facts
            run = read_run(file.readline(MAX_RUN_BYTES), name)
    except (KeyError, OSError, RunError):
        return name
    facts = (
        run.environment.get("worker"),
        run.machine,
        run.moment,
        run.environment.get("question"),
    )
    return ", ".join(str(fact) for fact in facts if fact)


def paths() -> dict[str, Path]:
    """The files of the kept and of the shipped runs, by name."""
    folder = _folder()
    return {
        **{name: folder / f"{name}.jsonl" for name in kept()},
        **{name: REFERENCE / f"{name}.jsonl" for name in references()},
    }


def opened(names: Sequence[str], uploads: Sequence[Any]) -> tuple[list[Run], list[str]]:
    """The runs of these names and files, and a sentence for each that cannot be read."""
    runs, troubles, room = list[Run](), list[str](), OPEN_BYTES
    files = paths()
    sources = [(n, files[n].read_bytes) for n in names if n in files]
    sources += [(upload.name, upload.getvalue) for upload in uploads]
    for name, read in sources:
        if len(runs) == OPEN_RUNS:
            troubles.append(f"Only {OPEN_RUNS} runs fit into one chart; '{name}' is left out.")
            continue
        try:
            content = read()
            if len(content) > room:
                troubles.append(
                    f"All runs together may have {OPEN_BYTES:,} bytes; '{name}' is left out."
                )
                continue
            runs.append(read_run(content, name))
            room -= len(content)
        except (RunError, OSError) as error:
            troubles.append(str(error))
    return runs, troubles


def _folder() -> Path:
    path = data_folder() / "runs"
    with contextlib.suppress(OSError):  # what reads or writes there says why
        path.mkdir(parents=True, exist_ok=True)
    return path


def close() -> None:
    """Stop all sweeps, end the worker and leave the cluster; the server ends."""
    engine().close()
    cluster.watched().close()


def _new_file(machine: str = "") -> RunFile | None:
    """The file of a run that begins, in the data folder without the oldest; None where hosted."""
    if hosted():
        return None
    with contextlib.suppress(OSError):  # the file itself will say so
        for path in sorted(_folder().glob("*.jsonl"), reverse=True)[KEPT_RUNS - 1 :]:
            path.unlink(missing_ok=True)
    named = re.sub(r"[^\w.-]+", "_", f"-{machine}" if machine else "")[:60]
    moment = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H%M%SZ}"
    return RunFile(_folder() / f"{moment}{named}.jsonl")
