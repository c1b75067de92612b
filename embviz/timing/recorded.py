"""The recorded runs that embviz ships: one for each question and each link of *Try this*.

Each is read once in a process. `python -m tests.benchmarks.record` makes them.
"""

from __future__ import annotations

from functools import cache
from gzip import decompress
from pathlib import Path

from embviz.timing.questions import RECORDS
from embviz.timing.run import Run, read_run

FOLDER = Path(__file__).parent / "reference"


def path_of(question: str) -> Path:
    """The file of a question's recorded run."""
    return FOLDER / f"{RECORDS[question].recorded}.jsonl.gz"


@cache
def recorded(question: str) -> Run:
    """A question's recorded run."""
    content = decompress(path_of(question).read_bytes())
    return read_run(content, RECORDS[question].recorded)
