"""A lab on paper: one HTML page for a class, with a section for each student, to print.

It needs no script, picture or other file. With answers it is the teacher's copy: each section then
has the solutions, computed from that student's values. It knows nothing of grades.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from embviz.labs.answers import Choice, Integer, Text, Vector, written
from embviz.labs.markup import picture_html, to_html
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
.lab-picture, .joined { display: flex; flex-wrap: wrap; gap: 0.6em; align-items: center; }
.lab-picture table { border-collapse: collapse; font-size: 10pt; }
.lab-picture td { border: 1px solid #888; min-width: 1.4em; height: 1.4em; text-align: center; }
.lab-picture th { font-weight: normal; color: #444; padding: 0 0.3em; }
.lab-picture td:first-child:empty { border: 0; }
.step { break-inside: avoid; }
.line { border-bottom: 1px solid #888; height: 2em; }
.solution { border-left: 3px solid #444; padding-left: 0.8em; margin-top: 0.5em; }
ul.boxes { list-style: none; padding-left: 1em; margin: 0.4em 0; }
.box { display: inline-block; width: 0.8em; height: 0.8em; border: 1px solid #111;
  margin-right: 0.5em; }"""


def worksheet(lab: Lab[Any], students: Sequence[Student], with_answers: bool) -> str:
    """The HTML page.

    Args:
        lab: which one.
        students: 1 to 100, in the order of their sections.
        with_answers: whether it has the solutions and explanations.

    Raises:
        ValueError: no students, or too many.
    """
    if not 1 <= len(students) <= MAX_STUDENTS:
        raise ValueError(
            f"{len(students):,} students; a worksheet is for 1 to {MAX_STUDENTS} at a time."
        )
    title = f"{lab.title} (embviz lab{', with answers' if with_answers else ''})"
    sections = "\n".join(_section(lab, student, with_answers) for student in students)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f"{sections}\n</body>\n</html>\n"
    )


def _section(lab: Lab[Any], student: Student, with_answers: bool) -> str:
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
    room, kind = "", step.answer_kind(values)
    asked = "" if step.picture is None else picture_html(step.picture(values, False))
    if isinstance(kind, Choice):
        boxes = "".join(
            f'<li><span class="box"></span>{html.escape(option)}</li>' for option in kind.options
        )
        room = f'<ul class="boxes">{boxes}</ul>'
    elif not with_answers:
        lines = 4 if isinstance(kind, Text) else 2 if isinstance(kind, Vector | Integer) else 1
        room = '<div class="line"></div>' * lines
    return (
        f'<div class="step"><h2>{number}. {html.escape(step.title)} '
        f"<small>{KINDS[step.kind]}</small></h2>{to_html(step.prompt(values))}{asked}{room}"
        f"{_solution(step, values) if with_answers else ''}</div>"
    )


def _solution(step: Step[Any], values: Any) -> str:
    found = step.solution(values)
    if found is not None:
        answer = html.escape(written(found))
    else:
        answer = "as measured on the student's machine." if step.graded else "to be read."
    return (
        f'<div class="solution"><p><strong>Answer:</strong> {answer}</p>'
        f"{to_html(step.explanation(values))}</div>"
    )
