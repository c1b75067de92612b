"""The engine's medians against two other harnesses on the same cases, interleaved.

For each of 12 cases three harnesses take turns, so that a slow phase of the machine hits all
three: a sweep of the case alone by the engine, `torch.utils.benchmark.Timer.blocked_autorange`,
and a plain loop that reads `time.perf_counter`. The last two run in one process of their own, with
tensors made by the same code. Each turn gives one pair of ratios. Several fresh processes of both
sides count equally, because where a process finds its tensors in memory changes its times.

- **ours / torch**, **ours / loop**: the median over the turns of each process, then over processes.
- **torch / loop**: the same for the other two: what a ratio between two sound harnesses is here.

    python tests/benchmarks/validation.py [--json] [--quick] [--cases NAME ...]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from machine import Others  # noqa: E402 - the two folders are found just above

from embviz.timing.cases import Case  # noqa: E402
from embviz.timing.results import Measurement  # noqa: E402
from embviz.timing.sweep import Engine  # noqa: E402

PROCESSES, TURNS = 5, 5
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


def serve() -> None:
    """The process of the other two harnesses: a case in, two medians out, one JSON value a line."""
    import torch
    from torch.utils import benchmark

    from embviz.timing.tensors import Ready, statement

    ready: dict[Case, dict[str, Any]] = {}
    for line in sys.stdin:
        case = Case.from_dict(json.loads(line))
        torch.set_num_threads(case.threads)
        names = ready.setdefault(case, Ready(case.point).names(case))
        timer = benchmark.Timer(statement(case), globals=names, num_threads=case.threads)
        by_torch = timer.blocked_autorange(min_run_time=LOOP_S).median
        print(json.dumps([by_torch, loop(statement(case), names)]), flush=True)


def loop(source: str, names: dict[str, Any]) -> float:
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


def ours(engine: Engine, case: Case) -> float:
    """The engine's median of a sweep of this case alone."""
    sweep = engine.start([case])
    sweep.finished.wait(60)
    found = [one for one in sweep.results if isinstance(one, Measurement) and not one.helps]
    if not found:
        raise RuntimeError(f"the sweep is {sweep.state}: {sweep.error or sweep.results}")
    return found[0].median_s


def measure(names: list[str], processes: int, turns: int) -> dict[str, Any]:
    """The three ratios of each case."""
    others = Others()
    ratios: dict[str, list[tuple[float, ...]]] = {name: [] for name in names}
    for _ in range(processes):
        engine = Engine()
        process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        turned: dict[str, list[tuple[float, ...]]] = {name: [] for name in names}
        try:
            for _ in range(turns):
                for name in names:
                    mine = ours(engine, CASES[name])
                    process.stdin.write(json.dumps(CASES[name].to_dict()) + "\n")
                    process.stdin.flush()
                    by_torch, by_loop = json.loads(process.stdout.readline())
                    turned[name].append((mine / by_torch, mine / by_loop, by_torch / by_loop))
        finally:
            process.stdin.close()
            process.wait()
            engine.close()
        for name, those in turned.items():
            ratios[name].append(tuple(map(statistics.median, zip(*those, strict=True))))
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
    found = measure(arguments.cases, *many)
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
