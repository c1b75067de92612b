"""Text to learn from: gathered, uploaded, refused."""

import io
from pathlib import Path

import pytest

from embviz.fact.vocabulary import Vocabulary
from embviz.training.corpus import (
    MAX_TEXT,
    PRINTABLE,
    TextError,
    open_text,
    prepare,
)


def test_a_file_is_read_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Line breaks of all systems become line feeds; a byte order mark is dropped."""
    for content, text in (
        ("\ufeffé\r\nb\rc\n", "é\nb\nc\n"),
        ("🤦" * MAX_TEXT, "🤦" * MAX_TEXT),
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        assert open_text("-") == text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x" * 9_000_000, "has more than 4,000,003 bytes; .* 1,000,000 characters"),
        (b"x" * (MAX_TEXT + 1), "has 1,000,001 characters"),
        (b"ab\xffc", r"not UTF-8 text \(byte 2\)"),
        (None, "cannot be read: Is a directory"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(
    content: bytes | None, message: str, tmp_path: Path
) -> None:
    """Files that are too large, not UTF-8 or no files are refused."""
    file = tmp_path / "big.txt"
    file.mkdir() if content is None else file.write_bytes(content)
    with pytest.raises(TextError, match=message):
        open_text(str(file))
    with pytest.raises(TextError, match="cannot be read: embedded null"):
        open_text("a\0b")


@pytest.mark.parametrize(
    ("text", "vocabulary", "message"),
    [
        ("", PRINTABLE, "There is no text"),
        ("éaé", PRINTABLE, r"one character that the vocabulary knows, 'a' \(U\+0061\)"),
        ("  ", PRINTABLE, r"All 2 characters of the text are space \(U\+0020\)"),
        ("éüö", PRINTABLE, r"None of the 3 characters .* first is 'é' \(U\+00E9\)"),
        ("a" * (MAX_TEXT + 1), PRINTABLE, "1,000,001 characters are more than the 1,000,000"),
    ],
)
def test_a_text_with_nothing_to_learn_is_refused(
    text: str, vocabulary: Vocabulary, message: str
) -> None:
    """Texts with nothing to learn are refused with the reason."""
    with pytest.raises(TextError, match=message):
        prepare(text, vocabulary)


def test_a_text_becomes_ids() -> None:
    """Unknown characters are left out."""
    assert prepare("bé a", Vocabulary("ab ")).tolist() == [1, 2, 0]
    assert prepare("a\udc80b", Vocabulary("ab ")).tolist() == [0, 1]
