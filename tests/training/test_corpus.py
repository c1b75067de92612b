"""Text to learn from, as ids, or refused."""

import pytest

from embviz.fact.characters import PRINTABLE
from embviz.fact.vocabulary import Vocabulary
from embviz.training.corpus import MAX_TEXT, TextError, left_out, prepare


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no text"),
        ("éaé", r"2 of 3 characters have .* left out: 'é'\. One is left, 'a' \(U\+0061\)"),
        ("a", r"The text has one character, 'a' \(U\+0061\)"),
        ("\u0642 \u0637 ", r"2 of 4 .* All 2 others are space \(U\+0020\)"),
        ("  ", r"All 2 characters of the text are space \(U\+0020\)"),
        ("éüö", r"3 of 3 characters .* left out: 'é', 'ü', 'ö'\. There is nothing to learn"),
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


@pytest.mark.parametrize(
    "text", ["plain", "aéb", "\u0642\u0637 a\u0642 1", "a\ud800b", "\u200f\u200fab"]
)
def test_every_character_of_a_text_is_learned_from_or_told(text: str) -> None:
    """Those with ids and those that the sentence counts are all; it is empty only if all have."""
    told = left_out(text, PRINTABLE)
    count = int(told.split()[0]) if told else 0
    assert len(prepare(text, PRINTABLE)) + count == len(text)


@pytest.mark.parametrize("text", ["\u0642 \u0637 ", "éü", "éa", "aaa"])
def test_a_refused_text_has_a_fix_that_learns(text: str) -> None:
    """No refusal names a control that the page lacks: each has a press to a text that is there."""
    with pytest.raises(TextError) as refused:
        prepare(text, PRINTABLE)
    assert [*refused.value.fixes.values()] == [{"corpus": "constitution"}]
    assert "Choose" not in str(refused.value)
