"""How steady a measurement is: the spread of its blocks, and whether they form two clusters.

A machine may change its speed by 1.6x within a second. Such a phase hits all methods of a point
alike, so that their ratios stay sharp while each method's own times spread widely. What is judged
here is the smaller of two spreads: of the raw times, and of the times after the phases that a
point's methods share are divided out. In a default sweep on such a machine, the raw interquartile
range was over 25 % for 20 of 44 measurements, and the remaining one for none. The raw quartiles
stay in the file and in the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, median, quantiles

from embviz.timing.results import Measurement, Place

UNSTEADY = 0.10  # IQR as a share of the median: torch's own timer warns from here on
UNUSABLE = 0.25  # no exponent uses such a measurement; its spread counts as noise
FEWEST_BLOCKS = 36  # of two clusters: with fewer, a wide gap comes by chance
SHARE = 0.2  # of the blocks, in each cluster at least
APART = 1.05  # ratio of the two clusters' medians, at least
GAP = 0.5  # of that distance, free of blocks


def spread(one: Measurement, point: Sequence[Measurement] = ()) -> float:
    """The interquartile range of the blocks as a share of their median.

    Args:
        one: what is judged.
        point: all measurements of its point; the phases that they share are divided out.
    """
    return _spread(_steadiest(one, point))


def clusters(one: Measurement, point: Sequence[Measurement] = ()) -> tuple[float, float] | None:
    """The two times, in seconds, between which a bimodal case jumps; None for other cases.

    The widest gap of the sorted logarithms divides the blocks. They are two clusters if each holds
    a fifth of the blocks, if their medians differ by 5 % or more, and if at least half of that
    distance is empty. Args: as of `spread`.
    """
    found = sorted(_steadiest(one, point))
    if len(found) < FEWEST_BLOCKS:
        return None
    least = math.ceil(SHARE * len(found))
    cut = max(range(least, len(found) - least + 1), key=lambda k: found[k] - found[k - 1])
    low, high = median(found[:cut]), median(found[cut:])
    apart = high - low
    if apart < math.log(APART) or found[cut] - found[cut - 1] < GAP * apart:
        return None
    return math.exp(low), math.exp(high)


def _spread(found: Sequence[float]) -> float:
    if len(found) < 2:
        return 0.0
    low, _, high = quantiles(found, n=4, method="inclusive")
    return (math.exp(high) - math.exp(low)) / math.exp(median(found))


def _steadiest(one: Measurement, point: Sequence[Measurement]) -> list[float]:
    """Logarithms of the blocks, freed from the phases of the point where that steadies them.

    A call of milliseconds averages short phases: those of its neighbours would unsteady it.
    """
    every = [one, *(other for other in point if other is not one and not other.anchor)]
    raw = [math.log(seconds) for seconds in one.times_s]
    return min(raw, _freed(one, [_deviations(other) for other in every]), key=_spread)


def _freed(one: Measurement, deviations: Sequence[dict[Place, float]]) -> list[float]:
    """Logarithms of the blocks, without the phase that the methods of a point share in a round.

    The phase of a round is the mean deviation of the methods from their own median. With k methods
    it holds 1/k of a method's own deviation: what is left is scaled by sqrt(k / (k - 1)), so that
    its spread is right where all k are equally steady.

    Args:
        one: what is freed.
        deviations: of each method of the point, those of `one` first.
    """
    freed = list[float]()
    for process, rounds in enumerate(one.by_process):
        for number, times in enumerate(rounds):
            here = [those[place] for those in deviations if (place := (process, number)) in those]
            shift = 0.0
            if times and len(here) > 1:
                own = (here[0] - fmean(here)) * math.sqrt(len(here) / (len(here) - 1))
                shift = own - here[0]
            freed += [math.log(seconds) + shift for seconds in times]
    return freed


def _deviations(one: Measurement) -> dict[Place, float]:
    """Of each round, from the median of all, by process and number of the round."""
    middle = median(map(math.log, one.times_s))
    return {place: value - middle for place, value in one.by_place.items()}
