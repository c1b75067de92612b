"""`runs`: compares two run files, shows one, or draws one line for each machine of a folder."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from embviz.commands import add_json, show, write_file
from embviz.core.refused import Refused
from embviz.core.wording import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from embviz.timing.runs import Run

SUMMARY = "compare run files, show one as a table, or draw many"
EXAMPLE = "runs compare before.jsonl after.jsonl --threshold 5%"
_PLOT_HELP = "write a report to this HTML file, which opens offline"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `runs compare`, `runs show` and `runs merge`."""
    words = "which case became slower; exit code 1 if one did"
    kinds = parser.add_subparsers(
        dest="kind", required=True, metavar="KIND", help="what to do; each has its own --help"
    )
    compare = kinds.add_parser("compare", help=words, description=words)
    compare.add_argument("before", metavar="BEFORE", help="a run file of time --repeat 3 or more")
    compare.add_argument("after", metavar="AFTER", help="a later run file of the same cases")
    compare.add_argument(
        "--threshold", default="5%", help="a smaller change is none (default: 5%%)"
    )
    add_json(compare, "regressed, judged, processes, found, notes, shared, changes")
    compare.set_defaults(do=_compare)
    words = "the results as a table, and the findings"
    show = kinds.add_parser("show", help=words, description=words)
    show.add_argument("file", metavar="FILE", help="a run file")
    forms = show.add_mutually_exclusive_group()
    forms.add_argument("--csv", action="store_true", help="every column, and no findings")
    forms.add_argument("--plot", metavar="OUT.html", help=_PLOT_HELP)
    show.set_defaults(do=_show)
    words = "the runs of a folder beside each other: one line for each machine"
    merge = kinds.add_parser("merge", help=words, description=words)
    merge.add_argument("folder", metavar="DIR", help="its .jsonl files are read")
    merge.add_argument("--plot", metavar="OUT.html", help=_PLOT_HELP)
    merge.set_defaults(do=_merge)


def run(options: argparse.Namespace) -> int:
    """Do what the first argument names; return 0, or 1 for a regression."""
    code: int = options.do(options)
    return code


def _compare(options: argparse.Namespace) -> int:
    from embviz.timing.comparing import compare

    threshold = _share(options.threshold)
    found = compare(_read(options.before), _read(options.after), threshold)
    named = Path(options.before).name
    shown = found.table()
    said = [*filter(None, [shown.note]), *found.notes, found.sentence(named)]
    show(options, found.to_dict(named), [shown.text(), "", *said])
    return int(found.regressed)


def _show(options: argparse.Namespace) -> int:
    from embviz.timing.findings import sentences
    from embviz.timing.runs import to_csv
    from embviz.timing.table import table

    found = _read(options.file)
    if options.plot is not None:
        _plot(options.plot, [found])
        return 0
    if options.csv:
        print(to_csv([found]), end="")
        return 0
    shown = table([found])
    said = [*filter(None, [shown.note]), *sentences(found)]
    print("\n".join([shown.text(), "", *said]))
    return 0


def _merge(options: argparse.Namespace) -> int:
    from embviz.commands.time.output import as_machines
    from embviz.timing.machines import by_machine
    from embviz.timing.runs import labels

    folder = Path(options.folder)
    if not folder.is_dir():
        raise Refused(f"there is no folder {quote(options.folder)}.")
    runs = []
    for path in sorted(folder.glob("*.jsonl")):
        try:
            runs.append(_read(str(path)))
        except ValueError as error:  # the others go on
            print(f"embviz: {error}", file=sys.stderr)
    if not runs:
        raise Refused(f"no .jsonl file in {quote(options.folder)} is a run file.")
    machines = by_machine(runs)
    if options.plot is not None:
        _plot(options.plot, machines)
    named = zip(machines, labels(machines), strict=True)
    print(as_machines([replace(one, name=label) for one, label in named]))
    return 0


def _read(path: str) -> Run:
    from embviz.timing.runs import MAX_RUN_BYTES, read_run

    try:
        with Path(path).open("rb") as file:
            return read_run(file.read(MAX_RUN_BYTES + 1), Path(path).name)
    except OSError as error:
        raise Refused(f"cannot read {quote(path)}: {error.strerror}.") from None


def _share(text: str) -> float:
    """Read `5%` or `0.05`."""
    try:
        share = float(text.strip().removesuffix("%")) / (100 if "%" in text else 1)
    except ValueError:
        share = -1
    if not 0 <= share <= 10:
        raise Refused(f"--threshold {quote(text)} is not a share such as 5% or 0.05.")
    return share


def _plot(path: str, runs: Sequence[Run]) -> None:
    from embviz.figures.timing.report import html_report

    write_file(path, html_report(runs))
    print(f"written: {path}", file=sys.stderr)
