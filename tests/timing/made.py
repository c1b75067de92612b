"""Runs whose true times are known."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from embviz.timing.measure.medians import sample_medians
from embviz.timing.measure.run import Run
from embviz.timing.measure.timed import Timed, plan
from embviz.timing.tell.statistics import judge, pairs
from tests.timing.tell.fake_machine import sweep

CASE = Timed("lookup", 64, 8, 4)
ROWS = [4, 64, 1024, 16384]


def vocab(*methods: str, rows: Sequence[int] = ROWS, **more: Any) -> list[Timed]:
    """Cases over rows; more are arguments of `plan`."""
    given: dict[str, Any] = {"devices": ["cpu"], "embedding_dim": 64, "tokens": 256} | more
    return plan("vocab", rows, methods or ("lookup", "matmul"), **given)


def grows(case: Timed) -> float:
    """A lookup takes 10 µs; a matmul 100 ns a row, twice that if it builds its one-hot."""
    if case.record.route == "lookup":
        return 1e-5
    return 1e-7 * case.num_embeddings * (2 if case.record.builds else 1)


class Drawn(Run):
    """A run whose table of times is given."""

    times = pd.DataFrame()

    @property
    def measured(self) -> list[Timed]:
        """Those with times."""
        return [*dict.fromkeys(self.times["case"])]


def verdicts_on(times: pd.DataFrame, clock: str = "wait") -> pd.DataFrame:
    """The verdicts on a table of times, as of a run without a question."""
    compared = [(a, b) for _, a, b in pairs(times["case"].unique())]
    return judge(sample_medians(times, clock), compared)


def made_run(
    cases: Sequence[Timed],
    seconds: Callable[[Timed], float] = grows,
    seed: int = 0,
    question: str = "",
    **more: Any,
) -> Run:
    """The run that a sweep on the fake machine gives; its points have equally many methods.

    Args:
        cases: point by point.
        seconds: the true time of a case.
        seed: of the machine's noise.
        question: that was pressed.
        more: as of `fake_machine.sweep`, and `cpu`.
    """
    run, cpu = Run("r.jsonl"), more.pop("cpu", "Some CPU")
    named = {"question": question, "cases": [*map(asdict, cases)]}
    run.add({"type": "environment", **named, "cpu": cpu, "date": "2026-11-25"})
    times = sweep(cases, seconds, np.random.default_rng(seed), **more)
    index = {case: number for number, case in enumerate(cases)}
    keys = ["case", "process", "placement", "round", "again"]
    for (case, *where), rows in times.groupby(keys, sort=False):
        place = dict(zip(keys, [index[case], *where], strict=True))
        run.add({"type": "times", **place, "wait": list(rows["seconds"])})
    run.add({"type": "end", "status": "done", "wall_s": 1.0, "reason": ""})
    return run
