"""The work of a GPU and the wait for it, in two sentences beside the answer of a run.

An answer on a GPU tells its work. From Python one waits for the start of a call too, some 10 to
20 µs: it hides behind long work, and is nearly all of a short one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from embviz.text.wording import counted
from embviz.timing.measure.axes import AXES
from embviz.timing.measure.medians import typical_seconds
from embviz.timing.measure.methods import ROUTES
from embviz.timing.measure.run import Run, short_name
from embviz.timing.measure.timed import Timed
from embviz.timing.tell.recorded import recorded_models
from embviz.timing.tell.sentences import answer
from embviz.timing.tell.statistics import clock_of, verdicts
from embviz.timing.tell.times import (
    UNSURE,
    as_sentence,
    at,
    format_time,
    longer,
    ratio_shown,
)

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
    work, wait = (_on_gpu(run, clock) for clock in ("gpu", "wait"))
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
    if clock_of(run.times, run.question) == "wait":  # the answer has told the waits
        said, start = _work(run, lookup, matmul, work), _start([lookup, matmul], work, wait)
        return [as_sentence(f"{said}; {start}" if start else said)]
    named = [lookup, matmul, *sorted(case for case in work if _is_beside(case, lookup))]
    waited = [f"{format_time(wait[case])} for {_the(case)}" for case in named]
    where = at(run.axis, getattr(lookup, run.axis))
    said, start = f"{where} one waits from Python {', '.join(waited)}", _start(named, work, wait)
    return [as_sentence(f"{said}: {start}" if start else said)]


def _on_gpu(run: Run, clock: str) -> dict[Timed, float]:
    """The seconds of the cases on a GPU, as the answer has them."""
    found = _seconds(run, clock)
    return {case: seconds for case, seconds in found.items() if case.device == "cuda"}


def _is_beside(case: Timed, lookup: Timed) -> bool:
    """Whether a case is a further method at the lookup's size, which an answer may name."""
    return case.method not in ROUTES and replace(case, method="lookup") == lookup


def _the(case: Timed) -> str:
    name = case.record.label
    return f"the {name}" if name in ROUTES else name


@cache
def real_models() -> str:
    """The work of a GPU for the tables of real models, in one sentence, from recorded runs."""
    models, gpu = list[str](), ""
    for model, run in recorded_models().items():
        work = _seconds(run, "gpu")
        lookup, matmul = (next(case for case in work if case.method == name) for name in ROUTES)
        tokens = counted(lookup.tokens, "token")
        size = f"{lookup.num_embeddings:,} × {lookup.embedding_dim:,}, {tokens}"
        dtype = "" if lookup.dtype == "float32" else f", {lookup.dtype}"
        first, second = (format_time(work[case]) for case in (lookup, matmul))
        ratio = longer(ratio_shown(work[matmul], work[lookup]))
        models.append(f"{model} ({size}{dtype}) {first} and {second}, {ratio}")
        gpu = short_name(run.environment["gpus"][0])
    return f"Work of the {gpu} for a lookup and a matmul: {'; '.join(models)}."


def _work(run: Run, lookup: Timed, matmul: Timed, work: dict[Timed, float]) -> str:
    """On the H200, at 65,536 rows, a lookup is 1.66 µs of work, a matmul 86.4 µs: ..."""
    judged = verdicts(run.times, "gpu", samples=run.sample_medians("gpu"))
    told = judged.set_index(["a", "b"])["told"].to_dict()
    found = (
        longer(ratio_shown(work[matmul], work[lookup])) if told.get((matmul, lookup)) else UNSURE
    )
    gpus = run.environment.get("gpus") or ["GPU"]
    where = f"on the {short_name(gpus[0])}, {at(run.axis, getattr(lookup, run.axis))}"
    return (
        f"{where}, a lookup is {format_time(work[lookup])} of work, "
        f"a matmul {format_time(work[matmul])}: {found}"
    )


def _start(named: list[Timed], work: dict[Timed, float], wait: dict[Timed, float]) -> str:
    """The share of a call's start in the waits of all that are named, the lookup first.

    Empty where it is neither much nor little of one of them.
    """
    first, *others = (1 - work[case] / wait[case] for case in named)
    least = min(first, *others)
    if least > MOST:
        return f"{_share(least)} of {'each' if others[1:] else 'either'} is the start of a call"
    short = [first, *(share for share in others if share >= HIDDEN)]
    if min(short) > MOST:
        return (
            "the start of a call hides behind long work, and is "
            f"{_share(min(short))} of a short one"
        )
    return ""


def _share(share: float) -> str:
    return "nearly all" if share > NEARLY_ALL else "most"


def _seconds(run: Run, clock: str) -> dict[Timed, float]:
    found: dict[Timed, float] = typical_seconds(run.sample_medians(clock)).dropna().to_dict()
    return found
