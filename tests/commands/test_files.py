"""Commands write files as they are asked, or say why they cannot."""

from pathlib import Path

import pytest

from embviz.commands import write_file


@pytest.mark.parametrize("name", ["", "none/file", "loop"])
def test_a_file_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    """A folder, a file in no folder and a loop of links are refused by name, with the reason."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    path = str(tmp_path / name)
    with pytest.raises(ValueError, match=rf"^cannot write '{path}': [A-Z].*\.$"):
        write_file(path, "text")
