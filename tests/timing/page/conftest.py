"""An engine that measures nothing, and a folder for runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from embviz.system.data_folder import FOLDER_VARIABLE
from embviz.text.refused import Refused
from embviz.timing.measure.sweep import Sweep
from embviz.timing.page import measuring
from tests.timing.made import made_run


class NoEngine:
    """Takes sweeps and measures nothing: the test says what comes back."""

    def __init__(self) -> None:
        self.started: list[Sweep] = []
        self.refusal = ""

    def start(self, cases: Any, sink: Any = None, processes: int = 1, question: str = "") -> Sweep:
        """A sweep that waits."""
        if self.refusal:
            raise Refused(self.refusal)
        self.started.append(Sweep(cases, sink, processes, question))
        return self.started[-1]

    def measure(self, sweep: Sweep, state: str = "", reason: str = "", **made: Any) -> None:
        """All lines of a run but the last; the sweep then ends in this state."""
        sweep.begin()
        for line in made_run(sweep.cases, **made).to_bytes().splitlines()[:-1]:
            sweep.add(json.loads(line))
        if state:
            sweep.finish(state, reason)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where runs are kept."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)
    return tmp_path / "runs"


@pytest.fixture
def engine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NoEngine]:
    """The engine of this server; its sweeps end with the test, and so their files are closed."""
    made = NoEngine()
    monkeypatch.setattr(measuring, "ENGINE", made)
    yield made
    for sweep in made.started:
        if sweep.active:
            sweep.finish("stopped")
