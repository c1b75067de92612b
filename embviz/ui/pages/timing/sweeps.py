"""Sweeps of this server, and the runs that one session measures and opens.

One `Engine` serves all sessions. Each session has a `SessionSweep`, which Streamlit releases when
the tab closes; its sweep then ends too. Runs are kept in the user's data folder; a hosted server
keeps none.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from embviz.core.bounds import hosted
from embviz.core.data_folder import data_folder
from embviz.server import log
from embviz.timing.cases import Case
from embviz.timing.machines import question
from embviz.timing.results import Failure
from embviz.timing.run_file import RunFile
from embviz.timing.runs import MAX_RUN_BYTES, Run, RunError, read_run
from embviz.timing.sweep import Engine, Sweep

GRACE_S = 10.0  # after the tab has closed; a reload is a new session
KEPT_RUNS = 100
OPEN_RUNS = 40  # in one chart
OPEN_BYTES = 8 * MAX_RUN_BYTES  # of their files together, because times take memory
REFERENCE = Path(__file__).resolve().parents[3] / "timing" / "reference"
# The page opens on it. It answers the page's first question, in under 300 KB. To record it again:
# python -m embviz time --methods lookup matmul --cache same new --repeat 3 --no-hostname --out FILE
RECORDED = REFERENCE / "recorded.jsonl"


@st.cache_resource(show_spinner=False)
def engine() -> Engine:
    """The engine of this server; its worker starts with the first sweep."""
    return Engine()


class SessionSweep:
    """The sweep of one session.

    Attributes:
        sweep: the last one, or None.
        refusal: why the last one could not start, in one sentence.
    """

    def __init__(self) -> None:
        self.sweep: Sweep | None = None
        self.refusal = ""
        self._file: RunFile | None = None
        self._gone: threading.Timer | None = None

    def start(self, cases: Sequence[Case], steady: bool = False) -> None:
        """Measure these; an earlier sweep of this session is stopped.

        Args:
            cases: as of `Engine.start`.
            steady: whether to go on until each median is known well, or the time is up.
        """
        self.stop()
        self.refusal = ""
        try:
            watcher = log.sweep_changed if hosted() else None
            self._file = _new_file()
            self.sweep = engine().start(cases, self._file, watcher, steady=steady)
        except (ValueError, OSError) as error:  # OSError: no room for a ticket
            self.refusal = str(error)

    def stop(self) -> None:
        """End the sweep under way; its results stay."""
        if self.sweep is not None:
            self.sweep.stop()

    def leave(self) -> None:
        """End the sweep after a grace period: the tab is closed."""
        self._gone = threading.Timer(GRACE_S, self.stop)
        self._gone.daemon = True
        self._gone.start()

    @property
    def active(self) -> bool:
        """Whether a sweep waits or runs."""
        return self.sweep is not None and self.sweep.active

    @property
    def measuring(self) -> bool:
        """Whether results arrive: a sweep that waits in the queue has nothing new to show."""
        sweep = self.sweep
        return sweep is not None and sweep.state == "running" and sweep.first_s is not None

    def run(self) -> Run | None:
        """The last run of this session, as far as it is."""
        run = None if self.sweep is None else self.sweep.run("this run")
        return run if run and run.results else None

    @property
    def trouble(self) -> str:
        """Why the last run is not kept, in one sentence; empty where it is."""
        trouble = "" if self._file is None else self._file.trouble
        return trouble and f"This run is not kept: {trouble}"


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
        path = files[name]
        return _title(path, path.stat().st_mtime_ns)
    except (KeyError, OSError, ValueError):
        return name


@lru_cache(2 * KEPT_RUNS)
def _title(path: Path, _changed: int) -> str:
    """Read without its times, which are most of the file and of the work."""
    environment, cases = dict[str, Any](), dict[str, Case]()
    with path.open("rb") as file:
        for line in file.read(MAX_RUN_BYTES).splitlines():
            with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):  # no run
                given = json.loads(line)
                if "case" in given:
                    cases.setdefault(str(given["case"]), Case.from_dict(given["case"]))
                elif given["type"] == "environment":
                    environment = given
    run = Run(path.stem, environment, tuple(Failure(case, "") for case in cases.values()))
    return f"{run.machine or path.stem}, {run.moment}: {question(run)}"


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


def _new_file() -> RunFile | None:
    """The file of a run that begins, in the data folder without the oldest; None where hosted."""
    if hosted():
        return None
    with contextlib.suppress(OSError):  # the file itself will say so
        for path in sorted(_folder().glob("*.jsonl"), reverse=True)[KEPT_RUNS - 1 :]:
            path.unlink(missing_ok=True)
    return RunFile(_folder() / f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H%M%SZ}.jsonl")
