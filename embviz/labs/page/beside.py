"""An easier or a harder question beside the steps: which one the address has, and its answers.

It has numbers of its own and is told at once, in a class too: nobody votes on it, so it is no step,
the board has nothing of it, and a pause leaves it open. This tab keeps its answers.
"""

from dataclasses import dataclass
from typing import Any
from zlib import crc32

from embviz.labs import catalogue
from embviz.labs.page.lesson import BESIDE, Lesson
from embviz.labs.question import Answer
from embviz.labs.work import Answers, add
from embviz.ui.state.session import session


@dataclass(frozen=True)
class Beside(Lesson):
    """A question beside the steps, as a lesson of one step."""

    @property
    def step(self) -> int:
        """Its only step."""
        return 1


def beside(lesson: Lesson) -> Beside | None:
    """The question beside the steps of a lab that the address has; None for a step, or the end."""
    place = lesson.step - lesson.end
    if place not in BESIDE:
        return None
    # Numbers of this student, not of the class: they tell nothing, and stay after a reload.
    question = catalogue.beside(lesson.lab, crc32(lesson.place.encode()))[place - 1]
    kept: dict[Any, Answers] = session().own.setdefault("labs_beside", {})
    key = lesson.place, lesson.lab, place

    def keep(step: int, answer: Answer) -> None:
        kept[key] = add(kept.get(key, {}), step, answer)

    return Beside(lesson.lab, f"{lesson.place} {place}", (question,), kept.get(key, {}), keep)
