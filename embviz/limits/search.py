"""From what a reader types or pastes to the cases about it.

An error message, also inside a whole traceback, leads to the case that lists it. Other text is a
question: a case opens by itself only if it is clearly nearer than all others; else the nearest are
offered. Only the last 20,000 characters are read: a traceback ends with its error.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from embviz.limits.case import Case
from embviz.limits.elsewhere import Elsewhere
from embviz.limits.messages import ERROR, cases_by_message, lines_of
from embviz.limits.questions import Alike, alike

MAX_CHARACTERS = 20_000
MAX_WORDS = 60  # a longer text is no question
OFFERED = 5
# Likeness, from 0 to 1. The limits were chosen on some 250 questions, so that all of them find
# their case, none opens a wrong one, and questions about something else find nothing.
NEAR = 0.2  # the least of the nearest, if it is to be offered
NEAR_OURS = 0.15  # the least for a question that names the subject
NEAR_AN_ERROR = 0.4  # the least for an error that no case lists: its words are Python's too
CLEAR = 1 / 3  # the least of the nearest, if it is to open by itself
CLEARLY = 1.6  # times the likeness of the second, from which the first may open by itself
TAIL = 0.5  # times the likeness of the nearest, from which another is offered beside it
_OURS = re.compile(r"embedding|one[-_ ]?hot|\bnn\.|torch|tensor|linear layer|float\d")
# Errors of Python itself that read like one of PyTorch's.
_NOT_OURS = re.compile(r"\b(?:list|string|tuple|pop|bytearray) (?:assignment )?index out of range")


class Found(NamedTuple):
    """The result of a search.

    Attributes:
        opened: the case that is clearly meant, or None.
        offered: other cases and pages that may be meant, the nearest first; at most OFFERED.
    """

    opened: Case | None = None
    offered: tuple[Case | Elsewhere, ...] = ()


def find(text: str) -> Found:
    """Search for a text.

    >>> find("IndexError: index out of range in self").opened.name
    'out-of-range'
    >>> find("nothing of that kind")
    Found(opened=None, offered=())
    """
    text = text[-MAX_CHARACTERS:].casefold().replace("’", "'")
    if _NOT_OURS.search(text):
        return Found()
    first, *rest = cases_by_message(text) or [[]]
    others = tuple(case for some in rest for case in some)
    if len(first) == 1:
        return Found(first[0], others[:OFFERED])
    if first:
        return Found(None, (*first, *others)[:OFFERED])
    errors = [line for line in lines_of(text) if ERROR.match(line)]
    if errors:
        return _near(errors[-1].partition(": ")[2])
    return _asked(text)


def _near(error: str) -> Found:
    """The cases near an error that none lists. No one opens by itself."""
    near = [one.what for one in _alike(error) if one.likeness >= NEAR_AN_ERROR]
    return Found(None, tuple(near[:OFFERED]))


def _asked(question: str) -> Found:
    """The cases and pages near a question, or with all of its words."""
    found = _alike(question)
    least = NEAR_OURS if _OURS.search(question) else NEAR
    if not found or not (found[0].likeness >= least or any(one.whole for one in found)):
        return Found()
    tail = TAIL * found[0].likeness
    near = [one.what for one in found if one.likeness >= tail or one.whole]
    if isinstance(near[0], Case) and _is_clear(found):
        return Found(near[0], tuple(near[1 : OFFERED + 1]))
    return Found(None, tuple(near[:OFFERED]))


def _is_clear(found: list[Alike]) -> bool:
    """Whether the first is alike enough, much more so than the second, and no other is whole."""
    first, *others = found
    if first.likeness < CLEARLY * others[0].likeness or any(one.whole for one in others):
        return False
    return first.whole or first.likeness >= CLEAR


def _alike(text: str) -> list[Alike]:
    return alike(text) if len(text.split()) <= MAX_WORDS else []
