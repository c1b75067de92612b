"""The same sweep with a quiet and with a busy parent process.

The worker is a separate process, so the load of this process should not change its times. Quiet and
busy sweeps alternate, so that other work on the machine affects both. While busy, this process has
a thread that always computes in pure Python. Further threads rerun a page as Streamlit does: some
milliseconds of Python, JSON and garbage collection, then a rest. All of them compete for the GIL
with the engine's own threads.

- **Change**: for each case, the median of its busy medians divided by that of its quiet medians,
  minus 1. Printed for the median case of each method, and for the worst case of all.
- **Others**: cores that other processes used meanwhile. If it is not near 0, they cause the change.
- **In a thread**: the first case again, timed with PyTorch's own timer in this busy process, as an
  engine without a worker process would do it.

The worker needs a core of its own, so the machine needs at least two.

    python tests/benchmarks/busy.py [--json] [--quick]
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from machine import Others  # noqa: E402 - the two folders are found just above
from sweeping import default_sweep, finished  # noqa: E402

from embviz.timing.cases import Case  # noqa: E402
from embviz.timing.methods import DEFAULT_METHODS  # noqa: E402
from embviz.timing.results import Measurement  # noqa: E402
from embviz.timing.sweep import Engine  # noqa: E402

LIMIT = 0.25  # largest change that counts as small
REST_S = 0.05  # of a session between two reruns


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        rows: sizes of vocabulary.
        pairs: sweeps with a quiet and with a busy parent.
        sessions: threads of simulated visitors, beside the one that always computes.
    """

    rows: tuple[int, ...] = (64, 1024, 4096, 16384)
    pairs: int = 4
    sessions: int = 8

    @property
    def cases(self) -> list[Case]:
        """The cases of one sweep."""
        return default_sweep(self.rows)


QUICK = Effort(rows=(64,), pairs=1, sessions=1)


def compute_without_end(over: threading.Event) -> None:
    """Compute in pure Python until the end."""
    number = 0
    while not over.is_set():
        number = (number * 1103515245 + 12345) % 2**31


def rerun_without_end(over: threading.Event) -> None:
    """Rerun like a session: Python, JSON and garbage collection of a page, then a rest."""
    while not over.is_set():
        rows = [{"id": n, "label": f"row {n}", "values": [n / 7, n / 11]} for n in range(2000)]
        json.loads(json.dumps(rows))
        gc.collect(0)
        over.wait(REST_S)


@contextlib.contextmanager
def busy(sessions: int) -> Iterator[None]:
    """Keep many threads of this process computing until the end of the block."""
    over = threading.Event()
    targets = [compute_without_end, *[rerun_without_end] * sessions]
    threads = [threading.Thread(target=target, args=(over,)) for target in targets]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def medians(engine: Engine, cases: list[Case]) -> dict[Case, float]:
    """One sweep's medians, without controls."""
    return {
        one.case: one.median_s
        for one in finished(engine.start(cases)).results
        if isinstance(one, Measurement) and not one.control
    }


def in_a_thread(case: Case) -> float:
    """Seconds of a case by PyTorch's own timer in this process."""
    from torch.utils import benchmark

    from embviz.timing.tensors import Ready, statement

    names = Ready(case.point).names(case)
    timer = benchmark.Timer(statement(case), globals=names, num_threads=case.threads)
    return float(timer.blocked_autorange().median)


def measure(effort: Effort) -> dict[str, Any]:
    """Everything this benchmark measures."""
    engine, cases, others = Engine(), effort.cases, Others()
    quiet: dict[Case, list[float]] = {case: [] for case in cases}
    loaded: dict[Case, list[float]] = {case: [] for case in cases}
    try:
        medians(engine, cases[: len(DEFAULT_METHODS)])  # the worker starts
        for _ in range(effort.pairs):
            for case, seconds in medians(engine, cases).items():
                quiet[case].append(seconds)
            with busy(effort.sessions):
                time.sleep(0.2)
                for case, seconds in medians(engine, cases).items():
                    loaded[case].append(seconds)
        others_cores = others.cores()
    finally:
        engine.close()
    with busy(effort.sessions):
        thread_s = in_a_thread(cases[0])
    p50 = statistics.median
    change = {case: p50(loaded[case]) / p50(quiet[case]) - 1 for case in cases}
    rounded = {
        method: round(p50(change[case] for case in cases if case.method == method), 4)
        for method in DEFAULT_METHODS
    }
    return {
        "methods": rounded,
        "median_change": round(p50(change.values()), 4),
        "worst_change": round(max(change.values(), key=abs), 4),
        "within_25_percent": round(sum(abs(c) < LIMIT for c in change.values()) / len(cases), 4),
        "cases": len(cases),
        "others_cores": round(others_cores, 2),
        "in_a_thread_ratio": round(thread_s / p50(quiet[cases[0]]), 1),
    }


def table(figures: dict[str, Any]) -> str:
    """The figures for people."""
    lines = [f"{name:<20}{change:>+8.1%}" for name, change in figures["methods"].items()]
    return "\n".join(
        [
            "medians while the parent is busy, against a quiet one",
            *lines,
            f"{'all, median case':<20}{figures['median_change']:>+8.1%}",
            f"{'all, worst case':<20}{figures['worst_change']:>+8.1%}",
            f"{figures['within_25_percent']:.0%} of {figures['cases']} cases move by less than "
            f"{LIMIT:.0%}",
            f"others kept {figures['others_cores']} cores busy (a quiet machine: below 0.1)",
            f"{DEFAULT_METHODS[0]} in a thread of the busy process: "
            f"{figures['in_a_thread_ratio']:,.0f}x its time",
        ]
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a busy server does to what is measured.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--quick", action="store_true", help="one size, one pair: does it work?")
    arguments = parser.parse_args()
    figures = measure(QUICK if arguments.quick else Effort())
    print(json.dumps(figures) if arguments.json else table(figures))


if __name__ == "__main__":
    main()
