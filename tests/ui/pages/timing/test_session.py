"""What a session measures, keeps and opens."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from embviz.ui.pages.timing import session
from tests.timing.made import CASE, made_run, vocab
from tests.ui.pages.timing.conftest import NoEngine

RUN = made_run(vocab()).to_bytes()
Patch = pytest.MonkeyPatch


def test_a_run_is_kept_line_by_line(engine: NoEngine, folder: Path) -> None:
    """A run can be opened while it goes on; its name says the question; another one stops it."""
    mine = session.Session()
    mine.start(vocab(), processes=3)
    (first,) = engine.started
    engine.measure(first)
    (path,) = folder.glob("*.jsonl")
    assert path.stem.endswith(" num_embeddings lookup matmul")
    (run,), _ = session.opened([path.stem], [])
    assert (run.cases, first.processes) == (mine.runs[0].cases, 3)
    engine.refusal = "too many sweeps wait."
    mine.start([CASE])
    assert (mine.sweep, mine.troubles) == (first, ["too many sweeps wait."])
    engine.refusal = ""
    mine.start([CASE])
    assert first.stopping.is_set()
    assert (mine.runs, mine.troubles) == ([first.run], [])  # the new one has no times yet
    engine.started[1].finish("failed", "three workers were lost.")
    assert mine.troubles == ["three workers were lost."]


def test_a_hosted_server_keeps_nothing(engine: NoEngine, folder: Path, monkeypatch: Patch) -> None:
    """Nor does it make a folder or list what is there."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    session.Session().start(vocab())
    engine.measure(engine.started[0], "done")
    assert not folder.exists()
    folder.mkdir()
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
    assert mine.troubles[0].startswith("This run is not kept")


def test_the_oldest_runs_are_forgotten(engine: NoEngine, folder: Path, monkeypatch: Patch) -> None:
    """Before a new run begins, all but the newest go; the newest is listed first."""
    monkeypatch.setattr(session, "KEPT", 3)
    folder.mkdir()
    for year in range(2020, 2026):
        (folder / f"{year}.jsonl").write_bytes(RUN)
    session.Session().start([CASE])
    assert [*session.kept()] == ["recorded", "2025", "2024"]


def test_a_closed_tab_ends_its_sweep_later(engine: NoEngine, monkeypatch: Patch) -> None:
    """Until then a reload finds it running."""
    monkeypatch.setattr(session, "GRACE_S", 0.5)
    mine = session.Session()
    mine.start([CASE])
    mine.leave()
    assert not engine.started[0].stopping.is_set()
    assert engine.started[0].stopping.wait(5)


def test_files_are_opened_or_refused_one_by_one(folder: Path) -> None:
    """So many at most; a name that is not listed opens nothing."""
    contents = {"bad": b"[]\n"} | dict.fromkeys("012345678", RUN)
    files: list[Any] = [
        SimpleNamespace(name=name, getvalue=lambda content=content: content)
        for name, content in contents.items()
    ]
    runs, troubles = session.opened(["../../etc/passwd", "gone"], files)
    assert [run.name for run in runs] == [*"0123456"]
    assert [text.split()[0] for text in troubles] == ["bad,", "7", "8"]
