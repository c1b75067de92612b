import math
from dataclasses import replace

import pytest

from embviz.timing.paired import differences, places, slopes
from embviz.timing.results import Measurement
from tests.timing.made_results import CASE, anchor, measured

OTHER = replace(CASE, method="matmul")


def rounds_of(*seconds: float, **more: object) -> Measurement:
    """One block a round."""
    return Measurement(CASE, seconds, 1, rounds=(1,) * len(seconds), **more)  # type: ignore[arg-type]


def test_phases_of_a_round_cancel() -> None:
    """Differences are taken round by round, so that a slow phase of both cancels."""
    (found,) = differences(rounds_of(2.0, 3.2, 2.0), rounds_of(1.0, 1.6, 1.0))
    assert found == pytest.approx([math.log(2)] * 3)


def test_a_round_needs_both() -> None:
    """Rounds in which one of the two was not measured have no difference."""
    gap = Measurement(CASE, (1.0, 1.0, 5.0), 1, rounds=(2, 0, 1))
    (found,) = differences(gap, rounds_of(1.0, 1.0, 1.0, 1.0))
    assert found == pytest.approx([0.0, math.log(5)])


def test_processes_stay_apart() -> None:
    """Round 1 of a process is never paired with a round of another."""
    both = [rounds_of(*times, processes=(2, 1)) for times in ((2.0, 4.0, 9.0), (1.0, 1.0, 3.0))]
    found = differences(*both)
    assert [len(those) for those in found] == [2, 1]
    assert found[1] == pytest.approx([math.log(3)])


def test_old_files_have_batches_for_rounds() -> None:
    """Without rounds, 12 consecutive batches of blocks are paired, and fewer blocks not at all."""
    old = Measurement(CASE, tuple(1.0 + k for k in range(100)), 1)
    (found,) = differences(old, old)
    assert found == [0.0] * 12
    assert differences(old, Measurement(OTHER, (1.0, 1.0, 1.0), 1)) == [[]]


def test_slopes_are_those_of_each_round() -> None:
    """The exponent is found in each round that has all sizes."""
    points = [(v, measured(CASE, 1e-9 * v**1.5, 0.0)) for v in (64, 256, 1024)]
    assert slopes(points)[0] == pytest.approx([1.5] * 12)
    assert slopes([*points, (4096, rounds_of(1.0))])[0][1:] == []


def test_the_anchor_tells_how_far_places_differ() -> None:
    """The noise across points is the largest difference of the anchor's means."""
    assert places(anchor(CASE, (1.0, 1.1, 1.05))) == pytest.approx(math.log(1.1))
    torn = Measurement(CASE, (1.0, 1.0, 2.0) * 3, 1, rounds=(2, 1) * 3, anchor=True)
    assert places(torn) == 0.0
    few = Measurement(CASE, (1.0, 1.0, 1.0, 1.0, 2.0), 1, rounds=(2, 2, 1), anchor=True)
    assert places(few) is None
    assert places(anchor(CASE, (1.0,))) is None
