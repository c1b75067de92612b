"""A machine that changes its speed by 1.6x, and the times that a sweep gets from it."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from embviz.timing.measure.timed import PLACEMENTS, ROUNDS, Timed

SLOW = 1.6  # Times as long in a slow phase.
CHANGE = 0.02  # Chance that the phase changes from one method to the next.
# Spread of one block in log scale: Student's t with 3 degrees of freedom, so with outliers.
NOISE = 0.02
BLOCKS = 2  # Blocks of a method in a round.
IN_PLACEMENT = ROUNDS // PLACEMENTS
COLUMNS = ["case", "process", "placement", "round", "again", "clock", "seconds"]


def sweep(
    cases: Sequence[Timed],
    seconds: Callable[[Timed], float],
    random: np.random.Generator,
    *,
    processes: int = 1,
    start: float = 0.0,
    place: float = 0.0,
) -> pd.DataFrame:
    """The times of a sweep, as `Run.times`.

    In each round the points come in random order, and in each point its methods and its control.
    Slow phases begin and end at any time.

    Args:
        cases: those of a point together.
        seconds: the true time of a case while the machine is quick.
        random: of orders, phases and noise.
        processes: each has all rounds.
        start: standard deviation of what the start of a process does to a case, in log scale.
        place: the same of each placement of its tensors.
    """
    firsts = {case.point: case for case in reversed(cases)}.values()  # each has a control
    series = [*((case, False) for case in cases), *((case, True) for case in firsts)]
    own = [cases.index(case) for case, _ in series]  # A control shares its method's tensors.
    _, point = np.unique([case.point for case, _ in series], axis=0, return_inverse=True)
    rounds, count = ROUNDS * processes, len(series)
    order = random.random((rounds, count))[:, point] + random.random((rounds, count)) / 1e6
    now = np.arange(rounds)[:, None] * count + order.argsort(1).argsort(1)
    phases = np.cumsum(random.random(now.size) < CHANGE)[now] % 2

    def moved(samples: int, spread: float) -> np.ndarray:
        """What each sample of the rounds does to a case."""
        effect = random.normal(0.0, spread, (samples, len(cases)))[:, own]
        return np.repeat(effect, rounds // samples, axis=0)

    logs = moved(processes, start) + moved(processes * PLACEMENTS, place) + math.log(SLOW) * phases
    logs += [math.log(seconds(case)) for case, _ in series]
    found = np.exp(logs[..., None] + NOISE * random.standard_t(3, (rounds, count, BLOCKS)))
    number, which, _ = np.indices(found.shape).reshape(3, -1)
    of_case = pd.Series([case for case, _ in series])
    columns = [
        of_case.iloc[which].to_numpy(),
        number // ROUNDS,
        number % ROUNDS // IN_PLACEMENT,
        number % ROUNDS,
        np.array([again for _, again in series])[which],
        "wait",
        found.ravel(),
    ]
    return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))
