"""The settings of *Where it breaks*."""

from __future__ import annotations

from collections.abc import Iterable

from embviz.settings.kinds import Choice, Text
from embviz.settings.page_record import Page

# Characters of a text that are read, from its end: a traceback ends with its error.
MAX_CHARACTERS = 20_000


def _cases() -> Iterable[str]:
    from embviz.limits.cases import CASES

    return ("none", *(case.name for case in CASES))


PAGE = Page(
    "limits",
    "Where it breaks",
    (
        Text(
            "find",
            "",
            help="A question, or an error message.",
            most=lambda: MAX_CHARACTERS,
            ends_with=("case",),  # what the answer offers keeps it
        ),
        Choice(
            "case",
            "none",
            _cases,
            "none",
            help="The opened case; `none` shows some to begin with.",
            ends_with=("find",),
        ),
    ),
)
