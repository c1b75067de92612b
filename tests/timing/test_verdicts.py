from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from embviz.timing.cases import Case, plan
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.settings import SKEWS
from embviz.timing.verdicts import MIN_NOISE, Judged, Verdict
from tests.timing.fake_machine import sweep
from tests.timing.made_results import CASE, anchor, flat_and_growing, measured, point, vocab

MATMUL = replace(CASE, method="matmul")
SHAPE = {"num_embeddings": 1, "embedding_dim": 64, "tokens": 256}
NULL = [
    case
    for ids in SKEWS
    for case in plan("ids", [ids], ["lookup", "index_select", "matmul"], ["cpu"], **SHAPE)
]


def told(judged: Judged) -> int:
    """How many comparisons of a run are told apart."""
    every = [one for line in judged.lines for one in line.measured.values()]
    return sum(judged.verdict(a, b) != "not told apart" for a in every for b in every)


def fake(seconds: Callable[[Case], float], count: int, seed: int, **more: int) -> list[Judged]:
    """Judged null-test sweeps of the fake machine."""
    random = np.random.default_rng(seed)
    return [Judged(sweep(NULL, seconds, random, **more)) for _ in range(count)]


def verdict(judged: Judged, a: Case, b: Case) -> Verdict:
    """On two cases."""
    every = {one.case: one for line in judged.lines for one in line.measured.values()}
    return judged.verdict(every[a], every[b])


def test_the_null_test_makes_no_statement() -> None:
    """Where nothing differs, at most 1 % of runs make any statement, whatever the phases."""
    assert sum(told(judged) > 0 for judged in fake(lambda _: 1e-5, 200, 1)) <= 2


def test_a_difference_within_points_is_found() -> None:
    """A method that takes 1.3x is told at most of the points."""
    found = [
        verdict(judged, case, replace(case, method="lookup"))
        for judged in fake(lambda case: 1.3e-5 if case.method == "matmul" else 1e-5, 20, 2)
        for case in NULL
        if case.method == "matmul"
    ]
    assert "faster" not in found
    assert found.count("slower") >= 0.8 * len(found)


def test_a_difference_across_points_is_found() -> None:
    """Ids with which all methods take 2x are told in most runs."""
    runs = fake(lambda case: 2e-5 if case.ids == "zipf" else 1e-5, 20, 3)
    zipf, equal = (replace(NULL[0], ids=ids) for ids in ("zipf", "equal"))
    found = [verdict(judged, zipf, equal) for judged in runs]
    assert "faster" not in found
    assert found.count("slower") >= 15
    assert {verdict(judged, NULL[0], equal) for judged in runs} == {"not told apart"}


def test_more_processes_do_not_tell_what_is_not_there() -> None:
    """A start that moves each case by 2 % makes no statement over three processes."""
    random = np.random.default_rng(4)
    runs = [Judged(sweep(NULL, lambda _: 1e-5, random, 3, 0.02)) for _ in range(30)]
    assert sum(told(judged) > 0 for judged in runs) <= 1


@pytest.mark.parametrize(
    ("factor", "spread", "again", "expected"),
    [
        (2.0, 0.01, 1.0, "slower"),
        (0.5, 0.01, 1.0, "faster"),
        (1.0, 0.01, 1.0, "not told apart"),
        (1.05, 0.001, 1.1, "not told apart"),  # within the noise of this point
        (1.05, 0.001, 1.04, "slower"),
        (1.015, 1e-6, 1.0, "not told apart"),  # under MIN_NOISE, however quiet
        (1.025, 1e-6, 1.0, "slower"),
        (1.1, 0.2, 1.0, "not told apart"),
    ],
)
def test_a_verdict_needs_more_than_noise(
    factor: float, spread: float, again: float, expected: str
) -> None:
    """A verdict needs an interval beyond the noise of its point, and it has two sides."""
    results = point(
        [CASE, MATMUL], lambda case: 1.0 if case == CASE else factor, again, spread=spread
    )
    judged = Judged(results)
    assert verdict(judged, MATMUL, CASE) == expected
    back = {"slower": "faster", "faster": "slower"}
    assert verdict(judged, CASE, MATMUL) == back.get(expected, expected)


def test_the_noise_of_a_point_is_how_far_a_method_is_from_itself() -> None:
    """Each point has its own noise, 1 or more; without a control it is not known."""
    results = [
        *point([CASE], lambda _: 1.0, 1.1),
        *point([replace(CASE, tokens=9)], lambda _: 1.0, 0.8),
        measured(replace(CASE, tokens=99), 1.0),
        measured(replace(CASE, tokens=98), 1.0, again=True),
        Failure(replace(CASE, tokens=98), "gone"),
    ]
    assert list(Judged(results).noises.values()) == pytest.approx([1.1, 1.25], rel=0.01)


def test_points_are_compared_by_the_anchor_alone() -> None:
    """Across points a difference must exceed the anchor's; without one nothing is known."""
    zipf = replace(CASE, ids="zipf")
    results: list[Result] = [measured(CASE, 1.0), measured(zipf, 1.2)]
    assert Judged(results).compared(*map(as_measured, results)) is None
    for places, expected in (((1.0, 1.01), "faster"), ((1.0, 1.25), "not told apart")):
        judged = Judged([*results, anchor(CASE, places)])
        assert judged.across == pytest.approx(places[1])
        assert judged.verdict(*map(as_measured, results)) == expected
    short = Measurement(CASE, {(0, 0): (1.0, 1.0)}, anchor=True)
    assert Judged([*results, short]).across is None


def as_measured(one: Result) -> Measurement:
    """The result, which is a measurement."""
    assert isinstance(one, Measurement)
    return one


def test_more_comparisons_need_more_evidence() -> None:
    """The level of each comparison falls with their number, and its interval grows."""
    few = Judged(vocab(["lookup", "matmul"], flat_and_growing, [64, 256]))
    many = Judged(vocab(["lookup", "matmul", "index_select"], flat_and_growing))
    widths = []
    for judged in (few, many):
        base, matmul = (
            line.measured[256] for line in judged.lines if line.method != "index_select"
        )
        found = judged.compared(matmul, base)
        assert found is not None
        assert found.told
        low, high = found.interval
        assert low > MIN_NOISE
        widths.append(high / low)
    assert widths[0] < widths[1]
