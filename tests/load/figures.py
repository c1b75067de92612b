"""What all programs share: a visitor, the log of a run, its figures, other work, the print.

Without it figures of two programs could not be compared.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import numpy as np
import psutil

from tests.load.client import Tab
from tests.load.server import TEXT


class Log:
    """Observations of all students together.

    Attributes:
        seconds: of each action, as `action` and as `action: where`.
        wrong: how often each fault happened.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.wrong: Counter[str] = Counter()

    def figures(self) -> dict[str, Any]:
        """Number, p50, p95 and maximum (ms) of each action, everywhere and at each place."""
        return {name: spread(seconds) for name, seconds in sorted(self.seconds.items())}

    def compared(self, a: str, b: str) -> dict[str, Any]:
        """The figures, and how much longer `a` takes than `b`."""
        found = self.figures()
        ratios = {f"{p}, {a} / {b}": found[a][p] / found[b][p] for p in ("p50", "p95")}
        return found | ratios


class Visitor:
    """A student: a tab, what is done by chance, and the log.

    By chance the same is done in each run, at each of the `places` of a student.
    """

    def __init__(self, address: str, log: Log, *places: int) -> None:
        # Without a text the playground shows its small example.
        self.tab, self.log = Tab(address, text=[TEXT]), log
        self.chance = Random(str(places))  # noqa: S311 - for repetition, not for secrecy

    async def timed(self, work: Awaitable[None], action: str, where: str) -> None:
        """Do it; note how long it took, and what is wrong on the page (no name: playground)."""
        begun, name = time.perf_counter(), f"{action}: {where or 'playground'}"
        await work
        for one in (action, name):
            self.log.seconds[one].append(time.perf_counter() - begun)
        self.log.wrong.update(f"{name}: {one[:200]}" for one in self.tab.wrong)
        self.tab.wrong.clear()


def spread(seconds: list[float]) -> dict[str, float]:
    """Number, p50, p95 and maximum (ms)."""
    ms = 1000 * np.percentile(seconds, [50, 95, 100], method="inverted_cdf")
    return dict(zip(("p50", "p95", "max"), ms.tolist(), strict=True), count=len(seconds))


def watch() -> Callable[[], float]:
    """From now on: how many cores other processes used, on average; figures want it near 0."""
    begun, before = time.monotonic(), _others_s()
    return lambda: (_others_s() - before) / (time.monotonic() - begun)


def _others_s() -> float:
    """Seconds of processor time of all cores, without this process and its children."""
    all_cores, own = psutil.cpu_times(), psutil.Process()
    ours = {own, *own.children(recursive=True)}
    # Of children that have ended too, once they are waited for.
    used = [one.info["cpu_times"][:4] for one in psutil.process_iter(["cpu_times"]) if one in ours]
    return float(all_cores.user + all_cores.system - np.sum(used))


def show(found: dict[str, Any]) -> None:
    """Print one JSON object, with a line and two decimals for each figure."""
    rounded = json.loads(json.dumps(found), parse_float=lambda one: round(float(one), 2))
    lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in rounded.items())
    print("{" + ",\n ".join(lines) + "}")
