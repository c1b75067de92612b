"""The question that the address has: a step, or an easier or a harder question beside the steps.

One beside the steps has numbers of its own and is told at once, in a class too: nobody votes on it,
so it is no step, the board has nothing of it, and a pause leaves it open. This tab keeps its
answers.
"""

from zlib import crc32

from embviz.labs import catalogue
from embviz.labs.page.lesson import BESIDE, Lesson, Task
from embviz.labs.question import Answer
from embviz.ui.state.session import session


def shown(lesson: Lesson) -> Task | None:
    """The question that the address has; None at the end."""
    step = lesson.step
    if step <= lesson.last:
        return lesson.tasks[step - 1]
    if step == lesson.end:
        return None
    return _beside(lesson, step - lesson.end)


def _beside(lesson: Lesson, place: int) -> Task:
    """The question at a place of `BESIDE`."""
    # Numbers of this student, not of the class: they tell nothing, and stay after a reload.
    question = catalogue.beside(lesson.lab, crc32(lesson.place.encode()))[place - 1]
    kept: dict[str, tuple[Answer, ...]] = session().own.setdefault("labs_beside", {})
    key = f"answer {lesson.place} {lesson.lab} {BESIDE[place]}"

    def keep(answer: Answer) -> None:
        kept[key] = (*kept.get(key, ())[:1], answer)

    return Task(question, key, kept.get(key, ()), keep)
