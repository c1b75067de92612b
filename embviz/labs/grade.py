"""What a teacher makes of the files of a class: every check computed again, nothing believed.

A file gives a line for each step of its lab, or a named reason. Free text is passed on for
reading. Two files alike, by their bytes or by their answers and times, are named; that tells
that one is a copy, not whose. Nothing in a file is run, and no file is read beyond 1 MB.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embviz.core.numbers import formula_safe
from embviz.core.wording import printable
from embviz.labs.check import judge
from embviz.labs.evidence import (
    MAX_BYTES,
    Evidence,
    EvidenceError,
    Tries,
    canonical,
    read_bounded,
    read_evidence,
)
from embviz.labs.exercises import lab as lab_of
from embviz.labs.record import Step

VERDICTS = ("right", "wrong", "for reading", "consistent", "not answered")
COLUMNS = ("file", "who", "lab", "step", "verdict", "attempts", "minutes", "answer", "note")
WIDEST = 40  # characters of a cell in the table


@dataclass(frozen=True)
class Row:
    """One step of one file.

    Attributes:
        file: its path as it was given.
        who: the student's name.
        lab: its code.
        step: its name.
        verdict: one of VERDICTS. `consistent` is a measured answer that fits together: only the
            student's own machine can tell more.
        attempts: how many.
        minutes: since the lab began, when the last answer was given.
        answer: what was typed last.
        note: what else is to be said.
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


@dataclass(frozen=True)
class Refused:
    """A file that gives no row: `reason` is a key of `evidence.REASONS`."""

    file: str
    reason: str
    words: str


@dataclass(frozen=True)
class Alike:
    """Files of which one is a copy: `how` says in what they agree."""

    files: tuple[str, ...]
    how: str


@dataclass(frozen=True)
class Report:
    """What became of all files.

    Attributes:
        rows: one for each step of each file that could be read, in the order given.
        refused: the other files, each with its reason.
        alike: groups of files that are named.
    """

    rows: tuple[Row, ...]
    refused: tuple[Refused, ...]
    alike: tuple[Alike, ...]

    def count(self, file: str, verdict: str) -> int:
        """How many steps of a file have a verdict."""
        return sum(row.file == file and row.verdict == verdict for row in self.rows)


def grade(paths: Iterable[str | Path]) -> Report:
    """Grade files; each gives its rows or a reason, whatever is in it."""
    rows: list[Row] = []
    refused: list[Refused] = []
    contents: dict[str, list[str]] = {}
    works: dict[str, list[str]] = {}
    who: dict[tuple[str, str], dict[str, list[str]]] = {}
    for path in paths:
        file = str(path).encode("utf-8", "backslashreplace").decode()
        try:
            content = read_bounded(path)
            if len(content) <= MAX_BYTES:
                contents.setdefault(hashlib.sha256(content).hexdigest(), []).append(file)
            found = read_evidence(content)
        except EvidenceError as error:
            refused.append(Refused(file, error.reason, str(error)))
            continue
        rows += _rows(file, found)
        if found.answers:
            works.setdefault(_work(found), []).append(file)
        same = who.setdefault((found.student.key, found.lab), {})
        same.setdefault(found.digest, []).append(file)
    return Report(tuple(rows), tuple(refused), tuple(_alike(contents, works, who)))


def _rows(file: str, found: Evidence) -> list[Row]:
    lab = lab_of(found.lab)
    values = lab.values(found.student)
    return [
        _row(file, found, step, values, found.answers[step.name])
        if step.name in found.answers
        else Row(file, found.student.name, found.lab, step.name, "not answered")
        for step in lab.steps
    ]


def _row(file: str, found: Evidence, step: Step[Any], values: Any, given: Tries) -> Row:
    typed, seconds = given.tries[-1]
    result = judge(step, values, typed)
    notes = []
    if result.right is None:
        verdict = "for reading"
    elif result.right:
        verdict = "right" if step.solve is not None else "consistent"
    else:
        verdict = "wrong"
        if result.refused:
            notes.append(f"cannot be read: {result.refused}")
        elif result.mistake:
            notes.append(f"typical: {result.words}")
    if given.cut:
        notes.append("the end of the text is lost")
    if any(
        later < sooner
        for (_, sooner), (_, later) in zip(given.tries, given.tries[1:], strict=False)
    ):
        notes.append("its times run backwards")
    return Row(
        file,
        found.student.name,
        found.lab,
        step.name,
        verdict,
        given.attempts,
        round(seconds / 60, 1),
        typed,
        "; ".join(notes),
    )


def _work(found: Evidence) -> str:
    """Answers and times, without the name."""
    plain = {step: [one.attempts, list(one.tries)] for step, one in found.answers.items()}
    return hashlib.sha256(canonical([found.lab, plain])).hexdigest()


def _alike(
    contents: dict[str, list[str]],
    works: dict[str, list[str]],
    who: dict[tuple[str, str], dict[str, list[str]]],
) -> Iterable[Alike]:
    identical = [tuple(files) for files in contents.values() if len(files) > 1]
    for files in identical:
        yield Alike(files, "the same bytes")
    for group in works.values():
        if len(group) > 1 and tuple(group) not in identical:
            yield Alike(tuple(group), "the same answers at the same times")
    for (_, lab), versions in who.items():
        if len(versions) > 1:
            files = tuple(file for some in versions.values() for file in some)
            yield Alike(files, f"different work in {lab!r} under one name")


def to_csv(report: Report) -> str:
    """Every row, every file that gave none, every group, with COLUMNS as the head.

    A text that a spreadsheet would take for a formula gets a leading `'`.
    """
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for cells in _cells(report):
        writer.writerow([formula_safe(_clean(cell)) for cell in cells])
    return sheet.getvalue()


def to_table(report: Report) -> str:
    """The same for a terminal, aligned, with nothing unprintable in it."""
    lines = [COLUMNS, *_cells(report)]
    shown = [[_short(cell) for cell in line] for line in lines]
    wide = [max(len(line[place]) for line in shown) for place in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, wide, strict=True)).rstrip()
        for line in shown
    )


def _cells(report: Report) -> list[Sequence[str]]:
    cells: list[Sequence[str]] = [
        (
            row.file,
            row.who,
            row.lab,
            row.step,
            row.verdict,
            str(row.attempts) if row.attempts else "",
            "" if row.minutes is None else f"{row.minutes:.1f}",
            row.answer,
            row.note,
        )
        for row in report.rows
    ]
    cells += [
        (one.file, "", "", "", f"refused: {one.reason}", "", "", "", one.words)
        for one in report.refused
    ]
    cells += [
        (" and ".join(one.files), "", "", "", "alike", "", "", "", one.how) for one in report.alike
    ]
    return cells


def _clean(cell: str) -> str:
    # Line breaks and joiners belong to a text; what only moves a cursor is written out.
    return "".join(c if c in "\n\t\u200c\u200d" else printable(c) for c in cell)


def _short(cell: str) -> str:
    line = "".join(printable(character) for character in cell[: WIDEST + 1])
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"
