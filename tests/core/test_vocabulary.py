import string
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.core.tokenizers import VOCABULARIES, resolve
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
@given(st.data(), ALPHABETS, st.booleans())
def test_text_over_any_alphabet_round_trips(
    data: st.DataObject, characters: str, unk: bool
) -> None:
    """A text over any alphabet round-trips."""
    vocabulary = Vocabulary(characters, unk)
    text = data.draw(st.text(alphabet=st.sampled_from(characters)))
    ids = vocabulary.encode(text)
    assert ids == [characters.index(character) for character in text]
    assert vocabulary.decode(ids) == text


@QUICK
@given(st.text())
def test_any_text_round_trips_through_bytes(text: str) -> None:
    """Any text round-trips through the bytes vocabulary."""
    vocabulary = Vocabulary(BYTES)
    ids = vocabulary.encode(text)
    assert bytes(ids) == text.encode()
    assert vocabulary.decode(ids) == text


@QUICK
@given(st.text(), ALPHABETS)
def test_unknown_characters_and_only_those_are_lost_to_unk(text: str, characters: str) -> None:
    """Only unknown characters become `<unk>`."""
    vocabulary = Vocabulary(characters, unk=True)
    ids = vocabulary.encode(text)
    assert [token == vocabulary.unk_id for token in ids] == [c not in characters for c in text]
    assert vocabulary.decode(ids) == "".join(c if c in characters else UNK for c in text)


def test_unk_is_one_more_row_after_the_characters() -> None:
    """`<unk>` has the id after the last character."""
    vocabulary = Vocabulary("abc", unk=True)
    assert (len(vocabulary), vocabulary.unk_id) == (4, 3)
    assert vocabulary.encode("a?c!") == [0, 3, 2, 3]
    assert vocabulary.decode([0, 3]) == "a<unk>"
    assert vocabulary.label(3) == UNK
    assert (len(Vocabulary("abc")), Vocabulary("abc").unk_id) == (3, None)


def test_printable_is_in_the_order_of_the_standard_library() -> None:
    """`printable` has the order of string.printable, so 'a' is 10."""
    vocabulary = Vocabulary(resolve("printable"))
    assert vocabulary.encode("a") == [10]
    assert vocabulary.encode(string.printable) == list(range(100))
    assert vocabulary.decode(range(100)) == string.printable


@pytest.mark.parametrize(
    ("characters", "named", "first", "second"),
    [
        ("abcb", "'b' (U+0062)", 1, 3),
        ("a  ", "space (U+0020)", 1, 2),
        ("\n\n", "line feed (U+000A)", 0, 1),
        ("x" * 5, "'x' (U+0078)", 0, 1),
        ("\u200fa\u200f", "right-to-left mark (U+200F)", 0, 2),
    ],
)
def test_a_character_twice_is_refused_by_name_and_places(
    characters: str, named: str, first: int, second: int
) -> None:
    """A repeated character is refused with its name and both positions."""
    with pytest.raises(VocabularyError) as refused:
        Vocabulary(characters)
    assert named in str(refused.value)
    assert f"positions {first} and {second}" in str(refused.value)


@pytest.mark.parametrize("characters", ["", b""])
def test_a_vocabulary_without_characters_is_refused(characters: str | bytes) -> None:
    """An empty vocabulary is refused."""
    with pytest.raises(VocabularyError, match="at least one character"):
        Vocabulary(characters)


def test_a_bytes_vocabulary_gives_only_ids_that_it_has() -> None:
    """A bytes vocabulary has all 256 values in order."""
    with pytest.raises(VocabularyError, match="all 256 bytes in order, not 3"):
        Vocabulary(b"cab")


@pytest.mark.parametrize(
    ("text", "position", "named", "more"),
    [
        ("né", 1, "'é' (U+00E9)", None),
        ("éaé", 0, "'é' (U+00E9)", "1 more is unknown"),
        ("abcd\u200bé€", 4, "zero width space (U+200B)", "2 more are unknown"),
        ("a" * 1234 + "\x00", 1234, "null (U+0000)", None),
        ("\ud800", 0, "U+D800", None),
    ],
)
def test_an_unknown_character_is_refused_with_its_place(
    text: str, position: int, named: str, more: str | None
) -> None:
    """An unknown character is refused with its name and position."""
    with pytest.raises(UnknownCharacterError) as refused:
        Vocabulary(string.printable).encode(text)
    assert named in str(refused.value)
    assert f"position {position:,}" in str(refused.value)
    assert "100 characters" in str(refused.value)
    assert ("unknown too" in str(refused.value)) is (more is not None)
    assert (more or "") in str(refused.value)


@pytest.mark.parametrize("text", ["\ud800", "ab\udfff", "\ud83d\ude00"])
def test_half_a_surrogate_pair_is_refused_in_words(text: str) -> None:
    """A lone surrogate is an UnknownCharacterError."""
    with pytest.raises(UnknownCharacterError) as refused:
        Vocabulary(BYTES).encode(text)
    place = next(i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff")
    assert f"U+{ord(text[place]):04X}) at position {place} " in str(refused.value)
    str(refused.value).encode()  # the message itself can be sent and printed


@pytest.mark.parametrize(
    ("vocabulary", "ids", "bad", "place", "highest"),
    [
        (Vocabulary("abc"), [0, 3], 3, 1, 2),
        (Vocabulary("abc"), [-1], -1, 0, 2),
        (Vocabulary("abc", unk=True), [3, 0, 4], 4, 2, 3),
        (Vocabulary(BYTES), [256], 256, 0, 255),
    ],
)
def test_an_id_without_a_character_is_refused(
    vocabulary: Vocabulary, ids: list[int], bad: int, place: int, highest: int
) -> None:
    """`decode` refuses ids outside the vocabulary."""
    with pytest.raises(ValueError, match=f"Id {bad} at position {place} .* 0 to {highest}"):
        vocabulary.decode(ids)


def test_bytes_that_are_no_text_decode_to_replacement_characters() -> None:
    """Invalid UTF-8 decodes to replacement characters."""
    assert Vocabulary(BYTES).decode([0xC3, 0x41]) == "\ufffdA"


@pytest.mark.parametrize("vocab", ["printable", "letters", "digits", "bytes"])
def test_every_label_is_distinct_and_visible(vocab: str) -> None:
    """Labels are distinct and visible."""
    vocabulary = Vocabulary(resolve(vocab), unk=True)
    labels = [vocabulary.label(token) for token in range(len(vocabulary))]
    assert len(set(labels)) == len(labels)
    for label in labels:
        assert label
        assert label.isprintable()
        assert not any(character.isspace() for character in label)


@settings(deadline=None, max_examples=300)
@given(st.characters())
def test_every_character_has_a_visible_stand_in(character: str) -> None:
    """Every character has a visible stand-in."""
    label = visible(character)
    assert label
    assert label.isprintable()
    assert not any(c.isspace() for c in label)
    assert unicodedata.category(label[0])[0] != "M"


@pytest.mark.parametrize(
    ("character", "label"),
    [
        ("a", "a"),
        ("é", "é"),
        ("·", "·"),
        (" ", "·"),
        ("\t", "⇥"),
        ("\n", "↵"),
        ("\r", "0D"),
        ("\x0b", "0B"),
        ("\x0c", "0C"),
        ("\x00", "00"),
        ("\x7f", "7F"),
        ("\xa0", "A0"),
        ("\u0301", "◌\u0301"),
        ("\u200b", "200B"),
        ("\u200d", "200D"),
        ("\u200f", "200F"),
        ("\u202e", "202E"),
        ("\u2066", "2066"),
        ("\ufeff", "FEFF"),
        ("\ud800", "D800"),
        ("\U000e0001", "E0001"),
    ],
)
def test_marks_and_invisible_characters_show_by_name(character: str, label: str) -> None:
    """Marks and invisible characters show as hex names or on a carrier."""
    assert visible(character) == label
    assert Vocabulary(character).label(0) == label
    assert Vocabulary(character).is_stand_in(0) is (label != character)


@pytest.mark.parametrize("character", BLANK_LETTERS, ids=unicodedata.name)
def test_letters_and_symbols_drawn_blank_show_by_name(character: str) -> None:
    """Letters and symbols without ink show as hex names."""
    assert visible(character) == f"{ord(character):04X}"


def test_labels_of_bytes_are_hex_above_ascii() -> None:
    """Bytes above ASCII have hex labels."""
    vocabulary = Vocabulary(BYTES)
    assert [vocabulary.label(token) for token in "é€".encode()] == ["C3", "A9", "E2", "82", "AC"]
    assert [vocabulary.label(token) for token in b"a \n"] == ["a", "·", "↵"]
    assert (vocabulary.is_stand_in(0xC3), vocabulary.is_stand_in(0x61)) == (True, False)


@pytest.mark.parametrize("token", [-1, 3, 99])
def test_a_row_without_a_character_has_no_label(token: int) -> None:
    """A spare row has an empty label."""
    assert Vocabulary("abc").label(token) == ""
    assert Vocabulary("abc").is_stand_in(token) is False
    assert Vocabulary("abc").name(token) == "a row that no character uses"


@pytest.mark.parametrize(
    ("vocabulary", "token", "name"),
    [
        (Vocabulary("aé \n\u200f"), 0, "'a' (U+0061)"),
        (Vocabulary("aé \n\u200f"), 1, "'é' (U+00E9)"),
        (Vocabulary("aé \n\u200f"), 2, "space (U+0020)"),
        (Vocabulary("aé \n\u200f"), 3, "line feed (U+000A)"),
        (Vocabulary("aé \n\u200f"), 4, "right-to-left mark (U+200F)"),
        (Vocabulary("a", unk=True), 1, "any unknown character"),
        (Vocabulary(BYTES), 0xC3, "byte 0xC3"),
        (Vocabulary(BYTES), 0x61, "byte 0x61 'a'"),
    ],
)
def test_a_token_is_named_in_words(vocabulary: Vocabulary, token: int, name: str) -> None:
    """Every token has a name in words."""
    assert vocabulary.name(token) == name


@settings(deadline=None, max_examples=200)
@given(st.characters())
def test_a_description_is_printable_and_gives_the_code_point(character: str) -> None:
    """A description is printable and has the code point."""
    described = describe(character)
    assert described.isprintable()
    assert described.endswith(f"(U+{ord(character):04X})")


@pytest.mark.parametrize(
    ("vocab", "size"), [("printable", 100), ("letters", 52), ("digits", 10), ("bytes", 256)]
)
def test_named_vocabularies_have_their_sizes(vocab: str, size: int) -> None:
    """Named vocabularies keep their sizes."""
    assert vocab in VOCABULARIES
    assert len(Vocabulary(resolve(vocab, "ignored"))) == size


def test_custom_takes_the_users_characters() -> None:
    """A custom vocabulary keeps the characters and their order."""
    assert "custom" in VOCABULARIES
    assert resolve("custom", "zya") == "zya"


@pytest.mark.parametrize("vocab", ["", "<script>", "Printable", "custom "])
def test_an_unknown_vocabulary_is_refused_by_name(vocab: str) -> None:
    """An unknown name is refused with the list of names."""
    with pytest.raises(VocabularyError) as refused:
        resolve(vocab)
    assert f"vocab={vocab!r}" in str(refused.value)
    assert all(name in str(refused.value) for name in VOCABULARIES)
