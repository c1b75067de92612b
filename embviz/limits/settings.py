"""The settings of *Where it breaks*."""

from __future__ import annotations

from collections.abc import Iterable

from embviz.settings.kinds import Choice, Text
from embviz.settings.page_record import Page


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
            help="Words to search for, or an error message.",
            most=lambda: 100_000,  # A traceback is read from its end.
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
