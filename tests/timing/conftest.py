"""Engines with a queue of their own, fake workers, and waits, for the tests of sweeps."""

import json
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
import pytest

from embviz.system import child
from embviz.timing.measure.sweep import Engine, Sweep
from embviz.timing.measure.timed import ROUNDS, Timed, plan

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
Lines = list[dict[str, Any]]  # Lines of a run file.
SOON_S = 60.0  # Seconds for waits that end at once on a quiet machine.


def points(*rows: int) -> list[Timed]:
    """Two quick methods at each of these sizes."""
    return plan("vocab", rows, ["lookup", "matmul"], ["cpu"], embedding_dim=4, tokens=4)


def until(true: Callable[[], Any]) -> Any:
    """Wait until `true()` is true; returns its value."""
    end = time.monotonic() + SOON_S
    while not (found := true()):
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)
    return found


def rounds(lines: Lines, case: Timed, process: int = 0) -> list[int]:
    """The rounds of a case that were kept; the first line names all cases."""
    where = {"type": "times", "case": lines[0]["cases"].index(asdict(case)), "process": process}
    return [one["round"] for one in lines if {**one, **where} == one]


def named(cases: Sequence[Timed], lines: Iterable[dict[str, Any]]) -> Lines:
    """The lines, with the case itself in the place of its index."""
    found = Lines()
    for line in lines:
        index = line.get("case")
        found.append(line if index is None else line | {"case": cases[index]})
    return found


def finished(one: Sweep) -> Sweep:
    """The sweep, once it is over."""
    assert one.finished.wait(SOON_S), f"still {one.state}"
    return one


def workers(of: int | None = None) -> list[psutil.Process]:
    """The measuring processes that this process, or another one and its children, has started.

    A server for browser tests may be a child of this process, and has one too: it does not count.
    """
    found = []
    with suppress(psutil.NoSuchProcess):
        for one in psutil.Process(of).children(recursive=of is not None):
            if (
                one.status() != psutil.STATUS_ZOMBIE
                and "embviz.timing.measure.process" in one.cmdline()
            ):
                found.append(one)
    return found


class FakeWorker:
    """Workers of `fake_worker`, and what they were asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "embviz" / "timing" / "measure"
        self._folder.mkdir(parents=True)
        shutil.copy(HERE / "measure" / "fake_worker.py", self._folder / "process.py")
        self.plan()

    def plan(self, **given: Any) -> None:
        """What they do."""
        new = self._folder / "new.json"  # a worker may be reading the old one
        new.write_text(json.dumps({"rounds": ROUNDS, **given}))
        new.replace(self._folder / "plan.json")

    @property
    def processes(self) -> int:
        """How many were started."""
        return len(list(self._folder.glob("process[0-9]*")))

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The requests."""
        return [*map(json.loads, (self._folder / "asked.jsonl").read_text().splitlines())]


@pytest.fixture
def fake_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeWorker:
    """Workers that measure nothing instead of the real ones."""
    monkeypatch.setattr(child, "ROOT", tmp_path)
    return FakeWorker(tmp_path)


class FakeEngine(Engine):
    """An engine whose workers are fake; its calls may take 1.5 s."""

    fake: FakeWorker


@pytest.fixture
def engine(fake_worker: FakeWorker) -> Iterator[FakeEngine]:
    """An engine of a test's own."""
    made = FakeEngine(case_s=1.5)
    made.fake = fake_worker
    yield made
    made.close()
    until(lambda: not workers())
