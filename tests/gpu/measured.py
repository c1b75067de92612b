"""Cases on a GPU, a sweep of them by the measuring process, and figures of a test."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from embviz.system.child import Child
from embviz.system.machine import default_threads
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import Timed

Lines = list[dict[str, Any]]


def case(method: str, rows: int, tokens: int = 256, **more: Any) -> Timed:
    """A case on a GPU, of 64 numbers a row."""
    threads = default_threads()
    return Timed(method, rows, 64, tokens, device="cuda", threads=threads, **more)


def sweep(child: Child, cases: Sequence[Timed]) -> Lines:
    """All lines of one sweep but those of its progress; the first names the cases, as in a file."""
    named = {"cases": [*map(asdict, cases)]}
    child.send(named | {"skip": [], "process": 0, "first": 0})
    lines = Lines()
    while (line := child.receive(120.0) or {})["type"] != "done":  # Silence fails here.
        if line["type"] == "environment":
            line |= named
        if line["type"] not in ("now", "round"):
            lines.append(line)
    return lines


def run_of(lines: Lines) -> Run:
    """The run of these lines."""
    run = Run("r")
    for line in lines:
        run.add(line)
    return run


def show(name: str, value: Any) -> None:
    """Print figures as a line of JSON; `pytest -rP` shows those of tests that passed."""
    print(json.dumps({name: value}))
