"""The answers of a student, and the address that has them."""

import pytest

from embviz.core.refused import Refused
from embviz.labs.catalogue import questions
from embviz.labs.question import read
from embviz.labs.work import Work, decode

ALL = questions("row", 1)
FEW = Work(ALL)


def test_the_first_and_the_last_answer_are_kept() -> None:
    """A right first answer stays the first; of several wrong ones the last is kept."""
    right = ALL[0].right
    once = FEW.add(1, (9.0, 9.0))
    twice = once.add(1, (8.0,)).add(1, right)
    assert FEW.right(1) is None
    assert (once.right(1), once.right(1, 0)) == (False, False)
    assert twice.answers[1] == ((9.0, 9.0), right)
    assert (twice.right(1), twice.right(1, 0)) == (True, False)
    assert FEW.add(1, right).right(1, 0) is True
    assert FEW.answers == {}


def test_an_address_has_all_answers_and_no_verdict() -> None:
    """The text reads back as the same work, in characters that an address does not escape."""
    work = FEW.add(1, (9.0, 0.0)).add(1, (4.0,)).add(3, ALL[2].choices[1]).add(7, (-3.0,))
    text = work.encode()
    assert text == "9 0~4__1____-3"
    assert decode(ALL, text) == work
    assert decode(ALL, "") == FEW
    decimal = questions("bag", 1)
    one = Work(decimal).add(3, read(decimal[2], "0,25 1e-7"))
    assert decode(decimal, one.encode()) == one
    everything = FEW
    for number, each in enumerate(ALL, 1):
        everything = everything.add(number, each.choices[0] if each.choices else each.right)
    assert decode(ALL, everything.encode()) == everything


@pytest.mark.parametrize(
    "text",
    ["x", "1 2 3 4 5 6", "1~2~3", "~", "__9", "__-1", "__x", "__٣", "_" * 8, "1" * 5000, "nan"],
)
def test_a_torn_or_changed_address_is_refused(text: str) -> None:
    """What no student could have answered is refused in one sentence."""
    with pytest.raises(Refused, match="cannot be read: it was cut or changed"):
        decode(ALL, text)
