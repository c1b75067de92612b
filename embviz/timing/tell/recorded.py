"""The recorded runs that embviz ships: one for each question and each link of *Try this*.

Each is read once in a process. `python -m tests.benchmarks.record` makes them.
"""

from __future__ import annotations

from functools import cache
from gzip import decompress
from pathlib import Path

from embviz.timing.measure.run import Run, read_run
from embviz.timing.tell.questions import GPU_MODELS, RECORDS

FOLDER = Path(__file__).parent / "reference"


@cache
def recorded(question: str) -> Run:
    """A question's recorded run."""
    return _read(RECORDS[question].recorded)


def recorded_models() -> dict[str, Run]:
    """The runs of GPU_MODELS, by the name of the model."""
    return {model: _read(name) for model, name in GPU_MODELS.items()}


def _read(name: str) -> Run:
    content = decompress((FOLDER / f"{name}.jsonl.gz").read_bytes())
    return read_run(content, name)
