"""The record and the settings of *Where it breaks*."""

from collections.abc import Iterable

from embviz.request.pages import Page
from embviz.request.settings import Choice, Text


# Imported when a page asks for its choices: the first picture does not wait for this module.
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
            most=lambda: 100_000,  # of a traceback its end counts
        ),
        Choice(
            "case",
            "none",
            _cases,
            "none",
            help="The opened case; `none` shows five to begin with.",
            ends_with=("find",),
        ),
    ),
)
