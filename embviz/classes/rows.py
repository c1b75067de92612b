"""The answers of a class as `grade` gives those of files: rows, CSV and JSON.

The student is the pseudonym and the file is the class's code. A class keeps no free text, so its
row has NOT_KEPT instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from embviz.classes.work import Work
from embviz.labs.answer_file import Attempts
from embviz.labs.grade import Report, Row, row, to_csv, to_json
from embviz.labs.record import Lab

NOT_KEPT = "(a class keeps no text)"


def rows(code: str, lab: Lab[Any], works: Iterable[Work]) -> list[Row]:
    """A row for each step of each member."""
    return [
        row(
            code,
            work.member.pseudonym,
            lab.code,
            step,
            _attempts(work, step.name),
            work.results.get(step.name),
        )
        for work in works
        for step in lab.steps
    ]


def csv_file(found: Iterable[Row]) -> bytes:
    """The rows as `grade --csv` writes them."""
    # The byte order mark tells Excel that the file is UTF-8.
    return to_csv(Report(tuple(found), (), ())).encode("utf-8-sig")


def json_file(found: Iterable[Row]) -> bytes:
    """The rows as `grade --json` prints them."""
    return to_json(Report(tuple(found), (), ())).encode()


def _attempts(work: Work, step: str) -> Attempts | None:
    """The attempts of a member at a step, or None without any."""
    if step not in work.tries:
        return None
    answers = [one.answer for one in work.tries[step]]
    tries = tuple((one.typed or NOT_KEPT, one.seconds) for one in answers)
    return Attempts(work.attempts(step), cut=False, tries=tries)
