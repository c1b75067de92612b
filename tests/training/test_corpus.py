"""Text to learn from, as ids, or refused."""

import pytest

from embviz.fact.characters import PRINTABLE
from embviz.fact.vocabulary import Vocabulary
from embviz.training.corpus import MAX_TEXT, TextError, prepare


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no text"),
        ("éaé", r"one character that the vocabulary knows, 'a' \(U\+0061\)"),
        ("  ", r"All 2 characters of the text are space \(U\+0020\)"),
        ("éüö", r"None of the 3 characters .* first is 'é' \(U\+00E9\)"),
        ("a" * (MAX_TEXT + 1), "1,000,001 characters are more than the 1,000,000"),
    ],
)
def test_a_text_with_nothing_to_learn_is_refused(text: str, message: str) -> None:
    """Texts with nothing to learn are refused with the reason."""
    with pytest.raises(TextError, match=message):
        prepare(text, PRINTABLE)


def test_a_text_becomes_ids() -> None:
    """Unknown characters are left out."""
    assert prepare("bé a", Vocabulary("ab ")).tolist() == [1, 2, 0]
    assert prepare("a\udc80b", Vocabulary("ab ")).tolist() == [0, 1]
