"""The labs, and the questions that follow from a seed."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from embviz.labs import bag, cost, learns, row
from embviz.labs.asking import Clash, Lab
from embviz.labs.question import Question
from embviz.text.refused import Refused
from embviz.text.wording import quote

KEPT = 256  # labs with one seed each; some kB each
MOST_DRAWS = 1_000

LABS: dict[str, Lab] = {"row": row.LAB, "bag": bag.LAB, "learns": learns.LAB, "cost": cost.LAB}


@lru_cache(maxsize=KEPT)
def questions(lab: str, seed: int, with_measured: bool = True) -> tuple[Question, ...]:
    """The questions of a lab, with the numbers that follow from a seed.

    Numbers are drawn again until no two answers to a question agree.

    Args:
        lab: its key in `LABS`.
        seed: of the numbers.
        with_measured: whether those are among them that are measured; a class has none.

    Raises:
        Refused: there is no such lab; names those that exist.
    """
    if lab not in LABS:
        raise Refused(f"{quote(lab)} is not one of the labs: {', '.join(LABS)}.")
    chosen = LABS[lab]
    steps = chosen.steps
    if with_measured:
        steps += chosen.measured
    for number in range(MOST_DRAWS):
        random = np.random.default_rng((*lab.encode(), seed, number))
        drawn = chosen.draw(random)
        try:
            made = [step(drawn) for step in steps]
        except Clash:
            continue
        return tuple(
            replace(one, choices=tuple(random.permutation(one.choices).tolist())) for one in made
        )
    raise AssertionError(f"{lab}: no numbers for {seed}")
