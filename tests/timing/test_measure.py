"""Points are measured in rounds, in random order, with control and anchor."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from embviz.timing import measure, series
from embviz.timing.cases import Case
from embviz.timing.clock import Blocks
from embviz.timing.measure import Measuring
from embviz.timing.results import ROUNDS, Failure, Measurement, Pool, Result

CALIBRATED: dict[Any, Any] = {("cpu", "float32", 1): {}}


class Called:
    """Replaces `tensors`: each statement records its call and moves a clock.

    On a busy machine a quick call may look slow, so the test has its own clock.
    """

    shared_bytes = 0

    def __init__(self, patch: pytest.MonkeyPatch, seconds: float = 1e-6, **others: float) -> None:
        self.order: list[tuple[int, str]] = []
        self.count: Counter[str] = Counter()
        self.seconds, self.others = seconds, others
        self.now = 0.0
        self.fails_after: dict[str, int] = {}
        patch.setattr(series, "blocks", self.blocks)
        patch.setattr(measure, "Ready", lambda point: self)

    def found_bytes(self, case: Case) -> int:
        """It holds no tensors."""
        return 0

    def blocks(self, case: Case, ready: object) -> Blocks:
        """The timer of a case."""
        names = {"called": self.called, "case": case}
        return Blocks("called(case)", names, clock=lambda: self.now)

    def called(self, case: Case) -> None:
        """One call of a statement."""
        self.order.append((case.num_embeddings, case.method))
        self.count[case.method] += 1
        if self.count[case.method] > self.fails_after.get(case.method, 10**9):
            raise RuntimeError("/home/ada/cpu.cpp: cannot allocate memory\nand more lines")
        self.now += self.others.get(case.method, self.seconds)

    def lines(
        self,
        points: Sequence[Sequence[Case]],
        anchor: Case | None = None,
        first: int = 0,
        **given: Any,
    ) -> list[Result]:
        """What the worker writes."""
        self.measuring = Measuring(
            dict(CALIBRATED),
            given.get("announce", lambda case: None),
            given.get("cancelled", lambda: False),
            random.Random(1),  # noqa: S311 - an order, no secret
        )
        return list(self.measuring.rounds(points, anchor, first))

    def results(self, *arguments: Any, **given: Any) -> list[Result]:
        """The same, one result a case."""
        pool = Pool()
        for line in self.lines(*arguments, **given):
            pool.add(line)
        return pool.results


def methods(*names: str, rows: int = 9) -> list[Case]:
    """Cases of one point."""
    return [Case(name, rows, 2, 3) for name in names]


def by_key(results: Sequence[Result]) -> dict[tuple[str, int, bool, bool], Measurement]:
    """Measurements by method, rows, control and anchor."""
    return {
        (one.case.method, one.case.num_embeddings, one.again, one.anchor): one
        for one in results
        if isinstance(one, Measurement)
    }


def test_every_point_is_measured_once_in_each_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each round has every method and control of every point, in an order of its own."""
    called = Called(monkeypatch, seconds=0.002)  # one call a block
    points = [methods("lookup", "matmul", rows=rows) for rows in (9, 16, 25)]
    lines = called.lines(points, points[0][0])
    assert len(lines) == ROUNDS * (3 * 3 + 1)
    orders = set()
    for number in range(ROUNDS):
        those = [line for line in lines if isinstance(line, Measurement)]
        those = [line for line in those if [*line.blocks] == [(0, number)]]
        assert len({line.key for line in those}) == len(those) == 3 * 3 + 1
        orders.add(tuple(line.case for line in those if not line.helps))
        assert those[-1].anchor  # when all places have been measured
        assert len(those[-1].times_s) == 3
    assert len(orders) > ROUNDS / 2
    seen = set[Case]()
    for line in lines:  # a file that is cut anywhere has no control without its method
        assert isinstance(line, Measurement)
        assert not line.again or line.case in seen
        seen |= set() if line.helps else {line.case}
        assert line.times_s == pytest.approx([0.002] * len(line.times_s))


def test_a_point_without_cases_keeps_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The anchor is measured at a point without cases too, and rounds go on from `first`."""
    called = Called(monkeypatch, seconds=0.002)
    points = [methods("lookup", rows=9), [], methods("lookup", rows=25)]
    found = by_key(called.results(points, methods("matmul")[0], first=9))
    anchor = found["matmul", 9, False, True]
    assert {place: len(times) for place, times in anchor.blocks.items()} == {
        (0, 9): 3,
        (0, 10): 3,
        (0, 11): 3,
    }
    assert [*found["lookup", 25, False, False].blocks] == [*anchor.blocks]


@pytest.mark.parametrize("trouble", ["fails", "fails later", "slow"])
def test_an_anchor_that_gives_no_time_is_left_out(
    monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    """Without an anchor everything else is measured, and no case has failed."""
    called = Called(monkeypatch, seconds=0.002, matmul=0.2 if trouble == "slow" else 0.002)
    called.fails_after = {"matmul": {"fails": 0, "fails later": 9}.get(trouble, 10**9)}
    points = [methods("lookup", rows=9), methods("lookup", rows=16)]
    results = called.results(points, methods("matmul")[0])
    assert all(isinstance(one, Measurement) for one in results)
    found = by_key(results)
    assert [len(one.blocks) for key, one in found.items() if not key[3]] == [ROUNDS] * 4
    assert len([key for key in found if key[3]]) == (trouble == "fails later")


def test_quick_calls_are_timed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick calls are timed in blocks of many calls."""
    called = Called(monkeypatch)
    one, control = called.results([methods("lookup")])
    assert isinstance(one, Measurement)
    assert isinstance(control, Measurement)
    in_a_round = round(series.ROUND_S / series.BLOCK_S)
    assert {len(times) for times in one.blocks.values()} == {in_a_round}
    calls = 2 * ROUNDS * in_a_round * round(series.BLOCK_S / 1e-6)  # and a few of the warm-up
    assert calls < called.count["lookup"] < 1.5 * calls


def test_a_slow_method_leaves_the_last_rounds_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow method has fewer rounds, three at least; each of its calls is announced."""
    called = Called(monkeypatch, seconds=0.002, matmul=0.5, module=2.0)
    told: list[str] = []
    cases = methods("lookup", "matmul", "module")
    found = by_key(called.results([cases], announce=lambda case: told.append(case.method)))
    rounds = [len(found[name, 9, False, False].blocks) for name in called.count]
    assert rounds == [ROUNDS, series.SLOW_S / 0.5, 3]
    assert Counter(told) == {"lookup": 1, "matmul": 1 + 6, "module": 1 + 3}


@pytest.mark.parametrize("calls", [2, 8, 9])
def test_what_fails_halfway_is_one_failure(monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """A method that fails halfway is one failure, without paths; the others have all rounds."""
    called = Called(monkeypatch, seconds=0.002)
    called.fails_after = {"lookup": calls}
    results = called.results([methods("lookup", "matmul")])
    (failure,) = (one for one in results if isinstance(one, Failure))
    assert failure.case.method == "lookup"
    assert failure.reason == "RuntimeError: …: cannot allocate memory"
    found = by_key(results)
    assert {key[0] for key in found} == {"matmul"}
    assert {len(one.blocks) for one in found.values()} == {ROUNDS}
