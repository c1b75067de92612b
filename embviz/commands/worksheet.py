"""`worksheet`: prints a lab for each student of a list, as one HTML file."""

from __future__ import annotations

import argparse
import sys

from embviz.commands import write_file

SUMMARY = "write a lab as HTML to print, with one sheet for each student"
EXAMPLE = "worksheet row --students names.txt --out sheets.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `worksheet`."""
    from embviz.labs.exercises import LABS

    parser.add_argument("lab", help=", ".join(lab.code for lab in LABS))
    parser.add_argument(
        "--students",
        required=True,
        help="a UTF-8 text file with 1 to 100 names, one name a line (- for stdin)",
    )
    parser.add_argument("--answers", action="store_true", help="print the solutions too")
    parser.add_argument("--out", required=True, help="write the HTML to this file")


def run(options: argparse.Namespace) -> int:
    """Write the sheets; stdout stays empty."""
    from embviz.labs.exercises import lab
    from embviz.labs.student import Student
    from embviz.labs.worksheet import worksheet
    from embviz.training.text import open_text

    names = [line for line in open_text(options.students).splitlines() if line.strip()]
    page = worksheet(lab(options.lab), [Student(name) for name in names], options.answers)
    write_file(options.out, page)
    print(f"{len(names)} sheets in {options.out}", file=sys.stderr)
    return 0
