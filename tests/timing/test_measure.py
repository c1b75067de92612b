import functools
import itertools
from collections import Counter
from typing import Any

import pytest

from embviz.timing import measure
from embviz.timing.cases import Case
from embviz.timing.clock import Blocks
from embviz.timing.floor import Floor, Prediction
from embviz.timing.measure import Cancelled, budget_bytes, measure_point
from embviz.timing.results import Failure, Measurement, Result


class Called:
    """Replaces `tensors`: each statement records its call and moves a clock.

    On a busy machine a quick call may look slow, so the test has its own clock. Each call takes a
    little longer than the one before, as on a machine that slows down.
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
    """Methods are interleaved, and the first is measured twice in changing order."""
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
    """Quick calls are timed in blocks of many calls."""
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
    """A slow method has five blocks and leaves the last rounds out."""
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
    """A very slow method has three blocks."""
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
    """A method that fails halfway is one failure; the others are measured."""
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
    """If the first method fails, the next one has the control."""
    called = Called(monkeypatch)
    called.fails_after = {"lookup": 0}
    failure, one, control = called.measure(methods("lookup", "matmul"))
    assert isinstance(failure, Failure)
    assert (one.case, control.case) == (control.case, Case("matmul", 9, 2, 3))
    assert [one.control, control.control] == [False, True]


def test_cancelling_is_noticed_between_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancelling takes effect between two blocks."""
    called = Called(monkeypatch, seconds=0.002)
    with pytest.raises(Cancelled):
        called.measure(methods("lookup", "matmul"), cancelled=lambda: len(called.order) > 20)
    assert len(called.order) < 30


def test_slow_calls_are_announced_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every slow call is announced before it starts."""
    called, silent = Called(monkeypatch, seconds=0.03), [0]
    longest = [0]

    def announce(case: Case) -> None:
        longest.append(len(called.order) - silent[0])
        silent[0] = len(called.order)

    called.measure(methods("lookup", "matmul", "numpy_take", "index_select"), announce=announce)
    assert max(longest) <= 3, f"{max(longest)} calls without a word"


def test_the_budget_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget comes from the environment; a bad value is refused."""
    assert budget_bytes() == 2048 * 2**20
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert budget_bytes() == 96 * 2**20
    monkeypatch.setenv(measure.BUDGET_VARIABLE, "7")
    assert budget_bytes() == 7 * 2**20
    for nonsense in ("many", "-5", "1.5", "٣", "1e3"):
        monkeypatch.setenv(measure.BUDGET_VARIABLE, nonsense)
        with pytest.raises(ValueError, match=f"{measure.BUDGET_VARIABLE}={nonsense!r} is not"):
            budget_bytes()
