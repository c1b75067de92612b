"""Symbols and ids: round trips, refusals by name and place, labels that can be seen."""

from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embviz.fact.tokenizers import MOST_MERGES, VOCABULARIES, bpe, vocabulary
from embviz.fact.vocabulary import BYTES, UNK, Vocabulary
from embviz.fact.words import Words, words
from embviz.text.refused import Refused

TEXTS = [
    "👩‍👩‍👧 flag 🇩🇪, skin 👍🏽!",
    "",
    "lookup == one_hot @ weight; " * 179,
    "  two  spaces\r\nand \x00 a null, a combining é, <|endoftext|>",
]


@given(st.text(), st.text(min_size=1))
def test_characters_keep_their_place_and_others_become_unk(text: str, some: str) -> None:
    """A known character's id is its place and gives it back; the others have the id given."""
    characters = "".join(dict.fromkeys(some))
    known = Vocabulary(characters)
    assert known.encode(characters) == [*range(len(characters))]
    assert known.unknown(text) == [one for one in dict.fromkeys(text) if one not in characters]
    shown = "".join(one if one in characters else UNK for one in text)
    assert known.decode(known.encode(text, unk_id=99)) == shown


@pytest.mark.parametrize("merges", [0, 300, MOST_MERGES])
def test_bpe_cuts_into_bytes_and_the_pieces_of_its_merges(merges: int) -> None:
    """Ids below 256 are bytes, and each merge makes one piece, which is cut no further."""
    known = bpe(merges)
    pieces = [*map(known.symbol, range(256 + merges))]
    assert pieces[:256] == [bytes([b]) for b in range(256)]
    assert known.symbol(256 + merges) == b""
    for token, piece in enumerate(pieces[256:], 256):
        assert known.encode(piece.decode()) == [token]
    assert bpe().encode("Look-ups aren't") == [747, 982, 45, 509, 115, 371, 110, 830]


@pytest.mark.parametrize(
    ("make", "said", "fixes"),
    [
        (lambda: Vocabulary(""), "at least one", [{"vocab": "printable"}]),
        (lambda: Vocabulary("abcbcb"), r"'b' \(U\+0062\) .* 1 and 3;", [{"chars": "abc"}]),
        (
            lambda: Vocabulary("ab").encode("b\u200bc"),
            r"zero width space \(U\+200B\) at index 1 .* 2 characters .* 1 more is unknown",
            [{"unknown": "unk"}, {"vocab": "bytes"}],
        ),
        (lambda: BYTES.encode("ab\udfff"), r"lone surrogate \(U\+DFFF\) at index 2", []),
    ],
)
def test_a_refusal_names_what_and_where(make: Mock, said: str, fixes: list[object]) -> None:
    """What cannot be a vocabulary or has no id is named with its place, and what mends it."""
    with pytest.raises(Refused, match=said) as refused:
        make()
    assert str(refused.value).isprintable()
    assert [*refused.value.fixes.values()] == fixes


def test_a_symbol_is_shown_and_named() -> None:
    """A label shows the symbol or stands in for it; the name tells which it is."""
    for known, symbol, label, name in [
        (Vocabulary("aé"), "é", "é", "'é' (U+00E9)"),
        (Vocabulary("\n "), "\n", "↵", "line feed (U+000A)"),
        (Vocabulary("\u0301"), "\u0301", "◌\u0301", "combining acute accent (U+0301)"),
        (Vocabulary("\x01"), "\x01", "01", "control character (U+0001)"),
        (BYTES, 0xC3, "C3", "byte C3"),
        (BYTES, "a", "a", "byte 'a' (61)"),
        (words(), "cat", "cat", "word 'cat'"),
        (bpe(300), " the", "·the", "token ' the' (20 74 68 65)"),
    ]:
        (token,) = known.encode(symbol) if isinstance(symbol, str) else [symbol]
        assert (known.label(token), known.name(token)) == (label, name)
        assert known.is_stand_in(token) is (label != symbol)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_every_record_makes_its_vocabulary(name: str) -> None:
    """Each has its size and distinct, visible symbols; bytes and pieces lose nothing."""
    sizes = {"printable": 100, "letters": 52, "digits": 10, "bytes": 256, "custom": 3, "bpe": 556}
    sizes["words"] = 2_800
    known = vocabulary({"vocab": name, "chars": "cab", "merges": 300})
    assert len(known) == sizes[name]
    tokens = range(min(len(known), 300))
    assert len({*map(known.symbol, tokens)}) == len(tokens)
    assert known.name(len(known)) == f"a row that no {known.unit} uses"
    assert (known.label(5, 5), known.name(5, 5)) == (UNK, f"any unknown {known.unit}")
    for text in [] if isinstance(known, Vocabulary | Words) else TEXTS:
        ids = known.encode(text)
        assert b"".join(map(known.symbol, ids)) == text.encode()
        assert (known.decode(ids), known.unknown(text)) == (text, [])
