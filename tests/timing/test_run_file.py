"""A run file grows line by line, and never ends a measurement."""

import sys
from pathlib import Path

import pytest

from embviz.timing.run_file import RunFile
from embviz.timing.runs import Run, read_run
from tests.timing.made_results import CASE, measured

RUN = Run("r", {"cpu": "none"}, (measured(CASE, 1e-6),), {"status": "done"})


def written(path: Path) -> RunFile:
    """A file with a run under way."""
    file = RunFile(path)
    file.append({"type": "environment", "cpu": "none"})
    for line in RUN.results[0].lines():
        file.append(line)
    return file


def test_each_line_is_there_at_once(tmp_path: Path) -> None:
    """Lines are readable at once; what a link names is written, and the link stays."""
    path, link = tmp_path / "r.jsonl", tmp_path / "link"
    RunFile(path)
    assert not path.exists()
    link.symlink_to(path)
    file = written(link)
    under_way = read_run(path.read_bytes(), "r")
    assert (len(under_way.results[0].blocks), under_way.end) == (12, None)  # type: ignore[union-attr]
    file.append({"type": "end", "status": "done"})
    assert read_run(path.read_bytes(), "r").end == RUN.end
    assert (file.trouble, link.is_symlink()) == ("", True)


def test_a_file_that_cannot_be_written_is_trouble_in_one_sentence(tmp_path: Path) -> None:
    """A failed line stops the writing, and the measurement does not notice."""
    file = written(tmp_path / "none" / "r.jsonl")
    assert file.trouble == f"{str(file.path)!r} could not be written: No such file or directory."


@pytest.mark.skipif(sys.platform == "win32", reason="has no such devices")
def test_a_device_may_be_full() -> None:
    """A device gets the lines; one that is full is trouble."""
    null = written(Path("/dev/null"))
    null.append({"type": "end"})
    assert null.trouble == ""
    assert written(Path("/dev/full")).trouble.startswith("'/dev/full' could not be written: No ")
