"""The labs, and the questions that follow from a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from embviz.labs import bag, cost, learns, row
from embviz.labs.asking import Clash, Lab
from embviz.labs.question import Question
from embviz.text.refused import Refused
from embviz.text.wording import quote

KEPT = 256  # labs with one seed each; some kB each
MOST_DRAWS = 1_000

Made = TypeVar("Made")

LABS: dict[str, Lab] = {"row": row.LAB, "bag": bag.LAB, "learns": learns.LAB, "cost": cost.LAB}


def title_of(lab: str) -> str:
    """The title of a lab; its key where an older embviz had it, and this one has not."""
    return LABS[lab].title if lab in LABS else lab


@lru_cache(maxsize=KEPT)
def _made(lab: str, seed: int) -> tuple[Any, tuple[Question, ...]]:
    """The numbers of a lab and its questions.

    Numbers are drawn again until no two answers to a question agree.
    """
    if lab not in LABS:
        raise Refused(f"{quote(lab)} is not one of the labs: {', '.join(LABS)}.")
    chosen = LABS[lab]

    def make(random: np.random.Generator) -> tuple[Any, tuple[Question, ...]]:
        drawn = chosen.draw(random)
        made = [step.ask(drawn) for step in chosen.steps]
        return drawn, tuple(
            replace(question, choices=tuple(random.permutation(question.choices).tolist()))
            for question in made
        )

    return _without_clash(make, lab, seed)


def _without_clash(make: Callable[[np.random.Generator], Made], name: str, seed: int) -> Made:
    for number in range(MOST_DRAWS):
        with suppress(Clash):
            return make(np.random.default_rng((*name.encode(), seed, number)))
    raise AssertionError(f"{name}: no numbers for {seed}")


def questions(lab: str, seed: int) -> tuple[Question, ...]:
    """The questions of a lab, with the numbers that follow from a seed.

    Args:
        lab: its key in `LABS`.
        seed: of the numbers.

    Raises:
        Refused: there is no such lab; names those that exist.
    """
    return _made(lab, seed)[1]


def beside(lab: str, seed: int) -> tuple[Question, Question]:
    """The easier and the harder question beside the steps of a lab, with numbers of their own."""
    chosen = LABS[lab]
    return (
        _without_clash(chosen.easier, f"{lab} easier", seed),
        _without_clash(chosen.harder, f"{lab} harder", seed),
    )


def try_it(lab: str, seed: int) -> tuple[str, Mapping[str, Any]]:
    """A page, and the settings that show the numbers of this lab there.

    Args:
        lab: its key in `LABS`.
        seed: of the numbers.

    Raises:
        Refused: there is no such lab; names those that exist.
    """
    return LABS[lab].try_it(_made(lab, seed)[0])
