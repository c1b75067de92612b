import math

import pytest

from embviz.timing.paired import differences, places, slopes
from embviz.timing.results import Measurement
from tests.timing.made_results import CASE, anchor, measured, rounds_of


def test_phases_of_a_round_cancel() -> None:
    """Differences are taken round by round, so that a slow phase of both cancels."""
    (found,) = differences(rounds_of(CASE, 2.0, 3.2, 2.0), rounds_of(CASE, 1.0, 1.6, 1.0))
    assert found == pytest.approx([math.log(2)] * 3)


def test_a_round_needs_both() -> None:
    """Rounds in which one of the two was not measured have no difference."""
    gap = Measurement(CASE, {(0, 0): (1.0, 1.0), (0, 2): (5.0,)})
    (found,) = differences(gap, rounds_of(CASE, 1.0, 1.0, 1.0, 1.0))
    assert found == pytest.approx([0.0, math.log(5)])


def test_processes_stay_apart() -> None:
    """Round 1 of a process is never paired with a round of another."""
    a, b = (
        Measurement(CASE, {(0, 0): (x,), (0, 1): (y,), (1, 0): (z,)})
        for x, y, z in ((2.0, 4.0, 9.0), (1.0, 1.0, 3.0))
    )
    found = differences(a, b)
    assert [len(those) for those in found] == [2, 1]
    assert found[1] == pytest.approx([math.log(3)])


def test_slopes_are_those_of_each_round() -> None:
    """The exponent is found in each round that has all sizes."""
    points = [(v, measured(CASE, 1e-9 * v**1.5, 0.0)) for v in (64, 256, 1024)]
    assert slopes(points)[0] == pytest.approx([1.5] * 12)
    assert slopes([*points, (4096, rounds_of(CASE, 1.0))])[0][1:] == []


def test_the_anchor_tells_how_far_places_differ() -> None:
    """The noise across points is the largest difference of the anchor's means."""
    assert places(anchor(CASE, (1.0, 1.1, 1.05))) == pytest.approx(math.log(1.1))
    whole, torn = (1.0, 1.0), (2.0,)
    blocks = {(0, n): torn if n % 2 else whole for n in range(6)}
    assert places(Measurement(CASE, blocks, anchor=True)) == 0.0
    few = {(0, 0): whole, (0, 1): whole, (0, 2): torn}
    assert places(Measurement(CASE, few, anchor=True)) is None
    assert places(anchor(CASE, (1.0,))) is None
