import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from embviz.core import bounds
from embviz.timing import series
from embviz.timing import sweep as sweep_module
from embviz.timing.cases import MAX_CASES, Case, CaseError, plan
from embviz.timing.queue import Ticket
from embviz.timing.results import ROUNDS, Measurement
from embviz.timing.run_file import RunFile
from embviz.timing.runs import read_run
from embviz.timing.sweep import Engine, Sweep
from tests.timing.conftest import FakeWorker
from tests.timing.made_results import CASE
from tests.timing.waiting import (
    AT_ONCE_S,
    SLOW,
    Lines,
    failed,
    finished,
    is_gone,
    measured,
    points,
    until,
    until_slow,
    worker_pid,
)

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="sends signals"),
    pytest.mark.usefixtures("own_queue"),
]


def test_a_sweep_gives_every_case_in_rounds(shared: Engine, tmp_path: Path) -> None:
    """A sweep gives every case, a control for each point and the anchor, in one worker."""
    file, cases = RunFile(tmp_path / "r.jsonl"), points(16, 64)
    sweep = finished(shared.start(cases, file))
    assert (sweep.state, sweep.error, sweep.active) == ("done", "", False)
    assert sweep.rounds == (ROUNDS, ROUNDS)
    assert measured(sweep) == cases
    *_, anchor = sweep.results
    assert isinstance(anchor, Measurement)
    assert (anchor.anchor, anchor.case) == (True, cases[0])
    assert [len(times) for times in anchor.blocks.values()] == [2] * ROUNDS  # one at each point
    controls = [one.case for one in sweep.results if isinstance(one, Measurement) and one.again]
    assert controls == cases[::2]
    for one in sweep.results:
        assert isinstance(one, Measurement)
        assert 3 <= len(one.blocks) <= ROUNDS
    assert sweep.arrived
    assert sweep.wall_s > 0
    first, *between, last = map(json.loads, file.path.read_bytes().splitlines())
    assert first == sweep.header()
    assert first["cpu"]
    assert first["question"] == "num_embeddings from 16 to 64, lookup and 1 more"
    assert len(between) > len(sweep.results)
    assert last == sweep.end_line()
    assert (last["type"], last["status"]) == ("end", "done")
    (calibration,) = last["calibrations"]
    assert calibration["dtype"] == "float32"
    assert calibration["gflop_per_s"] > 0
    assert len(calibration["copy_gb_per_s"]) > 3
    assert all(rate > 0 for rate in calibration["copy_gb_per_s"].values())
    assert read_run(file.path.read_bytes(), "r") == sweep.run("r")


def test_processes_are_one_run(
    fake_worker: FakeWorker, make_engine: Callable[..., Engine], tmp_path: Path
) -> None:
    """Fresh processes measure everything again; run and file have them as a level."""
    file, cases = RunFile(tmp_path / "r.jsonl"), points(16, 64)
    sweep = finished(make_engine().start(cases, file, processes=3))
    assert (sweep.state, sweep.rounds, fake_worker.processes) == ("done", (36, 36), 3)
    assert len(sweep.results) == len(cases) + 2 + 1
    for one in sweep.results:
        assert isinstance(one, Measurement)
        assert [*one.blocks] == [(process, n) for process in range(3) for n in range(ROUNDS)]
    assert sweep.environment["threads"] == 1  # what ran, whatever the worker began with
    assert read_run(file.path.read_bytes(), "r") == sweep.run("r")


def test_seconds_left_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time left follows the rounds that are done."""
    now = [0.0]
    monkeypatch.setattr(sweep_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    sweep = Sweep([CASE])
    assert sweep.seconds_left is None
    sweep.begin({"cpu": "none"})
    sweep.next_batch(0)
    left: list[float | None] = []
    for number in range(5):
        now[0] += 2
        sweep.add(Measurement(CASE, {(0, number): (1e-6,)}))
        left.append(sweep.seconds_left)
    assert sweep.rounds == (4, 12)
    assert left == [None, None, 30, 24, 20]


def test_a_worker_killed_at_its_start_is_started_once_more(
    fake_worker: FakeWorker, make_engine: Callable[..., Engine]
) -> None:
    """A worker that is killed while it starts is started once more, and not twice."""
    engine = make_engine()
    fake_worker.plan(killed_at_start=1)
    assert finished(engine.start(points(16))).state == "done"
    assert fake_worker.processes == 2
    fake_worker.plan(killed_at_start=10)
    sweep = finished(make_engine().start(points(16)))
    assert (sweep.state, fake_worker.processes) == ("failed", 4)
    assert sweep.error == "the worker process was killed (signal 9)."


def test_a_worker_lost_between_calls_costs_no_case(
    fake_worker: FakeWorker, make_engine: Callable[..., Engine]
) -> None:
    """Where no case is known to end its worker, a new one goes on, and all rounds are kept."""
    fake_worker.plan(killed=5, killed_processes=2)
    cases = points(16, 64)
    sweep = finished(make_engine().start(cases))
    assert (sweep.state, failed(sweep), measured(sweep)) == ("done", [], cases)
    assert fake_worker.processes == 3
    assert [one["first"] for one in fake_worker.asked] == [0, 5, 5]
    one = sweep.results[0]
    assert isinstance(one, Measurement)
    assert [len(times) for times in one.blocks.values()] == [3] * 5 + [9] + [3] * 6
    fake_worker.plan(killed=5, killed_processes=100)
    sweep = finished(make_engine().start(cases))
    assert (sweep.state, sweep.error) == ("failed", "the worker process was killed (signal 9).")
    assert measured(sweep) == cases  # their rounds are kept


def test_a_case_that_ends_its_worker_is_lost_alone(
    fake_worker: FakeWorker, make_engine: Callable[..., Engine]
) -> None:
    """A case that ends its worker is a failure; the rest is measured and keeps its places."""
    fake_worker.plan(dies_with="matmul")
    cases = [*points(16), Case("lookup", 64, 4, 4)]
    sweep = finished(make_engine().start(cases, processes=2))
    assert sweep.state == "done"
    assert measured(sweep) == [cases[0], cases[2]]
    assert [(one.case, one.reason) for one in failed(sweep)] == [
        (cases[1], "the worker process was killed (signal 9).")
    ]
    sizes = [[len(point) for point in one["points"]] for one in fake_worker.asked]
    assert sizes == [[2, 1], [1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("cases", "part"), [([], "at least one case"), (points(16) * MAX_CASES, "4,000 cases are")]
)
def test_a_sweep_that_is_none_is_refused_at_once(
    shared: Engine, cases: list[Case], part: str
) -> None:
    """An empty or too large sweep is refused before it waits."""
    with pytest.raises(CaseError, match=part):
        shared.start(cases)


def test_over_the_budget_is_a_failure_with_the_arithmetic(shared: Engine) -> None:
    """A case over the budget is a failure with the arithmetic; the rest is measured."""
    cases = plan(
        "vocab", [16, 2**22], ["lookup", "onehot_matmul"], ["cpu"], embedding_dim=256, tokens=4
    )
    sweep = finished(shared.start([*cases, *points(32)]))
    assert sweep.state == "done"
    assert measured(sweep) == [*cases[:2], *points(32)]
    table, one_hot = failed(sweep)
    assert [table.case, one_hot.case] == cases[2:]
    assert "table 4.0 GiB" in table.reason
    assert "one-hot 192.0 MiB" in one_hot.reason
    for part in (" + ", " = 4.", "over the budget of 2.0 GiB", series.BUDGET_VARIABLE):
        assert part in one_hot.reason


def test_stopping_keeps_what_was_measured_and_the_worker(
    shared: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stop keeps the results and the worker."""
    # On a busy machine the end of a quick block may take longer than a call should.
    monkeypatch.setattr(sweep_module, "STOP_S", AT_ONCE_S)
    sweep = shared.start(points(*range(16, 116)))
    until(lambda: len(sweep.results) >= 6)
    assert sweep.state == "running"
    pid, asked = worker_pid(shared), time.monotonic()
    sweep.stop()
    finished(sweep)
    assert time.monotonic() - asked < AT_ONCE_S
    assert (sweep.state, failed(sweep)) == ("stopped", [])
    assert 6 <= len(sweep.results) <= 300
    assert sweep.end_line()["status"] == "stopped"
    again = finished(shared.start(points(16)))
    assert (again.state, measured(again)) == ("done", points(16))
    assert worker_pid(shared) == pid


def test_stopping_a_long_call_ends_its_worker(shared: Engine) -> None:
    """Stop ends the worker of a long call."""
    sweep = shared.start([*points(16), SLOW])
    pid, asked = until_slow(worker_pid(shared)), time.monotonic()
    sweep.stop()
    finished(sweep)
    assert time.monotonic() - asked < AT_ONCE_S
    assert (sweep.state, failed(sweep)) == ("stopped", [])
    until(lambda: is_gone(pid), AT_ONCE_S)
    assert finished(shared.start(points(16))).state == "done"


def test_a_worker_killed_between_sweeps_is_replaced(
    fake_worker: FakeWorker, make_engine: Callable[..., Engine]
) -> None:
    """A worker killed between sweeps is replaced without a failure."""
    engine = make_engine()
    finished(engine.start(points(16)))
    pid = worker_pid(engine)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: worker_pid(engine) is None)
    sweep = finished(engine.start(points(16)))
    assert (sweep.state, failed(sweep), measured(sweep)) == ("done", [], points(16))


def test_a_case_that_hangs_fails_and_the_rest_goes_on(
    fake_worker: FakeWorker, make_engine: Callable[..., Engine]
) -> None:
    """A case that hangs is a failure, its worker ends, and the rest is measured."""
    fake_worker.plan(hangs_with="matmul")
    cases = [*points(16), Case("lookup", 64, 4, 4)]
    sweep = finished(make_engine(case_s=1.5).start(cases))
    assert (sweep.state, fake_worker.processes) == ("done", 2)
    (one,) = failed(sweep)
    assert one.case == cases[1]
    assert one.reason == "one call took longer than the 1.5 s allowed."
    assert measured(sweep) == [cases[0], cases[2]]


def test_a_sweep_can_be_stopped_while_it_waits(shared: Engine) -> None:
    """A waiting sweep can be stopped and leaves the queue."""
    before = Ticket()
    try:
        sweep = shared.start(points(16))
        until(lambda: sweep.place == (2, 2))
        assert (sweep.state, sweep.seconds_left) == ("queued", None)
        sweep.stop()
        assert finished(sweep).state == "stopped"
        assert sweep.results == []
        until(lambda: before.position() == (1, 1))
    finally:
        before.give_back()


def test_closing_an_engine_leaves_nothing(fake_worker: FakeWorker) -> None:
    """A closed engine leaves no process and no ticket."""
    fake_worker.plan(hangs_with="matmul")
    engine = Engine()
    sweep = engine.start(points(16, 64)[1:])
    waiting = engine.start(points(16))
    until(lambda: sweep.state == "running")
    pid = worker_pid(engine)
    engine.close()
    assert (sweep.state, waiting.state) == ("stopped", "stopped")
    assert worker_pid(engine) is None
    assert pid is not None
    until(lambda: is_gone(pid))
    mine = Ticket()
    until(lambda: mine.position() == (1, 1))  # a sweep leaves the queue just after its end
    mine.give_back()


def test_a_worker_that_nobody_uses_leaves(
    fake_worker: FakeWorker, make_engine: Callable[..., Engine]
) -> None:
    """An unused worker is ended, and the next sweep starts another."""
    engine = make_engine(idle_s=0.3)
    engine.warm()
    pid: int = until(lambda: worker_pid(engine))
    until(lambda: worker_pid(engine) is None)
    until(lambda: is_gone(pid))
    sweep = finished(engine.start(points(16)))
    assert (sweep.state, measured(sweep)) == ("done", points(16))
    until(lambda: worker_pid(engine) is None)


def test_a_sweep_is_stopped_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep ends after EMBVIZ_SWEEP_SECONDS of measuring and says why."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert (Sweep([CASE]).limit_s, Engine()._idle_s) == (60, 300)
    monkeypatch.setenv(bounds.SWEEP_S.variable, "2")
    lines = Lines()
    sweep = Sweep([CASE, CASE], lines)
    sweep.stop_in_time()
    sweep.begin({"cpu": "none"})
    sweep.stop_in_time()
    assert not sweep.stopping.is_set()
    sweep._began = time.monotonic() - 2
    sweep.stop_in_time()
    assert sweep.stopping.is_set()
    sweep.finish("stopped")
    words = "one sweep may take 2 s here (EMBVIZ_SWEEP_SECONDS), and 0 of 12 rounds fitted in."
    assert [lines[-1][name] for name in ("type", "status", "reason")] == ["end", "stopped", words]


def test_an_anchor_that_a_batch_lacks_is_left_out() -> None:
    """Points of a batch without the anchor are not judged by that of other batches."""
    cases = plan("vocab", [64, 256], ["lookup"], ["cpu"], embedding_dim=4, tokens=4)
    sweep = Sweep(cases)
    for case, anchored in zip(cases, (True, False), strict=True):
        sweep.next_batch(0)
        for number in range(4):
            one = Measurement(case, {(0, number): (1e-6,)})
            sweep.add(one)
            if anchored:
                sweep.add(replace(one, case=cases[0], anchor=True))
        assert any(one.key[2] for one in sweep.results) == anchored
