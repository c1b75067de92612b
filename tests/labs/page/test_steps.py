"""Every answer to every step, by a student alone who reads the page."""

from __future__ import annotations

import pytest

from embviz.labs.catalogue import LABS
from tests.labs.page.visitor import Visitor
from tests.labs.reader import Student


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
