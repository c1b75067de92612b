"""Times in, figures out: the log of one run, its percentiles, other work, and what is printed."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import psutil

from tests.load.client import Tab
from tests.load.server import cpu_s


class Log:
    """Observations of all students together.

    Attributes:
        seconds: of each action, as `action` or `action: page`.
        wrong: how often each fault happened.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.wrong: Counter[str] = Counter()

    def look(self, where: str, tab: Tab) -> None:
        """Note the exceptions and errors that a page shows."""
        self.wrong.update(f"{where}: {one[:200]}" for one in tab.wrong)
        tab.wrong.clear()

    def spread(self, action: str) -> dict[str, float]:
        """Number, p50, p95 and maximum (ms) of an action, on all pages if none is named."""
        alike = (all_ for name, all_ in self.seconds.items() if f"{name}:".startswith(f"{action}:"))
        return spread([*chain(*alike)])


def spread(seconds: list[float]) -> dict[str, float]:
    """Number, p50, p95 and maximum (ms)."""
    if not seconds:
        return {"count": 0}
    ms = 1000 * np.percentile(seconds, [50, 95, 100], method="inverted_cdf")
    p50, p95, most = ms.round(1).tolist()
    return {"count": len(seconds), "p50": p50, "p95": p95, "max": most}


class Others:
    """Measures the load of other processes, which makes figures useless, from its creation on."""

    def __init__(self) -> None:
        self._begun, self._used = time.monotonic(), _others_s()

    def cores(self) -> float:
        """How many cores other processes used, on average; on a quiet machine below 0.1."""
        return round((_others_s() - self._used) / (time.monotonic() - self._begun), 2)


def _others_s() -> float:
    """Seconds of processor time of all cores, without this process and its children."""
    times, own = psutil.cpu_times(), psutil.Process()
    # Children that have ended count once they are waited for.
    mine = sum(own.cpu_times()[:4]) + sum(map(cpu_s, own.children(recursive=True)))
    return float(times.user + times.system + getattr(times, "nice", 0) - mine)


def show(found: dict[str, Any], as_json: bool) -> None:
    """Print one JSON object, or a table of what has parts and a line for each of the rest."""
    if as_json:
        print(json.dumps(found))
        return
    parts = {name: value for name, value in found.items() if isinstance(value, dict)}
    if parts:
        print(pd.DataFrame(parts).T.to_string(na_rep="", float_format="{:,.2f}".format))
    for name in found.keys() - parts:
        print(f"{name:<24}{found[name]}")
