"""Which files of embviz a thread enters: those of which it calls a function.

What a file does while it is imported does not count, nor what a dataclass generates. As a program
it is the process that measures times, watched: `python -m tests.ways.watch FILE` writes the files
that it enters into this file, one a line.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType

FOLDER = Path(__file__).parents[2] / "embviz"


class Watch:
    """A function for Python's profiler that notes files.

    Args:
        tell: called with each file's path below `embviz`, when a thread first enters it.

    Attributes:
        threads: files by the name of their thread, in the order of their first calls.
    """

    def __init__(self, tell: Callable[[str], object] = lambda _name: None) -> None:
        self.threads: dict[str, list[str]] = {}
        self._tell = tell
        self._names: dict[str, str] = {}  # by the name in the code; empty for a foreign file

    def __call__(self, frame: FrameType, event: str, _arg: object) -> None:
        """One event; a module and the body of a class have no flag of a function."""
        code = frame.f_code
        if event != "call" or not code.co_flags & CO_OPTIMIZED:
            return
        if code.co_filename not in self._names:
            self._names[code.co_filename] = _name(Path(code.co_filename))
        files = self.threads.setdefault(threading.current_thread().name, [])
        name = self._names[code.co_filename]
        if name and name not in files:
            files.append(name)
            self._tell(name)


def _name(file: Path) -> str:
    return file.relative_to(FOLDER).as_posix() if FOLDER in file.parents else ""


@contextmanager
def watched() -> Iterator[dict[str, list[str]]]:
    """The files of each thread that begins in this block, by the name of the thread."""
    watch = Watch()
    threading.setprofile(watch)
    try:
        yield watch.threads
    finally:
        threading.setprofile(None)


def main(file: str) -> None:
    """Measure times until stdin ends."""
    from embviz.timing.measure import process, rounds  # all that the process imports

    rounds.BLOCK_S = rounds.ROUND_S = 1e-5  # nobody reads these times
    with Path(file).open("a", encoding="utf-8") as written:
        sys.setprofile(Watch(lambda name: print(name, file=written, flush=True)))
        process.main()


if __name__ == "__main__":
    main(*sys.argv[1:])
