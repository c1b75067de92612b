"""The engine's medians against two other harnesses on the same cases, interleaved.

For each of 12 cases three harnesses take turns in one process, on the same tensors: the engine's
rounds as its worker runs them, `torch.utils.benchmark.Timer.blocked_autorange`, and a plain loop
that reads `time.perf_counter`. Each turn makes new tensors and gives one pair of ratios. Several
fresh processes count equally. In processes of their own, the harnesses differed by up to 1.13x in
some cases and by 0.87x in the same cases another time: where a process finds its tensors in memory
changes their times, and this is not what is asked here.

- **ours / torch**, **ours / loop**: the median over the turns of each process, then over processes.
- **torch / loop**: the same for the other two: what a ratio between two sound harnesses is here.

    python tests/benchmarks/validation.py [--json] [--quick] [--cases NAME ...]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch.utils import benchmark

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from machine import Others  # noqa: E402 - the two folders are found just above

from embviz.timing import measure  # noqa: E402
from embviz.timing.cases import Case  # noqa: E402
from embviz.timing.results import Measurement, Pool  # noqa: E402
from embviz.timing.series import Calibrations  # noqa: E402
from embviz.timing.tensors import Ready, statement  # noqa: E402

PROCESSES, TURNS = 5, 7
LOOP_S = 0.05  # timed by each harness in a turn, at least
NEAR = 1.05
CASES = {
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
    "lookup backward, 4,096 rows": Case("lookup", 4096, 64, 256, pass_="backward"),
    "lookup backward, 65,536 rows": Case("lookup", 65_536, 64, 256, pass_="backward"),
}


class Same(Ready):
    """The tensors of a point: those that the other harnesses use."""

    given: ClassVar[dict[str, Any]] = {}

    def names(self, _: Case) -> dict[str, Any]:
        """The globals of the statement."""
        return self.given


def serve() -> None:
    """A process that measures: a case in, three medians out, one JSON value a line."""
    calibrations: Calibrations = {}
    measure.Ready = Same  # type: ignore[misc]
    for line in sys.stdin:
        case = Case.from_dict(json.loads(line))
        torch.set_num_threads(case.threads)
        names, source = Ready(case.point).names(case), statement(case)
        harnesses = {"ours": ours, "torch": by_torch, "loop": by_loop}
        order = random.sample(list(harnesses), len(harnesses))
        found = {name: harnesses[name](case, source, names, calibrations) for name in order}
        print(json.dumps(found), flush=True)


def ours(case: Case, _: str, names: dict[str, Any], calibrations: Calibrations) -> float:
    """The median of the engine's rounds."""
    Same.given = names
    measuring = measure.Measuring(calibrations, lambda case: None, lambda: False)
    pool = Pool()
    for one in measuring.rounds([[case]]):
        pool.add(one)
    (found,) = (one for one in pool.results if isinstance(one, Measurement) and not one.helps)
    return found.median_s


def by_torch(case: Case, source: str, names: dict[str, Any], _: Calibrations) -> float:
    """The median of PyTorch's own timer."""
    timer = benchmark.Timer(source, globals=names, num_threads=case.threads)
    return float(timer.blocked_autorange(min_run_time=LOOP_S).median)


def by_loop(_: Case, source: str, names: dict[str, Any], __: Calibrations) -> float:
    """Median seconds of a call, by a loop that reads the clock before and after some calls."""
    code = f"def repeat(calls):\n    for _ in range(calls):\n        {source}"
    exec(code, names)  # noqa: S102 - our own statement
    repeat: Callable[[int], None] = names["repeat"]
    repeat(1)
    begun = time.perf_counter()
    repeat(1)
    calls = max(1, int(0.001 / max(time.perf_counter() - begun, 1e-7)))
    times, end = list[float](), time.perf_counter() + LOOP_S
    while time.perf_counter() < end or len(times) < 3:
        begun = time.perf_counter()
        repeat(calls)
        times.append((time.perf_counter() - begun) / calls)
    return statistics.median(times)


def compare(names: list[str], processes: int, turns: int) -> dict[str, Any]:
    """The three ratios of each case."""
    others = Others()
    ratios: dict[str, list[list[float]]] = {name: [] for name in names}
    for _ in range(processes):
        lines = [json.dumps(CASES[name].to_dict()) for _ in range(turns) for name in names]
        done = subprocess.run(
            [sys.executable, __file__, "--serve"],
            input="\n".join(lines),
            capture_output=True,
            text=True,
            check=True,
        )
        turned: dict[str, list[tuple[float, ...]]] = {name: [] for name in names}
        for name, line in zip(names * turns, done.stdout.splitlines(), strict=True):
            mine, torch_s, loop_s = (json.loads(line)[key] for key in ("ours", "torch", "loop"))
            turned[name].append((mine / torch_s, mine / loop_s, torch_s / loop_s))
        for name, those in turned.items():
            ratios[name].append([statistics.median(one) for one in zip(*those, strict=True)])
    cases = {
        name: [round(statistics.median(one), 3) for one in zip(*those, strict=True)]
        for name, those in ratios.items()
    }
    near = [name for name, (torch_, loop_, _) in cases.items() if _near(torch_) and _near(loop_)]
    return {"cases": cases, "near": len(near), "of": len(cases), "others_cores": others.cores()}


def _near(ratio: float) -> bool:
    return 1 / NEAR <= ratio <= NEAR


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The engine against two other harnesses.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--quick", action="store_true", help="one process, one turn: does it work?")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
        return
    many = (1, 1) if arguments.quick else (PROCESSES, TURNS)
    found = compare(arguments.cases, *many)
    if arguments.json:
        print(json.dumps(found))
        return
    print(f"{'':<30}{'ours/torch':>11}{'ours/loop':>11}{'torch/loop':>11}")
    for name, ratios in found["cases"].items():
        print(f"{name:<30}" + "".join(f"{ratio:>11.3f}" for ratio in ratios))
    print(
        f"{found['near']} of {found['of']} cases within {NEAR} of both; "
        f"other processes used {found['others_cores']:.2f} cores"
    )


if __name__ == "__main__":
    main()
