"""Commands read and write files as they are asked, or say why they cannot."""

import io
from pathlib import Path

import pytest

from embviz.commands import read_text, write_file
from embviz.text.refused import Refused
from embviz.training.corpus import MAX_TEXT


@pytest.mark.parametrize("name", ["", "none/file", "loop"])
def test_a_file_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    """A folder, a file in no folder and a loop of links are refused by name, with the reason."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    path = str(tmp_path / name)
    with pytest.raises(ValueError, match=rf"^cannot write '{path}': [A-Z].*\.$"):
        write_file(path, "text")


def test_a_file_is_read_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Line breaks of all systems become line feeds; a byte order mark is dropped."""
    for content, text in (
        ("\ufeffé\r\nb\rc\n", "é\nb\nc\n"),
        ("🤦" * MAX_TEXT, "🤦" * MAX_TEXT),
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        assert read_text("-") == text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x" * 9_000_000, "has more than 1,000,000 characters"),
        (b"x" * (MAX_TEXT + 1), "has more than 1,000,000 characters"),
        (b"ab\xffc", r"not UTF-8 text \(byte 2\)"),
        (None, "cannot read .*: Is a directory"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(
    content: bytes | None, message: str, tmp_path: Path
) -> None:
    """Files that are too large, not UTF-8 or no files are refused."""
    file = tmp_path / "big.txt"
    file.mkdir() if content is None else file.write_bytes(content)
    with pytest.raises(Refused, match=message):
        read_text(str(file))
    with pytest.raises(Refused, match=r"cannot read .*: embedded null"):
        read_text("a\0b")
