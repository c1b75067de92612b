"""What a session measures, keeps and opens."""

import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from embviz.core.refused import Refused
from embviz.timing.methods import HERE
from embviz.timing.run import read_run
from embviz.timing.sweep import Sweep
from embviz.ui.pages.timing import session
from tests.timing.made import CASE, made_run, vocab
from tests.ui.pages.timing.conftest import NoEngine

RUN = made_run(vocab()).to_bytes()


def file(name: str, content: bytes) -> Any:
    """An uploaded file."""
    return SimpleNamespace(name=name, getvalue=lambda: content)


def test_a_run_is_kept_line_by_line(engine: NoEngine, folder: Path) -> None:
    """A run can be opened while it goes on; its name says the question; another one stops it."""
    mine = session.Session()
    mine.start(vocab(), processes=3)
    assert engine.started[0].processes == 3
    engine.measure(engine.started[0])
    (path,) = folder.glob("*.jsonl")
    assert path.stem[4:].startswith("-")
    assert path.stem.endswith(" num_embeddings lookup matmul on this machine")
    (run,), troubles = session.opened([path.stem], [])
    assert (run.cases, troubles) == (mine.runs[0].cases, [])
    assert mine.active == engine.started
    assert not engine.started[0].stopping.is_set()
    mine.start([CASE], [HERE])
    assert engine.started[0].stopping.is_set()
    assert (mine.cases, mine.runs) == ([CASE], [])  # the new one has no times yet


def test_a_hosted_server_keeps_nothing(
    engine: NoEngine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it make a folder or list what is there."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    session.Session().start(vocab())
    assert not folder.exists()
    folder.mkdir()
    engine.measure(engine.started[0], "done")
    assert [*folder.iterdir()] == []
    (folder / "x.jsonl").write_bytes(RUN)
    assert [*session.kept()] == ["recorded"]


def test_a_folder_that_cannot_be_written_costs_the_file_alone(
    engine: NoEngine, folder: Path
) -> None:
    """The run goes on, and one sentence says that it is not kept."""
    folder.write_text("no folder")
    mine = session.Session()
    mine.start(vocab())
    engine.measure(engine.started[0], "done")
    assert len(mine.runs[0].cases) == len(vocab())
    (trouble,) = mine.troubles
    assert trouble.startswith("This run is not kept")


def test_a_refused_sweep_leaves_what_was_measured(
    engine: NoEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each refusal is said with its machine; the other machines measure."""
    mine = session.Session()
    mine.start(vocab())
    engine.measure(engine.started[0], "done")
    engine.refusal = "too many sweeps wait."
    mine.start([CASE])
    engine.refusal = ""
    assert (len(mine.runs), len(mine.troubles), mine.cases) == (1, 1, vocab())

    def start(cases: Any, sink: Any, processes: int, machine: str) -> Sweep:
        if machine != "two":
            raise Refused("has too few threads." if machine == "one" else "machine six is lost.")
        return engine.start(cases, sink, processes)

    monkeypatch.setattr(session, "cluster", lambda: SimpleNamespace(start=start))
    mine.start(vocab(), ["one", "two", "six"])
    assert [*mine.sweeps] == ["two"]
    assert mine.sweeps["two"].run.name == "two"
    assert mine.troubles == ["machine one: has too few threads.", "machine six is lost."]
    mine.start(vocab(), [HERE])
    assert mine.troubles == []
    mine.sweeps[HERE].finish("failed", "three workers were lost.")
    assert mine.troubles == ["three workers were lost."]
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    mine.start(vocab(), ["six", HERE])
    assert mine.troubles == [session.UNREACHABLE]
    mine.sweeps[HERE].finish("failed", "three workers were lost.")
    assert mine.troubles[1:] == ["three workers were lost."]


def test_the_oldest_runs_are_forgotten(
    engine: NoEngine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a new run begins, all but the newest go; the newest is listed first."""
    monkeypatch.setattr(session, "KEPT", 3)
    folder.mkdir()
    for year in range(2020, 2026):
        (folder / f"{year}.jsonl").write_bytes(RUN)
    session.Session().start([CASE])
    assert [*session.kept()] == ["recorded", "2025", "2024"]


def test_a_closed_tab_ends_its_sweep_later(
    engine: NoEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then a reload finds it running."""
    timers: list[threading.Timer] = []
    monkeypatch.setattr(threading.Timer, "start", lambda timer: timers.append(timer))
    mine = session.Session()
    mine.start([CASE])
    mine.leave()
    (timer,) = timers
    assert (timer.interval, timer.daemon) == (session.GRACE_S, True)
    assert not engine.started[0].stopping.is_set()
    timer.function()
    assert engine.started[0].stopping.is_set()


def test_files_are_opened_or_refused_one_by_one(folder: Path) -> None:
    """So many at most; a name that is not listed opens nothing."""
    files = [file("bad.jsonl", b"[]\n"), *(file(f"{k}.jsonl", RUN) for k in range(9))]
    runs, troubles = session.opened(["../../etc/passwd", "gone"], files)
    assert [run.name for run in runs] == [f"{k}.jsonl" for k in range(session.OPEN - 1)]
    assert [text.split()[0] for text in troubles] == ["bad.jsonl,", "7.jsonl", "8.jsonl"]


def test_the_recorded_run_answers_the_first_question() -> None:
    """It is small, whole and without a host's name."""
    content = session.RECORDED.read_bytes()
    run = read_run(content, "recorded")
    assert len(content) < 1_000_000
    assert (run.end or {})["status"] == "done"
    assert (run.axis, run.failures, run.environment.get("hostname")) == ("num_embeddings", {}, None)
    assert {case.method for case in run.cases} == {"lookup", "matmul"}


@pytest.mark.parametrize("slow", [False, True])
def test_a_look_at_the_cluster_never_holds_a_page_long(
    slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scheduler that does not answer is a sentence, and so is one that refuses."""
    ends = threading.Event()

    def look() -> Any:
        if slow:
            ends.wait(30)
        raise Refused("no scheduler.")

    session.machines.clear()
    monkeypatch.setattr(session, "LOOK_S", 0.2)
    monkeypatch.setattr(session, "cluster", lambda: SimpleNamespace(machines=look))
    began = time.monotonic()
    found, trouble = session.machines()
    assert (found, bool(trouble)) == ([], True)
    assert time.monotonic() - began < 5
    assert (trouble == "no scheduler.") is not slow
    ends.set()
    session.machines.clear()
