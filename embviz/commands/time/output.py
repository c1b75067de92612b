"""The output of `time`: a progress bar, and the run as text or as JSON."""

from __future__ import annotations

import sys
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from embviz.timing.results import Result
    from embviz.timing.runs import Run
    from embviz.timing.sweep import Sweep

BAR = 24  # characters


def progress(*sweeps: Sweep, end: str = "") -> None:
    """Draw the bar on stderr, if that is a terminal; all sweeps share it."""
    if not sys.stderr.isatty():
        return
    done, total = map(sum, zip(*(sweep.rounds for sweep in sweeps), strict=True))
    bar = "#" * (BAR * done // max(1, total))
    if len(sweeps) == 1:
        state = _state(sweeps[0])
    else:
        over = sum(not sweep.active for sweep in sweeps)
        waiting = sum(sweep.state == "queued" for sweep in sweeps)
        state = f"{len(sweeps)} machines: {waiting} waiting for another sweep, {over} ready"
    print(f"\r[{bar:<{BAR}}] {state:<50}", end=end, file=sys.stderr, flush=True)


def _state(sweep: Sweep) -> str:
    if sweep.state == "queued":
        return "waiting for another sweep: position {} of {}".format(*sweep.place)
    if sweep.state == "starting":
        return "starting the measuring process"
    (done, total), left = sweep.rounds, sweep.seconds_left
    if not total:
        return "first round"
    return f"{done} of {total} rounds" + ("" if left is None else f", {left:.0f} s left")


def as_json(run: Run) -> dict[str, Any]:
    """A run as one JSON object, with its findings and the spread over its processes."""
    from embviz.timing.findings import sentences

    return {
        "environment": run.environment,
        "results": [_result(one) for one in run.results],
        "end": run.end,
        "findings": sentences(run),
        "spread": _spread(run),
    }


def _result(one: Result) -> dict[str, Any]:
    """All rounds of a measurement together, or a failure."""
    from embviz.timing.results import Failure

    line = next(one.lines())
    if isinstance(one, Failure):
        return line
    del line["process"], line["round"]
    line["seconds"] = one.times_s
    return line | {"median_s": one.median_s, "iqr_s": one.iqr_s}


def as_text(run: Run) -> str:
    """A run as a table without controls and anchor, its findings, its spread over processes."""
    from embviz.timing.findings import findings
    from embviz.timing.table import table

    shown, spreads = table([run], helps=False), _spread(run)
    first, rest = findings(run)
    if spreads:
        ratios = [one["ratio"] for one in spreads]
        count = max(one["processes"] for one in spreads)
        rest.append(
            f"Over {count} processes the medians of one case lie within a factor of "
            f"{median(ratios):.3f} (median of cases), {max(ratios):.3f} (worst case)."
        )
    parts = [[shown.text(), shown.note], [first], rest]
    return "\n\n".join("\n".join(filter(None, part)) for part in parts if any(part))


def as_machines(runs: Sequence[Run]) -> str:
    """The machines side by side, the answer of each, and which cases gave no time."""
    from embviz.timing.chart_lines import varying
    from embviz.timing.cluster_table import COPIES, NOTE, machine_table
    from embviz.timing.findings import failures, findings

    answers = list[str]()
    for run in runs:
        answers.append(f"{run.name}: {findings(run)[0] or 'Nothing was measured.'}")
        axis = varying(one.case for one in run.results)
        answers += [f"{run.name}: {text}" for text in failures(run.results, axis)]
    table = machine_table(runs)
    where = "".join(table.same)
    short = {COPIES: "GB/s"}  # for a terminal of 80 columns
    heads = (short.get(one, one.replace(f" {where}", "")) for one in table.heads)
    words = f"Times {where}; GB/s of copies in memory.".replace("Times ;", "Times;")
    shown = [replace(table, heads=tuple(heads)).text(), "", words, NOTE, ""] if table.rows else []
    return "\n".join([*shown, *answers])


def _spread(run: Run) -> list[dict[str, Any]]:
    """For each case of several processes, its largest median divided by its smallest."""
    from embviz.timing.results import Measurement

    found = []
    for one in run.results:
        if isinstance(one, Measurement) and not one.helps and len(one.processes) > 1:
            medians = [
                median(
                    time
                    for (process, _), times in one.blocks.items()
                    if process == own
                    for time in times
                )
                for own in one.processes
            ]
            ratio = max(medians) / min(medians)
            found.append({"case": one.case.to_dict(), "processes": len(medians), "ratio": ratio})
    return found
