"""`runs`: shows a run file, prints those of a folder beside each other, or compares two."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from embviz.commands import add_json, show, write_file
from embviz.core.refused import Refused
from embviz.core.wording import quote

if TYPE_CHECKING:
    import pandas as pd

    from embviz.timing.run import Run

SUMMARY = "show a run file, print those of a folder beside each other, or compare two"
EXAMPLE = "runs compare before.jsonl after.jsonl --threshold 5%"
FIELDS = "environment, points, verdicts, failures, answer, sentences, end"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `runs show`, `runs merge` and `runs compare`."""
    kinds = parser.add_subparsers(
        dest="kind", required=True, metavar="KIND", help="what to do; each has its own --help"
    )
    for name, fields, words, *paths in (
        ("show", FIELDS, "the answer of a run, and its times", "FILE"),
        ("merge", f"a list of {FIELDS}", "the times of a folder's .jsonl files", "FOLDER"),
        (
            "compare",
            "regressed, judged, found, notes, cases",
            "which case is slower; exit code 1 if one is",
            "BEFORE",
            "AFTER",
        ),
    ):
        kind = kinds.add_parser(name, help=words, description=words)
        add_json(kind, fields)
        for path in paths:
            kind.add_argument(path.lower(), metavar=path, help="a run file, or a folder of them")
        if name == "compare":
            words = "a smaller change is none (default: 5%%)"
            kind.add_argument("--threshold", type=percentage, default="5%", help=words)
        else:
            kind.add_argument("--csv", action="store_true", help="print a row for each case")
            kind.add_argument("--plot", metavar="HTML", help="write a report that opens offline")


def percentage(text: str) -> float:
    """Read `5%` as 0.05.

    Raises:
        ValueError: it is no percentage.
    """
    number, sign, rest = text.partition("%")
    if not sign or rest or not float(number) >= 0:
        raise ValueError
    return float(number) / 100


def run(options: argparse.Namespace) -> int:
    """Do what the first argument names; return 0, or 1 for a case that is slower."""
    if options.kind == "compare":
        return _compare(options)
    from embviz.timing.run import to_csv

    runs = [_read(options.file)] if options.kind == "show" else _folder(options.folder)
    if options.plot is not None:
        plot(options.plot, runs)
    if options.csv:
        print(to_csv(runs), end="")
        return 0
    return show(options, as_json(runs, options.kind == "merge"), [text(runs)])


def as_json(runs: Sequence[Run], several: bool) -> str:
    """A run, or a list of several, with what can be said of it."""
    from pydantic_core import to_json

    from embviz.timing.sentences import sentences
    from embviz.timing.statistics import verdicts

    found = [
        {
            "environment": one.environment,
            "points": one.points.drop(columns="case").to_dict("records"),
            "verdicts": verdicts(one.times).to_dict("records"),
            "failures": [{"case": case, "reason": why} for case, why in one.failures.items()],
            "answer": sentences(one)[0],
            "sentences": sentences(one),
            "end": one.end,
        }
        for one in runs
    ]
    return to_json(found if several else found[0], inf_nan_mode="null").decode()


def text(runs: Sequence[Run]) -> str:
    """The answer of each run, their times, and all sentences of one that is alone."""
    from embviz.timing.run import labels, points
    from embviz.timing.sentences import sentences
    from embviz.timing.statistics import verdicts

    frame = points(runs)
    if len(runs) > 1:
        named = zip(labels(runs), runs, strict=True)
        answers, more = [f"{label}: {sentences(one)[0]}" for label, one in named], []
        frame = frame.pivot_table("seconds", _fields(frame), "machine", "first", sort=False)
        shown = _table(frame.reset_index())
    else:
        answers, more = (said := sentences(runs[0]))[:1], said[1:]
        found = verdicts(runs[0].times)
        found["case"], point = found["a"], [one.point for one in found["a"]]
        found = found[[one.point for one in found["b"]] == point].drop_duplicates("case")
        found["verdict"] = found["told"].map({True: "told apart", False: "not told apart"})
        shown = _table(frame.merge(found, "left", "case"), "seconds", "ratio", "verdict")
    return "\n\n".join(filter(None, ["\n".join(answers), shown, "\n".join(more)]))


def plot(path: str, runs: Sequence[Run]) -> None:
    """Write the report.

    Raises:
        Refused: the file cannot be written.
    """
    from embviz.figures.timing.report import html_report

    write_file(path, html_report(runs))


def _compare(options: argparse.Namespace) -> int:
    from pydantic_core import to_json

    from embviz.timing.compare import compare

    found = compare(_read(options.before), _read(options.after), options.threshold)
    said = {"notes": found.notes, "found": found.sentence(Path(options.before).name)}
    said |= {"regressed": found.regressed, "judged": found.judged}
    cases = found.table.drop(columns="case")
    printed = to_json(said | {"cases": cases.to_dict("records")}, inf_nan_mode="null").decode()
    columns = ["before", "after", "ratio", "low", "high", "verdict"]
    show(
        options,
        printed,
        ["" if cases.empty else _table(cases, *columns), *found.notes, said["found"]],
    )
    return int(found.regressed)


def _table(frame: pd.DataFrame, *columns: str) -> str:
    """These columns for each case, named by the fields that differ."""
    from embviz.timing.sentences import format_time, times

    seconds, ratios = ("seconds", "before", "after"), ("ratio", "low", "high")
    shown = dict.fromkeys(seconds, format_time) | dict.fromkeys(ratios, times)
    return frame[[*_fields(frame), *columns]].to_string(
        index=False, na_rep="", formatters=shown, float_format=format_time
    )


def _fields(frame: pd.DataFrame) -> list[str]:
    """The fields of a case that differ from row to row, and the method."""
    from embviz.timing.case import KINDS, SIZES

    fields = [one for one in (*SIZES, *KINDS) if one != "method" and frame[one].nunique() > 1]
    return [*fields, "method"]


def _folder(path: str) -> list[Run]:
    """The runs of a folder; a file that is none is named on stderr."""
    runs = []
    for file in sorted(Path(path).glob("*.jsonl")):
        try:
            runs.append(_read(str(file)))
        except Refused as error:
            print(f"embviz: {error}", file=sys.stderr)
    if not runs:
        raise Refused(f"there is no run file in {quote(path)}: none that ends with .jsonl.")
    return runs


def _read(path: str) -> Run:
    from embviz.timing.run import MAX_RUN_BYTES, read_run

    try:
        with Path(path).open("rb") as file:
            return read_run(file.read(MAX_RUN_BYTES + 1), Path(path).name)
    except OSError as error:
        raise Refused(f"cannot read {quote(path)}: {error.strerror}.") from None
