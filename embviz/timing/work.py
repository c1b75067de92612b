"""The work of a GPU and the wait for it, in two sentences beside the answer of a run.

An answer on a GPU tells its work. From Python one waits for the start of a call too, some 10 to
20 µs: it hides behind long work, and is nearly all of a short one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pandas as pd

from embviz.timing.axes import AXES
from embviz.timing.medians import part_medians, typical_seconds
from embviz.timing.methods import ROUTES
from embviz.timing.recorded import recorded_models
from embviz.timing.run import Run, short_name
from embviz.timing.sentences import UNSURE, answer, as_sentence, at, format_time, longer
from embviz.timing.statistics import clock_of, verdicts
from embviz.timing.timed import Timed

NEARLY_ALL = 0.8  # Share of a wait from which the start of a call is nearly all of it.
MOST = 0.5  # Share of a wait from which the start of a call is most of it.
HIDDEN = 0.2  # Share of a wait up to which the start of a call hides behind the work.


def answer_and_waits(run: Run) -> list[str]:
    """The answer of a run, and where a GPU was timed, what it works and what one waits."""
    return [*answer(run), *waits(run)]


def waits(run: Run) -> list[str]:
    """The work of a lookup and a matmul, where the answer does not tell it; then what one waits.

    Both at the largest size that a GPU was timed at. None where no GPU was.
    """
    is_on_gpu = [case.device == "cuda" for case in run.times["case"]]
    on_gpu = run.times.loc[is_on_gpu]  # Not `[...]`: of no times, that would choose no columns.
    work, wait = (_seconds(on_gpu, clock) for clock in ("gpu", "wait"))
    lookups = [case for case in work if case.method == "lookup"]
    if not lookups:
        return []
    lookups.sort()
    lookup = lookups[0]
    if AXES[run.axis].size:
        lookup = max(lookups, key=lambda case: getattr(case, run.axis))
    matmul = replace(lookup, method="matmul")
    if matmul not in work:
        return [f"From Python one waits {format_time(wait[lookup])} for this lookup."]
    said = list[str]()
    if clock_of(run.times, run.question) == "wait":
        said.append(_work(run, on_gpu, lookup, matmul, work))
    first, second = (format_time(wait[case]) for case in (lookup, matmul))
    where = at(run.axis, getattr(lookup, run.axis))
    both = f"{where} one waits from Python {first} for the lookup, {second} for the matmul"
    return [*said, as_sentence(f"{both}{_start(lookup, matmul, work, wait)}")]


@cache
def real_models() -> str:
    """The work of a GPU for the tables of real models, in one sentence, from recorded runs."""
    said, gpu = list[str](), ""
    for model, run in recorded_models().items():
        work = _seconds(run.times, "gpu")
        lookup, matmul = (next(one for one in work if one.method == name) for name in ROUTES)
        size = f"{lookup.num_embeddings:,} x {lookup.embedding_dim:,}, {lookup.tokens:,} tokens"
        dtype = "" if lookup.dtype == "float32" else f", {lookup.dtype}"
        times = f"{format_time(work[lookup])} and {format_time(work[matmul])}"
        said.append(f"{model} ({size}{dtype}) {times}")
        gpu = short_name(run.environment["gpus"][0])
    return f"Work of the {gpu} for a lookup and a matmul: {'; '.join(said)}."


def _work(
    run: Run, times: pd.DataFrame, lookup: Timed, matmul: Timed, work: dict[Timed, float]
) -> str:
    """On the H200, at 65,536 rows, a lookup is 1.66 µs of work, a matmul 86.4 µs: ..."""
    told = verdicts(times, "gpu").set_index(["a", "b"])["told"].to_dict()
    first, second = (float(f"{work[case]:.3g}") for case in (matmul, lookup))
    found = longer(first / second) if told.get((matmul, lookup)) else UNSURE
    gpus = run.environment.get("gpus") or ["GPU"]
    where = f"on the {short_name(gpus[0])}, {at(run.axis, getattr(lookup, run.axis))}"
    return as_sentence(
        f"{where}, a lookup is {format_time(work[lookup])} of work, "
        f"a matmul {format_time(work[matmul])}: {found}"
    )


def _both(first: float, second: float) -> str:
    """Two times; the unit once where it is the same.

    >>> _both(2e-5, 9.2e-5), _both(2e-5, 9.2e-3)
    ('20 and 92 µs', '20 µs and 9.2 ms')
    """
    one, other = format_time(first), format_time(second)
    number, _, unit = one.partition(" ")
    return f"{number if other.endswith(f' {unit}') else one} and {other}"


def _start(lookup: Timed, matmul: Timed, work: dict[Timed, float], wait: dict[Timed, float]) -> str:
    """The share of a call's start in both waits; empty where it is neither much nor little."""
    first, second = (1 - work[case] / wait[case] for case in (lookup, matmul))
    least = min(first, second)
    if first > MOST and second < HIDDEN:
        return (
            f": the start of a call hides behind long work, and is {_share(first)} of a short one"
        )
    if least > MOST:
        return f": {_share(least)} of it is the start of a call"
    return ""


def _share(share: float) -> str:
    return "nearly all" if share > NEARLY_ALL else "most"


def _seconds(times: pd.DataFrame, clock: str) -> dict[Timed, float]:
    found: dict[Timed, float] = typical_seconds(part_medians(times, clock)).dropna().to_dict()
    return found
