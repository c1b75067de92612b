"""Text to learn from: gathered, uploaded, refused; and its entropy."""

import io
import math
import string
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from embviz.core.vocabulary import BYTES, Symbols, Vocabulary
from embviz.training.text import (
    MAX_TEXT,
    TextError,
    bigram_entropy,
    ids_per_character,
    open_text,
    play,
    prepare,
    read_text,
    symbols,
)

PRINTABLE = Vocabulary(string.printable)


def test_the_play_is_english_that_the_vocabulary_knows() -> None:
    """It is the same on every Python, and no character of it is left out."""
    text = play()
    assert len(prepare(text, PRINTABLE)) == len(text) == 59_804
    assert text.startswith("First Citizen:\nBefore we proceed any further, hear me speak.")
    assert text.count(" the ") > 300


def test_an_upload_is_read_as_text() -> None:
    """Line breaks of all systems become line feeds; a byte order mark is dropped."""
    assert read_text("a.txt", "\ufeffé\r\nb\rc\n".encode()) == "é\nb\nc\n"
    assert len(read_text("a.txt", b"a" * MAX_TEXT)) == MAX_TEXT
    assert len(read_text("a.txt", "🤦".encode() * MAX_TEXT)) == MAX_TEXT


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"x" * 10_000_000,
            "'big.txt' has more than 4,000,003 bytes; .* 1,000,000 characters",
        ),
        (b"x" * (MAX_TEXT + 1), "has 1,000,001 characters"),
        (b"ab\xffc", r"not UTF-8 text \(byte 2\)"),
    ],
)
def test_an_upload_that_cannot_be_read_is_refused(content: bytes, message: str) -> None:
    """Files that are too large or not UTF-8 are refused."""
    with pytest.raises(TextError, match=message):
        read_text("big.txt", content)


def test_the_command_line_reads_a_file_or_standard_input(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A text comes from a file or standard input, or is refused in a sentence."""
    file = tmp_path / "a.txt"
    file.write_bytes("é\r\nb".encode())
    assert open_text(str(file)) == "é\nb"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("né".encode())))
    assert open_text("-") == "né"
    file.write_bytes(b"x" * 10_000_000)
    for source, message in [
        (str(file), "has more than 4,000,003 bytes"),
        (str(tmp_path), "cannot be read: Is a directory"),
        ("nowhere.txt", "'nowhere.txt' cannot be read: No such file"),
        ("a\0b", "cannot be read: embedded null"),
    ]:
        with pytest.raises(TextError, match=message):
            open_text(source)


@pytest.mark.parametrize(
    ("text", "vocabulary", "message"),
    [
        ("", PRINTABLE, "There is no text"),
        ("a", PRINTABLE, r"one character that the vocabulary knows, 'a' \(U\+0061\)"),
        ("éaé", PRINTABLE, "one character that the vocabulary knows"),
        ("aaaa", PRINTABLE, r"All 4 characters of the text are 'a' \(U\+0061\)"),
        ("  ", PRINTABLE, r"All 2 characters of the text are space \(U\+0020\)"),
        ("éüö", PRINTABLE, r"None of the 3 characters .* first is 'é' \(U\+00E9\)"),
        ("a", symbols("pieces"), "one piece that the vocabulary knows, piece 'a' \\(61\\)"),
        (" the the", symbols("pieces"), r"All 2 pieces .* piece ' the' \(20 74 68 65\)"),
        ("a" * (MAX_TEXT + 1), PRINTABLE, "1,000,001 characters are more than the 1,000,000"),
    ],
)
def test_a_text_with_nothing_to_learn_is_refused(
    text: str, vocabulary: Symbols, message: str
) -> None:
    """Texts with nothing to learn are refused with the reason."""
    with pytest.raises(TextError, match=message):
        prepare(text, vocabulary)


def test_a_text_becomes_ids() -> None:
    """Ids are those of the vocabulary; unknown characters are left out."""
    assert prepare("bé a", Vocabulary("ab ")).tolist() == [1, 2, 0]
    assert prepare("é", BYTES).tolist() == [0xC3, 0xA9]
    assert prepare("a\udc80", BYTES).tolist() == [97, 63]


@pytest.mark.parametrize("merges", [0, 300])
def test_a_loss_of_pieces_becomes_one_of_characters(merges: int) -> None:
    """The factor counts characters of the text that was learnt, and not bytes."""
    text, pieces = "naïve: the end", symbols("pieces", merges)
    ids = prepare(text, pieces)
    assert ids_per_character(ids, pieces) == len(ids) / 14
    assert ids_per_character(prepare("é?!", PRINTABLE), PRINTABLE) == 1


def test_entropies_are_those_of_the_definition() -> None:
    """The bigram entropy is the least loss that any bigram model can reach."""
    text = play()[:20_000]
    ids = prepare(text, PRINTABLE)
    pairs, first = Counter(pairwise(text)), Counter(text[:-1])
    total = len(text) - 1
    expected = -sum(n / total * math.log(n / first[a]) for (a, _), n in pairs.items())
    assert bigram_entropy(ids, 100) == pytest.approx(expected, abs=1e-12)
    alone = -sum(n / len(text) * math.log(n / len(text)) for n in Counter(text).values())
    assert bigram_entropy(ids, 100) < alone < math.log(100)
    assert bigram_entropy(torch.tensor([0, 1, 2, 0, 1, 2]), 3) == pytest.approx(0)
