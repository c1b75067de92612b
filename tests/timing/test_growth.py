import numpy as np
import pytest

from embviz.timing.chart_lines import lines
from embviz.timing.growth import growth, growths, upper_start
from embviz.timing.intervals import estimate
from embviz.timing.results import Measurement
from embviz.timing.verdicts import Judged
from tests.timing.fake_machine import sweep
from tests.timing.made_results import flat_and_growing, vocab


def measured_of(seconds, rows=(64, 256, 1024, 4096, 16384, 65536)) -> dict[int, Measurement]:  # type: ignore[no-untyped-def]
    """A line's measurements."""
    (line,) = lines(vocab(["lookup"], seconds, rows), "num_embeddings")
    return line.measured


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_of_a_power_is_found(power: float) -> None:
    """The exponent of a power is found, with an interval that holds it."""
    found = growth(measured_of(lambda case: 1e-9 * case.num_embeddings**power))
    assert found is not None
    low, high = estimate(found.slopes).interval()
    assert low < power < high < low + 0.01
    assert found.start == 4096


def test_the_exponent_looks_at_the_upper_half() -> None:
    """The fit uses the upper half of the sizes, where the fixed cost matters less."""
    measured = measured_of(
        lambda case: 1e-5 + 1e-9 * case.num_embeddings, [2**k for k in range(0, 25)]
    )
    found, from_start = growth(measured), growth(measured, start=1)
    assert found is not None
    assert from_start is not None
    assert found.start == 2**12
    assert estimate(found.slopes).mean > 0.7 > 0.5 > estimate(from_start.slopes).mean


def test_an_exponent_needs_three_values() -> None:
    """An exponent needs three sizes; kinds have none."""
    measured = measured_of(lambda _: 1e-6, [64, 256, 1024])
    assert growth(measured) is not None
    assert growth(measured, 256) is None
    assert upper_start([64, 256]) is None
    (line,) = lines(vocab(["lookup"], lambda _: 1e-6), "num_embeddings")
    assert growths([line], "dtype") == {}


def test_the_leverage_is_the_slope_of_wrong_points() -> None:
    """Points that are wrong by half a unit of the logarithm turn the slope by the leverage."""
    shift = {64: np.exp(-0.5), 256: 1.0, 1024: np.exp(0.5)}
    turned = growth(measured_of(lambda case: 1e-6 * shift[case.num_embeddings], list(shift)))
    assert turned is not None
    assert estimate(turned.slopes).mean == pytest.approx(turned.leverage, rel=1e-3)


def test_a_flat_line_does_not_grow_on_a_machine_with_phases() -> None:
    """Of 20 sweeps with phases of 1.6x, none tells an exponent of a flat lookup; all one of 1."""
    random = np.random.default_rng(6)
    cases = [one.case for one in vocab(["lookup", "matmul"], flat_and_growing, again=1.0)]
    cases = list(dict.fromkeys(cases))
    for _ in range(20):
        judged = Judged(sweep(cases, flat_and_growing, random))
        lookup, matmul = map(judged.exponent, judged.lines)
        assert lookup is not None
        assert matmul is not None
        assert (lookup.told, matmul.verdict) == (False, "slower")
        low, high = matmul.estimate.interval(matmul.level)
        assert low < 1 < high
