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

    python -m tests.benchmarks.timing [--quick] [--parts ids tables ...] [--runs 20]
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import asdict
from statistics import median
from typing import Any

import torch
from torch.utils import benchmark

from embviz.core.child import Child
from embviz.core.machine import default_threads
from embviz.timing.case import ROUNDS, Case, plan
from embviz.timing.methods import DEFAULT_METHODS, VARY
from embviz.timing.rounds import Series
from embviz.timing.run import Run
from embviz.timing.statistics import verdicts
from embviz.timing.tensors import Ready, statement
from tests.benchmarks import twin  # noqa: F401 - adds a method
from tests.load.figures import Others

TURNS, NEAR = 7, 1.05
LOOKUPS = ["lookup", "index_select"]
# What varies, methods, rows where they do not vary, tokens; what is alike in a false statement.
NULL: dict[str, tuple[str, Any, list[str], dict[str, int], str]] = {
    "ids": ("ids", VARY["ids"].values, [*LOOKUPS, "matmul"], {"num_embeddings": 1}, "method"),
    "tables": ("vocab", [65536, 65537, 65538], LOOKUPS, {"tokens": 4096}, "method"),
    "twin": ("vocab", [16384, 65536, 131072], ["lookup", "twin"], {"tokens": 4096}, "point"),
}
DEFAULT = ("vocab", VARY["vocab"].values, DEFAULT_METHODS, {})
PARTS = (*NULL, "validation", "wall")
VALIDATED = [
    *(Case("lookup", rows, 64, 256) for rows in (256, 65_536, 1_000_000)),
    *(Case("lookup", rows, 64, 256, mode="backward") for rows in (4096, 65_536)),
    *(Case("matmul", rows, 64, 256) for rows in (256, 4096)),
    Case("index_select", 65_536, 64, 4096),
    Case("embedding_bag", 4096, 64, 4096),
    Case("lookup", 65_536, 64, 256, dtype="float16"),
    Case("onehot_matmul", 1024, 64, 256),
    Case("sparse_matmul", 4096, 64, 256),
]


def measured(child: Child, vary: str, values: Any, methods: Any, fixed: Any) -> tuple[Any, ...]:
    """A run of a sweep on the CPU, the seconds to the end of its first round, and in all."""
    sizes = {"embedding_dim": 64, "tokens": 256, "threads": default_threads(), **fixed}
    cases = [asdict(one) for one in plan(vary, values, methods, ["cpu"], **sizes)[0]]
    run, first, begun = Run("run"), 0.0, time.perf_counter()
    child.send({"cases": cases, "process": 0, "first": 0})
    while (line := child.receive(120.0))["type"] != "done":  # None fails here: it is silent
        if line["type"] == "round":
            first = first or time.perf_counter() - begun
        elif line["type"] != "now":
            run.add(line)
    return run, first, time.perf_counter() - begun


def null(child: Child, part: str, runs: int) -> dict[str, int]:
    """How many runs, and how many comparisons, tell apart what is equal."""
    *sweep, same = NULL[part]
    false, compared = list[int](), 0
    for _ in range(runs):
        found = verdicts(measured(child, *sweep)[0].times)
        pairs = zip(found.a, found.b, strict=True)
        alike = [getattr(a, same) == getattr(b, same) for a, b in pairs]
        false.append(int(found[alike].told.sum()))
        compared += sum(alike)
    return {"runs": runs, "false_runs": sum(map(bool, false)), "compared": compared}


def validation(turns: int) -> dict[str, Any]:
    """Median ratios of our time to that of PyTorch's own timer."""
    ratios: list[list[float]] = [[] for _ in VALIDATED]
    for _ in range(turns):
        for those, case in zip(ratios, VALIDATED, strict=True):
            one = Series(case)
            one.place(Ready(case).names(case))
            timer = benchmark.Timer(statement(case), globals=one.names, num_threads=case.threads)

            def theirs(timer: Any = timer, one: Series = one) -> list[float]:
                return [timer.timeit(one.number).median for _ in range(one.blocks)]

            for _ in range(ROUNDS):
                clocks = random.sample([one.times, theirs], 2)
                found = {clock: median(clock()) for clock in clocks}
                those.append(found[one.times] / found[theirs])
    found = [round(median(those), 3) for those in ratios]
    names = [f"{c.method} {c.mode} {c.num_embeddings} {c.dtype}" for c in VALIDATED]
    near = sum(1 / NEAR <= ratio <= NEAR for ratio in found)
    return {"near": near, "of": len(found), "cases": dict(zip(names, found, strict=True))}


def wall(child: Child, runs: int) -> dict[str, float]:
    """Medians over some runs of the default sweep."""
    found = [measured(child, *DEFAULT)[1:] for _ in range(runs)]
    first, whole = (round(median(those), 2) for those in zip(*found, strict=True))
    return {"first_round_s": first, "sweep_s": whole}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The timing of embviz, checked.")
    parser.add_argument("--quick", action="store_true", help="each part once: does it work?")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--runs", type=int, default=20, help="of each null test")
    options = parser.parse_args()
    torch.set_num_threads(1)
    runs, turns = (1, 1) if options.quick else (options.runs, TURNS)
    others, child = Others(), Child("the measuring process", "tests.benchmarks.twin")
    child.receive(120.0)  # it is ready
    found: dict[str, Any] = {one: null(child, one, runs) for one in options.parts if one in NULL}
    if "wall" in options.parts:
        found["wall"] = wall(child, min(runs, 5))
    child.end()
    if "validation" in options.parts:
        found["validation"] = validation(turns)
    found["others_cores"] = others.cores()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
