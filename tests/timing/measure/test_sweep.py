"""One sweep: its queue and its worker, which may be killed, hang, or be stopped."""

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from filelock import Timeout

from embviz.system import bounds
from embviz.system.data_folder import FOLDER_VARIABLE
from embviz.text.refused import Refused
from embviz.timing.measure import sweep as sweep_module
from embviz.timing.measure.run import RunFile
from embviz.timing.measure.sweep import Engine, Sweep, lock
from embviz.timing.measure.timed import ROUNDS
from tests.timing.conftest import (
    SOON_S,
    FakeEngine,
    Lines,
    finished,
    points,
    rounds,
    until,
    workers,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
Patch = pytest.MonkeyPatch
FEW = points(16, 64)
MATMUL = FEW[1]
ALL = [*range(ROUNDS)]


def outcome(sweep: Sweep) -> tuple[str, str]:
    """Its last state, and why; once it is over."""
    return finished(sweep).state, sweep.reason


BOTH = [(0, 0, 3), (1, 0, 3)]
LOST = [(0, 0, 3), (0, 5, 3)]
ALONE = [(0, 0, 3), (0, 4, 2), (1, 0, 2)]
KILLED = {"killed": 5, "killed_processes": 1}


@pytest.mark.parametrize(
    ("plan", "why", "started", "asked", "matmul", "kept"),
    [
        ({}, "", 2, BOTH, ALL, ALL),
        ({"killed_at_start": 1}, "", 3, BOTH, ALL, ALL),
        ({"killed_at_start": 9}, "killed (signal 9).", 2, [], [], []),
        ({"start_s": 60}, "1 s allowed.", 2, [], [], []),
        (KILLED, "", 3, [*LOST, (1, 0, 3)], *[[*ALL[:6], *ALL[5:]]] * 2),
        (KILLED | {"killed_processes": 2}, "killed (signal 9).", 2, LOST, *[[*ALL[:6], 5]] * 2),
        ({"when": 4, "dies_with": "matmul"}, "killed (signal 9).", 3, ALONE, ALL[:4], ALL),
        ({"when": 4, "hangs_with": "matmul"}, "1.5 s allowed.", 3, ALONE, ALL[:4], ALL),
    ],
)
def test_what_becomes_of_a_worker(
    engine: FakeEngine, monkeypatch: Patch, tmp_path: Path, *, plan: dict[str, Any], why: str,
    started: int, asked: list[Any], matmul: list[int], kept: list[int],
) -> None:  # fmt: skip
    """One that is lost, at its start or between calls, is started once more.

    A case that ends its worker, or hangs, is lost alone: its rounds before stay. Each process is
    fresh and measures everything. The file is the run; the last worker stays.
    """
    if "start_s" in plan:
        monkeypatch.setattr(sweep_module, "START_S", 1)
    engine.fake.plan(**plan)
    file = RunFile(tmp_path / "r.jsonl")
    sweep = engine.start(FEW[:3], file.append, processes=2)
    state, reason = outcome(sweep)
    assert state == ("failed" if why and len(asked) != 3 else "done")
    assert [reason, *sweep.run.failures.values()][-1].endswith(why)
    assert [*sweep.run.failures] == ([MATMUL] if "when" in plan else [])
    assert engine.fake.processes == started
    if not asked:
        return
    found = [
        (one["process"], one["first"], len(one["cases"]) - len(one["skip"]))
        for one in engine.fake.asked
    ]
    assert found == asked
    content = sweep.run.to_bytes()
    assert file.path.read_bytes() == content
    lines = [*map(json.loads, content.splitlines())]
    assert (rounds(lines, MATMUL), rounds(lines, FEW[2])) == (matmul, kept)
    assert rounds(lines, FEW[2], 1) == ALL * (state == "done")
    assert [line["type"] for line in lines].count("environment") == 1
    assert 0 < lines[-1]["wall_s"] == sweep.seconds


@pytest.mark.parametrize(
    ("plan", "state"),
    [({"start_s": 60}, "starting"), ({"round_s": 60}, "running"), ({"hangs_with": "matmul"}, "")],
)
def test_stop_ends_the_worker_at_once(engine: FakeEngine, plan: dict[str, Any], state: str) -> None:
    """Stop keeps the times and ends the worker, whatever it does; the next one is warmed."""
    engine.fake.plan(**plan)
    lines = Lines()
    sweep = engine.start(FEW, lines.append)
    until(lambda: lines if state != "starting" else sweep.state == state)
    until(lambda: sweep.rounds[0] == (state == "running"))
    (worker,) = until(workers)  # "starting" is said just before
    engine.fake.plan()
    sweep.stop()
    assert sweep.finished.wait(2)
    assert outcome(sweep) == ("stopped", "")
    until(lambda: not worker.is_running())
    assert [line["type"] for line in lines[-1:]] == ["end"] * bool(lines)
    (warmed,) = until(workers)
    assert outcome(engine.start(FEW))[0] == "done"
    assert workers() == [warmed]


def test_the_time_limit(engine: FakeEngine, monkeypatch: Patch) -> None:
    """A sweep ends after EMBVIZ_SWEEP_SECONDS of measuring, not of starting, and says why."""
    monkeypatch.setenv("EMBVIZ_SWEEP_SECONDS", "1")
    engine.fake.plan(start_s=1.5, round_s=0.4)
    sweep = engine.start(FEW)
    until(lambda: sweep.rounds[0] == 2)
    assert 0.3 < sweep.seconds < 1.3
    state, reason = outcome(sweep)
    assert (state, 1 < sweep.rounds[0] < 5) == ("stopped", True)
    assert f"1 s here (EMBVIZ_SWEEP_SECONDS), and {sweep.rounds[0]} of {ROUNDS} rounds" in reason


def test_one_sweep_at_a_time_on_a_machine(engine: FakeEngine, monkeypatch: Patch) -> None:
    """It waits for the lock of another process; the queue is bounded, and one in it can leave."""
    monkeypatch.setattr(bounds, "SWEEPS", bounds.Fixed(2, 2))
    with lock().acquire():
        waiting, other = (engine.start(FEW) for _ in range(2))
        time.sleep(0.3)
        assert waiting.state == "queued"
        with pytest.raises(Refused, match="2 sweeps"):
            engine.start(FEW)
        waiting.stop()
        assert outcome(waiting) == ("stopped", "")
        (last := engine.start(FEW)).stop()
        assert last.state == "stopped"
        engine.fake.plan(hangs_with="matmul")  # so it has the lock until it is stopped
    until(lambda: other.run.environment)
    with pytest.raises(Timeout):
        lock().acquire(timeout=0)
    other.stop()
    assert outcome(other) == ("stopped", "")
    lock().acquire(timeout=10).lock.release()


def test_closing_leaves_nothing(engine: FakeEngine) -> None:
    """A closed engine leaves no process, whatever worker and sink do; the lock is free."""
    engine.fake.plan(hangs_with="matmul")
    free = threading.Event()
    sweep, waiting = engine.start(FEW, lambda line: free.wait()), engine.start(FEW)
    until(lambda: sweep.state == "running")
    began = time.monotonic()
    engine.close()
    engine.close()
    assert time.monotonic() - began < SOON_S  # it waits for no sink
    assert not workers()
    free.set()
    assert [outcome(one)[0] for one in (waiting, sweep)] == ["stopped"] * 2
    lock().acquire(timeout=10).lock.release()


def test_a_sink_that_fails(engine: FakeEngine) -> None:
    """A full disk costs the file alone; a sink that raises ends the sweep with a sentence."""
    lines = Lines()

    def refuse(line: dict[str, Any]) -> None:
        lines.append(line)
        raise Refused("the disk is full.")

    sweep = engine.start(FEW, refuse)
    assert outcome(sweep) == ("done", "")
    assert sweep.trouble == "the disk is full."
    assert len(lines) == 1

    def fail(line: dict[str, Any]) -> None:
        if line["type"] == "times":
            raise OSError("no /home/ada/x here")

    assert outcome(engine.start(FEW, fail)) == ("failed", "OSError: no … here.")


def test_a_worker_that_nobody_uses_ends(engine: FakeEngine, monkeypatch: Patch) -> None:
    """A warm worker is used, replaced where it was killed, and ended when it is not used."""
    engine.warm()
    (worker,) = until(workers)
    assert outcome(engine.start(FEW))[0] == "done"
    assert workers() == [worker]
    worker.kill()
    monkeypatch.setattr(bounds, "IDLE_S", bounds.Fixed(1, 1))
    assert outcome(engine.start(FEW))[0] == "done"
    assert len(workers()) == 1
    until(lambda: not workers())


def test_without_a_folder_for_the_lock(tmp_path: Path, monkeypatch: Patch) -> None:
    """A folder that cannot be written is refused with the variable that names another."""
    (tmp_path / "file").touch()
    for wrong in ("file", "file/x", "x" * 300):
        monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / wrong))
        with pytest.raises(Refused, match=FOLDER_VARIABLE):
            Engine().start(FEW)
