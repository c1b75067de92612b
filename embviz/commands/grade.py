"""`grade`: checks the answer files of a class again."""

from __future__ import annotations

import argparse

from embviz.commands import write_file

SUMMARY = "check the answer files of a class again, from the name in each file"
EXAMPLE = "grade answers/*.json --csv class.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `grade`."""
    from embviz.labs.grade import COLUMNS

    parser.add_argument("files", nargs="+", metavar="FILE", help="what students downloaded")
    parser.add_argument("--csv", help=f"write all rows to this file: {', '.join(COLUMNS)}")
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object: rows, refused, alike"
    )


def run(options: argparse.Namespace) -> int:
    """Print one row for each step of each student, then refused files and files that are alike."""
    from embviz.labs.grade import grade, to_csv, to_json, to_table

    report = grade(options.files)
    if options.csv is not None:
        # The byte order mark tells Excel that the file is UTF-8.
        write_file(options.csv, to_csv(report), encoding="utf-8-sig")
    print(to_json(report) if options.json else to_table(report))
    return 0
