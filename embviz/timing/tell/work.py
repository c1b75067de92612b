"""The work of a GPU and the wait for it, in two sentences beside the answer of a run.

An answer on a GPU tells its work. From Python one waits for the start of a call too, some 10 to
20 µs.
"""

from __future__ import annotations

from functools import cache

from embviz.text.wording import counted
from embviz.timing.measure.axes import AXES
from embviz.timing.measure.methods import ROUTES
from embviz.timing.measure.run import Run, short_name
from embviz.timing.tell.recorded import recorded_models
from embviz.timing.tell.sentences import answer
from embviz.timing.tell.times import (
    as_sentence,
    at,
    format_time,
    joined,
    longer,
    named,
    ratio_shown,
)


def answer_and_waits(run: Run) -> list[str]:
    """The answer of a run, and where a GPU was timed, what it works and what one waits."""
    return [*answer(run), *waits(run)]


def waits(run: Run) -> list[str]:
    """The work of a GPU for each method, and the wait for it; empty where no GPU was timed.

    Both are at the largest size, or where the axis has no sizes, of its first value. The waits
    stand in the order of the methods.
    """
    table = run.points.dropna(subset="gpu_seconds").set_index("case")
    if table.empty:
        return []
    cases = [*table.index]
    place = cases[0]
    if AXES[run.axis].size:
        place = max(cases, key=lambda case: getattr(case, run.axis))
    those = [case for case in cases if case.point == place.point]
    work = [f"{format_time(table.gpu_seconds[case])} for {named(case)}" for case in those]
    wait = [format_time(table.seconds[case]) for case in those]
    gpus = run.environment.get("gpus") or ["GPU"]
    where = f"{at(run.axis, getattr(place, run.axis))} the {short_name(gpus[0])}"
    said = f"{where} works {joined(work)}; from Python one waits {joined(wait)}"
    return [as_sentence(said), "A wait has the start of the call in it."]


@cache
def real_models() -> str:
    """The work of a GPU for the tables of real models, in one sentence, from recorded runs."""
    models, gpu = list[str](), ""
    for model, run in recorded_models().items():
        lookup, matmul = (run.points.set_index("method").loc[name] for name in ROUTES)
        case = lookup.case
        size = f"{case.num_embeddings:,} × {case.embedding_dim:,}, {counted(case.tokens, 'token')}"
        dtype = "" if case.dtype == "float32" else f", {case.dtype}"
        first, second = (format_time(row.gpu_seconds) for row in (lookup, matmul))
        ratio = longer(ratio_shown(matmul.gpu_seconds, lookup.gpu_seconds))
        models.append(f"{model} ({size}{dtype}) {first} and {second}, {ratio}")
        gpu = short_name(run.environment["gpus"][0])
    return f"Work of the {gpu} for a lookup and a matmul: {'; '.join(models)}."
