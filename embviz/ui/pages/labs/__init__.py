"""The record and the settings of the labs."""

from collections.abc import Iterable

from embviz.request.pages import Page
from embviz.request.settings import MAX_URL_TEXT_BYTES, Choice, Number, Text


def _labs() -> Iterable[str]:
    from embviz.labs.catalogue import LABS  # imported when the page asks for its choices

    return ("all", *LABS)


def _most_done() -> int:
    from embviz.labs.work import MAX_TEXT

    return MAX_TEXT


PAGE = Page(
    "labs",
    "Labs",
    (
        Choice("lab", "all", _labs, "all", help="The lab, or all to choose from."),
        Number("step", 1, 1, 20, help="The step of the lab; after the last one, its end."),
        Number("numbers", 0, 0, 2**32 - 1, help="The seed of the numbers; 0 for new ones."),
        Text("done", "", help="The answers so far.", most=_most_done),
        Text(
            "class",
            "",
            help="The code of a class, for its members.",
            most=lambda: MAX_URL_TEXT_BYTES,
        ),
        Text(
            "board",
            "",
            help="The code of a class, for its teacher.",
            whole=True,
            most=lambda: MAX_URL_TEXT_BYTES,
        ),
    ),
)
