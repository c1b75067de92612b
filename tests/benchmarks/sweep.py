"""The timing engine against plain `torch.utils.benchmark`, on the same cases, in one run.

The default sweep of the timing page: 11 sizes of vocabulary, four methods, 44 cases and an A/A
control at each size, 55 measurements. A tiny sweep starts the worker beforehand.

- **First point, sweep**: from Start to the first measurement, and to the end; the median of
  several sweeps.
- **Timed share**: the share of a sweep's time that is spent inside timed code.
- **Stop**: from Stop to the end, once between quick calls and once in the middle of a call of
  several seconds; the longer of the two.
- **Plain PyTorch**: a separate process makes the same tensors with the same code. It calls
  `Timer(...).blocked_autorange()` with default settings for the same 55 measurements, with the same
  number of threads. Its wall time is that of its loop. The start of Python is not counted, here and
  for the engine. `median_ratio_to_torch` is the median over the cases of the engine's median
  divided by PyTorch's; `median_deviation` is the distance of that ratio from 1 at the median case.
- **Others**: cores that other processes used meanwhile. If it is not near 0, the figures are wrong.
- **A/A**: the share of all points at which the first method and its control are not told apart:
  by their rounds, beyond 2 %, at 1 % for each pair alone.

    python tests/benchmarks/sweep.py [--json] [--quick]
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from machine import Others  # noqa: E402 - the two folders are found just above
from sweeping import SWEEP_LIMIT_S, default_sweep, finished  # noqa: E402

from embviz.timing.cases import Case, plan  # noqa: E402
from embviz.timing.intervals import LEVEL, Estimate, estimate  # noqa: E402
from embviz.timing.paired import differences  # noqa: E402
from embviz.timing.results import Measurement, Result  # noqa: E402
from embviz.timing.settings import VARY  # noqa: E402
from embviz.timing.sweep import Engine, Sweep  # noqa: E402
from embviz.timing.verdicts import MIN_NOISE  # noqa: E402

SETTLE_S = 0.5  # until a slow call has begun
# Half a TFLOP in one call, with 640 MiB: it takes seconds on any CPU core.
SLOW = Case("matmul", 4096, 8192, 8192)


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        rows: sizes of vocabulary.
        sweeps: how many sweeps of them.
        slow: whether one is stopped in the middle of a slow call, too.
    """

    rows: tuple[int, ...] = VARY["vocab"].values
    sweeps: int = 5  # 55 points with a control each
    slow: bool = True

    @property
    def cases(self) -> list[Case]:
        """The cases of one sweep."""
        return default_sweep(self.rows)


QUICK = Effort(rows=(64,), sweeps=1, slow=False)


def stop_seconds(engine: Engine, slow: bool) -> float:
    """Seconds from Stop to the end, among quick calls or in a slow one, whichever is longer."""
    taken = []
    quick = plan("vocab", range(64, 264), ["lookup"], ["cpu"], embedding_dim=64, tokens=256)
    for cases, settle in ((quick, 0.0), ([quick[0], SLOW], SETTLE_S))[: 1 + slow]:
        sweep = engine.start(cases)
        while not sweep.results:
            time.sleep(0.005)
        time.sleep(settle)
        asked = time.perf_counter()
        sweep.stop()
        finished(sweep)
        taken.append(time.perf_counter() - asked)
    return max(taken)


def ours(engine: Engine, effort: Effort) -> tuple[list[Sweep], list[float]]:
    """Default sweeps of a warm worker, and the seconds of each from Start to its end."""
    finished(engine.start(plan("vocab", [64], ["lookup"], ["cpu"], embedding_dim=4, tokens=4)))
    sweeps, taken = [], []
    for _ in range(effort.sweeps):
        asked = time.perf_counter()
        sweeps.append(finished(engine.start(effort.cases)))
        taken.append(time.perf_counter() - asked)
    return sweeps, taken


def plain(effort: Effort) -> tuple[dict[tuple[Case, bool], float], float]:
    """Medians and wall time of `torch.utils.benchmark` alone, in a fresh process."""
    rows = ",".join(map(str, effort.rows))
    done = subprocess.run(
        [sys.executable, __file__, "--plain", rows], check=True, capture_output=True, text=True
    )
    *lines, last = (json.loads(line) for line in done.stdout.splitlines())
    medians = {
        (Case.from_dict(line["case"]), line["control"]): float(line["median_s"]) for line in lines
    }
    return medians, float(last["wall_s"])


def run_plain(cases: Sequence[Case]) -> None:
    """Run in that process: one JSON object a line on stdout."""
    from torch.utils import benchmark

    from embviz.timing.tensors import Ready, statement

    begun = time.perf_counter()
    for _, group in groupby(cases, key=lambda case: case.group):
        those = list(group)
        ready = Ready(those[0].point)
        for case, control in [
            (those[0], False),
            (those[0], True),
            *((c, False) for c in those[1:]),
        ]:
            timer = benchmark.Timer(
                statement(case), globals=ready.names(case), num_threads=case.threads
            )
            median = timer.blocked_autorange().median
            print(json.dumps({"case": case.to_dict(), "control": control, "median_s": median}))
    print(json.dumps({"wall_s": time.perf_counter() - begun}))


def medians_of(results: Iterable[Result]) -> dict[tuple[Case, bool], float]:
    """The engine's medians, by case and whether it is the control."""
    return {
        (one.case, one.control): one.median_s
        for one in results
        if isinstance(one, Measurement) and not one.anchor
    }


def twins(results: Iterable[Result]) -> list[Estimate]:
    """For each control, the logarithm of its ratio to the same case measured at the same point."""
    known = {one.key: one for one in results if isinstance(one, Measurement)}
    return [
        estimate(differences(one, known[one.case, False, False]))
        for one in known.values()
        if one.control
    ]


def measure(effort: Effort) -> dict[str, float]:
    """Everything this benchmark measures."""
    engine, others = Engine(), Others()
    try:
        sweeps, taken = ours(engine, effort)
        stop_s = stop_seconds(engine, effort.slow)
    finally:
        engine.close()
    torch_medians, torch_wall_s = plain(effort)
    mine = [medians_of(sweep.results) for sweep in sweeps]
    if set(mine[0]) != set(torch_medians):
        raise RuntimeError("the two did not measure the same cases")
    ratios = [mine[0][case] / torch_medians[case] for case in torch_medians]
    # By MIN_NOISE alone: judged by its own ratio a pair could never fail.
    pairs = [pair for sweep in sweeps for pair in twins(sweep.results)]
    alike = [pair.p_value(math.log(MIN_NOISE)) >= LEVEL for pair in pairs]
    p50 = statistics.median
    figures = {
        "first_point_s": p50(sweep.first_s or SWEEP_LIMIT_S for sweep in sweeps),
        "sweep_s": p50(taken),
        "stop_s": stop_s,
        "timed_share": p50(
            sweep.timed_s / seconds for sweep, seconds in zip(sweeps, taken, strict=True)
        ),
        "median_ratio_to_torch": p50(ratios),
        "wall_ratio_to_torch": p50(taken) / torch_wall_s,
        "median_deviation": p50(max(ratio, 1 / ratio) for ratio in ratios) - 1,
        "worst_ratio_to_torch": max(ratios, key=lambda ratio: max(ratio, 1 / ratio)),
        "torch_sweep_s": torch_wall_s,
        "slowest_sweep_s": max(taken),
        "slowest_first_point_s": max(sweep.first_s or SWEEP_LIMIT_S for sweep in sweeps),
        "cases": len(effort.cases),
        "measurements": len(torch_medians),
        "others_cores": others.cores(),
        "aa_points": len(pairs),
        "aa_not_told_apart_share": sum(alike) / len(alike),
        "aa_median_noise": math.exp(p50(abs(pair.mean) for pair in pairs)) - 1,
    }
    return {name: round(value, 4) for name, value in figures.items()}


def table(figures: dict[str, float]) -> str:
    """The figures for people."""
    f = figures
    rows = [
        ("first point (s)", f["first_point_s"], f"slowest {f['slowest_first_point_s']}"),
        (
            "sweep (s)",
            f["sweep_s"],
            f"slowest {f['slowest_sweep_s']}; "
            f"{f['cases']:.0f} cases, {f['measurements']:.0f} measurements",
        ),
        ("stop (s)", f["stop_s"], "also in the middle of a long call"),
        ("share inside timed code", f["timed_share"], ""),
        ("plain torch, sweep (s)", f["torch_sweep_s"], f"ours takes {f['wall_ratio_to_torch']} of"),
        (
            "medians, ours / torch",
            f["median_ratio_to_torch"],
            f"median case off by {f['median_deviation']:.1%}, "
            f"worst case {f['worst_ratio_to_torch']}",
        ),
        ("others (cores)", f["others_cores"], "a quiet machine: below 0.1"),
        (
            "A/A not told apart",
            f["aa_not_told_apart_share"],
            f"of {f['aa_points']:.0f} points; off by {f['aa_median_noise']:.2%} at the median",
        ),
    ]
    return "\n".join(f"{name:<26}{value:>8.3f}  {note}".rstrip() for name, value, note in rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The timing engine against torch's own timer.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--quick", action="store_true", help="one size, one sweep: does it work?")
    parser.add_argument("--plain", help=argparse.SUPPRESS)  # rows, for the process beside us
    arguments = parser.parse_args()
    if arguments.plain:
        run_plain(Effort(rows=tuple(map(int, arguments.plain.split(",")))).cases)
        return
    figures = measure(QUICK if arguments.quick else Effort())
    print(json.dumps(figures) if arguments.json else table(figures))


if __name__ == "__main__":
    main()
