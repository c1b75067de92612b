"""A lab on paper: one HTML page for a class list, a sheet for each student, to print.

It needs no script, no picture and no other file. With answers it is the teacher's: each sheet
then has the solutions, computed from that student's values. It knows nothing of grades.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from embviz.labs.answers import Choice, Text, Vector, Whole, written
from embviz.labs.markup import to_html
from embviz.labs.record import KINDS, Lab, Step
from embviz.labs.student import Student

MAX_STUDENTS = 100

_STYLE = """\
@page { margin: 16mm; }
body { font: 11pt/1.4 "Segoe UI", "Helvetica Neue", Arial, sans-serif; color: #111;
  max-width: 44em; margin: 1.5em auto; padding: 0 1em; }
section.student + section.student { break-before: page; }
header { display: flex; justify-content: space-between; align-items: baseline;
  border-bottom: 1px solid #444; }
h1 { font-size: 15pt; margin: 0; } h2 { font-size: 12pt; margin: 1.2em 0 0.3em; }
h2 small { font-weight: normal; color: #444; }
p { margin: 0.4em 0; } pre { font-size: 10pt; line-height: 1.25; margin: 0.5em 0 0.5em 1em; }
code, pre { font-family: Consolas, "DejaVu Sans Mono", Menlo, monospace; }
.step { break-inside: avoid; }
.line { border-bottom: 1px solid #888; height: 2em; }
.solution { border-left: 3px solid #444; padding-left: 0.8em; margin-top: 0.5em; }
ul.boxes { list-style: none; padding-left: 1em; margin: 0.4em 0; }
.box { display: inline-block; width: 0.8em; height: 0.8em; border: 1px solid #111;
  margin-right: 0.5em; }"""


def worksheet(lab: Lab[Any], students: Sequence[Student], with_answers: bool) -> str:
    """The page.

    Args:
        lab: which.
        students: 1 to 100, in the order of their sheets.
        with_answers: whether the solutions and explanations are on it.

    Raises:
        ValueError: no students, or too many.
    """
    if not 1 <= len(students) <= MAX_STUDENTS:
        raise ValueError(
            f"{len(students):,} students; a worksheet is for 1 to {MAX_STUDENTS} at a time."
        )
    title = f"{lab.title} (embviz lab{', with answers' if with_answers else ''})"
    sheets = "\n".join(_sheet(lab, student, with_answers) for student in students)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f"{sheets}\n</body>\n</html>\n"
    )


def _sheet(lab: Lab[Any], student: Student, with_answers: bool) -> str:
    values = lab.values(student)
    steps = "\n".join(
        _step(number, step, values, with_answers) for number, step in enumerate(lab.steps, 1)
    )
    goals = "".join(f"<li>{html.escape(goal)}</li>" for goal in lab.goals)
    return (
        f'<section class="student">\n<header><h1>{html.escape(lab.title)}</h1>'
        f"<strong>{html.escape(student.name)}</strong></header>\n"
        f"<p>About {lab.minutes} minutes. Afterwards you can:</p><ul>{goals}</ul>\n"
        f"{steps}\n</section>"
    )


def _step(number: int, step: Step[Any], values: Any, with_answers: bool) -> str:
    body = to_html(step.prompt(values))
    parts = [
        f"<h2>{number}. {html.escape(step.title)} <small>{KINDS[step.kind]}</small></h2>",
        body,
    ]
    kind = step.answer_kind(values)
    if isinstance(kind, Choice):
        boxes = "".join(
            f'<li><span class="box"></span>{html.escape(option)}</li>' for option in kind.options
        )
        parts.append(f'<ul class="boxes">{boxes}</ul>')
    elif not with_answers:
        lines = 4 if isinstance(kind, Text) else 2 if isinstance(kind, Vector | Whole) else 1
        parts.append('<div class="line"></div>' * lines)
    if with_answers:
        parts.append(_solution(step, values))
    return f'<div class="step">{"".join(parts)}</div>'


def _solution(step: Step[Any], values: Any) -> str:
    if step.solve is not None:
        found = f"<p><strong>Answer:</strong> {html.escape(written(step.solve(values)))}</p>"
    elif step.check is not None:
        found = "<p><strong>Answer:</strong> as measured on the student's machine.</p>"
    else:
        found = "<p><strong>Answer:</strong> to be read.</p>"
    return f'<div class="solution">{found}{to_html(step.explanation(values))}</div>'
