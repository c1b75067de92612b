import itertools
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from embviz.core import bounds
from embviz.timing import measure
from embviz.timing import sweep as sweep_module
from embviz.timing.cases import MAX_CASES, Case, CaseError, plan
from embviz.timing.queue import Ticket
from embviz.timing.results import Measurement
from embviz.timing.sweep import Engine, Sweep
from tests.timing.waiting import (
    AT_ONCE_S,
    HANGS_S,
    SLOW,
    SOON_S,
    failed,
    finished,
    is_gone,
    measured,
    points,
    until,
    until_slow,
    worker_pid,
)

CASE = Case("lookup", 64, 8, 4)
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="sends signals"),
    pytest.mark.usefixtures("own_queue"),
]


def test_a_sweep_gives_every_case_and_a_control_for_each_point(shared: Engine) -> None:
    """A sweep gives every case, a control for each point, and all raw times."""
    lines: list[dict[str, Any]] = []
    cases = points(16, 64, 256)
    sweep = finished(shared.start(cases, lines.append))
    assert (sweep.state, sweep.error, sweep.active) == ("done", "", False)
    assert Counter(measured(sweep)) == Counter(cases)
    controls = [one.case for one in sweep.results if isinstance(one, Measurement) and one.control]
    assert controls == cases[::2]
    assert sweep.done_cases == len(cases)
    timed = 0.0
    for one in sweep.results:
        assert isinstance(one, Measurement)
        assert len(one.times_s) >= 3  # of a call that a busy machine made look slow
        assert one.number_per_run >= 1
        assert one.predicted_s
        assert one.predicted_s > 0
        assert one.dominant in ("bandwidth", "compute", "overhead")
        timed += sum(one.times_s) * one.number_per_run
    assert sweep.timed_s == pytest.approx(timed)
    assert sweep.first_s is not None
    assert sweep.first_s > 0
    assert 0 < sweep.timed_s < sweep.wall_s
    first, *between, last = lines
    assert first == sweep.header()
    assert first["type"] == "environment"
    assert first["cpu"]
    assert between == [one.to_dict() for one in sweep.results]
    assert last == sweep.end_line()
    assert (last["type"], last["status"]) == ("end", "done")
    assert [floor["dtype"] for floor in last["floors"]] == ["float32"]
    for line in lines:
        json.dumps(line, allow_nan=False)


def test_one_worker_measures_all_points_of_all_sweeps(shared: Engine) -> None:
    """Every result of two sweeps with two points comes from the same worker."""
    found: list[tuple[str, int | None]] = []
    for _ in range(2):
        sweep = shared.start(
            points(16, 64), lambda line: found.append((line["type"], worker_pid(shared)))
        )
        assert finished(sweep).state == "done"
    pids = [pid for kind, pid in found if kind == "measurement"]
    assert len(pids) == 2 * 2 * 3  # two methods and the control
    assert None not in pids
    assert len(set(pids)) == 1


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
    for part in (" + ", " = 4.", "over the budget of 2.0 GiB", measure.BUDGET_VARIABLE):
        assert part in one_hot.reason


def test_what_pytorch_cannot_do_is_a_failure_too(shared: Engine) -> None:
    """An error of PyTorch is that case's failure."""
    cases = plan(
        "vocab",
        [16],
        ["lookup", "sparse_matmul", "matmul"],
        ["cpu"],
        embedding_dim=2,
        tokens=3,
        dtype="bfloat16",
    )
    sweep = finished(shared.start(cases))
    assert measured(sweep) == [cases[0], cases[2]]
    assert [one.case for one in failed(sweep)] == [cases[1]]
    assert "BFloat16" in failed(sweep)[0].reason


def test_stopping_keeps_what_was_measured_and_the_worker(
    shared: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stop keeps the results and the worker."""
    # On a busy machine the end of a quick block may take longer than a call should.
    monkeypatch.setattr(sweep_module, "STOP_S", AT_ONCE_S)
    sweep = shared.start(points(*range(16, 216)))
    until(lambda: len(sweep.results) >= 6)
    assert sweep.state == "running"
    assert sweep.seconds_left
    assert sweep.seconds_left > 0
    pid, asked = worker_pid(shared), time.monotonic()
    sweep.stop()
    finished(sweep)
    assert time.monotonic() - asked < AT_ONCE_S
    assert (sweep.state, failed(sweep)) == ("stopped", [])
    assert 6 <= len(sweep.results) < 600
    assert sweep.end_line()["status"] == "stopped"
    again = finished(shared.start(points(16)))
    assert (again.state, measured(again)) == ("done", points(16))
    assert worker_pid(shared) == pid


def test_a_sweep_ends_at_its_limit_with_what_it_has(
    shared: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep ends at its time limit with its results and the reason."""
    monkeypatch.setenv(bounds.SWEEP_S.variable, "600")
    lines: list[dict[str, Any]] = []
    sweep = shared.start(points(*range(16, 816)), lines.append)
    until(lambda: sweep.done_cases)
    sweep._began -= 600  # as if it had measured for so long
    finished(sweep)
    assert sweep.state == "stopped"
    assert 0 < sweep.done_cases < 1600
    assert 600 <= sweep.wall_s < 600 + SOON_S
    assert sweep.cut.startswith("one sweep may take 600 s here (EMBVIZ_SWEEP_SECONDS), and ")
    assert (lines[-1]["type"], lines[-1]["reason"]) == ("end", sweep.cut)
    monkeypatch.delenv(bounds.SWEEP_S.variable)
    after = finished(shared.start(points(16)))
    assert (after.state, after.cut, "reason" in after.end_line()) == ("done", "", False)


def test_stopping_a_long_call_ends_its_worker(shared: Engine) -> None:
    """Stop ends the worker of a long call."""
    sweep = shared.start([*points(16), SLOW])
    until(lambda: len(sweep.results) == 3)
    pid, asked = until_slow(worker_pid(shared)), time.monotonic()
    sweep.stop()
    finished(sweep)
    assert time.monotonic() - asked < AT_ONCE_S
    assert (sweep.state, len(sweep.results)) == ("stopped", 3)
    until(lambda: is_gone(pid), AT_ONCE_S)
    assert finished(shared.start(points(16))).state == "done"


def test_a_killed_worker_costs_the_case_under_way(shared: Engine) -> None:
    """A killed worker costs the case under way alone."""
    before, after = points(16), points(64)
    sweep = shared.start([*before, SLOW, *after])
    until(lambda: len(sweep.results) == 3)
    pid = until_slow(worker_pid(shared))
    os.kill(pid, signal.SIGKILL)
    finished(sweep)
    assert sweep.state == "done"
    assert measured(sweep) == [*before, *after]
    (one,) = failed(sweep)
    assert one.case == SLOW
    assert "killed (signal 9)" in one.reason
    assert worker_pid(shared) not in (None, pid)


def test_a_worker_killed_between_sweeps_is_replaced(shared: Engine) -> None:
    """A worker killed between sweeps is replaced without a failure."""
    finished(shared.start(points(16)))
    pid = worker_pid(shared)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: worker_pid(shared) is None)
    sweep = finished(shared.start(points(16)))
    assert (sweep.state, failed(sweep), measured(sweep)) == ("done", [], points(16))


def test_a_case_that_hangs_fails_and_the_rest_goes_on(
    make_engine: Callable[..., Engine],
) -> None:
    """A case that hangs is a failure, the rest is measured, and the silent worker is ended."""
    engine = make_engine(case_s=HANGS_S)
    sweep = engine.start([*points(16), SLOW, *points(64)])
    until(lambda: len(sweep.results) == 3)
    pid = until_slow(worker_pid(engine))
    os.kill(pid, signal.SIGSTOP)  # no machine is so fast that this call ends
    finished(sweep)
    assert sweep.state == "done"
    (one,) = failed(sweep)
    assert one.case == SLOW
    assert "longer than the 8 s allowed" in one.reason
    assert measured(sweep) == [*points(16), *points(64)]
    until(lambda: is_gone(pid), AT_ONCE_S)


def test_several_sweeps_of_one_engine_wait_for_each_other(shared: Engine) -> None:
    """Sweeps of one engine run one after another."""
    times: dict[int, list[float]] = {}

    def note(number: int) -> Callable[[dict[str, Any]], None]:
        return lambda line: times.setdefault(number, []).append(time.monotonic())

    before = [Ticket(), Ticket()]  # tickets of others, ahead of these sweeps
    try:
        sweeps = [shared.start(points(16, 17), note(number)) for number in range(3)]
        until(lambda: [sweep.place for sweep in sweeps] == [(3, 5), (4, 5), (5, 5)])
        before.pop(0).give_back()
        until(lambda: [sweep.place for sweep in sweeps] == [(2, 4), (3, 4), (4, 4)])
    finally:
        for one in before:
            one.give_back()
    for sweep in sweeps:
        assert finished(sweep).state == "done"
    assert times[0][-1] <= times[1][0] <= times[1][-1] <= times[2][0]


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


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_full_disk_ends_the_sweep_in_a_sentence(make_engine: Callable[..., Engine]) -> None:
    """A sink that fails ends its sweep with the reason; the next sweep works."""
    engine, count = make_engine(), itertools.count()

    def sink(line: dict[str, Any]) -> None:
        if next(count) >= 2:
            raise OSError(28, "No space left on device")

    sweep = engine.start(points(16, 64), sink)
    assert sweep.finished.wait(SOON_S)
    assert sweep.state == "failed"
    assert "No space left" in sweep.error
    after = finished(engine.start(points(256)))
    assert (after.state, measured(after)) == ("done", points(256))


def test_closing_an_engine_leaves_nothing() -> None:
    """A closed engine leaves no process and no ticket."""
    engine = Engine()
    sweep = engine.start(points(*range(16, 216)))
    waiting = engine.start(points(16))
    until(lambda: sweep.results)
    pid = worker_pid(engine)
    engine.close()
    assert (sweep.state, waiting.state) == ("stopped", "stopped")
    assert worker_pid(engine) is None
    assert pid is not None
    until(lambda: is_gone(pid))
    mine = Ticket()
    until(lambda: mine.position() == (1, 1))  # a sweep leaves the queue just after its end
    mine.give_back()


def test_a_worker_that_nobody_uses_leaves(make_engine: Callable[..., Engine]) -> None:
    """An unused worker is ended, and the next sweep starts another."""
    engine = make_engine(idle_s=0.3)
    engine.warm()
    pid: int = until(lambda: worker_pid(engine))
    until(lambda: worker_pid(engine) is None)
    until(lambda: is_gone(pid))
    sweep = finished(engine.start(points(16)))
    assert (sweep.state, measured(sweep)) == ("done", points(16))
    until(lambda: worker_pid(engine) is None)


def test_a_worker_that_cannot_start_says_why(
    make_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that cannot start gives its own reason."""
    monkeypatch.setenv(measure.BUDGET_VARIABLE, "lots")
    sweep = finished(make_engine().start(points(16)))
    assert (sweep.state, sweep.results) == ("failed", [])
    assert f"{measure.BUDGET_VARIABLE}='lots' is not a whole number" in sweep.error
    assert ".." not in sweep.error


def test_a_sweep_is_stopped_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep ends after EMBVIZ_SWEEP_SECONDS of measuring and says why."""
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert (Sweep([CASE]).limit_s, Engine()._idle_s) == (60, 300)
    monkeypatch.setenv(bounds.SWEEP_S.variable, "2")
    told: list[bounds.Bound] = []
    monkeypatch.setattr(bounds, "_listeners", [told.append])
    lines: list[dict[str, Any]] = []
    sweep = Sweep([CASE, CASE], lines.append)
    sweep.stop_in_time()
    sweep.begin({"cpu": "none"})
    sweep.stop_in_time()
    assert not sweep.stopping.is_set()
    sweep._began = time.monotonic() - 2
    sweep.stop_in_time()
    assert sweep.stopping.is_set()
    sweep.finish("stopped")
    words = "one sweep may take 2 s here (EMBVIZ_SWEEP_SECONDS), and 0 of 2 cases fitted in."
    assert [lines[-1][name] for name in ("type", "status", "reason")] == ["end", "stopped", words]
    assert told == [bounds.SWEEP_S]
