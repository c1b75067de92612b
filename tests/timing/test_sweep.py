import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
import pytest
from filelock import Timeout

from embviz.core.refused import Refused
from embviz.timing import sweep as sweep_module
from embviz.timing.case import ROUNDS, CaseError
from embviz.timing.run import RunFile, read_run
from embviz.timing.sweep import Engine, lock
from tests.timing.conftest import (
    ROOT,
    FakeWorker,
    Lines,
    finished,
    points,
    rounds,
    until,
    workers,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
AT_ONCE_S = 2.0
MakeEngine = Callable[..., Engine]
FEW = points(16, 64)
MATMUL = FEW[1]


def test_lines_go_to_file_and_run(
    fake_worker: FakeWorker, make_engine: MakeEngine, tmp_path: Path
) -> None:
    """The file begins with the machine, ends with `end`, and is the run; `changed` hears all."""
    file, states = RunFile(tmp_path / "r.jsonl"), list[str]()
    engine = make_engine()
    sweep = finished(engine.start(FEW, file.append, changed=lambda one: states.append(one.state)))
    until(lambda: states[-1] == "done")
    assert states == ["queued", "starting", "running", "done"]
    assert (sweep.error, sweep.cut, sweep.active, sweep.rounds) == ("", "", False, (ROUNDS, ROUNDS))
    assert sweep.run.to_bytes() == file.path.read_bytes()
    read = read_run(file.path.read_bytes(), "r")
    assert (read.cases, len(read.times), read.failures) == (FEW, len(FEW) * ROUNDS * 2, {})
    assert read.environment["cpu"] == "none"
    assert "16 to 64" in read.environment["question"]
    assert read.end
    assert (read.end["status"], read.end["wall_s"]) == ("done", sweep.wall_s)
    assert 0 < sweep.wall_s < 60
    (pid,) = workers()
    assert finished(engine.start(FEW)).state == "done"
    assert workers() == [pid]
    (asked, _) = fake_worker.asked
    assert (asked["cases"], asked["process"], asked["done"]) == ([*map(asdict, FEW)], 0, [])
    assert asked["hostname"]


def test_processes_are_fresh(
    fake_worker: FakeWorker, make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fresh processes measure everything again; a public server does not ask for its name."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    lines = Lines()
    sweep = finished(make_engine().start(FEW, lines.append, processes=3))
    assert (sweep.state, sweep.rounds, fake_worker.processes) == ("done", (3 * ROUNDS,) * 2, 3)
    assert all(rounds(lines, FEW[3], process) == [*range(ROUNDS)] for process in range(3))
    assert [one["type"] for one in lines].count("environment") == 1
    assert not any(one["hostname"] for one in fake_worker.asked)


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
    fake_worker: FakeWorker,
    make_engine: MakeEngine,
    monkeypatch: pytest.MonkeyPatch,
    plan: dict[str, Any],
    words: str,
    processes: int,
) -> None:
    """One that is killed is started once more; one that ends or hangs at its start is not."""
    monkeypatch.setattr(sweep_module, "START_S", 1)
    fake_worker.plan(**plan)
    sweep = finished(make_engine().start(FEW))
    assert (sweep.state, fake_worker.processes) == ("failed" if words else "done", processes)
    assert sweep.error.endswith(words) if words else not sweep.error


def test_a_worker_lost_between_calls_costs_no_case(
    fake_worker: FakeWorker, make_engine: MakeEngine
) -> None:
    """Where no case is known to end its worker, a new one goes on, three times."""
    for count, state in ((3, "done"), (4, "failed")):
        lines, before = Lines(), fake_worker.processes
        fake_worker.plan(killed=5, killed_processes=before + count)
        sweep = finished(make_engine().start(FEW, lines.append))
        assert (sweep.state, sweep.run.failures) == (state, {})
        assert fake_worker.processes == before + 4
        last = ROUNDS if state == "done" else 6
        assert all(rounds(lines, case) == [*range(last)] for case in FEW)
        assert (lines[-1]["type"], lines[-1]["status"]) == ("end", state)
        assert ("was killed" in lines[-1]["reason"]) == (state == "failed")


@pytest.mark.parametrize("fault", ["dies_with", "hangs_with"])
def test_a_case_that_ends_its_worker_or_hangs_is_lost_alone(
    fake_worker: FakeWorker, make_engine: MakeEngine, fault: str
) -> None:
    """It is a failure, its rounds before stay; the rest is measured by a new worker."""
    fake_worker.plan(when=4, **{fault: "matmul"})
    lines, cases = Lines(), [*FEW[:2], FEW[2]]
    sweep = finished(make_engine(case_s=1.5).start(cases, lines.append, processes=2))
    assert (sweep.state, [*sweep.run.failures]) == ("done", [MATMUL])
    reason = {"dies_with": "killed (signal 9).", "hangs_with": "1.5 s allowed."}[fault]
    assert sweep.run.failures[MATMUL].endswith(reason)
    assert rounds(lines, MATMUL) == [*range(4)]
    assert not rounds(lines, MATMUL, 1)
    for process in (0, 1):
        assert rounds(lines, FEW[2], process) == [*range(ROUNDS)]
    assert [len(one["cases"]) for one in fake_worker.asked] == [3, 2, 2]


@pytest.mark.parametrize(
    ("plan", "state"),
    [({"start_s": 60}, "starting"), ({"round_s": 60}, "running"), ({"hangs_with": "matmul"}, "")],
)
def test_stop_ends_the_worker_at_once(
    fake_worker: FakeWorker, make_engine: MakeEngine, plan: dict[str, Any], state: str
) -> None:
    """Stop keeps the times and ends the worker, whatever it does; the next one is warmed."""
    fake_worker.plan(**plan)
    engine, lines = make_engine(), Lines()
    sweep = engine.start(FEW, lines.append)
    until(lambda: lines if state != "starting" else sweep.state == state)
    until(lambda: sweep.rounds[0] == (state == "running"))
    (worker,) = workers()
    fake_worker.plan()
    asked = time.monotonic()
    sweep.stop()
    finished(sweep)
    assert time.monotonic() - asked < AT_ONCE_S
    assert (sweep.state, sweep.error, sweep.run.failures) == ("stopped", "", {})
    assert not worker.is_running()
    assert [one["type"] for one in lines[-1:]] == ["end"] * bool(lines)
    (warmed,) = until(workers)
    assert finished(engine.start(FEW)).state == "done"
    assert workers() == [warmed]


def test_the_time_limit(
    fake_worker: FakeWorker, make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep ends after EMBVIZ_SWEEP_SECONDS of measuring, not of starting, and says why."""
    monkeypatch.setenv("EMBVIZ_SWEEP_SECONDS", "1")
    fake_worker.plan(start_s=1.5, round_s=0.4)
    sweep = make_engine().start(FEW)
    until(lambda: sweep.rounds[0] == 1)
    assert sweep.seconds_left is None
    until(lambda: sweep.rounds[0] == 2)
    assert 2 < (sweep.seconds_left or 0) < 20
    assert finished(sweep).seconds_left is None
    assert sweep.state == "stopped"
    assert 1 < sweep.rounds[0] < 5
    assert f"1 s here (EMBVIZ_SWEEP_SECONDS), and {sweep.rounds[0]} of {ROUNDS} rounds" in sweep.cut
    assert sweep.run.end
    assert sweep.run.end["reason"] == sweep.cut


def test_one_sweep_at_a_time_on_a_machine(fake_worker: FakeWorker, make_engine: MakeEngine) -> None:
    """A sweep waits for that of another process, also one that is killed, and can be stopped."""
    code = "from embviz.timing.sweep import lock; one = lock(); one.acquire(); print(flush=True); "
    code += "input()"
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, **pipes) as holder:
        assert holder.stdout
        holder.stdout.readline()
        waiting, other = (make_engine(case_s=1.5).start(FEW) for _ in range(2))
        time.sleep(0.3)
        assert (waiting.state, waiting.place, waiting.rounds) == ("queued", 0, (0, ROUNDS))
        assert "another sweep" in waiting.waits_for
        waiting.stop()
        assert finished(waiting).state == "stopped"
        fake_worker.plan(round_s=0.1)  # no call takes 1.5 s, all together do
        holder.kill()
        until(lambda: other.run.environment)
        with pytest.raises(Timeout):
            lock().acquire(timeout=0)
        assert finished(other).state == "done"
        lock().acquire(timeout=1).lock.release()


def test_the_queue_is_bounded(
    fake_worker: FakeWorker, make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The queue refuses one too many; one that is stopped while it waits leaves at once."""
    monkeypatch.setenv("EMBVIZ_SWEEPS_IN_LINE", "4")
    fake_worker.plan(hangs_with="lookup")
    engine = make_engine()
    sweeps = [engine.start(FEW) for _ in range(4)]
    assert [one.place for one in sweeps] == [0, 1, 2, 3]
    with pytest.raises(Refused, match="4 sweeps"):
        engine.start(FEW)
    sweeps[1].stop()
    assert not sweeps[1].active
    assert (sweeps[1].state, sweeps[3].place, sweeps[0].active) == ("stopped", 2, True)
    assert "2 sweeps" in sweeps[3].waits_for
    assert engine.start(FEW).place == 3
    for cases in ([], FEW * 1000):
        with pytest.raises(CaseError):
            engine.start(cases)


def test_closing_leaves_nothing(fake_worker: FakeWorker, make_engine: MakeEngine) -> None:
    """A closed engine leaves no process, whatever worker and sink do; the lock is free."""
    fake_worker.plan(hangs_with="matmul")
    for sink in (lambda line: None, lambda line: time.sleep(5)):
        engine, began = make_engine(), time.monotonic()
        sweep, waiting = engine.start(FEW, sink), engine.start(FEW)
        until(lambda sweep=sweep: sweep.state == "running")
        began = time.monotonic()
        engine.close()
        engine.close()
        assert time.monotonic() - began < AT_ONCE_S
        assert not workers()
        assert waiting.state == "stopped"
        assert finished(sweep).state == "stopped"
        lock().acquire(timeout=10).lock.release()


def test_a_sink_that_fails(
    fake_worker: FakeWorker, make_engine: MakeEngine, tmp_path: Path
) -> None:
    """A full disk costs the file alone; a sink that raises ends the sweep with a sentence."""
    engine, full = make_engine(), RunFile(Path("/dev/full"))
    sweep = finished(engine.start(FEW, full.append))
    assert (sweep.state, bool(full.trouble), len(sweep.run.times)) == ("done", True, 4 * ROUNDS * 2)

    def fail(line: dict[str, Any]) -> None:
        if line["type"] == "times":
            raise OSError("no /home/ada/x here")

    sweep = finished(engine.start(FEW, fail))
    assert (sweep.state, sweep.error) == ("failed", "OSError: no … here.")
    assert sweep.run.end
    assert (sweep.run.end["status"], sweep.run.end["reason"]) == ("failed", sweep.error)
    assert finished(engine.start(FEW)).state == "done"


def test_a_worker_that_nobody_uses_ends(
    fake_worker: FakeWorker, make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warm worker is used, replaced where it was killed, and ended when it is not used."""
    engine = make_engine()
    engine.warm()
    (worker,) = until(workers)
    assert finished(engine.start(FEW)).state == "done"
    assert workers() == [worker]
    worker.kill()
    monkeypatch.setenv("EMBVIZ_WORKER_IDLE_S", "1")
    sweep = finished(engine.start(FEW))
    assert (sweep.state, sweep.run.failures, len(workers())) == ("done", {}, 1)
    until(lambda: not workers())


def test_a_killed_parent_leaves_no_worker(own_queue: None, tmp_path: Path) -> None:
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


def test_the_lock_does_not_depend_on_tmpdir(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its folder is the user's own, the same one whatever TMPDIR says, or it is refused."""
    monkeypatch.delenv(sweep_module.FOLDER_VARIABLE, raising=False)
    before = Path(lock().lock_file)
    assert before.parents[1] in map(Path, sweep_module.FIXED)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert Path(lock().lock_file) == before
    monkeypatch.setattr(sweep_module, "FIXED", (str(tmp_path / "none"),))
    assert Path(lock().lock_file).parents[1] == tmp_path
    assert Path(lock().lock_file).parent.stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").touch()
    monkeypatch.setenv(sweep_module.FOLDER_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(Refused, match=sweep_module.FOLDER_VARIABLE):
        Engine().start(FEW)
    monkeypatch.setattr(os, "getuid", lambda: -1)
    monkeypatch.setenv(sweep_module.FOLDER_VARIABLE, str(tmp_path))
    (tmp_path / "embviz--1").mkdir()
    with pytest.raises(Refused, match="somebody else"):
        lock()
