"""The settings of *Labs*."""

from __future__ import annotations

from collections.abc import Iterable

from embviz.settings.kinds import MAX_URL_TEXT_BYTES, Choice, Number, Text
from embviz.settings.page_record import Page


def _labs() -> Iterable[str]:
    from embviz.labs.catalogue import LABS

    return ("all", *LABS)


def _guides() -> Iterable[str]:
    return ("none", *_labs())


def _most_done() -> int:
    from embviz.labs.work import MAX_TEXT

    return MAX_TEXT


PAGE = Page(
    "labs",
    "Labs",
    (
        Choice("lab", "all", _labs, "all", help="The lab, or all to choose from."),
        Number("step", 1, 1, 20, help="The step of the lab; after the last one, its end and more."),
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
            sidebar=True,
            most=lambda: MAX_URL_TEXT_BYTES,
        ),
        Choice(
            "teach",
            "none",
            _guides,
            "none",
            help="The teacher's page: that of a lab, or of all.",
            sidebar=True,  # a board writes there, and one may lie under this page
        ),
        Choice(
            "sheet",
            "none",
            lambda: ("none", "handout", "ticket", "homework"),
            "none",
            help="A sheet for students without answers: a lab's handout, its exit ticket or that "
            "of a plan; or the page that checks homework.",
        ),
        Choice(
            "plan",
            "60",
            lambda: ("45", "60", "90"),
            help="The plan of the teacher's page: the minutes of the lesson.",
        ),
    ),
)
