"""Engines, and a queue of their own, for the tests of sweeps, queue and worker."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from embviz.core import child
from embviz.timing import queue, series
from embviz.timing.sweep import Engine


@pytest.fixture(scope="module")
def own_queue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A queue for this file alone: other tests may sweep at the same time."""
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("queue")
        patch.setenv(queue.FOLDER_VARIABLE, str(place))
        patch.delenv(series.BUDGET_VARIABLE, raising=False)
        patch.delenv("EMBVIZ_HOSTED", raising=False)
        yield place


@pytest.fixture(scope="module")
def shared(own_queue: Path) -> Iterator[Engine]:
    """An engine for tests that leave it usable."""
    engine = Engine()
    yield engine
    engine.close()


class FakeWorker:
    """Workers of `fake_worker`, and what they were asked."""

    def __init__(self, folder: Path) -> None:
        self._package = folder / "embviz"
        self._package.mkdir()
        shutil.copy(Path(__file__).parent / "fake_worker.py", self._package / "__main__.py")
        self.plan()

    def plan(self, **given: Any) -> None:
        """What they do."""
        (self._package / "plan.json").write_text(json.dumps(given))

    @property
    def processes(self) -> int:
        """How many were started."""
        return len(list(self._package.glob("process*")))

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The requests."""
        lines = (self._package / "asked.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines if "points" in line]


@pytest.fixture
def fake_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeWorker:
    """Workers that measure nothing instead of the real ones."""
    monkeypatch.setattr(child, "ROOT", tmp_path)
    return FakeWorker(tmp_path)


@pytest.fixture
def make_engine(own_queue: Path) -> Iterator[Callable[..., Engine]]:
    """Engines of a test's own."""
    made: list[Engine] = []

    def make(**settings: Any) -> Engine:
        made.append(Engine(**settings))
        return made[-1]

    yield make
    for engine in made:
        engine.close()
