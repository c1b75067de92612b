"""Engines, and a queue of their own, for the tests of sweeps, queue and worker."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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


@pytest.fixture
def make_engine(own_queue: Path) -> Iterator[Callable[..., Engine]]:
    """Engines of a test's own."""
    made: list[Engine] = []

    def make(**settings: float) -> Engine:
        made.append(Engine(**settings))
        return made[-1]

    yield make
    for engine in made:
        engine.close()
