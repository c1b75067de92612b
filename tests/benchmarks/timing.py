"""The timing of embviz: false statements where nothing differs, and another clock.

Without it no sceptic would have a reason to believe a figure of the timing page.

- **ids**: with one row, all kinds of ids are the same tensor. Each pair of kinds that one method
  is told apart in is a false statement.
- **tables**: lookups in 65,536, 65,537 and 65,538 rows, which are equal but for their place in
  memory.
- **twin**: two methods at a time that are the same lookup, in separate equal tables.
- **validation**: medians of the rounds against `torch.utils.benchmark` on the same tensors, block
  by block in turns; the median ratio over several placements.

Fewer than 20 runs also make the validation shorter; one says whether all works.

    python -m tests.benchmarks.timing [--parts ids tables ...] [--runs 20]
"""

import random
from functools import partial
from itertools import combinations

import numpy as np
import torch
from torch.utils import benchmark

from embviz.system.child import Child
from embviz.system.machine import default_threads
from embviz.timing.measure.axes import VARY
from embviz.timing.measure.rounds import Series
from embviz.timing.measure.tensors import Ready, statement
from embviz.timing.measure.timed import ROUNDS, plan
from embviz.timing.tell.statistics import judge
from tests.benchmarks import twin  # noqa: F401 - adds a method
from tests.gpu.measured import run_of, sweep
from tests.load.figures import options, show, watch


def cases(vary, values, *methods, **fixed):
    """Cases on the CPU."""
    sizes = {"embedding_dim": 64, "tokens": 256, "threads": default_threads()}
    return plan(vary, values, methods, ["cpu"], **sizes | fixed)


LOOKUPS = "lookup", "index_select"
# Cases, and the attribute that two of them share if they are equal.
NULL = {
    "ids": (cases("ids", VARY["ids"].values, *LOOKUPS, "matmul", num_embeddings=1), "method"),
    "tables": (cases("vocab", [65536, 65537, 65538], *LOOKUPS, tokens=4096), "method"),
    "twin": (cases("vocab", [16384, 65536, 131072], "lookup", "twin", tokens=4096), "point"),
}
VALIDATED = [
    *cases("vocab", [256, 4096, 65536], *LOOKUPS, threads=1),
    *cases("vocab", [256, 4096, 65536], "lookup", threads=1, mode="backward"),
    *cases("vocab", [256, 1024, 4096], "matmul", threads=1),
]


def null(those, same, child, runs):
    """How many runs, and how many comparisons, tell apart what is equal."""
    alike = [pair for pair in combinations(those, 2) if len({getattr(c, same) for c in pair}) == 1]
    found = [judge(run_of(sweep(child, those)).sample_medians(), alike) for _ in range(runs)]
    false = sum(bool(one.told.any()) for one in found)
    return {"runs": runs, "false_runs": false, "compared": sum(map(len, found))}


def ratios(case):
    """Our time by that of PyTorch's own timer, in each round of one placement."""
    ours = Series(case)
    ours.place(Ready(case).names(case))
    timer = benchmark.Timer(statement(case), globals=ours.names, num_threads=case.threads)

    def theirs():
        return [timer.timeit(ours.number).median for _ in range(ours.blocks)]

    clocks = [ours.times, theirs]
    found = [{one: np.median(one()) for one in random.sample(clocks, 2)} for _ in range(ROUNDS)]
    return [turn[ours.times] / turn[theirs] for turn in found]


def validation(_, runs):
    """Median ratios of our time to that of PyTorch's own timer, over some placements."""
    turns = [[ratios(case) for case in VALIDATED] for _ in range(min(runs, 7))]
    names = [f"{c.method} {c.mode} {c.num_embeddings}" for c in VALIDATED]
    return dict(zip(names, np.median(np.hstack(turns), axis=1), strict=True))


PARTS = {name: partial(null, *those) for name, those in NULL.items()} | {"validation": validation}


def main():
    """Measure and print."""
    parser = options("The timing of embviz, checked.", runs=(20, "of each null test"))
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    torch.set_num_threads(1)
    others, child = watch(), Child("the measuring process", "tests.benchmarks.twin")
    child.receive(120.0)  # it is ready
    found = {part: PARTS[part](child, given.runs) for part in given.parts}
    child.end()
    show({**found, "others_cores": others()})


if __name__ == "__main__":
    main()
