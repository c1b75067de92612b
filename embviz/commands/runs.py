"""`runs`: shows run files beside each other, or compares two."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embviz.commands import add_json, add_number, check_number, read_file, write_file
from embviz.text.refused import Refused

if TYPE_CHECKING:
    import pandas as pd

    from embviz.timing.measure.run import Run

SUMMARY = "show run files beside each other, or compare two"
EXAMPLE = "runs compare before.jsonl after.jsonl --threshold 5"
FIELDS = "environment, points, verdicts, failures, sentences, end"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `runs show`, `runs merge` and `runs compare`."""
    kinds = parser.add_subparsers(dest="kind", required=True, help="what to do")
    words = "the answers of runs, and their times beside each other"
    show = kinds.add_parser("show", aliases=["merge"], description=words)
    show.add_argument("paths", nargs="+", metavar="PATH", help="a run file")
    show.add_argument("--csv", action="store_true", help="print a row for each case")
    show.add_argument("--plot", metavar="HTML", help="write the chart; it opens offline")
    add_json(show, f"{FIELDS}; one for each run, a line each")
    words = "which case is slower; exit code 1 if one is"
    compare = kinds.add_parser("compare", description=words)
    compare.add_argument("paths", nargs=2, metavar="PATH", help="the run before, and the one after")
    add_number(compare, "--threshold", 5, "a change of so many percent is none")
    add_json(compare, "regressed, notes, cases")


def run(options: argparse.Namespace) -> int:
    """Do what the first argument names; return 0, or 1 for a case that is slower."""
    if options.kind == "compare":
        return _compare(options)
    from plotly.colors import qualitative

    from embviz.timing.measure.run import points, to_csv
    from embviz.timing.tell.charts import draw

    runs = [*map(_read, options.paths)]
    if options.plot is not None:
        figure = draw(points(runs), qualitative.D3)
        if figure is None:
            raise Refused("no run has times to draw.")
        write_file(options.plot, figure.to_html({"displaylogo": False}))
    if options.csv:
        print(to_csv(runs), end="")
    else:
        show_runs(runs, options.json)
    return 0


def show_runs(runs: Sequence[Run], as_json: bool) -> None:
    """Print what each run says, and their times beside each other."""
    from embviz.timing.measure.run import labels, points
    from embviz.timing.tell.notes import caveat, details
    from embviz.timing.tell.sentences import win_sentences
    from embviz.timing.tell.statistics import verdicts
    from embviz.timing.tell.work import answer_and_waits

    for run, label in zip(runs, labels(runs), strict=True):
        first, more = (said := answer_and_waits(run))[:1], said[1:]
        doubt = [*filter(None, [caveat(run)])]
        sentences = [*doubt, *first, *win_sentences(run), *more, *details(run)]
        if as_json:
            _print_json(
                environment=run.environment,
                points=run.points.to_dict("records"),
                verdicts=verdicts(run).to_dict("records"),
                failures=[{"case": case, "reason": why} for case, why in run.failures.items()],
                sentences=sentences,
                end=run.end,
            )
        else:
            print(label, *sentences, "", sep="\n")
    if not as_json:
        _print(points(runs).sort_values("case"), "machine", "seconds")


def _compare(options: argparse.Namespace) -> int:
    from embviz.timing.tell.two_runs import changes_of

    check_number("--threshold", options.threshold, 0, 1000)
    before, after = map(_read, options.paths)
    found = changes_of(before, after, options.threshold / 100)
    if options.json:
        cases = found.table.to_dict("records")
        _print_json(regressed=found.regressed, notes=found.notes, cases=cases)
    else:
        _print(found.table, "before", "after", "ratio", "low", "high", "verdict")
        print("", *found.notes, sep="\n")
    return int(found.regressed)


def _print_json(**fields: Any) -> None:
    from pydantic_core import to_json

    print(to_json(fields, inf_nan_mode="null").decode())


def _print(frame: pd.DataFrame, *columns: str) -> None:
    """Print these columns of each case, after the fields of a case that differ."""
    from embviz.timing.measure.timed import Timed
    from embviz.timing.tell.times import format_ratio, format_time

    fields = [name for name in Timed.__dataclass_fields__ if frame[name].nunique() > 1]
    shown: dict[str, Any] = dict.fromkeys(("seconds", "before", "after"), format_time)
    shown |= dict.fromkeys(("ratio", "low", "high"), format_ratio)
    if len(frame):
        print(frame[[*fields, *columns]].to_string(index=False, na_rep="", formatters=shown))


def _read(name: str) -> Run:
    from embviz.timing.measure.run import MAX_RUN_BYTES, read_run

    return read_run(read_file(name, MAX_RUN_BYTES), Path(name).name)
