"""What else this machine does while a benchmark runs: figures taken beside other work are not ours.

Imported by the benchmarks beside it; not one itself.
"""

from __future__ import annotations

import time

import psutil


class Others:
    """The cores that other processes keep busy, from its creation to `cores()`."""

    def __init__(self) -> None:
        self._begun, self._used, self._own = time.monotonic(), _used(), _own()

    def cores(self) -> float:
        """How many, on average; below 0.1 the machine is quiet."""
        others = (_used() - self._used) - (_own() - self._own)
        return max(0.0, others / (time.monotonic() - self._begun))


def _used() -> float:
    """Seconds that all cores together have worked."""
    times = psutil.cpu_times()._asdict()
    return float(
        sum(
            times[name]
            for name in ("user", "system", "nice", "irq", "softirq", "steal")
            if name in times
        )
    )


def _own() -> float:
    """Seconds that this process and its children have worked, those that have ended included."""
    own = psutil.Process()
    total = sum(own.cpu_times()[:4])
    for child in own.children(recursive=True):
        try:
            total += sum(child.cpu_times()[:2])
        except psutil.NoSuchProcess:  # it ended just now, and is counted once it is waited for
            continue
    return float(total)
