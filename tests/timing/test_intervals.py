import math

import numpy as np
import pytest
from scipy import stats

from embviz.timing.intervals import (
    BORROWED,
    Estimate,
    difference,
    estimate,
    estimates,
    holm,
)


def test_one_process_is_a_plain_t_interval() -> None:
    """With one process, mean, interval and p-value are those of a one-sample t-test."""
    values = [0.1, 0.14, 0.09, 0.2, 0.11]
    found, expected = estimate([values]), stats.ttest_1samp(values, 0.0)
    assert found.p_value() == pytest.approx(expected.pvalue)
    assert found.interval(0.01) == pytest.approx(tuple(expected.confidence_interval(0.99)))
    assert found.p_value(0.05) > found.p_value() > 0
    assert found.p_value(0.2) == 1.0


def test_processes_are_a_level() -> None:
    """Processes that differ among themselves decide; alike ones only add rounds."""
    apart = estimate([[0.0, 0.01, -0.01] * 4, [0.3, 0.31, 0.29] * 4, [0.6, 0.61, 0.59] * 4])
    assert apart.freedom == 2
    assert apart.error == pytest.approx(0.3 / math.sqrt(3))
    alike = estimate([[0.0, 0.01, -0.01] * 4] * 3)
    assert alike.freedom == 33
    assert alike.error < 0.002


def test_comparisons_share_what_they_know_of_processes() -> None:
    """Beside others, a comparison has more freedom; if processes matter, all are less sure."""
    random = np.random.default_rng(9)
    alike = [[list(random.normal(0, 0.1, 12)) for _ in range(3)] for _ in range(20)]
    apart = [
        [list(random.normal(random.normal(0, 0.5), 0.1, 12)) for _ in range(3)] for _ in range(19)
    ]
    found = estimates(alike)
    assert min(one.freedom for one in found) == 2 + BORROWED
    assert max(one.error for one in found) < 0.05
    assert estimates([alike[0], *apart])[0].error > 3 * found[0].error


def test_few_rounds_have_no_interval() -> None:
    """Fewer than three rounds are never significant."""
    for given in ([], [[]], [[0.5]], [[0.5], [0.5]]):
        assert estimate(given).p_value() == 1.0


def test_the_interval_holds_the_mean_as_often_as_it_says() -> None:
    """Of 99 % intervals of heavy-tailed rounds, 98 % or more hold the true mean."""
    random = np.random.default_rng(3)
    found = [estimate([list(random.standard_t(3, 12))]).interval(0.01) for _ in range(500)]
    assert np.mean([low < 0 < high for low, high in found]) >= 0.98


def test_holm_is_stepwise() -> None:
    """The smallest p-value is judged at level / n; after the first failure none is accepted."""
    assert holm([0.001, 0.2, 0.004], 0.01) == pytest.approx([0.01 / 3, 0.0, 0.01 / 2])
    assert holm([0.004, 0.004, 0.001], 0.01) == pytest.approx([0.005, 0.01, 0.01 / 3])
    assert holm([0.006, 0.009], 0.01) == [0.0, 0.0]
    assert holm([]) == []


def test_a_difference_is_welchs() -> None:
    """The difference of two independent estimates has Welch's error and freedom."""
    random = np.random.default_rng(4)
    a, b = random.normal(0.2, 0.1, 9), random.normal(0.0, 0.4, 14)
    found = difference(estimate([list(a)]), estimate([list(b)]))
    expected = stats.ttest_ind(a, b, equal_var=False)
    assert found.mean / found.error == pytest.approx(expected.statistic)
    assert found.freedom == int(expected.df)
    assert difference(Estimate(1.0, math.inf, 1), Estimate(0.0, 0.1, 9)).p_value() == 1.0
