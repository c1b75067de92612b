"""What the board of a class shows, as plain data for JSON.

The page sends it with each draw, and the route `class/board` when there are news. It draws nothing,
checks no right, and knows neither link nor QR code.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from embviz.classes.board import STATES, Cell, Line
from embviz.classes.room import Room

_PLACES = {state: place for place, state in enumerate(STATES)}


def version(room: Room) -> str:
    """Changes with all that a board shows, and from server to server."""
    return f"{room.made} {room.version} {room.silent_since}"


def shown(room: Room, question: int) -> dict[str, Any]:
    """All students, or with `question` the answers to that step, counted from 1.

    A question after the last one is the last one.
    """
    told = version(room)  # first: what comes meanwhile is shown, and told again
    classroom, board = room.classroom, room.board()
    question = min(question, len(room.lab.steps))
    mistakes: dict[str, int] = {}
    lines = [] if question else [_line(one, mistakes) for one in board]
    silent = room.silent_since
    return {
        "version": told,
        "paused": classroom.paused,
        "ended": classroom.ended,
        "silent": None if silent is None else {"since": silent, "why": room.why},
        "students": len(board),
        "question": question,
        "steps": _steps(room),
        "lines": lines,
        "mistakes": list(mistakes),
        "spread": _spread(room, question) if question else None,
    }


def _steps(room: Room) -> list[dict[str, Any]]:
    """Each step with the number of students in each state, without those who have not begun."""
    lines = room.board()
    found = []
    for place, step in enumerate(room.lab.steps):
        counts = Counter(_PLACES[line.cells[place].state] for line in lines)
        found.append(
            {"title": step.title, "counts": [one for one in sorted(counts.items()) if one[0]]}
        )
    return found


def _line(line: Line, mistakes: dict[str, int]) -> dict[str, Any]:
    return {
        "number": line.number,
        "who": line.pseudonym,
        "wrong": sum(cell.state.name == "wrong" for cell in line.cells),
        "cells": [_cell(cell, mistakes) for cell in line.cells],
    }


def _cell(cell: Cell, mistakes: dict[str, int]) -> list[Any]:
    """State, tries, and the number of the mistake's sentence, from 1.

    Zeros at the end are left out: a class has thousands of cells, so the message is kept short.
    """
    mistake = 0
    if cell.mistake:
        mistake = mistakes.setdefault(cell.mistake, len(mistakes) + 1)
    found = [_PLACES[cell.state], cell.tries, mistake]
    while found and not found[-1]:
        found.pop()
    return found


def _spread(room: Room, question: int) -> dict[str, Any]:
    step = room.lab.steps[question - 1]
    found, revealed = room.spread(step.name), step.name in room.classroom.revealed
    bars = []
    for bar in found.bars:
        kind, mean = "", ""
        if revealed and bar.is_right:
            kind, mean = "right", "" if bar.right == bar.count else f"right for {bar.right}"
        elif revealed and bar.mistake:
            kind, mean = "mistake", bar.reply
        label = bar.label if revealed else bar.neutral
        label = f"✓ {label}" if kind == "right" else label
        bars.append({"kind": kind, "label": label, "mean": mean, "count": bar.count})
    return {
        "answered": found.answered,
        "members": len(room.members),
        "revealed": revealed,
        "bars": bars,
    }
