"""The record and the settings of the labs."""

from collections.abc import Iterable

from embviz.request.pages import Page
from embviz.request.settings import Choice, Number, Text


def _labs() -> Iterable[str]:
    from embviz.labs.exercises import LABS  # imported when the page asks for its choices

    return ("all", *(lab.code for lab in LABS))


PAGE = Page(
    "labs",
    "Labs",
    (
        Text("student", "", help="Your numbers follow from it: another name has others."),
        Choice("lab", "all", _labs, help="The lab, or all to choose from."),
        Number("step", 1, 1, 20, help="The step of the lab; after the last one, its end."),
        Text("done", "", help="The work so far, packed; at most 4,000 characters."),
        Text("class", "", help="The code of a class, for its members."),
        Text("member", "", help="A member's random token; the pseudonym follows from it."),
        Text("board", "", help="The code of a class, for its teacher."),
        Number("question", 0, 0, 20, help="The step whose answers the board shows; 0 for all."),
    ),
)
