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

Fewer than 20 runs also make the other parts shorter; one says whether all works.

    python -m tests.benchmarks.timing [--parts ids tables ...] [--runs 20]
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import asdict
from statistics import median
from typing import Any

import torch
from torch.utils import benchmark

from embviz.core.child import Child
from embviz.core.machine import default_threads
from embviz.timing.axes import VARY
from embviz.timing.case import ROUNDS, Case, plan
from embviz.timing.methods import DEFAULT_METHODS
from embviz.timing.rounds import Series
from embviz.timing.run import Run
from embviz.timing.statistics import verdicts
from embviz.timing.tensors import Ready, statement
from tests.benchmarks import twin  # noqa: F401 - adds a method
from tests.load.figures import Others, show

NEAR = 1.05


def cases(vary: str, values: Any, methods: list[str], **fixed: Any) -> list[Case]:
    """Cases on the CPU."""
    sizes = {"embedding_dim": 64, "tokens": 256, "threads": default_threads(), **fixed}
    return plan(vary, values, methods, ["cpu"], **sizes)


LOOKUPS = ["lookup", "index_select"]
NULL = {  # the cases, and what is alike in a false statement
    "ids": (cases("ids", VARY["ids"].values, [*LOOKUPS, "matmul"], num_embeddings=1), "method"),
    "tables": (cases("vocab", [65536, 65537, 65538], LOOKUPS, tokens=4096), "method"),
    "twin": (cases("vocab", [16384, 65536, 131072], ["lookup", "twin"], tokens=4096), "point"),
}
DEFAULT = cases("vocab", VARY["vocab"].values, DEFAULT_METHODS)
VALIDATED = [
    *cases("vocab", [256, 4096, 65536], LOOKUPS, threads=1),
    *cases("vocab", [256, 4096, 65536], ["lookup"], threads=1, mode="backward"),
    *cases("vocab", [256, 1024, 4096], ["matmul"], threads=1),
]
PARTS = (*NULL, "validation", "wall")


def measured(child: Child, those: list[Case]) -> tuple[Run, float, float]:
    """A run of a sweep, the seconds to the end of its first round, and in all."""
    run, first, begun = Run("run"), 0.0, time.perf_counter()
    child.send({"cases": [*map(asdict, those)], "process": 0, "first": 0})
    while (line := child.receive(120.0))["type"] != "done":  # None fails here: it is silent
        if line["type"] == "round":
            first = first or time.perf_counter() - begun
        elif line["type"] != "now":
            run.add(line)
    return run, first, time.perf_counter() - begun


def null(child: Child, part: str, runs: int) -> dict[str, int]:
    """How many runs, and how many comparisons, tell apart what is equal."""
    those, same = NULL[part]
    false, compared = list[int](), 0
    for _ in range(runs):
        found = verdicts(measured(child, those)[0].times)
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
    names = [f"{c.method} {c.mode} {c.num_embeddings}" for c in VALIDATED]
    found = dict(zip(names, map(median, ratios), strict=True))
    near = sum(1 / NEAR <= ratio <= NEAR for ratio in found.values())
    return {"near": near, "of": len(found), "cases": found}


def wall(child: Child, runs: int) -> dict[str, float]:
    """Medians over some runs of the default sweep."""
    found = [measured(child, DEFAULT)[1:] for _ in range(runs)]
    first, whole = map(median, zip(*found, strict=True))
    return {"first_round_s": first, "sweep_s": whole}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The timing of embviz, checked.")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--runs", type=int, default=20, help="of each null test")
    options = parser.parse_args()
    torch.set_num_threads(1)
    runs = options.runs
    others, child = Others(), Child("the measuring process", "tests.benchmarks.twin")
    child.receive(120.0)  # it is ready
    found: dict[str, Any] = {one: null(child, one, runs) for one in options.parts if one in NULL}
    if "wall" in options.parts:
        found["wall"] = wall(child, min(runs, 5))
    child.end()
    if "validation" in options.parts:
        found["validation"] = validation(min(runs, 7))
    found["others_cores"] = others.cores()
    show(found)


if __name__ == "__main__":
    main()
