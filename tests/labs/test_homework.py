"""The line that hands in a lab: what it says, and that nothing else is taken for one."""

import string
import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from embviz.labs.catalogue import LABS, questions
from embviz.labs.homework import AT_ONCE, LATER, MOST, NONE, WRONG, check, line
from embviz.text.refused import Refused
from embviz.text.wording import quote

WORD, OTHER_WORD = "seven blue whales", "seven grey whales"
SEED = 2**32 - 1
LINE = "embviz1-[a-z]{3,6}-[0-9]{1,10}-[0-3]{3,9}-([a-z2-7]{16}|unsigned)-[0-9a-f]{8}"
NOT_SIGNED_HERE = "this server has not signed it"


def made(lab: str = "row", seed: int = SEED) -> str:
    """A line: one step at once, one later, one not right, the others without an answer."""
    asked = questions(lab, seed)
    right, wrong = [one.right for one in asked], [next(iter(one.mistakes)) for one in asked]
    answers = {1: (right[0],), 2: (wrong[1], right[1]), 3: (right[2], wrong[2])}
    return line(lab, seed, asked, answers)


def refusal(text: str) -> str:
    """Why a text is refused; it begins with a quote of the text."""
    with pytest.raises(Refused) as caught:
        check(text)
    said = str(caught.value)
    assert said.startswith(quote(text, MOST))
    assert said.isprintable()
    return said


def forged(text: str, old: str, new: str) -> str:
    """A line with something replaced, and with the check sum that fits."""
    said = text.rpartition("-")[0].replace(old, new)
    return f"{said}-{zlib.crc32(said.encode()):08x}"


@pytest.fixture(params=["", WORD])
def word(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The class word of the server, or none."""
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", request.param)
    return str(request.param)


@pytest.mark.parametrize("lab", LABS)
def test_a_line_says_lab_numbers_and_steps(lab: str, word: str) -> None:
    """In one line of ASCII that fits into a mail; the same answers give the same line."""
    text = made(lab)
    found = check(text)
    marks = (AT_ONCE, LATER, WRONG) + (NONE,) * (len(LABS[lab].steps) - 3)
    assert (found.lab, found.seed) == (lab, SEED)
    assert found.marks == "".join(marks)
    assert found.right == 2
    assert ("-unsigned-" in text) != bool(word)
    assert text.isascii()
    assert len(text) <= 72
    assert text == made(lab) != made(lab, 5)


def test_a_line_of_earlier_versions_is_still_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same word, numbers and answers give the line that students have handed in."""
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", WORD)
    assert made("row", 7) == "embviz1-row-7-321000000-oi43pt62o42hwg3w-f6c8cf16"


def test_what_mail_and_editors_do_to_a_line_is_no_mistake(word: str) -> None:
    """Blanks, line breaks, capitals, long dashes."""
    text = made()
    for changed in (f"  {text}\r\n", f"{text[:30]}\n{text[30:]}", text.upper()):
        assert check(changed) == check(text)
    for dash in "\u2010\u2011\u2013\u2014\u2212":
        assert check(text.replace("-", dash)) == check(text)


def test_each_typing_error_is_refused_and_quoted(word: str) -> None:
    """A wrong sign, a missing one, one too many, two swapped: none is told as another server."""
    text = made()
    signs = [*string.ascii_lowercase, *string.digits, "-"]
    for at, sign in enumerate(text):
        errors = {text[:at] + other + text[at + 1 :] for other in signs if other != sign}
        errors |= {text[:at] + text[at + 1 :], text[:at] + sign + text[at:], text[:at]}
        errors |= {text[:at] + text[at : at + 2][::-1] + text[at + 2 :]} - {text}
        for error in errors:
            assert NOT_SIGNED_HERE not in refusal(error)
    for typed in (text.replace("-32100", "-3210x"), f"{text[:-2]}xé"):
        assert "mistyped" in refusal(typed)
    assert "not all of it" in refusal(text[:30])


def test_a_line_of_elsewhere_is_told_apart_from_a_mistyped_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of another word, changed with its check sum, not signed, or signed and no word is here."""
    unsigned = made()
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", OTHER_WORD)
    other = made()
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", WORD)
    signed = made()
    assert len({unsigned, other, signed}) == 3
    assert NOT_SIGNED_HERE in refusal(other)
    for old, new, words in (
        (f"{SEED}", "7", NOT_SIGNED_HERE),
        ("-32100", "-33300", NOT_SIGNED_HERE),
        ("-32100", "-3210", "a lab 'row' with 8 steps"),
        ("-row-", "-gone-", "a lab 'gone' with 9 steps"),
        ("embviz1", "embviz2", "another version"),
    ):
        assert words in refusal(forged(signed, old, new))
    assert "is not signed" in refusal(unsigned)
    monkeypatch.delenv("EMBVIZ_CLASS_WORD")
    assert "no class word to check" in refusal(signed)
    assert check(unsigned).lab == "row"


@given(st.text(max_size=150) | st.from_regex(LINE, fullmatch=True))
@example("")
@example("\ud800")
@example("x" * 100_000)
def test_anything_else_is_refused(text: str) -> None:
    """Whatever its letters and its length, and also where it has the form of a line."""
    refusal(text)
