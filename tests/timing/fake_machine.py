"""A machine that changes its speed by 1.6x, and the results that a sweep gets from it."""

import math
from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np

from embviz.timing.cases import Case
from embviz.timing.results import Measurement, Pool, Result

SLOW = 1.6  # of a slow phase
STAY = 0.9  # the chance that a visit finds the phase of the visit before
NOISE = 0.03  # of one block, in log scale
ROUNDS = 12


def sweep(
    cases: Sequence[Case],
    seconds: Callable[[Case], float],
    random: np.random.Generator,
    processes: int = 1,
) -> list[Result]:
    """Results of a sweep: points in random order in each round, control and anchor in each visit.

    Phases come and go as a Markov chain from visit to visit; in a third of the visits the phase
    changes amid the visit. Blocks have log-normal noise.
    """
    points = [list(those) for _, those in groupby(cases, key=lambda case: case.group)]
    pool = Pool()
    slow = random.random() < 0.5
    for process in range(processes):
        for number in range(ROUNDS):
            rounds = (*[0] * number, 3)
            where = (*[0] * process, number + 1) if process else ()
            anchored = [0.0] * len(points)
            for place in random.permutation(len(points)):
                slow ^= random.random() > STAY
                visited = [*points[place], points[place][0], cases[0]]  # control, then anchor
                order = random.permutation(len(visited))
                change = random.integers(3 * len(visited))
                for turn, index in enumerate(order):
                    now = slow ^ (turn == change)
                    noise = random.normal(0.0, NOISE, 3) + math.log(SLOW) * now
                    times = tuple(seconds(visited[index]) * np.exp(noise))
                    if index == len(visited) - 1:
                        anchored[place] = min(times)
                        continue
                    control = bool(index == len(visited) - 2)
                    one = Measurement(visited[index], times, 10, rounds=rounds, control=control)
                    pool.add(Measurement(**{**vars(one), "processes": where}))
            one = Measurement(cases[0], tuple(anchored), 10, anchor=True)
            rounds = (*[0] * number, len(points))
            pool.add(Measurement(**{**vars(one), "rounds": rounds, "processes": where}))
    return pool.results
