"""What benchmarks share: the load of other processes, the default sweep, and waiting for its end.

Other processes make the figures of a benchmark useless.

The benchmarks in this folder import it; it is no benchmark itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

import psutil

from embviz.core.cores import default_threads
from embviz.timing.cases import Case, plan
from embviz.timing.methods import DEFAULT_METHODS
from embviz.timing.sweep import Sweep

SWEEP_LIMIT_S = 300.0


def default_sweep(rows: Iterable[int]) -> list[Case]:
    """The cases of the timing page's defaults, at these sizes."""
    fixed = {"embedding_dim": 64, "tokens": 256, "threads": default_threads()}
    return plan("vocab", rows, DEFAULT_METHODS, ["cpu"], **fixed)


def finished(sweep: Sweep) -> Sweep:
    """The sweep, after it is done or stopped."""
    if not sweep.finished.wait(SWEEP_LIMIT_S) or sweep.state == "failed":
        raise RuntimeError(f"the sweep is {sweep.state}: {sweep.error}")
    return sweep


class Others:
    """Measures the load of other processes, from its creation to `cores()`."""

    def __init__(self) -> None:
        self._begun, self._used, self._own = time.monotonic(), _used(), _own()

    def cores(self) -> float:
        """How many cores other processes used, on average; on a quiet machine below 0.1."""
        others = (_used() - self._used) - (_own() - self._own)
        return max(0.0, others / (time.monotonic() - self._begun))


def _used() -> float:
    """Seconds of CPU time of all cores together."""
    times = psutil.cpu_times()._asdict()
    return float(
        sum(
            times[name]
            for name in ("user", "system", "nice", "irq", "softirq", "steal")
            if name in times
        )
    )


def _own() -> float:
    """Seconds of CPU time of this process and its children, ended ones included."""
    own = psutil.Process()
    total = sum(own.cpu_times()[:4])
    for child in own.children(recursive=True):
        try:
            total += sum(child.cpu_times()[:2])
        except psutil.NoSuchProcess:  # it has just ended, and counts after it is waited for
            continue
    return float(total)
