"""`runs`: shows a run file, prints those of a folder beside each other, or compares two."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embviz.commands import LONGEST, add_json, write_file
from embviz.core.refused import Refused
from embviz.core.wording import quote

if TYPE_CHECKING:
    import pandas as pd

    from embviz.timing.run import Run

SUMMARY = "show a run file, print those of a folder beside each other, or compare two"
EXAMPLE = "runs compare before.jsonl after.jsonl --threshold 5%"
FIELDS = "environment, points, verdicts, failures, answer, sentences, end"
CHANGES = "regressed, notes, cases"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `runs show`, `runs merge` and `runs compare`."""
    kinds = parser.add_subparsers(
        dest="kind", required=True, metavar="KIND", help="what to do; each has its own --help"
    )
    for name, words, fields, *paths in (
        ("show", "the answer of a run, and its times", FIELDS, "FILE"),
        ("merge", "the times of all .jsonl files of a folder", f"a list of {FIELDS}", "FOLDER"),
        ("compare", "which case is slower; exit code 1 if one is", CHANGES, "BEFORE", "AFTER"),
    ):
        kind = kinds.add_parser(name, help=words, description=words)
        for path in paths:
            kind.add_argument(path.lower(), metavar=path, help="a folder or a file of runs")
        add_json(kind, fields)
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

    one = options.kind == "show"
    runs = [_read(options.file)] if one else _folder(options.folder)
    if options.plot is not None:
        plot(options.plot, runs)
    if options.csv:
        print(to_csv(runs), end="")
    else:
        print(as_json(runs, one) if options.json else text(runs))
    return 0


def as_json(runs: Sequence[Run], alone: bool) -> str:
    """The run that is alone, or a list of runs, with what can be said of each."""
    from pydantic_core import to_json

    from embviz.timing.sentences import answer, sentences
    from embviz.timing.statistics import verdicts

    found = [
        {
            "environment": one.environment,
            "points": one.points.drop(columns="case").to_dict("records"),
            "verdicts": verdicts(one.times).to_dict("records"),
            "failures": [{"case": case, "reason": why} for case, why in one.failures.items()],
            "answer": answer(one),
            "sentences": sentences(one),
            "end": one.end,
        }
        for one in runs
    ]
    return to_json(found[0] if alone else found, inf_nan_mode="null").decode()


def text(runs: Sequence[Run]) -> str:
    """The answer of each run, their times beside each other, and all sentences of one alone."""
    import pandas as pd

    from embviz.timing.run import labels, points
    from embviz.timing.sentences import sentences
    from embviz.timing.statistics import verdicts

    answers, found = list[str](), list[pd.DataFrame]()
    for one, machine in zip(runs, labels(runs), strict=True):
        answer, *more = sentences(one)
        answers.append(f"{machine}: {answer}" if len(runs) > 1 else answer)
        found.append(verdicts(one.times).assign(machine=machine))
    judged = pd.concat(found).rename(columns={"a": "case"})
    beside = [a.point == b.point for a, b in zip(judged["case"], judged["b"], strict=True)]
    judged = judged.loc[beside].drop_duplicates(["case", "machine"])  # the first: with the lookup
    judged["verdict"] = judged["told"].map({True: "told apart", False: "not told apart"})
    frame = points(runs).merge(judged, "left", ["case", "machine"]).sort_values("case")
    table = _table(frame, *["machine"][: len(runs) - 1], "seconds", "ratio", "verdict")
    return "\n".join([*answers, "", table, "", *(more if len(runs) == 1 else [])]).strip()


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
    table = _table(found.table, "before", "after", "ratio", "low", "high", "verdict")
    fields = {"regressed": found.regressed, "notes": found.notes}
    fields["cases"] = found.table.to_dict("records")
    printed = to_json(fields, inf_nan_mode="null").decode()
    print(printed if options.json else "\n".join([table, "", *found.notes]).strip())
    return int(found.regressed)


def _table(frame: pd.DataFrame, *columns: str) -> str:
    """These columns of each case, after the fields of a case that differ."""
    from embviz.timing.case import Case
    from embviz.timing.sentences import format_time, times

    if frame.empty:
        return ""
    fields = [name for name in Case.__dataclass_fields__ if frame[name].nunique() > 1]
    shown: dict[str, Any] = dict.fromkeys(("seconds", "before", "after"), format_time)
    shown |= dict.fromkeys(("ratio", "low", "high"), times)
    named = frame[[*dict.fromkeys([*fields, "method"]), *columns]]
    return str(named.to_string(index=False, na_rep="", formatters=shown))


def _folder(path: str) -> list[Run]:
    """The runs of a folder; a file that is none is named on stderr."""
    runs = []
    for file in sorted(Path(path).glob("*.jsonl")):
        try:
            runs.append(_read(str(file)))
        except Refused as error:
            print(f"embviz: {error}", file=sys.stderr)
    if not runs:
        raise Refused(
            f"there is no run file in {quote(path, LONGEST)}: none that ends with .jsonl."
        )
    return runs


def _read(path: str) -> Run:
    from embviz.timing.run import MAX_RUN_BYTES, read_run

    try:
        with Path(path).open("rb") as file:
            return read_run(file.read(MAX_RUN_BYTES + 1), Path(path).name)
    except OSError as error:
        raise Refused(f"cannot read {quote(path, LONGEST)}: {error.strerror}.") from None
