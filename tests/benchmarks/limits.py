"""The time that the proof of each case of *Where it breaks* takes in the page's rerun.

Each case that runs in this process is proved once to warm up, and then several times. Its figure
is the median. Prints the slowest cases and the sum of all;
the limit is 100 ms for a case. The child process that proves the rest is timed once, with its
start.

    python tests/benchmarks/limits.py [--json] [--repeat 7]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from embviz.limits.alone import prove_alone  # noqa: E402
from embviz.limits.case import Case  # noqa: E402
from embviz.limits.cases import CASES  # noqa: E402 - the folder is added just above
from embviz.limits.prove import prove  # noqa: E402

LIMIT_MS = 100.0
SHOWN = 10


def milliseconds(case: Case, repeat: int) -> float:
    """The median of several proofs, problem and fix together, once warm."""
    prove(case)
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        prove(case)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def main() -> int:
    """Print the slowest cases; exit 1 when one is over the limit."""
    parser = argparse.ArgumentParser(description="Time the proofs of all cases.")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.add_argument("--repeat", type=int, default=7, help="proofs of each case (default 7)")
    options = parser.parse_args()
    found = {case.name: milliseconds(case, options.repeat) for case in CASES if not case.alone}
    slowest = sorted(found.items(), key=lambda pair: -pair[1])[:SHOWN]
    started = time.perf_counter()
    for case in CASES:
        if case.alone:
            prove_alone(case)
    child_s = time.perf_counter() - started
    if options.json:
        print(json.dumps({"ms": found, "whole_ms": sum(found.values()), "child_s": child_s}))
    else:
        for name, took in slowest:
            print(f"{name:32}{took:9.2f} ms")
        print(f"{'whole list':32}{sum(found.values()):9.2f} ms, {len(found)} cases")
        print(f"{'child, with its start':32}{child_s:9.2f} s")
    return 1 if slowest[0][1] > LIMIT_MS else 0


if __name__ == "__main__":
    sys.exit(main())
