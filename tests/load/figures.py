"""What all programs share: a student, the log of a run, its figures, other work, the print."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from random import Random
from typing import Any

import numpy as np
import psutil

from tests.load.client import Tab
from tests.load.server import TEXT, cpu_s


class Log:
    """Observations of all students together.

    Attributes:
        seconds: of each action, as `action`, and of some also as `action: page`.
        wrong: how often each fault happened.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.wrong: Counter[str] = Counter()

    def look(self, where: str, tab: Tab) -> None:
        """Note the exceptions and errors that a page shows."""
        self.wrong.update(f"{where}: {one[:200]}" for one in tab.wrong)
        tab.wrong.clear()

    def figures(self) -> dict[str, Any]:
        """Number, p50, p95 and maximum (ms) of each action, on all pages and on each."""
        return {name: spread(seconds) for name, seconds in sorted(self.seconds.items())}


def spread(seconds: list[float]) -> dict[str, float]:
    """Number, p50, p95 and maximum (ms)."""
    ms = 1000 * np.percentile(seconds, [50, 95, 100], method="inverted_cdf")
    return dict(zip(("p50", "p95", "max"), ms.tolist(), strict=True), count=len(seconds))


def ratios(found: dict[str, Any], a: str, b: str) -> dict[str, float]:
    """How much longer `a` takes than `b`."""
    return {f"{name}, {a} / {b}": found[a][name] / found[b][name] for name in ("p50", "p95")}


class Visitor:
    """A student: a tab, what is done by chance, and the log.

    By chance the same is done in each run, at each of the `places` of a student.
    """

    def __init__(self, address: str, log: Log, *places: int) -> None:
        # Without a text the playground shows its small example.
        self.tab, self.log = Tab(address, text=[TEXT]), log
        self.chance = Random(str(places))  # noqa: S311 - for repetition, not for secrecy


class Others:
    """Measures the load of other processes, which makes figures useless, from its creation on."""

    def __init__(self) -> None:
        self._begun, self._used = time.monotonic(), _others_s()

    def cores(self) -> float:
        """How many cores other processes used, on average; on a quiet machine below 0.1."""
        return (_others_s() - self._used) / (time.monotonic() - self._begun)


def _others_s() -> float:
    """Seconds of processor time of all cores, without this process and its children."""
    times, own = psutil.cpu_times(), psutil.Process()
    # Children that have ended count once they are waited for.
    mine = sum(own.cpu_times()[:4]) + sum(map(cpu_s, own.children(recursive=True)))
    return float(times.user + times.system + getattr(times, "nice", 0) - mine)


def show(found: dict[str, Any]) -> None:
    """Print one JSON object, with a line and two decimals for each figure."""
    rounded = json.loads(json.dumps(found), parse_float=lambda one: round(float(one), 2))
    lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in rounded.items())
    print("{" + ",\n ".join(lines) + "}")
