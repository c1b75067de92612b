"""What all programs share: a visitor, the log of a run, its figures, other work, the print.

Without it figures of two programs could not be compared.
"""

import argparse
import json
import os
import time
from collections import Counter, defaultdict
from contextlib import suppress
from random import Random

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

    def __init__(self):
        self.seconds, self.wrong = defaultdict(list), Counter()

    def figures(self, a="", b=""):
        """The figures of each action, everywhere and at each place; how much longer a takes."""
        found = {name: spread(seconds) for name, seconds in sorted(self.seconds.items()) if seconds}
        for p in ("p50", "p95") if a else ():
            found[f"{p}, {a} / {b}"] = found[a][p] / found[b][p]
        return found


class Visitor(Tab):
    """A student's tab, with what is done by chance, and the log.

    By chance the same is done in each run, at each of the `places` of a student.
    """

    def __init__(self, address, log, *places):
        # Without a text the playground shows its small example.
        super().__init__(address, text=[TEXT])
        self.log = log
        self.chance = Random(str(places))  # noqa: S311 - for repetition, not for secrecy

    async def timed(self, work, action, where):
        """The result of it; notes how long it took, and what is wrong on the page.

        A page without a name is the playground.
        """
        begun, name = time.perf_counter(), f"{action}: {where or 'playground'}"
        found = await work
        for one in (action, name):
            self.log.seconds[one].append(time.perf_counter() - begun)
        self.log.wrong.update(f"{name}: {one[:200]}" for one in self.wrong)
        self.wrong.clear()
        return found


def options(about, **numbers):
    """A parser with these options: the default of each, which gives its type, and its meaning."""
    parser = argparse.ArgumentParser(description=about)
    for name, (default, help) in numbers.items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help=help)
    return parser


def spread(seconds):
    """Number, p50, p95 and maximum (ms)."""
    p50, p95, most = 1000 * np.percentile(seconds, [50, 95, 100], method="inverted_cdf")
    return {"p50": p50, "p95": p95, "max": most, "count": len(seconds)}


def watch():
    """From now on: how many cores other processes used, on average; figures want it near 0."""
    begun, before = time.monotonic(), _others_s()
    return lambda: (_others_s() - before) / (time.monotonic() - begun)


def _others_s():
    """Seconds of processor time of all cores, without this process and its children.

    Those that run count like those that have ended: a server may start before and end after.
    """
    all_cores, ours = psutil.cpu_times(), sum(os.times()[:4])
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            ours += sum(child.cpu_times()[:4])  # with its ended children
    return all_cores.user + all_cores.system - ours


def show(found):
    """Print one JSON object, with a line for each action and two decimals for each figure."""
    rounded = json.loads(json.dumps(found), parse_float=lambda one: round(float(one), 2))
    print(json.dumps(rounded).replace("}, ", "},\n "))
