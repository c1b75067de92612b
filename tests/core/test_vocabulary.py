"""Characters and ids: round trips, refusals by name and place, and labels that can be seen."""

import string
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.vocabulary import (
    UNK,
    UnknownCharacterError,
    Vocabulary,
    VocabularyError,
    describe,
    visible,
)

QUICK = settings(deadline=None, max_examples=100)
ALPHABETS = st.lists(st.characters(), min_size=1, max_size=40, unique=True).map("".join)
BYTES = bytes(range(256))
# Blank although Unicode counts them as letters, marks or symbols.
BLANK_LETTERS = ["\u115f", "\u1160", "\u3164", "\uffa0", "\u2800"]


@QUICK
@given(st.text(), ALPHABETS)
def test_unknown_characters_and_only_those_are_lost_to_unk(text: str, characters: str) -> None:
    """Known characters keep their place as id and come back; others become `<unk>`."""
    vocabulary = Vocabulary(characters, unk=True)
    ids = vocabulary.encode(text + characters)
    assert ids[len(text) :] == [*range(len(characters))]
    assert [t == vocabulary.unk_id for t in ids[: len(text)]] == [c not in characters for c in text]
    known = "".join(c if c in characters else UNK for c in text)
    assert vocabulary.decode(ids) == known + characters


@QUICK
@given(st.text())
def test_any_text_round_trips_through_bytes(text: str) -> None:
    """Any text round-trips through the bytes vocabulary."""
    ids = Vocabulary(BYTES).encode(text)
    assert bytes(ids) == text.encode()
    assert Vocabulary(BYTES).decode(ids) == text


def test_unk_is_one_more_row_after_the_characters() -> None:
    """`<unk>` has the id after the last character."""
    vocabulary = Vocabulary("abc", unk=True)
    assert (len(vocabulary), vocabulary.unk_id) == (4, 3)
    assert vocabulary.encode("a?c!") == [0, 3, 2, 3]
    assert vocabulary.decode([0, 3]) == "a<unk>"
    assert vocabulary.label(3) == UNK
    assert (len(Vocabulary("abc")), Vocabulary("abc").unk_id) == (3, None)


@pytest.mark.parametrize(
    ("characters", "said"),
    [
        ("abcb", r"'b' \(U\+0062\) .* positions 1 and 3"),
        ("\u200fa\u200f", r"right-to-left mark \(U\+200F\) .* positions 0 and 2"),
        ("", "at least one character"),
        (b"cab", "all 256 bytes in order, not 3"),
    ],
)
def test_characters_that_are_no_vocabulary_are_refused(characters: str | bytes, said: str) -> None:
    """A repeated character is refused with its name and both positions; so are too few bytes."""
    with pytest.raises(VocabularyError, match=said):
        Vocabulary(characters)


@pytest.mark.parametrize(
    ("text", "position", "named", "more"),
    [
        ("né", 1, "'é' (U+00E9)", ""),
        ("éaé", 0, "'é' (U+00E9)", " 1 more is unknown too."),
        ("a" * 1234 + "\u200bé\x00", 1234, "zero width space (U+200B)", " 2 more are unknown too."),
        ("\ud800", 0, "U+D800", ""),
    ],
)
def test_an_unknown_character_is_refused_with_its_place(
    text: str, position: int, named: str, more: str
) -> None:
    """An unknown character is refused with its name and position."""
    with pytest.raises(UnknownCharacterError) as refused:
        Vocabulary(string.printable).encode(text)
    said = f"at position {position:,} is not among the 100 characters of the vocabulary.{more}"
    assert named in str(refused.value)
    assert str(refused.value).endswith(said)


def test_half_a_surrogate_pair_is_refused_in_words() -> None:
    """A lone surrogate is refused in a sentence that can itself be sent and printed."""
    with pytest.raises(UnknownCharacterError, match=r"U\+DFFF\) at position 2 ") as refused:
        Vocabulary(BYTES).encode("ab\udfff")
    str(refused.value).encode()


@pytest.mark.parametrize(
    ("vocabulary", "ids", "said"),
    [
        (Vocabulary("abc"), [0, 3], "Id 3 at position 1 .* 0 to 2"),
        (Vocabulary("abc", unk=True), [3, -1], "Id -1 at position 1 .* 0 to 3"),
        (Vocabulary(BYTES), [256], "Id 256 at position 0 .* 0 to 255"),
    ],
)
def test_an_id_without_a_character_is_refused(
    vocabulary: Vocabulary, ids: list[int], said: str
) -> None:
    """`decode` refuses ids outside the vocabulary."""
    with pytest.raises(ValueError, match=said):
        vocabulary.decode(ids)


def test_bytes_that_are_no_text_decode_to_replacement_characters() -> None:
    """Invalid UTF-8 decodes to replacement characters."""
    assert Vocabulary(BYTES).decode([0xC3, 0x41]) == "\ufffdA"


@settings(deadline=None, max_examples=300)
@given(st.characters() | st.sampled_from(BLANK_LETTERS))
def test_every_character_has_a_visible_stand_in(character: str) -> None:
    """Every character has a visible stand-in, and a printable name with its code point."""
    label = visible(character)
    assert label.isprintable()
    assert "".join(label.split()) == label != ""
    assert unicodedata.category(label[0])[0] != "M"
    assert label not in BLANK_LETTERS
    assert describe(character).isprintable()
    assert describe(character).endswith(f"(U+{ord(character):04X})")


@pytest.mark.parametrize(
    ("character", "label"),
    [
        ("é", "é"),
        (" ", "·"),
        ("\t", "⇥"),
        ("\n", "↵"),
        ("\r", "0D"),
        ("\u0301", "◌\u0301"),
        ("\u202e", "202E"),
        ("\u3164", "3164"),
        ("\ud800", "D800"),
    ],
)
def test_marks_and_invisible_characters_show_by_name(character: str, label: str) -> None:
    """Marks and invisible characters show as hex names or on a carrier."""
    assert Vocabulary(character).label(0) == label
    assert Vocabulary(character).is_stand_in(0) is (label != character)


def test_labels_of_bytes_are_hex_above_ascii() -> None:
    """Bytes above ASCII have hex labels."""
    vocabulary = Vocabulary(BYTES)
    assert [vocabulary.label(token) for token in "é".encode()] == ["C3", "A9"]
    assert [vocabulary.label(token) for token in b"a \n"] == ["a", "·", "↵"]
    assert (vocabulary.is_stand_in(0xC3), vocabulary.is_stand_in(0x61)) == (True, False)


@pytest.mark.parametrize("token", [-1, 3])
def test_a_row_without_a_character_has_no_label(token: int) -> None:
    """A spare row has an empty label."""
    assert Vocabulary("abc").label(token) == ""
    assert Vocabulary("abc").is_stand_in(token) is False
    assert Vocabulary("abc").name(token) == "a row that no character uses"


@pytest.mark.parametrize(
    ("vocabulary", "token", "name"),
    [
        (Vocabulary("aé"), 1, "'é' (U+00E9)"),
        (Vocabulary("\n"), 0, "line feed (U+000A)"),
        (Vocabulary("a", unk=True), 1, "any unknown character"),
        (Vocabulary(BYTES), 0xC3, "byte 0xC3"),
        (Vocabulary(BYTES), 0x61, "byte 0x61 'a'"),
    ],
)
def test_a_token_is_named_in_words(vocabulary: Vocabulary, token: int, name: str) -> None:
    """Every token has a name in words."""
    assert vocabulary.name(token) == name
