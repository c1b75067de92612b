"""What the page keeps and opens."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from embviz.ui.pages.timing import kept
from tests.timing.made import CASE, made_run, vocab

RUN = made_run(vocab()).to_bytes()
Patch = pytest.MonkeyPatch


def test_a_hosted_server_keeps_nothing(folder: Path, monkeypatch: Patch) -> None:
    """Nor does it list what is there."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    folder.mkdir()
    (folder / "x.jsonl").write_bytes(RUN)
    assert [*kept.paths()] == ["recorded"]


def test_the_newest_runs_are_listed(folder: Path, monkeypatch: Patch) -> None:
    """So many, and the recorded one first."""
    monkeypatch.setattr(kept, "LISTED", 2)
    assert kept.new([CASE]).parent == folder
    for year in range(2020, 2026):
        (folder / f"{year}.jsonl").touch()
    assert [*kept.paths()] == ["recorded", "2025", "2024"]


def test_files_are_opened_or_refused_one_by_one(folder: Path) -> None:
    """A name that is not listed opens nothing."""
    contents = {"0": RUN, "bad": b"[]\n", "1": RUN}
    files: list[Any] = [
        SimpleNamespace(name=name, getvalue=lambda content=content: content)
        for name, content in contents.items()
    ]
    runs, troubles = kept.opened(["../../etc/passwd", "gone"], files)
    assert [run.name for run in runs] == ["0", "1"]
    assert [text.split()[0] for text in troubles] == ["bad,"]
