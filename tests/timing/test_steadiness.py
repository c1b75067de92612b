from dataclasses import replace

import numpy as np
import pytest

from embviz.timing.results import Measurement
from embviz.timing.steadiness import UNSTEADY, UNUSABLE, clusters, spread
from tests.timing.fake_machine import sweep
from tests.timing.made_results import CASE, measured

METHODS = [replace(CASE, method=name) for name in ("lookup", "index_select", "matmul")]


def made(logs: np.ndarray) -> Measurement:
    """Logarithms of blocks, by round."""
    rounds, blocks = logs.shape
    times = tuple((1e-6 * np.exp(logs)).ravel().tolist())
    return Measurement(CASE, times, 9, rounds=(blocks,) * rounds)


@pytest.mark.parametrize(("share", "expected"), [(0.05, (0, 0)), (0.2, (1, 0)), (0.4, (1, 1))])
def test_the_two_limits(share: float, expected: tuple[int, int]) -> None:
    """From 10 % of the median a measurement is unsteady, from 25 % unusable."""
    found = spread(measured(CASE, 1e-6, share))
    assert (found > UNSTEADY, found > UNUSABLE) == expected


def test_phases_that_methods_share_are_divided_out() -> None:
    """On a machine that changes its speed by 1.6x, raw times spread and freed ones do not."""
    random = np.random.default_rng(2)
    raw, freed = [], []
    for _ in range(20):
        _, *point = sweep(METHODS, lambda _: 1e-6, random)
        assert all(isinstance(one, Measurement) for one in point)
        found = [one for one in point if isinstance(one, Measurement)]
        raw += [spread(one) > UNUSABLE for one in found]
        freed += [spread(one, found) > UNUSABLE for one in found]
    assert np.mean(raw) > 0.2
    assert np.mean(freed) < 0.03


def test_a_method_that_is_unsteady_alone_stays_so() -> None:
    """A steady neighbour does not hide an unsteady method, nor is it called unsteady itself."""
    random = np.random.default_rng(3)
    steady = [made(random.normal(0, 0.01, (12, 3))) for _ in range(3)]
    shaken = made(random.normal(0, 0.01, (12, 3)) + random.normal(0, 0.5, (12, 1)))
    assert spread(shaken, [shaken, *steady]) > UNUSABLE
    assert all(spread(one, [shaken, *steady]) <= UNSTEADY for one in steady)


def test_two_clusters_are_recognised() -> None:
    """Times that jump between two values are named with both."""
    random = np.random.default_rng(4)
    jumps = np.where(random.random((12, 1)) < 0.4, np.log(1.5), 0.0)
    found = clusters(made(jumps + random.normal(0, 0.02, (12, 3))))
    assert found == pytest.approx((1e-6, 1.5e-6), rel=0.05)
    assert clusters(made(np.repeat(np.where(jumps > 0, np.log(1.03), 0), 3, axis=1))) is None
    assert clusters(made(jumps[:11] + np.zeros((11, 3)))) is None  # too few blocks


@pytest.mark.parametrize("tail", ["normal", "heavy", "exponential", "uniform"])
def test_one_cluster_is_not_called_two(tail: str) -> None:
    """Of 300 samples with one cluster, whatever their tail, at most one is called two."""
    random = np.random.default_rng(5)
    draws = {
        "normal": lambda: random.normal(0, 0.1, (12, 3)),
        "heavy": lambda: abs(random.standard_t(2, (12, 3))) / 20,
        "exponential": lambda: random.exponential(0.1, (12, 3)),
        "uniform": lambda: random.uniform(0, 0.3, (12, 3)),
    }
    assert sum(clusters(made(draws[tail]())) is not None for _ in range(300)) <= 1


def test_a_single_block_has_no_spread() -> None:
    """One block is not unsteady, and no cluster."""
    one = Measurement(CASE, (1e-6,), 1)
    assert spread(one) == 0.0
    assert clusters(one) is None
