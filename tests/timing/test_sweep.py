import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
import pytest
from filelock import Timeout

from embviz.core.data_folder import FOLDER_VARIABLE
from embviz.core.refused import Refused
from embviz.timing import sweep as sweep_module
from embviz.timing.case import ROUNDS
from embviz.timing.run import RunFile, read_run
from embviz.timing.sweep import Engine, Sweep, lock
from tests.timing.conftest import (
    ROOT,
    FakeEngine,
    Lines,
    finished,
    points,
    rounds,
    until,
    workers,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
AT_ONCE_S = 2.0
FEW = points(16, 64)
MATMUL = FEW[1]


def outcome(sweep: Sweep) -> tuple[str, str, object]:
    """Its last state, why, and the last line of its run, once it is over."""
    end = finished(sweep).run.end or {"reason": sweep.reason}
    assert end["reason"] == sweep.reason
    return sweep.state, sweep.reason, end.get("status")


def test_lines_go_to_file_and_run(engine: FakeEngine, tmp_path: Path) -> None:
    """The file begins with the machine, ends with `end`, and is the run; the worker stays."""
    file = RunFile(tmp_path / "r.jsonl")
    sweep = engine.start(FEW, file.append)
    assert outcome(sweep) == ("done", "", "done")
    assert (sweep.active, sweep.rounds) == (False, (ROUNDS, ROUNDS))
    assert sweep.run.to_bytes() == file.path.read_bytes()
    read = read_run(file.path.read_bytes(), "r")
    assert (read.cases, len(read.times), read.failures) == (FEW, len(FEW) * ROUNDS * 2, {})
    assert read.environment["cpu"] == "none"
    assert read.end
    assert 0 < read.end["wall_s"] == sweep.wall_s < 60
    (pid,) = workers()
    assert outcome(engine.start(FEW))[0] == "done"
    assert workers() == [pid]
    assert engine.fake.asked == [{"cases": [*map(asdict, FEW)], "process": 0, "first": 0}] * 2


def test_processes_are_fresh(engine: FakeEngine) -> None:
    """Fresh processes measure everything again; the machine is one line."""
    lines = Lines()
    sweep = finished(engine.start(FEW, lines.append, processes=3))
    assert (sweep.state, sweep.rounds, engine.fake.processes) == ("done", (3 * ROUNDS,) * 2, 3)
    assert all(rounds(lines, FEW[3], process) == [*range(ROUNDS)] for process in range(3))
    assert [one["type"] for one in lines].count("environment") == 1


@pytest.mark.parametrize(
    ("plan", "words", "processes"),
    [
        ({"killed_at_start": 1}, "", 2),
        ({"killed_at_start": 9}, "killed (signal 9).", 2),
        ({"says": "no torch"}, "no torch.", 1),
        ({"start_s": 60}, "1 s allowed.", 1),
    ],
)
def test_a_worker_that_does_not_start(
    engine: FakeEngine,
    monkeypatch: pytest.MonkeyPatch,
    plan: dict[str, Any],
    words: str,
    processes: int,
) -> None:
    """One that is killed is started once more; one that ends or hangs at its start is not."""
    monkeypatch.setattr(sweep_module, "START_S", 1)
    engine.fake.plan(**plan)
    state, reason, _ = outcome(engine.start(FEW))
    assert (state, engine.fake.processes) == ("failed" if words else "done", processes)
    assert reason.endswith(words) if words else not reason


@pytest.mark.parametrize(("count", "state"), [(3, "done"), (4, "failed")])
def test_a_worker_lost_between_calls_costs_no_case(
    engine: FakeEngine, count: int, state: str
) -> None:
    """Where no case is known to end its worker, a new one goes on there, three times."""
    lines = Lines()
    engine.fake.plan(killed=5, killed_processes=count)
    sweep = engine.start(FEW, lines.append)
    assert outcome(sweep)[::2] == (state, state)
    assert ("was killed" in sweep.reason, sweep.run.failures) == (state == "failed", {})
    assert [one["first"] for one in engine.fake.asked] == [0, 5, 5, 5]
    kept = [*range(6), 5, 5, 5][: 9 if state == "failed" else 8]
    kept += [5, *range(6, ROUNDS)] if state == "done" else []
    assert all(rounds(lines, case) == kept for case in FEW)


@pytest.mark.parametrize(
    ("fault", "reason"), [("dies_with", "killed (signal 9)."), ("hangs_with", "1.5 s allowed.")]
)
def test_a_case_that_ends_its_worker_or_hangs_is_lost_alone(
    engine: FakeEngine, fault: str, reason: str
) -> None:
    """It is a failure, its rounds before stay; the rest is measured by a new worker."""
    engine.fake.plan(when=4, **{fault: "matmul"})
    lines = Lines()
    sweep = finished(engine.start(FEW[:3], lines.append, processes=2))
    assert (sweep.state, [*sweep.run.failures]) == ("done", [MATMUL])
    assert sweep.run.failures[MATMUL].endswith(reason)
    assert rounds(lines, MATMUL) == [*range(4)]
    assert not rounds(lines, MATMUL, 1)
    for process in (0, 1):
        assert sorted({*rounds(lines, FEW[2], process)}) == [*range(ROUNDS)]
    assert [(len(one["cases"]), one["first"]) for one in engine.fake.asked] == [
        (3, 0),
        (2, 4),
        (2, 0),
    ]


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
    asked = time.monotonic()
    sweep.stop()
    assert outcome(sweep)[:2] == ("stopped", "")
    assert time.monotonic() - asked < AT_ONCE_S
    assert (sweep.run.failures, worker.is_running()) == ({}, False)
    assert [one["type"] for one in lines[-1:]] == ["end"] * bool(lines)
    (warmed,) = until(workers)
    assert finished(engine.start(FEW)).state == "done"
    assert workers() == [warmed]


def test_the_time_limit(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep ends after EMBVIZ_SWEEP_SECONDS of measuring, not of starting, and says why."""
    monkeypatch.setenv("EMBVIZ_SWEEP_SECONDS", "1")
    engine.fake.plan(start_s=1.5, round_s=0.4)
    sweep = engine.start(FEW)
    until(lambda: sweep.rounds[0] == 1)
    assert sweep.seconds_left is None
    until(lambda: sweep.rounds[0] == 2)
    assert 2 < (sweep.seconds_left or 0) < 20
    state, reason, _ = outcome(sweep)
    assert (state, sweep.seconds_left, 1 < sweep.rounds[0] < 5) == ("stopped", None, True)
    assert f"1 s here (EMBVIZ_SWEEP_SECONDS), and {sweep.rounds[0]} of {ROUNDS} rounds" in reason


def test_one_sweep_at_a_time_on_a_machine(engine: FakeEngine) -> None:
    """A sweep waits for the lock that another process may hold, and can be stopped meanwhile."""
    with lock().acquire():
        waiting, other = (engine.start(FEW) for _ in range(2))
        time.sleep(0.3)
        assert (waiting.state, waiting.rounds) == ("queued", (0, ROUNDS))
        waiting.stop()
        assert finished(waiting).state == "stopped"
        engine.fake.plan(round_s=0.1)  # no call takes 1.5 s, all together do
    until(lambda: other.run.environment)
    with pytest.raises(Timeout):
        lock().acquire(timeout=0)
    assert finished(other).state == "done"
    lock().acquire(timeout=1).lock.release()


def test_the_queue_is_bounded(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue refuses one too many; one that is stopped while it waits leaves at once."""
    monkeypatch.setenv("EMBVIZ_SWEEPS_IN_LINE", "3")
    engine.fake.plan(hangs_with="lookup")
    sweeps = [engine.start(FEW) for _ in range(3)]
    with pytest.raises(Refused, match="3 sweeps"):
        engine.start(FEW)
    sweeps[1].stop()
    assert [one.state for one in sweeps[1:]] == ["stopped", "queued"]
    assert engine.start(FEW).active


@pytest.mark.parametrize("sink_s", [0, 5])
def test_closing_leaves_nothing(engine: FakeEngine, sink_s: float) -> None:
    """A closed engine leaves no process, whatever worker and sink do; the lock is free."""
    engine.fake.plan(hangs_with="matmul")
    sweep, waiting = engine.start(FEW, lambda line: time.sleep(sink_s)), engine.start(FEW)
    until(lambda: sweep.state == "running")
    began = time.monotonic()
    engine.close()
    engine.close()
    assert time.monotonic() - began < AT_ONCE_S
    assert not workers()
    assert [finished(one).state for one in (waiting, sweep)] == ["stopped"] * 2
    lock().acquire(timeout=10).lock.release()


def test_a_sink_that_fails(engine: FakeEngine) -> None:
    """A full disk costs the file alone; a sink that raises ends the sweep with a sentence."""
    full = RunFile(Path("/dev/full"))
    sweep = finished(engine.start(FEW, full.append))
    assert (sweep.state, bool(full.trouble), len(sweep.run.times)) == ("done", True, 4 * ROUNDS * 2)

    def fail(line: dict[str, Any]) -> None:
        if line["type"] == "times":
            raise OSError("no /home/ada/x here")

    assert outcome(engine.start(FEW, fail)) == ("failed", "OSError: no … here.", "failed")
    assert finished(engine.start(FEW)).state == "done"


def test_a_worker_that_nobody_uses_ends(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warm worker is used, replaced where it was killed, and ended when it is not used."""
    engine.warm()
    (worker,) = until(workers)
    assert finished(engine.start(FEW)).state == "done"
    assert workers() == [worker]
    worker.kill()
    monkeypatch.setenv("EMBVIZ_WORKER_IDLE_S", "1")
    sweep = finished(engine.start(FEW))
    assert (sweep.state, sweep.run.failures, len(workers())) == ("done", {}, 1)
    until(lambda: not workers())


def test_a_killed_parent_leaves_no_worker(tmp_path: Path) -> None:
    """The measuring process ends with its parent, even while it imports PyTorch."""
    (tmp_path / "torch.py").write_text("import time; time.sleep(600)")
    code = """
import sys
from embviz.timing.case import Case
from embviz.timing.sweep import Engine
Engine(variables={"PYTHONPATH": sys.argv[1]}).start([Case("lookup", 9, 2, 3)])
"""
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT) as parent:
        (worker,) = until(lambda: workers(parent.pid))
        time.sleep(1)
        os.kill(parent.pid, signal.SIGKILL)
        until(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE)


def test_without_a_folder_for_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be written is refused with the variable that names another."""
    (tmp_path / "file").touch()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file" / "x"))
    with pytest.raises(Refused, match=FOLDER_VARIABLE):
        Engine().start(FEW)
