import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embviz.timing.results import Failure, Measurement
from embviz.timing.verdicts import (
    MIN_NOISE,
    noise,
    noises,
    notch,
    ratio,
    twins,
    verdict,
)
from tests.timing.made_results import CASE, QUICK, measured, point


def test_noise_is_how_far_a_method_is_from_itself() -> None:
    """The noise is the ratio of a method's two medians, 1 or more."""
    first, again = measured(CASE, 1.0), measured(CASE, 1.1, control=True)
    matmul = measured(replace(CASE, method="matmul"), 9.0)
    assert noise([first, again, matmul]) == pytest.approx(1.1)
    assert noise([first, measured(CASE, 0.8, control=True)]) == pytest.approx(1.25)
    assert noise([first, matmul]) is None
    assert noise([again, matmul]) is None
    assert noise([again, Failure(CASE, "gone")]) is None
    assert noise([]) is None


def test_each_point_has_its_own_noise() -> None:
    """The noise of a point does not depend on other points."""
    results = [
        *point([CASE], lambda _: 1.0, 1.01),
        *point([replace(CASE, tokens=9)], lambda _: 1.0, 1.3),
        *point([replace(CASE, pass_="backward")], lambda _: 1.0, 1.2),
        measured(replace(CASE, tokens=99), 1.0),
    ]
    assert [round(value, 3) for value in noises(results).values()] == [1.01, 1.3, 1.2]


def test_the_notch_is_that_of_mcgill_tukey_and_larsen() -> None:
    """The notch is that of McGill, Tukey and Larsen."""
    one = measured(CASE, 2.0, spread=0.3)
    assert one.iqr_s == pytest.approx(0.6)
    low, high = notch(one)
    bottom, top = one.quartiles_s
    factor = math.exp(1.57 * math.log(top / bottom) / 3)  # of the logarithms, nine blocks
    assert high == pytest.approx(2.0 * factor)
    assert low == pytest.approx(2.0 / factor)
    assert notch(Measurement(CASE, (2.0,), 1)) == (0.0, math.inf)


def test_blocks_that_never_overlap_are_told_apart() -> None:
    """Three blocks or more that never overlap are distinguishable."""
    slow = Measurement(CASE, (0.034, 0.076, 0.080, 0.353, 0.483), 1)
    quick = Measurement(CASE, tuple(2.7e-6 * (1 + k) for k in range(36)), 500)
    assert verdict(slow, quick, 1.5) == "slower"
    assert verdict(quick, slow, 1.5) == "faster"


@pytest.mark.parametrize(
    ("a", "b", "spread", "known", "expected"),
    [
        (2.0, 1.0, 0.01, 1.0, "slower"),
        (1.0, 2.0, 0.01, 1.0, "faster"),
        (1.0, 1.0, 0.01, 1.0, "not distinguishable"),
        (1.05, 1.0, 0.001, 1.1, "not distinguishable"),  # within the noise of this point
        (1.05, 1.0, 0.001, 1.04, "slower"),
        (1.015, 1.0, 1e-6, 1.0, "not distinguishable"),  # under MIN_NOISE, however quiet
        (1.025, 1.0, 1e-6, None, "slower"),
        (1.1, 1.0, 0.3, 1.0, "not distinguishable"),  # the notches overlap
        (1.1, 1.0, 0.05, 1.0, "slower"),
    ],
)
def test_a_verdict_needs_more_than_noise(
    a: float, b: float, spread: float, known: float | None, expected: str
) -> None:
    """A verdict needs a ratio beyond the noise and notches apart."""
    assert verdict(measured(CASE, a, spread), measured(CASE, b, spread), known) == expected


def test_one_block_is_no_verdict() -> None:
    """A single block is never distinguishable."""
    one, other = (Measurement(CASE, (seconds,), 1) for seconds in (1.0, 5.0))
    assert verdict(one, other, 1.0) == "not distinguishable"


times_of_blocks = st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=12)


@given(times_of_blocks, times_of_blocks, st.none() | st.floats(1.0, 3.0))
@QUICK
def test_a_verdict_has_two_sides(a: list[float], b: list[float], known: float | None) -> None:
    """If one is slower, the other is faster."""
    one, other = (Measurement(CASE, tuple(blocks), 1) for blocks in (a, b))
    back = {"slower": "faster", "faster": "slower"}
    there = verdict(one, other, known)
    assert verdict(other, one, known) == back.get(there, there)
    if there != "not distinguishable":
        assert (ratio(one, other) > MIN_NOISE) == (there == "slower")


@pytest.mark.parametrize(
    ("again", "spread", "apart"), [(1.01, 0.001, False), (1.2, 0.001, True), (1.2, 0.5, False)]
)
def test_a_control_can_fail(again: float, spread: float, apart: bool) -> None:
    """The A/A pair is told apart where it differs by more than its spread."""
    pair = twins(point([CASE], lambda _: 1.0, again, spread=spread))
    assert pair is not None
    assert (verdict(*pair, MIN_NOISE) != "not distinguishable") == apart


def test_a_measurement_without_a_control_has_no_twin() -> None:
    """One measurement alone is no A/A pair."""
    assert twins([measured(CASE, 1.0)]) is None


def test_equal_methods_are_rarely_told_apart() -> None:
    """At least 95 % of equal pairs are not distinguishable."""
    random_ = random.Random(5)  # noqa: S311 -- no secret
    calm = []
    for _ in range(400):
        one, other = (
            Measurement(CASE, tuple(1e-6 * random_.lognormvariate(0, 0.15) for _ in range(30)), 1)
            for _ in range(2)
        )
        calm.append(verdict(one, other, MIN_NOISE) == "not distinguishable")
    assert sum(calm) / len(calm) >= 0.95
