"""The record and the settings of *Where it breaks*."""

from collections.abc import Iterable

from embviz.request.pages import Page
from embviz.request.settings import Choice, Text


# Imported when a page asks for its choices: the first picture does not wait for these modules.
def _groups() -> Iterable[str]:
    from embviz.limits.cases import GROUPS

    return ("all", *GROUPS)


def _cases() -> Iterable[str]:
    from embviz.limits.cases import CASES

    return ("none", *(case.name for case in CASES))


PAGE = Page(
    "limits",
    "Where it breaks",
    (
        Text("find", "", help="Words to search for, or an error message."),
        Choice("group", "all", _groups, help="The group of cases listed."),
        Choice(
            "verdict",
            "all",
            lambda: ("all", "differ", "raises", "same", "not run"),
            help="The verdict of the cases listed.",
        ),
        Choice("case", "none", _cases, help="The opened case; `none` shows five to begin with."),
    ),
)
