"""The load of other processes during a benchmark, which makes its figures useless.

The benchmarks in this folder import it; it is no benchmark itself.
"""

from __future__ import annotations

import time

import psutil


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
