"""Grades the answer files of a class. Every check is computed again; nothing in a file is trusted.

A file gives a row for each step of its lab, or a named reason. Free text is passed on for reading.
Two files with the same bytes, or the same answers at the same times, are named: one is a copy of
the other, but not which. Nothing in a file is run, and at most 1 MB of it is read.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from embviz.core.numbers import formula_safe
from embviz.core.wording import printable
from embviz.labs.answer_file import (
    MAX_BYTES,
    AnswerFile,
    AnswerFileError,
    Attempts,
    read_answer_file,
    read_bounded,
    sha256,
)
from embviz.labs.answers import printable_text
from embviz.labs.check import Result, check
from embviz.labs.exercises import lab as lab_of
from embviz.labs.record import Step

WIDEST = 40  # characters of a cell in the table


@dataclass(frozen=True)
class Row:
    """One step of one file.

    Attributes:
        file: its path as it was given.
        who: the student's name.
        lab: its code.
        step: its name.
        verdict: `right`, `wrong`, `for reading`, `not answered`, or `consistent`: a measured
            answer whose numbers fit together. Only the student's machine can tell more.
        attempts: how many.
        minutes: from the lab's start to the last answer.
        answer: what was typed last.
        note: remarks, such as a typical mistake.
    """

    file: str
    who: str
    lab: str
    step: str
    verdict: str
    attempts: int = 0
    minutes: float | None = None
    answer: str = ""
    note: str = ""


COLUMNS = tuple(field.name for field in fields(Row))


@dataclass(frozen=True)
class Refused:
    """A file without rows: `reason` is a key of `answer_file.REASONS`, `words` explain it."""

    file: str
    reason: str
    words: str


@dataclass(frozen=True)
class Alike:
    """Files that are copies of each other; `how` names what is the same."""

    files: tuple[str, ...]
    how: str


@dataclass(frozen=True)
class Report:
    """The result for all files.

    Attributes:
        rows: one for each step of each readable file, in the order given.
        refused: the other files.
        alike: groups of copies.
    """

    rows: tuple[Row, ...]
    refused: tuple[Refused, ...]
    alike: tuple[Alike, ...]


def grade(paths: Iterable[str | Path]) -> Report:
    """Grade files; each gives its rows or a reason, whatever is in it."""
    rows: list[Row] = []
    refused: list[Refused] = []
    # Files by their bytes, and by their answers; the digests of each student's files in a lab.
    contents: dict[str, list[str]] = defaultdict(list)
    works: dict[str, list[str]] = defaultdict(list)
    versions: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        file = str(path).encode("utf-8", "backslashreplace").decode()
        try:
            content = read_bounded(path)
            if len(content) <= MAX_BYTES:
                contents[hashlib.sha256(content).hexdigest()].append(file)
            found = read_answer_file(content)
        except AnswerFileError as error:
            refused.append(Refused(file, error.reason, str(error)))
            continue
        rows += _rows(file, found)
        if found.answers:
            # Answers and times, without the name.
            plain = {step: [one.attempts, one.tries] for step, one in found.answers.items()}
            works[sha256([found.lab, plain])].append(file)
        versions[found.student.key, found.lab][found.digest].append(file)
    return Report(tuple(rows), tuple(refused), tuple(_alike(contents, works, versions)))


def _rows(file: str, found: AnswerFile) -> Iterable[Row]:
    lab = lab_of(found.lab)
    values = lab.values(found.student)
    for step in lab.steps:
        given = found.answers.get(step.name)
        result = None if given is None else check(step, values, given.tries[-1][0])
        yield row(file, found.student.name, found.lab, step, given, result)


def row(
    file: str,
    who: str,
    lab: str,
    step: Step[Any],
    given: Attempts | None,
    result: Result | None,
) -> Row:
    """The row of a step, from its attempts and the check of the last one; None without attempts."""
    if given is None or result is None:
        return Row(file, who, lab, step.name, "not answered")
    typed, seconds = given.tries[-1]
    notes = []
    if result.right is None:
        verdict = "for reading"
    elif result.right:
        verdict = "right" if step.solve is not None else "consistent"
    else:
        verdict = "wrong"
        if result.refused:
            notes.append(f"cannot be read: {result.feedback}")
        elif result.mistake:
            notes.append(f"typical: {result.feedback}")
    if given.cut:
        notes.append("the end of the text is lost")
    if any(later < earlier for (_, earlier), (_, later) in pairwise(given.tries)):
        notes.append("its times run backwards")
    minutes = round(seconds / 60, 1)
    note = "; ".join(notes)
    return Row(file, who, lab, step.name, verdict, given.attempts, minutes, typed, note)


def _alike(
    contents: dict[str, list[str]],
    works: dict[str, list[str]],
    versions: dict[tuple[str, str], dict[str, list[str]]],
) -> Iterable[Alike]:
    identical = [files for files in contents.values() if len(files) > 1]
    for files in identical:
        yield Alike(tuple(files), "the same bytes")
    for files in works.values():
        if len(files) > 1 and files not in identical:
            yield Alike(tuple(files), "the same answers at the same times")
    for (_, lab), digests in versions.items():
        if len(digests) > 1:
            files = [file for some in digests.values() for file in some]
            yield Alike(tuple(files), f"different work in {lab!r} under one name")


def to_csv(report: Report) -> str:
    """All rows, refused files and groups of copies, with COLUMNS as the head.

    A text that a spreadsheet would take for a formula gets a leading `'`.
    """
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for cells in _cells(report):
        writer.writerow([formula_safe(printable_text(cell)) for cell in cells])
    return output.getvalue()


def to_json(report: Report) -> str:
    """The same as one JSON object: rows, refused, alike."""
    return json.dumps(asdict(report))


def to_table(report: Report) -> str:
    """The same for a terminal: aligned, with nothing unprintable in it."""
    shown = [[_short(cell) for cell in line] for line in [COLUMNS, *_cells(report)]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in shown
    )


def _cells(report: Report) -> list[list[str]]:
    lines = [
        *report.rows,
        *(
            Row(one.file, "", "", "", f"refused: {one.reason}", note=one.words)
            for one in report.refused
        ),
        *(Row(" and ".join(one.files), "", "", "", "alike", note=one.how) for one in report.alike),
    ]
    return [
        [f"{cell:.1f}" if isinstance(cell, float) else str(cell or "") for cell in astuple(line)]
        for line in lines
    ]


def _short(cell: str) -> str:
    line = "".join(printable(character) for character in cell[: WIDEST + 1])
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"
