"""Every answer to every step, alone and in a class, by a student who reads the page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from embviz.labs.catalogue import LABS
from tests.labs.reader import Student
from tests.ui.pages.labs.conftest import Class, Visitor


@pytest.mark.parametrize("lab", LABS)
def test_alone_each_mistake_gets_its_words(lab: str) -> None:
    """A wrong answer shows a smaller picture, a hint and the way on; the right one says why."""
    visitor, student = Visitor(lab=lab, numbers="11"), Student(lab)
    for number in range(1, len(LABS[lab].steps) + 1):
        assert visitor.place.startswith(f"{number} of")
        prompt, start, hints = visitor.prompt, visitor.picture, []
        right, wrong = student.answers(prompt)
        for words, typed in wrong.items():
            visitor.answer(typed).sees("Not right: ", words, never=["Why."])
            assert visitor.prompt == prompt
            assert {"Next step", "Finish"} & {*visitor.labels()}
            small = visitor.picture
            assert small != start
            hints.append(visitor.hint)
        assert hints[0]
        assert len({*hints}) == min(2, len(hints))
        visitor.answer(right).sees("Right: ", "Why.", never=[start, small, "<td>?</td>"])
        assert not visitor.hint
        visitor.press("Next step" if "Next step" in visitor.labels() else "Finish")


@pytest.mark.parametrize("own_pace", [True, False])
@pytest.mark.parametrize("lab", LABS)
def test_in_a_class_each_answer_is_kept_with_its_verdict(
    made: Callable[[str, bool], Class], lab: str, own_pace: bool
) -> None:
    """At the own pace it is told at once, and the right one ends with the bars; in a vote not."""
    one, student = made(lab, own_pace), Student(lab)
    for step in range(1, len(LABS[lab].steps) + 1):
        visitor = one.student(step=step)
        assert visitor.place == f"{step} of {len(LABS[lab].steps)}"
        right, wrong = student.answers(visitor.prompt)
        mistakes = [*wrong.items()] if own_pace else [*wrong.items()][:1]
        for mistake, typed in [*mistakes, ("", right)]:
            visitor.answer(typed)
            told = ["Right: ", "What the class"] if typed == right else ["Not right: ", mistake]
            if own_pace:
                visitor.sees(*told, never=["Kept. ", "came late"])
            else:
                visitor.sees("Kept. ", never=["Right: ", "Not right", "What the class"])
            rows = [row for row in one.store.answers(one.code) if row[2] == step]
            assert rows[-1][6] == (typed == right)
            assert mistake in rows[-1][7].replace("`", "")
        assert [row[3] for row in rows] == ([1, 3] if own_pace else [1])
