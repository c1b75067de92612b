"""The timing of embviz: false statements where nothing differs, other clocks, and its own time.

- **ids**: with one row, all kinds of ids are the same tensor. Each pair of kinds that one method
  is told apart in is a false statement.
- **tables**: lookups in 65,536, 65,537 and 65,538 rows, which are equal but for their place in
  memory.
- **twin**: two methods at a time that are the same lookup, in separate equal tables.
- **validation**: medians of the rounds against `torch.utils.benchmark` on the same tensors, block
  by block in turns; the median ratio over several placements.
- **wall**: seconds that the default sweep takes, and those to its first round, which is the first
  curve.

    python tests/benchmarks/timing.py [--json] [--quick] [--parts ids tables ...] [--runs 20]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch.utils import benchmark

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import twin  # noqa: E402, F401 - adds a method; the two folders are found just above
from machine import Others  # noqa: E402

from embviz.core.child import Child  # noqa: E402
from embviz.core.machine import default_threads  # noqa: E402
from embviz.timing.case import ROUNDS, Case, plan  # noqa: E402
from embviz.timing.methods import DEFAULT_METHODS, VARY  # noqa: E402
from embviz.timing.rounds import Series  # noqa: E402
from embviz.timing.run import Run  # noqa: E402
from embviz.timing.statistics import verdicts  # noqa: E402
from embviz.timing.tensors import Ready, statement  # noqa: E402

START_S, LINE_S = 120.0, 60.0
TURNS, NEAR = 7, 1.05
SIZES = {"embedding_dim": 64, "threads": default_threads()}
LOOKUPS = ["lookup", "index_select"]
NULL: dict[str, tuple[Any, ...]] = {  # cases, and what tells a false statement
    "ids": (
        ("ids", VARY["ids"].values, [*LOOKUPS, "matmul"], {"num_embeddings": 1, "tokens": 256}),
        "method",
    ),
    "tables": (("vocab", [65536, 65537, 65538], LOOKUPS, {"tokens": 4096}), "method"),
    "twin": (("vocab", [16384, 65536, 131072], ["lookup", "twin"], {"tokens": 4096}), "point"),
}
PARTS = (*NULL, "validation", "wall")
VALIDATED = {
    "lookup, 256 rows": Case("lookup", 256, 64, 256),
    "lookup, 65,536 rows": Case("lookup", 65_536, 64, 256),
    "lookup, 1,000,000 rows": Case("lookup", 1_000_000, 64, 256),
    "lookup, float16": Case("lookup", 65_536, 64, 256, dtype="float16"),
    "index_select": Case("index_select", 65_536, 64, 4096),
    "matmul, 256 rows": Case("matmul", 256, 64, 256),
    "matmul, 4,096 rows": Case("matmul", 4096, 64, 256),
    "one-hot built + matmul": Case("onehot_matmul", 1024, 64, 256),
    "sparse matmul": Case("sparse_matmul", 4096, 64, 256),
    "embedding_bag": Case("embedding_bag", 4096, 64, 4096),
    "lookup backward, 4,096 rows": Case("lookup", 4096, 64, 256, mode="backward"),
    "lookup backward, 65,536 rows": Case("lookup", 65_536, 64, 256, mode="backward"),
}


class Process:
    """A warm measuring process that knows the twin."""

    def __init__(self) -> None:
        self._child = Child("the measuring process", "tests.benchmarks.twin")
        self._hear(START_S)

    def run(self, cases: list[Case]) -> tuple[Run, float, float]:
        """One run; seconds to the end of its first round, and in all."""
        request = {"cases": [*map(asdict, cases)], "process": 0, "first": 0}
        begun, run, first = time.perf_counter(), Run("run"), 0.0
        self._child.send(request)
        while (line := self._hear(LINE_S))["type"] != "done":
            if line["type"] == "round":
                first = first or time.perf_counter() - begun
            elif line["type"] != "now":
                run.add(line)
        return run, first, time.perf_counter() - begun

    def end(self) -> None:
        """End it."""
        self._child.end()

    def _hear(self, timeout_s: float) -> dict[str, Any]:
        line = self._child.receive(timeout_s)
        if line is None:
            raise RuntimeError("the measuring process is silent")
        return line


def planned(vary: str, values: Any, methods: Any, fixed: dict[str, int]) -> list[Case]:
    """The cases of a sweep on the CPU."""
    return plan(vary, values, methods, ["cpu"], **SIZES, **fixed)[0]


def null(process: Process, part: str, runs: int) -> dict[str, Any]:
    """How many runs, and how many comparisons, tell apart what is equal."""
    arguments, same = NULL[part]
    false, compared = list[int](), 0
    for _ in range(runs):
        found = verdicts(process.run(planned(*arguments))[0].times)
        alike = [
            getattr(a, same) == getattr(b, same) for a, b in zip(found.a, found.b, strict=True)
        ]
        false.append(int(found[alike].told.sum()))
        compared += sum(alike)
    return {
        "runs": runs,
        "false_runs": sum(map(bool, false)),
        "compared": compared,
        "false": sum(false),
    }


def validation(turns: int) -> dict[str, Any]:
    """Median ratios of our time to that of PyTorch's own timer."""
    ratios: dict[str, list[float]] = {name: [] for name in VALIDATED}
    for _ in range(turns):
        for name, case in VALIDATED.items():
            one = Series(case)
            one.place(Ready(case).names(case))
            timer = benchmark.Timer(statement(case), globals=one.names, num_threads=case.threads)
            clocks: dict[str, Callable[[], list[float]]] = {
                "ours": one.times,
                "theirs": lambda timer=timer, one=one: [  # type: ignore[misc]
                    timer.timeit(one.number).median for _ in range(one.blocks)
                ],
            }
            for _ in range(ROUNDS):
                order = random.sample(list(clocks), 2)
                found = {clock: median(clocks[clock]()) for clock in order}
                ratios[name].append(found["ours"] / found["theirs"])
    cases = {name: round(median(those), 3) for name, those in ratios.items()}
    near = sum(1 / NEAR <= ratio <= NEAR for ratio in cases.values())
    return {"cases": cases, "near": near, "of": len(cases)}


def wall(process: Process, runs: int) -> dict[str, float]:
    """Medians over some runs of the default sweep."""
    cases = planned("vocab", VARY["vocab"].values, DEFAULT_METHODS, {"tokens": 256})
    found = [process.run(cases)[1:] for _ in range(runs)]
    first, whole = (round(median(those), 2) for those in zip(*found, strict=True))
    return {"first_round_s": first, "sweep_s": whole}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The timing of embviz, checked.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--quick", action="store_true", help="each part once: does it work?")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--runs", type=int, default=20, help="of each null test")
    options = parser.parse_args()
    torch.set_num_threads(1)
    runs, turns = (1, 1) if options.quick else (options.runs, TURNS)
    others, found = Others(), dict[str, Any]()
    process = Process()
    try:
        for part in options.parts:
            if part in NULL:
                found[part] = null(process, part, runs)
            elif part == "wall":
                found[part] = wall(process, min(runs, 5))
            else:
                found[part] = validation(turns)
    finally:
        process.end()
    found["others_cores"] = round(others.cores(), 2)
    if options.json:
        print(json.dumps(found))
        return
    for part, figures in found.items():
        print(f"{part}: {json.dumps(figures, indent=2)}")


if __name__ == "__main__":
    main()
