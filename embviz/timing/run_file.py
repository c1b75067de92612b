"""Writes one run file, line by line: a crash loses at most the line under way.

A file that cannot be written does not end the measurement: `trouble` says why, and nothing more is
written.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import IO, Any

from embviz.timing.runs import to_line


class RunFile:
    """One run file; the first line opens it, and the line of type `end` closes it.

    Attributes:
        path: where it is.
        trouble: the sentence that says why it is not complete, or empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble = ""
        self._file: IO[str] | None = None

    def append(self, line: dict[str, Any]) -> None:
        """Write one line, and hand it to the system at once."""
        if self.trouble:
            return
        try:
            self._file = self._file or self.path.open("w", encoding="utf-8")
            self._file.write(to_line(line) + "\n")
            self._file.flush()
        except OSError as error:
            self.trouble = f"{str(self.path)!r} could not be written: {error.strerror or error}."
        if (self.trouble or line["type"] == "end") and self._file is not None:
            with contextlib.suppress(OSError):  # closing tries to write the rest
                self._file.close()
