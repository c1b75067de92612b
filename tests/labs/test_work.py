"""The answers of a student, and the address that has them."""

import pytest

from embviz.labs.answer import read
from embviz.labs.question import Question
from embviz.labs.work import add, decode, encode
from embviz.text.refused import Refused

WHOLE = Question("t", "p", (4.0,), "w", count=5, is_set=True)
CHOICE = Question("t", "p", "no", "w", choices=("yes", "no", "both"))
DECIMAL = Question("t", "p", (0.5, 0.25), "w", count=2, tolerance=0.01)
ALL = (WHOLE, DECIMAL, CHOICE, WHOLE, CHOICE, DECIMAL, WHOLE)


def test_the_first_and_the_last_answer_are_kept() -> None:
    """A right first answer stays the first; of several wrong ones the last is kept."""
    once = add({}, 1, (9.0, 9.0))
    assert once == {1: ((9.0, 9.0),)}
    assert add(add(once, 1, (8.0,)), 1, (7.0,)) == {1: ((9.0, 9.0), (7.0,))}


def test_an_address_has_all_answers_and_no_verdict() -> None:
    """The text reads back as the same work, in characters that an address does not escape."""
    some = {1: ((9.0, 0.0), (4.0,)), 3: (ALL[2].choices[0], ALL[2].choices[1]), 7: ((-3.0,),)}
    assert encode(ALL, some) == "9 0~4__0~1____-3"
    assert decode(ALL, "") == {}
    fine = {2: (read(DECIMAL, "0,25 1e-7"), read(DECIMAL, "tensor([-1/8, 2½])"))}
    exact = {1: ((12345678901234.0,),)}
    for given in (some, fine, exact):
        assert decode(ALL, encode(ALL, given)) == given


@pytest.mark.parametrize(
    "text",
    ["x", "1~2~3", "__9", "__-1", "__٣", "_" * len(ALL), "1" * 5000],
)
def test_a_torn_or_changed_address_is_refused(text: str) -> None:
    """What no student could have answered is refused in one sentence."""
    with pytest.raises(Refused, match="cannot be read: it was cut or changed"):
        decode(ALL, text)
