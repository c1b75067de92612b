"""What paired rounds can say: the mean of log-ratios, its interval, and Holm's correction.

One value belongs to one round of one process. Differences of the same round are paired, so a slow
phase of the machine that hits both sides cancels. This module knows neither cases nor sentences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy.special import stdtr, stdtrit

FEWEST = 3  # rounds of an interval
BORROWED = 4  # degrees of freedom, see `estimates`
LEVEL = 0.01  # of all statements of a run together: the chance that any of them is false


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard error.

    Attributes:
        mean: of the differences: a logarithm of a ratio, or an exponent.
        error: its standard error; infinite where it is not known.
        freedom: degrees of freedom of the error.
    """

    mean: float
    error: float
    freedom: int

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """The values that a two-sided test at this level does not exclude."""
        half = -self.error * float(stdtrit(self.freedom, level / 2)) if self.error else 0.0
        return self.mean - half, self.mean + half

    def p_value(self, margin: float = 0.0) -> float:
        """The chance of a mean so far from 0 if the true one is within `margin` of it."""
        beyond = max(0.0, abs(self.mean) - margin)
        if not self.error:
            return 0.0 if beyond else 1.0
        return 2 * float(stdtr(self.freedom, -beyond / self.error))


def estimate(processes: Sequence[Sequence[float]]) -> Estimate:
    """The mean of differences, given by process and round; see `estimates`."""
    return estimates([processes])[0]


def estimates(comparisons: Sequence[Sequence[Sequence[float]]]) -> list[Estimate]:
    """The means of the differences of several comparisons, each given by process and round.

    Rounds of one process share what its start gave it, such as the place of a table in memory.
    So with several processes the variance between them counts too, as a multiple of what the
    rounds alone let expect, 1 at least. Few processes tell little about one comparison's multiple:
    the mean multiple of all comparisons counts like BORROWED further degrees of freedom (a
    moderated t-test, after Smyth 2004).
    """
    found = [_of_rounds([rounds for rounds in one if rounds]) for one in comparisons]
    multiples = [one.multiple for one in found if one.processes > 1]
    borrowed = min(BORROWED, len(multiples) - 1)
    return [
        one.estimate if one.processes < 2 else one.moderated(fmean(multiples), borrowed)
        for one in found
    ]


@dataclass(frozen=True)
class _Parts:
    """One comparison: its estimate from rounds alone, and what its processes add to the variance.

    Attributes:
        estimate: as if all processes were alike.
        processes: how many there are; 1 where nothing can be said about them.
        multiple: of the variance of the mean, as processes show it.
    """

    estimate: Estimate
    processes: int = 1
    multiple: float = 1.0

    def moderated(self, mean: float, borrowed: int) -> Estimate:
        freedom = self.processes - 1
        multiple = (borrowed * mean + freedom * self.multiple) / (borrowed + freedom)
        if multiple <= 1:
            return self.estimate
        freedom = min(self.estimate.freedom, borrowed + freedom)
        return Estimate(self.estimate.mean, self.estimate.error * math.sqrt(multiple), freedom)


def _of_rounds(known: Sequence[Sequence[float]]) -> _Parts:
    count = sum(map(len, known))
    means = [fmean(rounds) for rounds in known]
    inside = count - len(known)
    if count < FEWEST or not inside:
        return _Parts(Estimate(fmean(means) if means else 0.0, math.inf, 1))
    spread = sum(
        (one - mean) ** 2 for rounds, mean in zip(known, means, strict=True) for one in rounds
    )
    within = spread / inside / count  # of the mean, if processes were alike
    found = Estimate(fmean(means), math.sqrt(within), inside)
    if len(known) < 2:
        return _Parts(found)
    between = variance(means) / len(means)
    if not within:  # rounds without any noise: the processes alone decide
        return _Parts(Estimate(found.mean, math.sqrt(between), len(means) - 1))
    return _Parts(found, len(known), between / within)


def variance(values: Sequence[float]) -> float:
    """Of a sample of two or more; faster than that of `statistics`, which uses fractions."""
    mean = fmean(values)
    return sum((one - mean) ** 2 for one in values) / (len(values) - 1)


def holm(p_values: Sequence[float], level: float = LEVEL) -> list[float]:
    """The level at which each is judged, so that all statements together keep `level`.

    The smallest p-value is judged at level / n, the next at level / (n - 1), and so on. After the
    first that is not below its own level, none is accepted: their level is 0.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    levels = [0.0] * len(p_values)
    for place, index in enumerate(order):
        own = level / (len(p_values) - place)
        if not p_values[index] < own:
            break
        levels[index] = own
    return levels


def judge(found: Sequence[Estimate], margins: Sequence[float]) -> list[tuple[float, bool]]:
    """For each estimate the level at which it is judged, and whether it exceeds its margin."""
    pairs = zip(found, margins, strict=True)
    levels = holm([one.p_value(margin) for one, margin in pairs])
    return [(level or LEVEL / len(levels), level > 0) for level in levels]


def difference(a: Estimate, b: Estimate) -> Estimate:
    """A - b of two independent estimates (Welch 1947; degrees of freedom rounded down).

    >>> difference(Estimate(1.0, 0.3, 10), Estimate(0.2, 0.4, 10))
    Estimate(mean=0.8, error=0.5, freedom=18)
    """
    squares = a.error**2, b.error**2
    error = math.sqrt(sum(squares))
    if not error or math.isinf(error):
        return Estimate(a.mean - b.mean, error, min(a.freedom, b.freedom))
    freedom = error**4 / (squares[0] ** 2 / a.freedom + squares[1] ** 2 / b.freedom)
    return Estimate(a.mean - b.mean, error, max(1, int(freedom)))
