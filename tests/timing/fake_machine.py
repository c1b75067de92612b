"""A machine that changes its speed by 1.6x, and the results that a sweep gets from it."""

import math
from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np

from embviz.timing.cases import Case
from embviz.timing.results import Measurement, Result
from embviz.timing.series import ROUNDS

SLOW = 1.6  # of a slow phase
CHANGE = 0.02  # the chance that the phase changes from one method to the next
NOISE = 0.02  # of one block in log scale: Student's t with 3 degrees of freedom, so with outliers
BLOCKS = 3  # of a method in a round


def sweep(
    cases: Sequence[Case],
    seconds: Callable[[Case], float],
    random: np.random.Generator,
    processes: int = 1,
    start: float = 0.0,
) -> list[Result]:
    """The results of a sweep whose points have equally many methods.

    In each round the points come in random order, and in each point its methods, its control and
    the anchor. Slow phases begin and end at any time.

    Args:
        cases: point by point.
        seconds: the true time of a case while the machine is quick.
        random: of orders, phases and noise.
        processes: each has all rounds.
        start: standard deviation of what the start of a process does to a case, in log scale.
    """
    points = [list(those) for _, those in groupby(cases, key=lambda case: case.group)]
    series = [[*those, those[0], cases[0]] for those in points]  # control and anchor at the end
    rounds, (places, slots) = ROUNDS * processes, np.shape(series)[:2]
    visit = np.argsort(random.random((rounds, places)), axis=1)
    turn = np.argsort(random.random((rounds, places, slots)), axis=2)
    now = (np.arange(rounds)[:, None] * places + visit)[..., None] * slots + turn
    phases = np.cumsum(random.random(now.size) < CHANGE) + random.integers(2)
    true = np.array([[math.log(seconds(case)) for case in those] for those in series])
    own = np.repeat(random.normal(0.0, start, (processes, places, slots)), ROUNDS, axis=0)
    noise = NOISE * random.standard_t(3, (rounds, places, slots, BLOCKS))
    times = np.exp((true + own + math.log(SLOW) * (phases[now] % 2))[..., None] + noise)

    def measurement(case: Case, blocks: np.ndarray, **kind: bool) -> Measurement:
        rows = enumerate(blocks.tolist())
        return Measurement(case, {divmod(n, ROUNDS): tuple(row) for n, row in rows}, **kind)

    found = [measurement(cases[0], times[:, :, -1].min(axis=2), anchor=True)]
    for place, those in enumerate(series):
        found += [measurement(one, times[:, place, k]) for k, one in enumerate(those[:-2])]
        found.append(measurement(those[0], times[:, place, -2], again=True))
    return found
