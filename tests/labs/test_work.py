"""The answers of a student, and the address that has them."""

import pytest

from embviz.core.refused import Refused
from embviz.labs.catalogue import questions
from embviz.labs.question import read
from embviz.labs.work import Work, decode

ALL = questions("row", 1)


def test_the_first_and_the_last_answer_are_kept() -> None:
    """A right first answer stays the first; of several wrong ones the last is kept."""
    once = Work(ALL).add(1, (9.0, 9.0))
    assert once.answers == {1: ((9.0, 9.0),)}
    assert once.add(1, (8.0,)).add(1, (7.0,)).answers == {1: ((9.0, 9.0), (7.0,))}


def test_an_address_has_all_answers_and_no_verdict() -> None:
    """The text reads back as the same work, in characters that an address does not escape."""
    work = Work(ALL).add(1, (9.0, 0.0)).add(1, (4.0,)).add(3, ALL[2].choices[1]).add(7, (-3.0,))
    assert work.encode() == "9 0~4__1____-3"
    assert decode(ALL, "") == Work(ALL)
    decimal = questions("bag", 1)
    fine = Work(decimal).add(3, read(decimal[2], "0,25 1e-7"))
    everything = Work(ALL, {number: (one.right,) for number, one in enumerate(ALL, 1)})
    for one in (work, fine, everything):
        assert decode(one.questions, one.encode()) == one


@pytest.mark.parametrize(
    "text",
    ["x", "1~2~3", "__9", "__-1", "__٣", "_" * 8, "1" * 5000],
)
def test_a_torn_or_changed_address_is_refused(text: str) -> None:
    """What no student could have answered is refused in one sentence."""
    with pytest.raises(Refused, match="cannot be read: it was cut or changed"):
        decode(ALL, text)
