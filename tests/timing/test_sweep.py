import contextlib
import functools
import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from embviz.core import bounds
from embviz.timing import measure
from embviz.timing import sweep as sweep_module
from embviz.timing.cases import MAX_CASES, Case, CaseError, plan
from embviz.timing.clock import Blocks
from embviz.timing.floor import Floor, Prediction
from embviz.timing.measure import Cancelled, budget_bytes, measure_point
from embviz.timing.queue import QueueFull, Ticket, folder
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.sweep import Engine, Sweep
from embviz.timing.worker import default_threads

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")

SOON_S = 60.0  # what comes at once on a quiet machine, and after a while on a busy one
AT_ONCE_S = 10.0  # what waits for no call: a case of SLOW's size takes eight calls
HANGS_S = 4.0  # longer than a quick call takes on a busy machine, shorter than SLOW's first calls
GOOD: dict[str, Any] = {"method": "lookup", "num_embeddings": 9, "embedding_dim": 2, "tokens": 3}
# Half a TFLOP in one call, in 640 MiB: seconds on any CPU core.
SLOW = Case("matmul", 4096, 8192, 8192)


def points(*rows: int) -> list[Case]:
    """Two quick methods at each of these sizes."""
    return plan("vocab", rows, ["lookup", "matmul"], ["cpu"], embedding_dim=4, tokens=4)


def until(true: Callable[[], Any], seconds: float = SOON_S) -> Any:
    """What is true at last."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)
    return found


def until_slow(pid: int | None) -> int:
    """The worker's id, once it holds the 640 MiB of SLOW, which its calls follow at once."""
    assert pid is not None
    until(lambda: psutil.Process(pid).memory_info().rss > 2**29)
    return pid


def finished(sweep: Sweep) -> Sweep:
    """The sweep, once it is over."""
    assert sweep.finished.wait(SOON_S), f"still {sweep.state}, {len(sweep.results)} results"
    return sweep


def measured(sweep: Sweep) -> list[Case]:
    """The cases that were measured, in order, without controls."""
    return [r.case for r in sweep.results if isinstance(r, Measurement) and not r.control]


def failed(sweep: Sweep) -> list[Failure]:
    """The failures, each with a reason that is a sentence."""
    failures = [one for one in sweep.results if isinstance(one, Failure)]
    for one in failures:
        assert one.reason.isprintable()
        assert 10 < len(one.reason) < 400
        assert "Traceback" not in one.reason
    return failures


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for yet has."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture(scope="module", autouse=True)
def own_line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A line of tickets for this file alone: other tests may sweep at the same time."""
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("line")
        patch.setattr(tempfile, "tempdir", str(place))
        patch.setenv("TMPDIR", str(place))
        patch.delenv(measure.BUDGET_VARIABLE, raising=False)
        patch.delenv("EMBVIZ_HOSTED", raising=False)
        yield place


@pytest.fixture(scope="module")
def shared() -> Iterator[Engine]:
    """An engine for tests that leave it usable."""
    engine = Engine()
    yield engine
    engine.close()


@pytest.fixture
def make_engine() -> Iterator[Callable[..., Engine]]:
    """Engines of a test's own."""
    made: list[Engine] = []

    def make(**settings: float) -> Engine:
        made.append(Engine(**settings))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


# --- a point, measured in this process with statements that only say that they were called


class Called:
    """Stands for `methods`: each statement notes that it was called, and moves a clock.

    The clock is the test's own, for on a busy machine a quick call may look slow, and slow ones
    are measured less often. It is that of a machine that slows down: each call takes a little
    longer than the one before.
    """

    def __init__(self, patch: pytest.MonkeyPatch, seconds: float = 1e-6, **others: float) -> None:
        self.order: list[str] = []
        self.count: Counter[str] = Counter()
        self.seconds, self.others = seconds, others
        self.now = 0.0
        self.fails_after: dict[str, int] = {}
        patch.setattr(measure, "Blocks", functools.partial(Blocks, clock=lambda: self.now))
        patch.setattr(measure, "statement", lambda case: f"called({case.method!r})")
        patch.setattr(measure, "Ready", lambda point: self)
        patch.setattr(Floor, "predict", lambda self, case: Prediction(1e-6, 0.0, 1e-6))

    shared_bytes = 0

    def found_bytes(self, case: Case) -> int:
        """It holds no tensors."""
        return 0

    def names(self, case: Case) -> dict[str, Any]:
        """The globals of a statement."""
        return {"called": self.called}

    def called(self, method: str) -> None:
        """One call of a statement."""
        self.order.append(method)
        self.count[method] += 1
        if self.count[method] > self.fails_after.get(method, 10**9):
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory\nand more lines")
        self.now += self.others.get(method, self.seconds) * (1 + 1e-6 * len(self.order))

    def measure(self, cases: list[Case], **given: Any) -> list[Result]:
        """The results of one point."""
        floors = {("cpu", "float32", 1): Floor("cpu", "float32", 1, {}, {}, 1e9)}
        announce = given.get("announce", lambda case: None)
        return list(measure_point(cases, floors, announce, given.get("cancelled", lambda: False)))


def methods(*names: str) -> list[Case]:
    """Cases of one point."""
    return [Case(name, 9, 2, 3) for name in names]


def test_methods_take_turns_and_the_first_comes_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that slows down would slow one method alone, and look like a finding."""
    called = Called(monkeypatch, seconds=0.002)  # one call a block
    results = called.measure(methods("lookup", "matmul", "numpy_take"))
    assert [(r.case.method, r.control) for r in results] == [
        ("lookup", False),
        ("lookup", True),
        ("matmul", False),
        ("numpy_take", False),
    ]
    # In preparation, and in each round after it, one method comes after the other.
    turns = [method for method, _ in itertools.groupby(called.order)]
    assert turns == ["lookup", "matmul", "numpy_take"] * (1 + measure.ROUNDS)
    for one in results:
        assert isinstance(one, Measurement)
        assert (one.number_per_run, len(one.times_s)) == (1, 2 * measure.ROUNDS)
        assert one.median_s == pytest.approx(0.002, rel=1e-3)
        assert one.predicted_s == 2e-6
    # The two of a pair swap places: which of them comes later, and is slower, alternates.
    first, control = (one.times_s for one in results if one.case.method == "lookup")
    later = [b > a for a, b in zip(first[::2], control[::2], strict=True)]
    assert later == [True, False] * (measure.ROUNDS // 2)


def test_quick_calls_are_timed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading the clock would be a part of what is measured."""
    called = Called(monkeypatch)
    (one, control) = called.measure(methods("lookup"))
    assert isinstance(one, Measurement)
    assert isinstance(control, Measurement)
    assert one.number_per_run == control.number_per_run > 100
    assert sum(one.times_s) * one.number_per_run >= 0.5 * measure.SERIES_S
    assert len(called.order) > one.number_per_run * len(one.times_s)


def test_a_slow_method_is_measured_a_few_times_and_sits_out_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sweep with one slow method would take minutes, or give it a single time."""
    called = Called(monkeypatch, seconds=0.002, matmul=0.03)
    told: list[str] = []
    cases = methods("lookup", "matmul")
    quick, _, slow = called.measure(cases, announce=lambda case: told.append(case.method))
    assert isinstance(quick, Measurement)
    assert isinstance(slow, Measurement)
    assert (len(quick.times_s), len(slow.times_s)) == (2 * measure.ROUNDS, measure.FEWEST_BLOCKS)
    turns = [method for method, _ in itertools.groupby(called.order)]
    assert turns == ["lookup", "matmul"] * (1 + measure.FEWEST_BLOCKS) + ["lookup"]
    assert told == ["lookup", "matmul", *["matmul"] * measure.FEWEST_BLOCKS]  # what may hang


def test_a_very_slow_method_is_called_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """One method of a second a call would hold the sweep, or give too few times for a median."""
    called = Called(monkeypatch, seconds=2.0)
    one, control = called.measure(methods("matmul"))
    assert isinstance(one, Measurement)
    assert isinstance(control, Measurement)
    assert len(one.times_s) == len(control.times_s) == 3


@pytest.mark.parametrize(
    "calls",
    [
        8,  # the call before a block
        9,
    ],
)
def test_what_fails_halfway_is_one_failure(monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """A method that runs out of memory would take the others with it, or leave half a result."""
    called = Called(monkeypatch, seconds=0.002)
    called.fails_after = {"matmul": calls}
    results = called.measure(methods("lookup", "matmul", "numpy_take"))
    failure, *rest = results
    assert isinstance(failure, Failure)
    assert failure.case.method == "matmul"
    assert failure.reason == "RuntimeError: DefaultCPUAllocator: can't allocate memory"
    assert [one.case.method for one in rest] == ["lookup", "lookup", "numpy_take"]


def test_when_the_first_method_cannot_the_next_has_the_control(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A point whose first method fails would have no noise floor."""
    called = Called(monkeypatch)
    called.fails_after = {"lookup": 0}
    failure, one, control = called.measure(methods("lookup", "matmul"))
    assert isinstance(failure, Failure)
    assert (one.case, control.case) == (control.case, Case("matmul", 9, 2, 3))
    assert [one.control, control.control] == [False, True]


def test_cancelling_is_noticed_between_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop would wait for the end of a point."""
    called = Called(monkeypatch, seconds=0.002)
    with pytest.raises(Cancelled):
        called.measure(methods("lookup", "matmul"), cancelled=lambda: len(called.order) > 20)
    assert len(called.order) < 30


def test_slow_calls_are_announced_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five methods of 3 s a call would be taken for one that hangs, and fail one by one."""
    called, silent = Called(monkeypatch, seconds=0.03), [0]
    longest = [0]

    def announce(case: Case) -> None:
        longest.append(len(called.order) - silent[0])
        silent[0] = len(called.order)

    called.measure(methods("lookup", "matmul", "numpy_take", "index_select"), announce=announce)
    assert max(longest) <= 3, f"{max(longest)} calls without a word"


def test_the_budget_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hosted app would take memory that its machine does not have."""
    assert budget_bytes() == 2048 * 2**20
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert budget_bytes() == 96 * 2**20
    monkeypatch.setenv(measure.BUDGET_VARIABLE, "7")
    assert budget_bytes() == 7 * 2**20
    for nonsense in ("many", "-5", "1.5", "٣", "1e3"):
        monkeypatch.setenv(measure.BUDGET_VARIABLE, nonsense)
        with pytest.raises(ValueError, match=f"{measure.BUDGET_VARIABLE}={nonsense!r} is not"):
            budget_bytes()


def test_one_core_is_left_for_everything_else() -> None:
    """A sweep would be slowed by the server that watches it."""
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    assert default_threads() == max(1, cores - 1)


# --- sweeps


def test_a_sweep_gives_every_case_and_a_control_for_each_point(shared: Engine) -> None:
    """A point would be missing, or its noise unknown, or its raw times gone."""
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


def test_the_worker_stays_warm_between_sweeps(shared: Engine) -> None:
    """Every sweep would wait two seconds for PyTorch to be imported."""
    finished(shared.start(points(16)))
    pid = shared.worker_pid
    sweep = finished(shared.start(points(16)))
    assert pid is not None
    assert shared.worker_pid == pid
    assert sweep.state == "done"


@pytest.mark.parametrize(
    ("cases", "part"), [([], "at least one case"), (points(16) * MAX_CASES, "4,000 cases are")]
)
def test_a_sweep_that_is_none_is_refused_at_once(
    shared: Engine, cases: list[Case], part: str
) -> None:
    """A forged plan would take its place in the line."""
    with pytest.raises(CaseError, match=part):
        shared.start(cases)


def test_over_the_budget_is_a_failure_with_the_arithmetic(shared: Engine) -> None:
    """Memory would be taken until the machine dies, or the sweep would end there."""
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
    """A dtype that one method lacks would end the sweep."""
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
    """Stop would lose the points on the chart, or the next start would be slow."""
    # On a busy machine the end of a quick block may take longer than a call should.
    monkeypatch.setattr(sweep_module, "STOP_S", AT_ONCE_S)
    sweep = shared.start(points(*range(16, 216)))
    until(lambda: len(sweep.results) >= 6)
    assert sweep.state == "running"
    assert sweep.seconds_left
    assert sweep.seconds_left > 0
    pid, asked = shared.worker_pid, time.monotonic()
    sweep.stop()
    finished(sweep)
    assert time.monotonic() - asked < AT_ONCE_S
    assert (sweep.state, failed(sweep)) == ("stopped", [])
    assert 6 <= len(sweep.results) < 600
    assert sweep.end_line()["status"] == "stopped"
    again = finished(shared.start(points(16)))
    assert (again.state, measured(again)) == ("done", points(16))
    assert shared.worker_pid == pid


def test_a_sweep_ends_at_its_limit_with_what_it_has(
    shared: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One student's endless sweep would keep a class waiting, or lose what it had measured."""
    monkeypatch.setenv(bounds.SWEEP_S.variable, "1")
    lines: list[dict[str, Any]] = []
    sweep = finished(shared.start(points(*range(16, 816)), lines.append))
    assert sweep.state == "stopped"
    assert 0 < sweep.done_cases < 1600
    assert 1 <= sweep.wall_s < SOON_S
    assert sweep.cut.startswith("one sweep may take 1 s here (EMBVIZ_SWEEP_SECONDS), and ")
    assert (lines[-1]["type"], lines[-1]["reason"]) == ("end", sweep.cut)
    monkeypatch.delenv(bounds.SWEEP_S.variable)
    after = finished(shared.start(points(16)))
    assert (after.state, after.cut, "reason" in after.end_line()) == ("done", "", False)


def test_stopping_a_long_call_ends_its_worker(shared: Engine) -> None:
    """Stop would wait for a call of many seconds."""
    sweep = shared.start([*points(16), SLOW])
    until(lambda: len(sweep.results) == 3)
    pid, asked = until_slow(shared.worker_pid), time.monotonic()
    sweep.stop()
    finished(sweep)
    assert time.monotonic() - asked < AT_ONCE_S
    assert (sweep.state, len(sweep.results)) == ("stopped", 3)
    until(lambda: is_gone(pid), AT_ONCE_S)
    assert finished(shared.start(points(16))).state == "done"


def test_a_killed_worker_costs_the_case_under_way(shared: Engine) -> None:
    """One crash inside PyTorch would end the whole sweep, or leave a hole without a reason."""
    before, after = points(16), points(64)
    sweep = shared.start([*before, SLOW, *after])
    until(lambda: len(sweep.results) == 3)
    pid = until_slow(shared.worker_pid)
    os.kill(pid, signal.SIGKILL)
    finished(sweep)
    assert sweep.state == "done"
    assert measured(sweep) == [*before, *after]
    (one,) = failed(sweep)
    assert one.case == SLOW
    assert "killed (signal 9)" in one.reason
    assert shared.worker_pid not in (None, pid)


def test_a_worker_killed_between_sweeps_is_replaced(shared: Engine) -> None:
    """The first case after a crash would be reported as failed, though it was never called."""
    finished(shared.start(points(16)))
    pid = shared.worker_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: shared.worker_pid is None)
    sweep = finished(shared.start(points(16)))
    assert (sweep.state, failed(sweep), measured(sweep)) == ("done", [], points(16))


def test_a_case_that_hangs_fails_and_the_rest_goes_on(
    make_engine: Callable[..., Engine],
) -> None:
    """One case without end would hold the machine's line for ever."""
    engine = make_engine(case_s=HANGS_S)
    sweep = finished(engine.start([*points(16), SLOW, *points(64)]))
    assert sweep.state == "done"
    (one,) = failed(sweep)
    assert one.case == SLOW
    assert "longer than the 4 s allowed" in one.reason
    assert measured(sweep) == [*points(16), *points(64)]


def test_a_worker_that_stands_still_is_replaced(make_engine: Callable[..., Engine]) -> None:
    """A process that is alive but says nothing would never be given up."""
    engine = make_engine(case_s=HANGS_S)
    cases = points(*range(16, 28))
    sweep = engine.start(cases)
    until(lambda: len(sweep.results) >= 3)
    pid = engine.worker_pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    finished(sweep)
    assert sweep.state == "done"
    (one,) = failed(sweep)
    assert len(measured(sweep)) == len(cases) - 1
    assert one.case not in measured(sweep)
    until(lambda: is_gone(pid), AT_ONCE_S)


def test_several_sweeps_of_one_engine_wait_for_each_other(shared: Engine) -> None:
    """Two visitors would time each other's work."""
    times: dict[int, list[float]] = {}

    def note(number: int) -> Callable[[dict[str, Any]], None]:
        return lambda line: times.setdefault(number, []).append(time.monotonic())

    before = [Ticket(), Ticket()]  # of others, who decide when the first one's turn comes
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
    """A visitor who changed his mind would still be served."""
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
    """A run file that cannot be written would hold the sweep for ever, and spoil the next one."""
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
    """A server that stops would leave a process behind."""
    engine = Engine()
    sweep = engine.start(points(*range(16, 216)))
    waiting = engine.start(points(16))
    until(lambda: sweep.results)
    pid = engine.worker_pid
    engine.close()
    assert (sweep.state, waiting.state) == ("stopped", "stopped")
    assert engine.worker_pid is None
    assert pid is not None
    until(lambda: is_gone(pid))
    mine = Ticket()
    until(lambda: mine.position() == (1, 1))  # a sweep gives its place back just after its end
    mine.give_back()


def test_a_worker_that_nobody_uses_leaves(make_engine: Callable[..., Engine]) -> None:
    """A server would keep 250 MB for a page that somebody opened yesterday."""
    engine = make_engine(idle_s=0.3)
    engine.warm()
    pid: int = until(lambda: engine.worker_pid)
    until(lambda: engine.worker_pid is None)
    until(lambda: is_gone(pid))
    sweep = finished(engine.start(points(16)))
    assert (sweep.state, measured(sweep)) == ("done", points(16))
    until(lambda: engine.worker_pid is None)


def test_a_worker_that_cannot_start_says_why(
    make_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typing mistake in the environment would be told as "killed (signal 6)"."""
    monkeypatch.setenv(measure.BUDGET_VARIABLE, "lots")
    sweep = finished(make_engine().start(points(16)))
    assert (sweep.state, sweep.results) == ("failed", [])
    assert f"{measure.BUDGET_VARIABLE}='lots' is not a whole number" in sweep.error
    assert ".." not in sweep.error


# --- the line of sweeps on this machine


def test_tickets_are_served_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who came later would be served first, or the place shown would be wrong."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tickets = [Ticket() for _ in range(4)]
    assert [ticket.position() for ticket in tickets] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    tickets[2].give_back()
    assert [tickets[n].position() for n in (0, 1, 3)] == [(1, 3), (2, 3), (3, 3)]
    seen: list[tuple[int, ...]] = []

    def told(*place: int) -> None:
        if not seen:  # while the second one waits, the first one goes
            tickets[0].give_back()
        seen.append(place)

    assert tickets[1].wait(told, lambda: False)
    assert seen == [(2, 3), (1, 2)]
    assert not tickets[3].wait(lambda *place: None, lambda: True)
    for ticket in (tickets[1], tickets[3]):
        ticket.give_back()
    assert list(folder().glob("*.ticket")) == []


def test_the_line_is_bounded(
    shared: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crowd would wait for hours without being told."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tickets = [Ticket() for _ in range(bounds.SWEEPS.value())]
    assert len(tickets) == 32
    for refused in (Ticket, lambda: shared.start(points(16))):
        with pytest.raises(QueueFull, match="32 sweeps are in the queue already; try again"):
            refused()
    tickets.pop().give_back()
    tickets.append(Ticket())
    assert tickets[-1].position() == (32, 32)
    for ticket in tickets:
        ticket.give_back()


def test_a_sweep_that_cannot_begin_leaves_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no thread can be had its ticket would stay first in line for ever."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    engine = Engine()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="new thread"):
            engine.start(points(16))
    assert list(folder().glob("*.ticket")) == []
    ticket = Ticket()
    assert ticket.position() == (1, 1)
    ticket.give_back()


def test_a_dead_process_gives_up_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One crash would stop all sweeps on the machine for ever."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = (
        "from embviz.timing.queue import Ticket\n"
        "mine = [Ticket(), Ticket()]\nprint(flush=True)\ninput()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        mine = Ticket()
        assert mine.position() == (3, 3)
        holder.kill()
        holder.wait()
        assert mine.position() == (1, 1)
    assert len(list(folder().glob("*.ticket"))) == 1
    mine.give_back()


def test_the_line_belongs_to_one_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else on the machine could take all places, or have files written for him."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert folder().stat().st_mode & 0o777 == 0o700
    assert str(os.getuid()) in folder().name


EIGHT = """
import json, sys, time
from embviz.timing.cases import Case
from embviz.timing.sweep import Engine

engine, notes, sweeps = Engine(), [], []
engine.warm()
input()  # until the other process is there too
for number in range(8):
    note = {"asked": time.monotonic(), "lines": []}
    notes.append(note)
    sweeps.append(engine.start(
        [Case("lookup", 16 + number, 2, 3)],
        lambda line, note=note: note["lines"].append(time.monotonic()),
    ))
    note["queued"] = time.monotonic()
    time.sleep(0.05)
for sweep, note in zip(sweeps, notes):
    sweep.finished.wait(60)
    note |= {"state": sweep.state, "results": len(sweep.results)}
print(json.dumps(notes))
engine.close()
"""


def test_sixteen_sweeps_of_two_processes_never_overlap(tmp_path: Path) -> None:
    """Two servers on one machine would time each other, or serve somebody who came later first."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", EIGHT],
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(tmp_path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    notes = [note for one in processes for note in json.loads(one.communicate(timeout=90)[0])]
    assert [one.returncode for one in processes] == [0, 0]
    assert [(note["state"], note["results"]) for note in notes] == [("done", 2)] * 16
    # time.monotonic() is one clock for all processes.
    served = sorted(notes, key=lambda note: note["lines"][0])
    for before, after in itertools.pairwise(served):
        assert before["lines"][-1] <= after["lines"][0]
    for first, second in itertools.combinations(served, 2):
        assert not second["queued"] < first["asked"], "somebody who came later was served first"


OWNER = """
import sys, time
from embviz.timing.cases import Case
from embviz.timing.sweep import Engine

engine = Engine()
quick, slow = Case("lookup", 16, 2, 3), Case("matmul", 4096, 8192, 8192)
sweep = engine.start([quick, slow] if sys.argv[1] == "slow" else [quick])
while not sweep.results:
    time.sleep(0.01)
print(engine.worker_pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("doing", ["slow", "nothing"])
def test_killing_the_server_leaves_no_orphan(doing: str, tmp_path: Path) -> None:
    """A worker would go on computing, or wait for ever, after its server was killed."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, doing],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    with owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        if doing == "slow":
            until_slow(pid)
        assert not is_gone(pid)
        owner.kill()
        owner.wait()
        until(lambda: is_gone(pid), AT_ONCE_S)


# --- the worker, spoken to by a stranger


class Spoken:
    """A worker process, line by line."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", *(arguments or ("-m", "embviz", "time", "--worker"))],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError):
            for line in self.process.stdout:
                self._lines.put(line)

    def say(self, message: object) -> None:
        """Send a line: bytes as they are, everything else as JSON."""
        raw = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def hear(self, timeout: float = SOON_S) -> dict[str, Any]:
        """The next line: strict JSON, an object with a type."""
        line = self._lines.get(timeout=timeout)
        heard: dict[str, Any] = json.loads(line, parse_constant=pytest.fail)
        assert line.endswith(b"\n")
        return heard

    def until_done(self) -> list[dict[str, Any]]:
        """All lines to the next `done`."""
        lines = [self.hear()]
        while lines[-1]["type"] != "done":
            lines.append(self.hear())
        return lines

    def works(self) -> list[dict[str, Any]]:
        """The lines before those of a right case, which is measured as ever."""
        self.say([GOOD])
        before: list[dict[str, Any]] = []
        while (line := self.hear())["type"] != "now":
            before.append(line)
        assert line["case"] == Case.from_dict(GOOD).to_dict()
        kinds = [(one["type"], one.get("control", False)) for one in self.until_done()]
        assert kinds == [("measurement", False), ("measurement", True), ("done", False)]
        return before

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        self.reader.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


@pytest.fixture(scope="module")
def worker() -> Iterator[Spoken]:
    """A worker that is to survive everything it is told."""
    spoken = Spoken()
    assert spoken.hear()["type"] == "ready"
    yield spoken
    spoken.close()


@pytest.fixture
def make_worker() -> Iterator[Callable[..., Spoken]]:
    """Workers of a test's own."""
    made: list[Spoken] = []

    def make(*arguments: str, **environment: str) -> Spoken:
        made.append(Spoken(*arguments, **environment))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_line_in_pieces_is_one_line(worker: Spoken) -> None:
    """A case that arrives in two packets would be two refusals."""
    whole = json.dumps([{**GOOD, "tokens": 5}]).encode() + b"\n"
    for piece in (whole[:20], whole[20:-1], whole[-1:]):
        worker.say(piece)
        time.sleep(0.05)
    heard = worker.until_done()
    assert [one["type"] for one in heard] == ["now", "measurement", "measurement", "done"]
    assert heard[1]["case"]["tokens"] == 5


def test_many_requests_at_once_are_answered_in_order(worker: Spoken) -> None:
    """A request would be lost while another is measured."""
    worker.say(b"".join(json.dumps([{**GOOD, "tokens": n}]).encode() + b"\n" for n in (1, 2, 3)))
    answers = [worker.until_done() for _ in range(3)]
    assert [one[1]["case"]["tokens"] for one in answers] == [1, 2, 3]


def test_cancel_ends_the_request_and_not_the_next(worker: Spoken) -> None:
    """Stop would wait for every case, or stop what is asked later."""
    worker.say([{**GOOD, "tokens": tokens} for tokens in range(1, 101)])
    while worker.hear()["type"] != "measurement":
        pass
    worker.say({"cancel": True})
    lines = worker.until_done()
    assert lines[-1]["cancelled"] is True
    assert len([one for one in lines if one["type"] == "measurement"]) < 100
    worker.say({"cancel": True})  # with nothing to cancel
    worker.say([GOOD])
    lines = worker.until_done()
    assert [one["type"] for one in lines] == ["now", "measurement", "measurement", "done"]
    assert lines[-1]["cancelled"] is False


def test_what_a_library_prints_stays_out_of_the_protocol(
    make_worker: Callable[..., Spoken],
) -> None:
    """A warning from inside PyTorch would be taken for a result, and end the sweep."""
    spoken = make_worker(
        "-c",
        (
            "import os, threading, time\n"
            "def chatter():\n"
            "    while True:\n"
            "        print('noise'); os.write(1, b'noise\\n'); time.sleep(0.01)\n"
            "threading.Thread(target=chatter, daemon=True).start()\n"
            "from embviz.timing.worker import serve\n"
            "serve()"
        ),
    )
    first = spoken._lines.get(timeout=SOON_S)
    while first == b"noise\n":  # printed before the worker took stdout for itself
        first = spoken._lines.get(timeout=SOON_S)
    assert json.loads(first)["type"] == "ready"
    assert spoken.works() == []


def test_memory_that_nobody_foresaw_is_a_failure(make_worker: Callable[..., Spoken]) -> None:
    """A wrong prediction would end the worker, or fill the machine's memory."""
    spoken = make_worker(
        "-c",
        (
            "from embviz.timing.cases import Case\n"
            "Case.memory_bytes = property(lambda case: 0)\n"  # as if every case were free
            "from embviz.timing.worker import serve\n"
            "serve()"
        ),
        EMBVIZ_TIMING_BUDGET_MIB="64",
    )
    assert spoken.hear()["type"] == "ready"
    before = psutil.Process(spoken.process.pid).memory_info().rss
    spoken.say([{**GOOD, "num_embeddings": 2**23, "embedding_dim": 64}])  # 2 GiB
    now, failure, done = spoken.until_done()
    assert [now["type"], failure["type"], done["type"]] == ["now", "failure", "done"]
    assert "allocate" in failure["reason"]
    assert psutil.Process(spoken.process.pid).memory_info().rss < before + 2**28
    assert spoken.works() == []


@pytest.mark.parametrize("doing", ["nothing", "a long call"])
def test_the_worker_ends_with_its_input(make_worker: Callable[..., Spoken], doing: str) -> None:
    """A worker would outlive the server that was killed while it computed."""
    spoken = make_worker()
    assert spoken.hear()["type"] == "ready"
    if doing == "a long call":
        spoken.say([SLOW.to_dict()])
        assert spoken.hear()["type"] == "now"
        until_slow(spoken.process.pid)
    assert spoken.process.stdin is not None
    spoken.process.stdin.close()
    assert spoken.process.wait(timeout=AT_ONCE_S) == 0


def test_a_parent_that_is_gone_at_once(make_worker: Callable[..., Spoken]) -> None:
    """A worker whose server died while it started would stay for ever."""
    spoken = make_worker()
    assert spoken.process.stdin is not None
    spoken.process.stdin.close()
    assert spoken.process.wait(timeout=SOON_S) == 0
