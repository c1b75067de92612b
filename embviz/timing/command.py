"""`python -m embviz time`: the engine of the page, with a progress bar instead of a chart."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TextIO

from embviz.timing.cases import Case
from embviz.timing.findings import sentences
from embviz.timing.phrases import format_time
from embviz.timing.results import Failure, Measurement
from embviz.timing.runs import Run
from embviz.timing.sweep import Engine, Sweep, id_of

BAR = 24  # characters


def time_cases(
    cases: Sequence[Case],
    out: Path | None = None,
    repeat: int = 1,
    report: Callable[[Sequence[Run]], None] | None = None,
    as_json: bool = False,
) -> int:
    """Measure, show progress on stderr, print what was found; the command's exit code.

    Args:
        cases: what to measure.
        out: the run file; further repetitions get `.2`, `.3` ... before its ending.
        repeat: how many fresh processes measure the whole.
        report: given the runs at the end, to draw them.
        as_json: whether stdout gets one JSON object instead of text.
    """
    runs, status = list[Run](), 0
    for turn in range(1, repeat + 1):
        path = out if out is None or turn == 1 else out.with_suffix(f".{turn}{out.suffix}")
        engine = Engine()
        try:
            sweep = _watch(engine, cases, path, f"{turn}/{repeat} " if repeat > 1 else "")
        finally:
            engine.close()
        name = f"run {turn}" if path is None else path.name
        runs.append(Run(name, sweep.header(), tuple(sweep.results), sweep.end_line()))
        if sweep.state != "done":
            status = 130 if sweep.state == "stopped" else 1
            print(f"embviz: {_why(sweep)}", file=sys.stderr)
            break
    if report is not None:
        report(runs)
    print(json.dumps(_as_json(runs)) if as_json else _as_text(runs))
    return status


def _why(sweep: Sweep) -> str:
    """The sentence for a sweep that did not come to its end."""
    if sweep.cut:
        return f"stopped: {sweep.cut}"
    return sweep.error or "stopped; what was measured stands."


def _watch(engine: Engine, cases: Sequence[Case], path: Path | None, prefix: str) -> Sweep:
    """Run one sweep to its end, writing each line as it comes."""
    file = None if path is None else path.open("w", encoding="utf-8")
    try:
        sweep = engine.start(cases, None if file is None else _writer(file))
        try:
            while not sweep.finished.wait(0.1):
                _progress(sweep, prefix)
        except KeyboardInterrupt:
            sweep.stop()
            sweep.finished.wait(10)
        _progress(sweep, prefix, last=True)
    finally:
        if file is not None:
            file.close()
    return sweep


def _writer(file: TextIO) -> Callable[[dict[str, Any]], None]:
    def write(line: dict[str, Any]) -> None:
        file.write(json.dumps(line) + "\n")
        file.flush()

    return write


def _progress(sweep: Sweep, prefix: str, last: bool = False) -> None:
    if not sys.stderr.isatty():
        return
    done, total = sweep.done_cases, len(sweep.cases)
    bar = "#" * (BAR * done // total)
    if sweep.state == "queued":
        doing = "waiting for another sweep: position {} of {}".format(*sweep.place)
    elif sweep.state == "starting":
        doing = "starting the measuring process"
    else:
        left = sweep.seconds_left
        doing = f"{done} of {total} cases" + ("" if left is None else f", {left:.0f} s left")
    print(f"\r{prefix}[{bar:<{BAR}}] {doing:<50}", end="\n" if last else "", file=sys.stderr)


def _as_json(runs: Sequence[Run]) -> dict[str, Any]:
    first = runs[0]
    return {
        "environment": first.environment,
        "results": [one.to_dict() for one in first.results],
        "end": first.end,
        "findings": sentences(first),
        "repeats": [[one.to_dict() for one in run.results] for run in runs[1:]],
        "spread": [{"case": case, "ratio": ratio} for case, ratio in _spread(runs)],
    }


def _as_text(runs: Sequence[Run]) -> str:
    lines = []
    for one in runs[0].results:
        case = one.case
        size = f"{case.num_embeddings:>11,} x {case.embedding_dim:<6,}{case.tokens:>7,} tokens"
        head = f"{case.method:15} {size}  {case.dtype} {case.device} {case.pass_}"
        if isinstance(one, Failure):
            lines.append(f"{head}  failed: {one.reason}")
        else:
            control = "  (again: A/A control)" if one.control else ""
            spread = f"IQR {one.spread:.1%}"
            lines.append(f"{head}  {format_time(one.median_s):>9}  {spread:>10}{control}")
    lines += ["", *sentences(runs[0])]
    if len(runs) > 1 and (spreads := _spread(runs)):
        ratios = [ratio for _, ratio in spreads]
        lines.append(
            f"Over {len(runs)} processes the medians of one case lie within a factor of "
            f"{median(ratios):.3f} (median of cases), {max(ratios):.3f} (worst case)."
        )
    return "\n".join(lines)


def _spread(runs: Sequence[Run]) -> list[tuple[dict[str, Any], float]]:
    """For each case, its largest median over its smallest, across processes."""
    medians: dict[str, list[float]] = {}
    for run in runs:
        for one in run.results:
            if isinstance(one, Measurement) and not one.control:
                medians.setdefault(id_of(one.case), []).append(one.median_s)
    return [
        (json.loads(case), max(times) / min(times))
        for case, times in medians.items()
        if len(times) > 1
    ]
