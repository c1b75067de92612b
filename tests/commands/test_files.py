"""Commands ask whether a file can be written before they compute for long."""

from pathlib import Path

import pytest

from embviz.commands import check_writable, write_file


def test_the_question_changes_nothing(tmp_path: Path) -> None:
    """A file keeps its content, no new one stays, and a link to no file yet stays a link."""
    old, new, link = tmp_path / "old", tmp_path / "new", tmp_path / "link"
    old.write_text("kept", "ascii")
    link.symlink_to(tmp_path / "target")
    for path in (old, new, link):
        check_writable(str(path))
    assert old.read_text("ascii") == "kept"
    assert sorted(tmp_path.iterdir()) == [link, old]
    assert link.is_symlink()


@pytest.mark.parametrize("name", ["", "none/file", "loop"])
def test_a_file_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    """A folder, a file in no folder and a loop of links are refused by name, with the reason."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    path = str(tmp_path / name)
    with pytest.raises(ValueError, match=rf"^cannot write '{path}': [A-Z].*\.$"):
        check_writable(path)
    with pytest.raises(ValueError, match=rf"^cannot write '{path}'"):
        write_file(path, "text")
