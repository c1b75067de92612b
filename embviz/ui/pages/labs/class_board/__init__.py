"""The board of a class, drawn by one component: students down, steps across; or one question.

Python sends all of it as JSON with a digest, and the component changes what differs. A press comes
back as a trigger. The component checks no right: Python does, at each press.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from embviz.classes.board import SLOW, STATES, Cell, Line
from embviz.classes.room import Room
from embviz.request.payload import with_digest
from embviz.ui.pages.labs.class_link import ClassLink
from embviz.ui.parts.component import component

FOLDER = Path(__file__).parent
KEY = "class_board"
NEWS = "class_news"
_MARKS = (
    {"name": "late", "sign": "?", "words": "asks for help"},
    {"name": "late", "sign": "…", "words": SLOW},
)
_PLACES = {state: place for place, state in enumerate(STATES)}
# What a student needs help for, the most urgent first.
_HAND, _SLOW, _WRONG = 1_000_000, 1_000, 1
_component = component(
    "embviz_class_board",
    [FOLDER.parents[2] / "parts" / "grid" / "words.js", FOLDER / "board.js"],
    html=(FOLDER / "board.html").read_text("utf-8"),
    css=(FOLDER / "board.css").read_text("utf-8"),
)
# It asks for the board again when Python's number has changed, and draws nothing.
_news = component(
    "embviz_class_news",
    [
        "export default ({ data, setTriggerValue }) => {\n"
        "  if (data.now !== data.drawn) setTriggerValue('news', data.now);\n"
        "};"
    ],
)


def draw(room: Room, link: ClassLink, question: int, on_press: Callable[[], None]) -> None:
    """Draw the board, or with `question` the answers to that step, counted from 1."""
    _component(key=KEY, data=packed(room, link, question), on_press_change=on_press)


def listen(now: object, drawn: object, on_news: Callable[[], None]) -> None:
    """Call back once if the two differ."""
    _news(key=NEWS, data={"now": now, "drawn": drawn}, on_news_change=on_news)


def packed(room: Room, link: ClassLink, question: int) -> bytes:
    """All that the component shows, as JSON with a digest."""
    classroom, board = room.classroom, room.board()
    mistakes: dict[str, int] = {}
    lines = [] if question else [_line(one, mistakes) for one in board.lines]
    silent = room.silent_since
    content = {
        "code": classroom.code,
        "lab": room.lab.title,
        "link": link.url,
        "remark": link.remark,
        "qr": link.qr(),
        "paused": classroom.paused,
        "ended": classroom.ended,
        "silent": None if silent is None else {"since": silent, "why": room.why},
        "students": len(board.lines),
        "hands": [one.pseudonym for one in board.lines if one.hand],
        "question": question,
        "steps": _steps(room),
        "states": [vars(state) for state in STATES],
        "marks": _MARKS,
        "lines": lines,
        "mistakes": list(mistakes),
        "spread": _spread(room, question) if question else None,
    }
    return with_digest(content)


def _steps(room: Room) -> list[dict[str, Any]]:
    """Each step with the number of students in each state, without those who have not begun."""
    lines = room.board().lines
    found = []
    for place, step in enumerate(room.lab.steps):
        counts = Counter(_PLACES[line.cells[place].state] for line in lines)
        found.append(
            {"title": step.title, "counts": [one for one in sorted(counts.items()) if one[0]]}
        )
    return found


def _line(line: Line, mistakes: dict[str, int]) -> dict[str, Any]:
    slow = sum(cell.slow for cell in line.cells)
    wrong = sum(cell.state.name == "wrong" for cell in line.cells)
    return {
        "number": line.number,
        "who": line.pseudonym,
        "hand": line.hand,
        "need": _HAND * line.hand + _SLOW * slow + _WRONG * wrong,
        "cells": [_cell(cell, mistakes) for cell in line.cells],
    }


def _cell(cell: Cell, mistakes: dict[str, int]) -> list[Any]:
    """State, tries, whether slow, and the number of the mistake's sentence, from 1.

    Zeros at the end are left out: a class has thousands of cells, so the message is kept short.
    """
    mistake = 0
    if cell.mistake:
        mistake = mistakes.setdefault(cell.mistake, len(mistakes) + 1)
    found = [_PLACES[cell.state], cell.tries, int(cell.slow), mistake]
    while found and not found[-1]:
        found.pop()
    return found


def _spread(room: Room, question: int) -> dict[str, Any]:
    step = room.lab.steps[question - 1]
    found, revealed = room.spread(step.name), step.name in room.classroom.revealed
    bars = []
    for bar in found.bars:
        kind, mean = "", ""
        if revealed and bar.right:
            kind, mean = "right", "" if bar.right == bar.count else f"right for {bar.right}"
        elif revealed and bar.mistake:
            kind, mean = "mistake", "" if bar.mistake == bar.label else bar.mistake
        label = bar.label if revealed else bar.neutral
        label = f"✓ {label}" if kind == "right" else label
        bars.append({"kind": kind, "label": label, "mean": mean, "count": bar.count})
    return {
        "answered": found.answered,
        "members": found.members,
        "graded": step.graded,
        "revealed": revealed,
        "bars": bars,
    }
