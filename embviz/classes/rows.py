"""The answers of a class as a CSV file: a row for each step of each member, by pseudonym.

No cell needs a guard against formulas: pseudonyms are two words of ours, and an answer is kept in
its canonical form, as numbers or as one of the choices.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from embviz.classes.board import line
from embviz.classes.work import Work
from embviz.labs.record import Lab

COLUMNS = ("student", "lab", "step", "result", "tries", "minutes", "answer", "mistake")


def csv_file(lab: Lab[Any], works: Iterable[Work]) -> bytes:
    """The file; minutes are from the start of the lab to the last answer."""
    output = io.StringIO()
    writer = csv.writer(output)
    writer.writerow(COLUMNS)
    for work in works:
        found = line(lab, work)
        for step, cell in zip(lab.steps, found.cells, strict=True):
            last = work.last(step.name)
            answer = (f"{last.answer.seconds / 60:.1f}", last.answer.typed) if last else ("", "")
            row = (found.pseudonym, lab.code, step.name, cell.state.words, cell.tries)
            writer.writerow([*row, *answer, cell.mistake])
    # The byte order mark tells Excel that the file is UTF-8.
    return output.getvalue().encode("utf-8-sig")
