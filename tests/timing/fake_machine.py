"""A machine that changes its speed by 1.6x, and the times that a sweep gets from it."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from embviz.timing.case import PLACEMENTS, ROUNDS, Case

SLOW = 1.6  # of a slow phase
CHANGE = 0.02  # the chance that the phase changes from one method to the next
NOISE = 0.02  # of one block in log scale: Student's t with 3 degrees of freedom, so with outliers
BLOCKS = 2  # of a method in a round


def sweep(
    cases: Sequence[Case],
    seconds: Callable[[Case], float],
    random: np.random.Generator,
    processes: int = 1,
    start: float = 0.0,
    place: float = 0.0,
) -> pd.DataFrame:
    """The times of a sweep whose points have equally many methods, as `Run.times`.

    In each round the points come in random order, and in each point its methods and its control.
    Slow phases begin and end at any time.

    Args:
        cases: point by point.
        seconds: the true time of a case while the machine is quick.
        random: of orders, phases and noise.
        processes: each has all rounds.
        start: standard deviation of what the start of a process does to a case, in log scale.
        place: the same of each placement of its tensors.
    """
    points = [
        [case for case in cases if case.point == at]
        for at in dict.fromkeys(case.point for case in cases)
    ]
    series = [[*those, those[0]] for those in points]  # the control at the end
    rounds, (places, slots) = ROUNDS * processes, np.shape(series)[:2]
    visit = np.argsort(random.random((rounds, places)), axis=1)
    turn = np.argsort(random.random((rounds, places, slots)), axis=2)
    now = (np.arange(rounds)[:, None] * places + visit)[..., None] * slots + turn
    phases = np.cumsum(random.random(now.size) < CHANGE) + random.integers(2)
    true = np.array([[math.log(seconds(case)) for case in those] for those in series])

    def moved(parts: int, spread: float) -> np.ndarray:
        """What each part of the rounds does to a case; a control shares its method's tensors."""
        effect = random.normal(0.0, spread, (parts, places, slots))
        effect[:, :, -1] = effect[:, :, 0]
        return np.repeat(effect, rounds // parts, axis=0)

    own = moved(processes, start) + moved(processes * PLACEMENTS, place)
    noise = NOISE * random.standard_t(3, (rounds, places, slots, BLOCKS))
    logs = (true + own + math.log(SLOW) * (phases[now] % 2))[..., None] + noise
    rows = [
        (case, number // ROUNDS, number % ROUNDS, slot == slots - 1, time)
        for number in range(rounds)
        for at, those in enumerate(series)
        for slot, case in enumerate(those)
        for time in np.exp(logs[number, at, slot])
    ]
    return pd.DataFrame(rows, columns=["case", "process", "round", "again", "seconds"])
