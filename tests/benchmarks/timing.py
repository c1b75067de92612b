"""The timing of embviz: false statements where nothing differs, other clocks, and its own time.

Without it no sceptic would have a reason to believe a figure of the timing page.

- **ids**: with one row, all kinds of ids are the same tensor. Each pair of kinds that one method
  is told apart in is a false statement.
- **tables**: lookups in 65,536, 65,537 and 65,538 rows, which are equal but for their place in
  memory.
- **twin**: two methods at a time that are the same lookup, in separate equal tables.
- **sparse**: how often a lookup's backward pass is told apart from one with sparse gradients, at
  4,096 rows: a true difference of 3 to 4 times.
- **index_select**: how often `index_select` is told apart from the lookup at 65,536 rows.
- **validation**: medians of the rounds against `torch.utils.benchmark` on the same tensors, block
  by block in turns; the median ratio over several placements.
- **wall**: seconds that the default sweeps of the page and of the command take, and those to their
  first rounds, which are the first curves.

Fewer than 20 runs also make the other parts shorter; one says whether all works.

    python -m tests.benchmarks.timing [--parts ids tables ...] [--runs 20]
"""

import random
import time
from dataclasses import asdict
from functools import partial
from itertools import combinations

import numpy as np
import torch
from torch.utils import benchmark

from embviz.system.child import Child
from embviz.system.machine import default_threads
from embviz.timing.measure.axes import VARY
from embviz.timing.measure.methods import DEFAULT_METHODS, ROUTES
from embviz.timing.measure.rounds import Series
from embviz.timing.measure.run import Run
from embviz.timing.measure.tensors import Ready, statement
from embviz.timing.measure.timed import ROUNDS, plan
from embviz.timing.tell.statistics import judge
from tests.benchmarks import twin  # noqa: F401 - adds a method
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


def measured(child, those):
    """A run of a sweep, and the seconds to the end of each round."""
    run, rounds, begun = Run("run"), [], time.perf_counter()
    named = {"cases": [*map(asdict, those)]}
    child.send(named | {"skip": [], "process": 0, "first": 0})
    while (line := child.receive(120.0))["type"] != "done":  # Silence fails here: it is None.
        if line["type"] == "round":
            rounds.append(time.perf_counter() - begun)
        elif line["type"] != "now":
            run.add(line | named if line["type"] == "environment" else line)
    return run, rounds


def null(those, same, child, runs):
    """How many runs, and how many comparisons, tell apart what is equal."""
    alike = [pair for pair in combinations(those, 2) if len({getattr(c, same) for c in pair}) == 1]
    found = [judge(measured(child, those)[0].sample_medians(), alike) for _ in range(runs)]
    false = sum(bool(one.told.any()) for one in found)
    return {"runs": runs, "false_runs": false, "compared": sum(map(len, found))}


def told(those, child, runs):
    """In how many runs the second case is told to take other time than the first; the ratios."""
    found = [
        judge(measured(child, those)[0].sample_medians(), [(those[1], those[0])])
        for _ in range(runs)
    ]
    return {
        "runs": runs,
        "told": sum(bool(one.told.all()) for one in found),
        "ratios": [round(float(one.ratio.item()), 3) for one in found],
    }


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


def wall(child, runs):
    """Medians over some runs of the default sweeps; that of the command has more methods."""
    found = {}
    for name, methods in {"page": ROUTES, "command": DEFAULT_METHODS}.items():
        those = cases("vocab", VARY["vocab"].values, *methods)
        rounds = np.median([measured(child, those)[1] for _ in range(min(runs, 5))], axis=0)
        found |= {f"{name}_first_round_s": rounds[0], f"{name}_sweep_s": rounds[-1]}
    return found


TOLD = {
    "sparse": cases("vocab", [4096], "lookup", "lookup_sparse", mode="backward"),
    "index_select": cases("vocab", [65536], *LOOKUPS),
}
PARTS = {name: partial(null, *those) for name, those in NULL.items()}
PARTS |= {name: partial(told, those) for name, those in TOLD.items()}
PARTS |= {"wall": wall, "validation": validation}


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
