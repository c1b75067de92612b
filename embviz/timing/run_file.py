"""Writes one run file: line by line while the run goes on, then in one piece.

A crash loses at most the line under way. A file that cannot be written does not end the
measurement: `trouble` says why, and nothing more is written.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from embviz.timing.runs import Run, to_line


class RunFile:
    """One run file; the first line opens it.

    Attributes:
        path: where it is.
        trouble: the sentence that says why it is not complete, or empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble = ""
        self._file: IO[str] | None = None
        self._mode = "w"

    def append(self, line: dict[str, Any]) -> None:
        """Write one line, and hand it to the system at once."""
        if self.trouble:
            return
        try:
            file = self._file or self.path.open(self._mode, encoding="utf-8")
            self._file = file
            file.write(to_line(line) + "\n")
            file.flush()
        except OSError as error:
            self._close()
            self.trouble = f"{str(self.path)!r} could not be written: {error.strerror or error}."

    def replace(self, run: Run) -> None:
        """Write the run instead of the lines, all or nothing.

        The lines stay where they cannot be replaced: in a device, a pipe or a folder that may not
        be written, and in a file that is the output of this process.
        """
        self._close()
        target = Path(os.path.realpath(self.path))
        if target.exists() and (not target.is_file() or _is_output(target)):
            self._mode = "a"
            return
        with contextlib.suppress(OSError):
            _write_whole(target, (f"{line}\n" for line in run.lines()))
            self.trouble, self._mode = "", "a"

    def _close(self) -> None:
        file, self._file = self._file, None
        with contextlib.suppress(OSError):  # closing tries to write the rest
            if file is not None:
                file.close()


def _is_output(target: Path) -> bool:
    """Whether stdout or stderr goes to this file: a new file would lose what follows."""
    found = target.stat()
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(found, os.fstat(descriptor)):
                return True
    return False


def _write_whole(target: Path, lines: Iterable[str]) -> None:
    """Write a file beside the target, and put it in its place."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            before = target.stat()
            if hasattr(os, "chown"):
                with contextlib.suppress(OSError):  # only root may give a file away
                    os.chown(beside, before.st_uid, before.st_gid)
            beside.chmod(before.st_mode & 0o777)
        beside.replace(target)
    except BaseException:
        beside.unlink()
        raise
