"""A session measures, keeps and opens runs."""

import errno
import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from embviz import timing
from embviz.core.data_folder import FOLDER_VARIABLE
from embviz.timing.cases import Case
from embviz.timing.chart_lines import varying
from embviz.timing.queue import QueueFull
from embviz.timing.results import Failure
from embviz.timing.runs import Run, read_run
from embviz.ui.pages.timing import sweeps
from tests.timing.made_results import CASE, rounds_of

HEADER = {
    "type": "environment",
    "date": "2026-01-02T03:04:05+00:00",
    "cpu": "none",
    "question": "64 rows",
}


class NoEngine:
    """Takes sweeps and measures nothing: the test says what comes back."""

    def __init__(self) -> None:
        self.started: list[Any] = []

    def start(self, cases: Sequence[Case], sink: Any) -> Any:
        """A sweep under way."""
        sweep = sweeps.Sweep(cases, sink)
        self.started.append(sweep)
        return sweep


class File:
    """An uploaded file."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name, self.getvalue = name, lambda: content


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of our own."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)
    return tmp_path / "runs"


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[NoEngine]:
    """The engine that measures nothing; its sweeps end with the test, and close their files."""
    one = NoEngine()
    monkeypatch.setattr(sweeps, "engine", lambda: one)
    yield one
    for sweep in one.started:
        if sweep.active:
            sweep.finish("stopped")


def begun(engine: NoEngine) -> tuple[sweeps.SessionSweep, Any]:
    """A session and its sweep, which measures."""
    mine = sweeps.SessionSweep()
    mine.start([CASE])
    (sweep,) = engine.started
    sweep.begin({"cpu": "none"})
    return mine, sweep


def run_bytes(name: str) -> bytes:
    """A run of one measurement."""
    results = (rounds_of(CASE, 1e-6, 2e-6, 3e-6),)
    return Run(name, HEADER, results, {"type": "end", "status": "done"}).to_bytes()


def test_a_run_is_kept_line_by_line(data: Path, engine: NoEngine) -> None:
    """Each line is written at once, and the kept run can be opened."""
    mine, sweep = begun(engine)
    sweep.add(rounds_of(CASE, 1e-6))
    (path,) = data.glob("*.jsonl")
    assert [json.loads(line)["type"] for line in path.read_text("utf-8").splitlines()] == [
        "environment",
        "times",
    ]
    sweep.finish("done")
    (name,) = sweeps.kept()
    (run,), troubles = sweeps.opened([name], [])
    assert troubles == []
    assert run.results == tuple(sweep.results)
    (own,) = mine.runs()
    assert read_run(own.to_bytes(), "x").results == run.results


def test_hosted_keeps_nothing(
    data: Path, engine: NoEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hosted server keeps no runs."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    _, sweep = begun(engine)
    sweep.finish("done")
    assert not data.exists() or list(data.iterdir()) == []
    assert sweeps.kept() == []


def test_a_folder_that_cannot_be_written_costs_the_file_alone(
    data: Path, engine: NoEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that cannot be written costs the file alone, and the page says so."""
    data.mkdir()
    (data / "2026").write_text("x")
    monkeypatch.setattr(sweeps, "_folder", lambda: data / "2026")
    mine, sweep = begun(engine)
    sweep.add(rounds_of(CASE, 1e-6))
    assert mine.trouble.startswith("This run is not kept: ")
    assert len(sweep.results) == 1


@pytest.mark.parametrize(
    ("error", "refusal"),
    [
        (QueueFull("32 sweeps are in the queue already."), "32 sweeps are in the queue already."),
        (OSError(errno.ENOSPC, "No space left on device"), "[Errno 28] No space left on device"),
    ],
)
def test_a_sweep_that_cannot_wait_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, refusal: str
) -> None:
    """A full queue, or no room for a ticket, is a refusal in a sentence."""
    monkeypatch.setattr(sweeps, "engine", lambda: SimpleNamespace(start=Mock(side_effect=error)))
    mine = sweeps.SessionSweep()
    mine.start([CASE])
    assert (mine.refusal, mine.active) == (refusal, False)


def test_the_oldest_runs_are_forgotten(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the newest runs are kept."""
    monkeypatch.setattr(sweeps, "KEPT_RUNS", 3)
    data.mkdir(parents=True)
    for year in range(2020, 2026):
        (data / f"{year}.jsonl").write_bytes(run_bytes("x"))
    assert sweeps._new_file() is not None
    assert sweeps.kept() == ["2025", "2024"]


def test_the_recorded_run_is_small_and_real() -> None:
    """The recorded run is readable, under 1 MB, finished, and answers the first question."""
    assert sweeps.RECORDED.stat().st_size < 1_000_000
    run = sweeps.recorded()
    assert run is not None
    assert run.end is not None
    assert run.end["status"] == "done"
    assert run.environment.get("hostname") is None
    assert varying(one.case for one in run.results) == "num_embeddings"
    assert {one.case.method for one in run.results} >= {"lookup", "matmul"}
    assert not any(isinstance(one, Failure) for one in run.results)


def test_leaving_ends_the_sweep_after_a_while(
    data: Path, engine: NoEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A closed tab ends its sweep after a grace period."""
    timers: list[threading.Timer] = []  # ring when the test says so

    class Timer(threading.Timer):
        def start(self) -> None:
            timers.append(self)

    monkeypatch.setattr(threading, "Timer", Timer)
    mine = sweeps.SessionSweep()
    mine.start([CASE])
    (sweep,) = engine.started
    mine.leave()
    (timer,) = timers
    assert (timer.interval, timer.daemon) == (sweeps.GRACE_S, True)
    assert not sweep.stopping.is_set()
    timer.function()
    assert sweep.stopping.is_set()


def test_files_are_opened_or_refused_one_by_one(data: Path) -> None:
    """Each file is opened or refused alone; unknown names open nothing."""
    files = [File("a.jsonl", run_bytes("a")), File("b.jsonl", b"nonsense\n")]
    runs, troubles = sweeps.opened(["../../etc/passwd", "gone"], files)
    assert [run.name for run in runs] == ["a.jsonl"]
    assert len(troubles) == 1
    assert "b.jsonl" in troubles[0]


def test_only_so_many_runs_are_drawn(data: Path) -> None:
    """At most OPEN_RUNS runs are opened."""
    files = [File(f"{k}.jsonl", run_bytes("a")) for k in range(sweeps.OPEN_RUNS + 2)]
    runs, troubles = sweeps.opened([], files)
    assert len(runs) == sweeps.OPEN_RUNS
    assert len(troubles) == 2


def test_lists_show_machine_date_and_question(data: Path) -> None:
    """A kept run is shown by its machine, date and question, also with a torn last line."""
    data.mkdir(parents=True, exist_ok=True)
    (data / "x.jsonl").write_bytes(run_bytes("a") + b'{"type": "ti')
    assert sweeps.title("x", sweeps.paths()) == "none, 2026-01-02 03:04:05 UTC, 64 rows"
    assert sweeps.title("gone", sweeps.paths()) == "gone"
    (data / "bad.jsonl").write_bytes(b"[]\n5\n\xff")
    assert sweeps.title("bad", sweeps.paths()).startswith("bad")


def test_a_shipped_run_is_listed_and_opened(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in the reference folder is listed by its name and opened with its machine and date."""
    assert Path(timing.__file__).parent / "reference" == sweeps.REFERENCE
    monkeypatch.setattr(sweeps, "REFERENCE", tmp_path / "reference")
    assert sweeps.references() == []
    sweeps.REFERENCE.mkdir()
    (sweeps.REFERENCE / "laptop.jsonl").write_bytes(run_bytes("laptop"))
    assert sweeps.references() == ["laptop"]
    (run,), troubles = sweeps.opened(["laptop"], [])
    assert (run.name, troubles) == ("laptop", [])
    assert (run.environment["date"], run.environment["cpu"]) == (HEADER["date"], "none")
