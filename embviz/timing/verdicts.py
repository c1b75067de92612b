"""Verdicts: whether one measurement is slower than another, or not distinguishable.

Two methods are distinguishable only if two things hold. They differ by more than one method
measured twice, and the uncertainties of their medians do not overlap. A median alone decides
nothing, and each machine is judged by its own noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

from embviz.timing.cases import Case
from embviz.timing.chart_lines import Line, pooled, shared
from embviz.timing.results import Measurement, Result

MIN_NOISE = 1.02  # a smaller ratio is no finding, however quiet the machine
NOTCH = 1.57  # times IQR / sqrt(blocks): McGill, Tukey & Larsen 1978, about 95 % confidence

Verdict = Literal["slower", "faster", "not distinguishable"]
Noises = dict[tuple[Case, str], float]  # of each point, by Case.group


def noise(results: Iterable[Result]) -> float | None:
    """The noise of one point: of the same method measured twice, the larger median by the smaller.

    Args:
        results: of one point, the A/A control among them.

    Returns:
        1 or more, or None where the control or its first measurement is missing.
    """
    pair = twins(results)
    return None if pair is None else max(ratio(*pair), ratio(*reversed(pair)))


def noises(results: Iterable[Result]) -> Noises:
    """The noise of every point that has a control, by `Case.group`."""
    grouped: dict[tuple[Case, str], list[Result]] = {}
    for one in results:
        grouped.setdefault(one.case.group, []).append(one)
    found = {group: noise(those) for group, those in grouped.items()}
    return {group: value for group, value in found.items() if value is not None}


def ratio(a: Measurement, b: Measurement) -> float:
    """The median of `a` by that of `b`: above 1 where `a` is the slower."""
    return a.median_s / b.median_s


def notch(one: Measurement) -> tuple[float, float]:
    """The uncertainty of the median, in seconds; unbounded for a single block.

    It uses the logarithms of the times: an interrupted block is many times too long, never too
    short.
    """
    if (blocks := len(one.times_s)) < 2:
        return 0.0, math.inf
    low, high = one.quartiles_s
    factor = (high / low) ** (NOTCH / math.sqrt(blocks))
    return one.median_s / factor, one.median_s * factor


def known_noise(noises: Noises, *measurements: Measurement) -> float | None:
    """The largest noise of the points that these belong to."""
    return max(
        (noises[one.case.group] for one in measurements if one.case.group in noises), default=None
    )


def verdict(a: Measurement, b: Measurement, noise: float | None) -> Verdict:
    """Whether `a` is slower or faster than `b`, or not distinguishable.

    They are distinguishable where the ratio of their medians lies outside the noise (MIN_NOISE at
    least), and where their notches do not overlap, or no block of one does.
    """
    within = max(noise or 1.0, MIN_NOISE)
    if ratio(a, b) > within and _above(a, b):
        return "slower"
    if ratio(b, a) > within and _above(b, a):
        return "faster"
    return "not distinguishable"


def _above(a: Measurement, b: Measurement) -> bool:
    apart = min(len(a.times_s), len(b.times_s)) >= 3 and min(a.times_s) > max(b.times_s)
    return apart or notch(a)[0] > notch(b)[1]


def verdicts(line: Line, base: Line, noises: Noises) -> list[tuple[Any, Verdict]]:
    """The verdict on `line` against `base` at each value where both were measured."""
    pairs = [(value, line.measured[value], base.measured[value]) for value in shared(line, base)]
    return [(value, verdict(a, b, known_noise(noises, a, b))) for value, a, b in pairs]


def twins(results: Iterable[Result]) -> tuple[Measurement, Measurement] | None:
    """The control and the measurement that it repeats."""
    control: Measurement | None = None
    twins: dict[Case, Measurement] = {}
    for one in results:
        if isinstance(one, Measurement) and one.control:
            control = pooled(control, one)
        elif isinstance(one, Measurement):
            twins[one.case] = pooled(twins.get(one.case), one)
    return None if control is None or control.case not in twins else (control, twins[control.case])
