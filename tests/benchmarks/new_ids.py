"""What new ids cost a lookup: its time with new ids divided by that with the same ids.

For each size of the table the engine measures both, and so does a plain loop that reads
`time.perf_counter`. The loop takes its ids from a ring whose rows together are larger than the
last-level cache. Engine and loop take turns; each interleaves its own points.

    python tests/benchmarks/new_ids.py [--turns N] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import time
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402 - the two folders are found just above
from machine import Others  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from embviz.core import bounds  # noqa: E402
from embviz.core.environment import cache_bytes  # noqa: E402
from embviz.timing.cases import plan  # noqa: E402
from embviz.timing.results import Measurement  # noqa: E402
from embviz.timing.sweep import Engine  # noqa: E402

EARLIER = {4096: 1.15, 65_536: 2.0, 1_000_000: 2.7, 4_000_000: 2.9}  # another day, this machine
DIM, TOKENS = 64, 256
NEAR = 1.2
ROUNDS, BLOCKS, CALLS = 12, 3, 150
BUDGET_MIB = 6000  # so that all tables stand together, and all points are interleaved
Seconds = dict[tuple[int, str], float]


def engine_seconds(engine: Engine) -> Seconds:
    """The engine's median for each table and cache."""
    cases = plan(
        "vocab",
        EARLIER,
        ["lookup"],
        ["cpu"],
        ["same", "new"],
        embedding_dim=DIM,
        tokens=TOKENS,
        threads=1,
    )
    sweep = engine.start(cases)
    sweep.finished.wait()
    return {
        (one.case.num_embeddings, one.case.cache): one.median_s
        for one in sweep.results
        if isinstance(one, Measurement) and not one.helps
    }


class Loop:
    """A plain loop over a ring of ids, and over one id tensor."""

    def __init__(self) -> None:
        torch.set_num_threads(1)
        least = 2 * (cache_bytes("cpu") or 2**26)
        length = 1 + least // (TOKENS * DIM * torch.float32.itemsize)
        self._tables = {rows: torch.randn(rows, DIM) for rows in EARLIER}
        self._rings = {rows: torch.randint(rows, (length, TOKENS)).unbind() for rows in EARLIER}
        self._next = dict.fromkeys(EARLIER, 0)

    def seconds(self) -> Seconds:
        """The median over rounds for each table and cache; the first block is a warm-up."""
        found: dict[tuple[int, str], list[float]] = {
            point: [] for point in product(EARLIER, ("same", "new"))
        }
        for _ in range(ROUNDS):
            for rows, cache in random.sample(list(found), len(found)):
                times = [self._block(rows, cache) for _ in range(1 + BLOCKS)]
                found[rows, cache] += times[1:]
        return {point: statistics.median(times) for point, times in found.items()}

    def _block(self, rows: int, cache: str) -> float:
        table, ring, first = self._tables[rows], self._rings[rows], self._next[rows]
        taken = [ring[0]] * CALLS
        if cache == "new":
            taken = [ring[(first + k) % len(ring)] for k in range(CALLS)]
            self._next[rows] = first + CALLS
        start = time.perf_counter()
        for ids in taken:
            F.embedding(ids, table)
        return (time.perf_counter() - start) / CALLS


def main() -> None:
    """Print both ratios for each table, as a median over the turns with its range."""
    parser = argparse.ArgumentParser(description="New ids against the same ids.")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    os.environ.setdefault(bounds.TIMING.variable, str(BUDGET_MIB))
    others, engine, loop = Others(), Engine(), Loop()
    turns: list[tuple[Seconds, Seconds]] = []
    for turn in range(options.turns):
        print(f"turn {turn + 1} of {options.turns}", file=sys.stderr)
        turns.append((engine_seconds(engine), loop.seconds()))
    engine.close()
    found = {
        name: {
            rows: [both[side][rows, "new"] / both[side][rows, "same"] for both in turns]
            for rows in EARLIER
        }
        for side, name in enumerate(("engine", "loop"))
    }
    others_used = others.cores()
    if options.json:
        print(json.dumps({"ratios": found, "earlier": EARLIER, "others": others_used}))
        return
    print(f"Other processes used {others_used:.2f} cores.\n")
    print(f"{'rows':>10} {'earlier':>8} {'engine':>20} {'loop':>20}  engine is within 20 %")
    for rows, earlier in EARLIER.items():
        both = [found[name][rows] for name in ("engine", "loop")]
        shown = [f"{statistics.median(one):.2f} ({min(one):.2f}-{max(one):.2f})" for one in both]
        near = 1 / NEAR <= statistics.median(both[0]) / earlier <= NEAR
        print(f"{rows:>10,} {earlier:>8} {shown[0]:>20} {shown[1]:>20}  {'yes' if near else 'no'}")


if __name__ == "__main__":
    main()
