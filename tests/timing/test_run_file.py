"""A run file grows line by line, is replaced at the end, and never ends a measurement."""

import errno
import os
import sys
from pathlib import Path

import pytest

from embviz.timing import run_file
from embviz.timing.cases import Case
from embviz.timing.results import Measurement
from embviz.timing.run_file import RunFile
from embviz.timing.runs import Run, read_run

ROUNDS = [Measurement(Case("lookup", 64, 8, 4), (1e-6,), 10, rounds=(*[0] * n, 1)) for n in (0, 1)]
RUN = Run("r", {"cpu": "none"}, (ROUNDS[0].with_rounds(ROUNDS[1]),), {"status": "done"})


def written(path: Path) -> RunFile:
    """A file with two rounds."""
    file = RunFile(path)
    file.append({"type": "environment", "cpu": "none"})
    for one in ROUNDS:
        file.append(one.to_dict())
    return file


def test_each_line_is_there_at_once_and_then_the_run(tmp_path: Path) -> None:
    """Lines are readable at once; the run takes their place, and lines may follow it."""
    path = tmp_path / "r.jsonl"
    file = RunFile(path)
    assert not path.exists()
    file = written(path)
    path.chmod(0o640)
    assert read_run(path.read_bytes(), "r").results == RUN.results
    assert len(path.read_bytes().splitlines()) == 3
    under_way = Run("r", RUN.environment, RUN.results)
    file.replace(under_way)
    assert path.read_bytes() == under_way.to_bytes()
    file.append({"type": "end", "status": "done"})
    assert read_run(path.read_bytes(), "r") == RUN
    file.replace(RUN)
    assert path.read_bytes() == RUN.to_bytes()
    assert (file.trouble, [*tmp_path.iterdir()]) == ("", [path])
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that a link names is replaced, not the link; root leaves it to its owner."""
    given = list[int]()
    monkeypatch.setattr(os, "chown", lambda _file, *owner: given.extend(owner), raising=False)
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    written(link).replace(RUN)
    assert link.is_symlink()
    assert target.read_bytes() == RUN.to_bytes()
    assert given == [target.stat().st_uid, target.stat().st_gid]


def test_a_full_disk_is_trouble_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed replacement leaves the lines and nothing else; a failed line stops the writing."""

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "r.jsonl"
    file = written(path)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        file.replace(RUN)
    assert (path.read_bytes(), [*tmp_path.iterdir()], file.trouble) == (before, [path], "")
    none = written(tmp_path / "none" / "r.jsonl")
    none.replace(RUN)
    assert none.trouble == f"{str(none.path)!r} could not be written: No such file or directory."


@pytest.mark.skipif(sys.platform == "win32", reason="has no such devices")
def test_devices_are_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device gets the lines; one that is full is trouble."""

    def never(*_given: object) -> None:
        pytest.fail("a device was replaced")

    monkeypatch.setattr(run_file, "_write_whole", never)
    for name, trouble in (("null", ""), ("full", "'/dev/full' could not be written: No space")):
        file = written(Path("/dev") / name)
        file.replace(RUN)
        assert file.trouble.startswith(trouble)
        assert bool(file.trouble) == bool(trouble)


def test_the_output_of_this_process_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that stdout goes to stays the same file, since more may be printed."""
    path = tmp_path / "r.jsonl"
    file = written(path)
    before = path.stat()
    monkeypatch.setattr(os, "fstat", lambda _descriptor: before)
    file.replace(RUN)
    assert len(path.read_bytes().splitlines()) == 3
