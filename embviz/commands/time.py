"""`time`: measures lookup against matmul on this machine, with a progress bar on stderr.

With `--worker` it is the measuring process instead.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from embviz.commands import add_option, check_whole, named, write_file
from embviz.core.wording import quote

if TYPE_CHECKING:
    from embviz.timing.cases import Case
    from embviz.timing.runs import Run
    from embviz.timing.sweep import Engine, Sweep

SUMMARY = "time lookup against matmul on this machine"
EXAMPLE = "time --vary vocab --values 256 4096 65536 --methods lookup matmul --out run.jsonl"
BAR = 24  # characters
STOP_S = 10.0  # a sweep may take so long to stop


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `time`."""
    from embviz.core.dtypes import DTYPES
    from embviz.timing.methods import DEFAULT_METHODS, METHODS
    from embviz.timing.settings import CACHES, DEVICES, OUTPUTS, PASSES, SKEWS, VARY

    first, *_, last = VARY["vocab"].values
    caches = named({name: one.words for name, one in CACHES.items()})
    add_option(parser, "--vary", "vocab", f"what differs between points: {', '.join(VARY)}")
    parser.add_argument(
        "--values",
        nargs="+",
        help=f"its values, one point each (default for vocab: {first:,} to {last:,})",
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        default=DEFAULT_METHODS,
        help=f"{', '.join(METHODS)} (default: {' '.join(DEFAULT_METHODS)})",
    )
    add_option(
        parser,
        "--pass",
        "forward",
        named({name: one.label for name, one in PASSES.items()}),
        dest="pass_",
    )
    add_option(parser, "--rows", 4096, "num_embeddings")
    add_option(parser, "--dim", 64, "embedding_dim")
    add_option(parser, "--tokens", 256, "ids looked up at once")
    add_option(parser, "--dtype", "float32", DTYPES)
    parser.add_argument(
        "--devices", nargs="+", default=["cpu"], help=f"{', '.join(DEVICES)} (default: cpu)"
    )
    parser.add_argument(
        "--cache",
        nargs="+",
        default=["same"],
        help=f"{'; '.join(caches)} (default: same)",
    )
    parser.add_argument(
        "--threads",
        type=int,
        help="PyTorch's threads on the CPU (default: all cores but one, and at least one)",
    )
    add_option(parser, "--ids", "uniform", named({name: one.words for name, one in SKEWS.items()}))
    add_option(
        parser,
        "--output",
        "fresh",
        f"{', '.join(OUTPUTS)}; reused only where a method can write into a ready tensor",
    )
    parser.add_argument("--out", help="write the run to this .jsonl file, line by line")
    parser.add_argument(
        "--plot", help="write a report to this HTML file, which opens offline (needs plotly)"
    )
    add_option(parser, "--repeat", 1, "fresh processes that measure everything, to show the spread")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object: environment, results, end, findings, repeats, spread",
    )
    parser.add_argument(
        "--worker",
        action="store_true",
        help="be the measuring process: JSON cases on stdin, JSON results on stdout",
    )


def run(options: argparse.Namespace) -> int:
    """Print the results; return 0, 130 after Ctrl+C, or 1 if the measuring ended early."""
    if options.worker:  # first, because the worker must end with its parent even while torch loads
        from embviz.timing.worker import serve

        return serve()
    from embviz.core.cores import default_threads
    from embviz.timing.cases import plan
    from embviz.timing.settings import VARY

    _check(options)
    axis = VARY.get(options.vary)  # `plan` refuses an unknown one
    values: Sequence[Any] = [] if axis is None else axis.values
    if options.values is not None:
        sizes = axis is None or axis.size
        values = [_whole_value(value) for value in options.values] if sizes else options.values
    cases = plan(
        options.vary,
        values,
        options.methods,
        options.devices,
        options.cache,
        num_embeddings=options.rows,
        embedding_dim=options.dim,
        tokens=options.tokens,
        dtype=options.dtype,
        ids=options.ids,
        pass_=options.pass_,
        output=options.output,
        threads=default_threads() if options.threads is None else options.threads,
    )
    _check_files(options.out, options.plot)
    if options.plot is not None:
        try:
            from embviz.figures.timing.report import html_report
        except ImportError:
            raise ValueError("--plot needs plotly: pip install plotly.") from None
    runs, status = _measure_all(cases, options.out, options.repeat)
    if options.plot is not None:
        write_file(options.plot, html_report(runs))
    print(json.dumps(_as_json(runs)) if options.json else _as_text(runs))
    return status


def _check(options: argparse.Namespace) -> None:
    """Refuse devices and threads that this machine lacks, and too many repetitions."""
    from embviz.core.config import available_devices, why_no_gpu

    here = available_devices()
    for device in options.devices:
        if device not in here:
            raise ValueError(
                f"device {device!r} is not one of this machine's: {', '.join(here)}. "
                f"{why_no_gpu()}".strip()
            )
    if options.threads is not None:
        cores = os.cpu_count() or 1
        check_whole("--threads", options.threads, 1, cores, ", the cores of this machine")
    check_whole("--repeat", options.repeat, 1, 100)


def _whole_value(text: str) -> int:
    """Read `4096` or `1e4`."""
    with suppress(ValueError):
        if "e" not in text.lower():
            return int(text)
        if (value := float(text)).is_integer():
            return int(value)
    raise ValueError(f"{quote(text)} is not a whole number.")


def _check_files(*paths: str | None) -> None:
    """Refuse files that cannot be written, before anything is measured."""
    for path in filter(None, paths):
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise ValueError(f"there is no folder for {path!r}.")
        if not os.access(folder, os.W_OK) or Path(path).is_dir():
            raise ValueError(f"{path!r} is no file that can be written.")


def _measure_all(cases: Sequence[Case], out: str | None, repeat: int) -> tuple[list[Run], int]:
    """Measure all cases in each of `repeat` fresh processes.

    Returns:
        a run for each process that was started, and the exit code. With `out`, run n > 1 is in
        a file with `.n` before the ending.
    """
    from embviz.timing.runs import Run
    from embviz.timing.sweep import Engine

    runs: list[Run] = []
    for n in range(1, repeat + 1):
        path = None if out is None else Path(out)
        if path is not None and n > 1:
            path = path.with_suffix(f".{n}{path.suffix}")
        engine = Engine()
        try:
            sweep = _measure(engine, cases, path, f"{n}/{repeat} " if repeat > 1 else "")
        finally:
            engine.close()
        name = f"run {n}" if path is None else path.name
        runs.append(Run(name, sweep.header(), tuple(sweep.results), sweep.end_line()))
        if sweep.state != "done":
            reason = f"stopped: {sweep.cut}" if sweep.cut else sweep.error
            message = reason or "stopped; what was measured stands."
            print(f"embviz: {message}", file=sys.stderr)
            return runs, 130 if sweep.state == "stopped" else 1
    return runs, 0


def _measure(engine: Engine, cases: Sequence[Case], path: Path | None, prefix: str) -> Sweep:
    """Run one sweep to its end."""
    from embviz.timing.run_file import RunFile

    sweep = engine.start(cases, None if path is None else RunFile(path))
    try:
        while not sweep.finished.wait(0.1):
            _progress(sweep, prefix)
    except KeyboardInterrupt:
        sweep.stop()
        sweep.finished.wait(STOP_S)
    _progress(sweep, prefix, end="\n")
    return sweep


def _progress(sweep: Sweep, prefix: str, end: str = "") -> None:
    if not sys.stderr.isatty():
        return
    done, total = sweep.rounds
    bar = "#" * (BAR * done // total)
    if sweep.state == "queued":
        state = "waiting for another sweep: position {} of {}".format(*sweep.place)
    elif sweep.state == "starting":
        state = "starting the measuring process"
    else:
        left = sweep.seconds_left
        state = f"{done} of {total} rounds" + ("" if left is None else f", {left:.0f} s left")
    print(f"\r{prefix}[{bar:<{BAR}}] {state:<50}", end=end, file=sys.stderr)


def _as_json(runs: Sequence[Run]) -> dict[str, Any]:
    from embviz.timing.findings import sentences

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
    from embviz.timing.findings import sentences
    from embviz.timing.phrases import format_time
    from embviz.timing.results import Failure

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
    """Return for each case its largest median divided by its smallest, across processes."""
    from embviz.timing.results import Measurement

    medians: dict[Case, list[float]] = {}
    for run in runs:
        for one in run.results:
            if isinstance(one, Measurement) and not one.control:
                medians.setdefault(one.case, []).append(one.median_s)
    return [
        (case.to_dict(), max(times) / min(times))
        for case, times in medians.items()
        if len(times) > 1
    ]
