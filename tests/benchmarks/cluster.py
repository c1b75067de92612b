"""The same sweep local and on a cluster of one machine, in turns.

A scheduler and one worker run on this machine, over loopback. Each pair of sweeps is the default
sweep of the timing page: first local, then on the cluster, then in the other order. Both measuring
processes are warm. Needs `distributed`.

- **wall ratio**: seconds from Start to the end on the cluster by those of the local sweep, the
  median of the pairs.
- **median ratio**: the median over the cases of the cluster's median time by the local one, in a
  pair; then the median of the pairs.
- **local to local**: the same between one local sweep and the next: the noise.
- **method ratio**: the same of each method alone, because one slow method hides in the median of
  all; the median of the pairs.

    python tests/benchmarks/cluster.py [--json] [--quick]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from sweeping import default_sweep, finished  # noqa: E402 - the two folders are found just above

from embviz.timing.cases import Case  # noqa: E402
from embviz.timing.cluster import Cluster  # noqa: E402
from embviz.timing.cluster_address import ClusterError  # noqa: E402
from embviz.timing.results import Measurement  # noqa: E402
from embviz.timing.settings import VARY  # noqa: E402
from embviz.timing.sweep import Engine, Sweep  # noqa: E402

START_S = 60.0
END_S = 10.0


@contextmanager
def cluster_of_one() -> Iterator[Cluster]:
    """A scheduler and one worker on this machine."""
    started = list[subprocess.Popen[bytes]]()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "scheduler.json"

        def start(kind: str, *options: str) -> None:
            line = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard"]
            line += ["--scheduler-file", str(place), *options]
            started.append(subprocess.Popen(line, cwd=ROOT, stderr=subprocess.DEVNULL))

        try:
            start("scheduler", "--host", "127.0.0.1", "--port", "0")
            address = _waited(lambda: json.loads(place.read_text())["address"])
            # With Dask's nanny, as users start it: it sets variables for its own work.
            start("worker", "--resources", "embviz=1", "--name", "here")
            cluster = Cluster(address)
            _waited(cluster.machines)
            yield cluster
            cluster.close()
        finally:
            for process in reversed(started):
                process.terminate()
                try:
                    process.wait(END_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def _waited(found):  # type: ignore[no-untyped-def]
    """What `found` returns once it no longer raises."""
    end = time.monotonic() + START_S
    while True:
        try:
            return found()
        except (OSError, ValueError, ClusterError):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def timed(engine: Engine | Cluster, cases: Sequence[Case]) -> tuple[float, dict[Case, float]]:
    """Seconds of one sweep, and the median of each case."""
    begun = time.perf_counter()
    sweep: Sweep = finished(engine.start(cases))
    seconds = time.perf_counter() - begun
    measured = [one for one in sweep.results if isinstance(one, Measurement) and not one.helps]
    return seconds, {one.case: one.median_s for one in measured}


def ratio(after: dict[Case, float], before: dict[Case, float], method: str = "") -> float:
    """The median over the cases, or over those of one method."""
    cases = [case for case in before if method in ("", case.method)]
    return statistics.median(after[case] / before[case] for case in cases)


def measure(rows: Sequence[int], pairs: int) -> dict[str, float]:
    """Everything this benchmark measures."""
    cases, engine = default_sweep(rows), Engine()
    local, remote = list[tuple[float, dict[Case, float]]](), list[tuple[float, dict[Case, float]]]()
    try:
        with cluster_of_one() as cluster:
            for one in (engine, cluster):
                timed(one, cases[:1])  # starts the measuring process
            for number in range(pairs):
                turns = [(engine, local), (cluster, remote)]
                for one, kept in turns if number % 2 == 0 else reversed(turns):
                    kept.append(timed(one, cases))
    finally:
        engine.close()
    both = [*zip(local, remote, strict=True)]
    walls = [there[0] / here[0] for here, there in both]
    medians = [ratio(there[1], here[1]) for here, there in both]
    again = [ratio(b[1], a[1]) for a, b in pairwise(local)]
    figures = {
        "pairs": pairs,
        "cases": len(cases),
        "local_s": statistics.median(one[0] for one in local),
        "cluster_s": statistics.median(one[0] for one in remote),
        "wall_ratio": statistics.median(walls),
        "largest_wall_ratio": max(walls),
        "median_ratio": statistics.median(medians),
        "smallest_median_ratio": min(medians),
        "largest_median_ratio": max(medians),
        "smallest_local_to_local": min(again, default=1.0),
        "largest_local_to_local": max(again, default=1.0),
    }
    for method in dict.fromkeys(case.method for case in cases):
        of_method = [ratio(there[1], here[1], method) for here, there in both]
        figures[f"{method}_ratio"] = statistics.median(of_method)
    return {name: round(value, 4) for name, value in figures.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="A sweep local and on a cluster of one machine.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--quick", action="store_true", help="two sizes, one pair: does it work?")
    options = parser.parse_args()
    figures = measure((64, 128), 1) if options.quick else measure(VARY["vocab"].values, 5)
    print(
        json.dumps(figures)
        if options.json
        else "\n".join(f"{name:<26}{value:>9.3f}" for name, value in figures.items())
    )


if __name__ == "__main__":
    main()
