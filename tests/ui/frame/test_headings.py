"""The headings of every page: a reader of the screen walks over them in their order."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from embviz.labs.catalogue import LABS
from embviz.settings.pages import SETTINGS
from tests.ui.headless import NAMES, open_page, sent

PANELS = "embviz_film"  # each of its panels has a heading of level 2
PLACES: list[tuple[str, dict[str, str]]] = [
    *((name, {}) for name in NAMES),
    *(("training", {"lesson": one}) for one in SETTINGS["lesson"].options()),
    *(("context", {"chapter": one}) for one in SETTINGS["chapter"].options()),
    ("playground", {"text": "é", "unknown": "error"}),
    ("limits", {"case": "float-ids"}),
    ("limits", {"find": "no such words anywhere"}),
    *(("labs", {"lab": lab, "numbers": "1", "step": step}) for lab in LABS for step in "19"),
    ("labs", {"lab": "row", "numbers": "1", "step": "20"}),
    ("labs", {"class": "abc-defg"}),
    ("labs", {"board": "abc-defg"}),
]


def levels(block: Any) -> Iterator[int]:
    """The levels of the headings in a part of a page, from above."""
    for one in block.children.values():
        if one.type == "markdown":
            yield from map(len, re.findall("^(#+) ", one.value, re.MULTILINE))
        elif one.type in ("title", "header", "subheader"):
            yield ("title", "header", "subheader").index(one.type) + 1
        elif one.type == "html":
            yield from map(int, re.findall("<h([1-6])", str(one.value)))
        if hasattr(one, "children"):
            yield from levels(one)


@pytest.mark.parametrize(("page", "query"), PLACES, ids=str)
def test_headings_begin_with_one_of_level_1_and_leave_none_out(
    page: str, query: dict[str, str]
) -> None:
    """Also where a page refuses what it was asked for."""
    check(open_page(page, **query))


def check(app: AppTest) -> None:
    """Assert the order of a page's headings."""
    found = [*levels(app.main), *[2 for _ in sent(app, PANELS)]]
    assert (found[:1], found.count(1)) == ([1], 1)
    jumps = [pair for pair in pairwise(found) if pair[1] > pair[0] + 1]
    assert jumps == []
