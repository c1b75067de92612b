"""A count of one has a noun in the singular, on every page: `1 row`, never `1 rows`."""

import re

import pytest
from google.protobuf.text_format import MessageToString

from embviz.playground.settings import PANELS
from embviz.training.page.story import LESSONS
from tests.ui.headless import open_page, unescaped

# The smallest table: one row of one number, for one token.
ONE = {"rows": "1", "dim": "1", "vocab": "custom", "chars": "a", "text": "a"}
VISITS = [
    *(("playground", ONE | {"panel": panel}) for panel in PANELS),
    ("playground", {"rows": "1", "dim": "1", "input": "ids", "ids": "0"}),
    *(("training", ONE | {"lesson": one, "steps": "1", "learn_steps": "1"}) for one in LESSONS),
    ("context", ONE),
    ("context", ONE | {"chapter": "contextual"}),
    ("bag_of_words", {"bag": "documents", "docs": "cat", "outputs": "1", "routed": "all rows"}),
    ("bag_of_words", {"bag": "matrix", "x": "2", "outputs": "1", "forget": "true"}),
    ("bag_of_words", {"bag": "matrix", "x": "2", "outputs": "1", "routed": "all rows"}),
    ("limits", {"find": "an id that has no row"}),
]
# A number that is no count of what follows it, and words that end with s and count nothing.
NO_COUNT = "is|as|its|was|has|does|minus|times|less|plus|pass|class|process"
PLURAL = re.compile(rf"(?<![\w.,:/-])(?<!- )1 (?!(?:{NO_COUNT})\b)[a-z]+s\b.{{,30}}")
NOT_OURS = {"1 ms"}  # a unit


@pytest.mark.parametrize(("page", "query"), VISITS)
def test_one_thing_is_in_the_singular(page: str, query: dict[str, str]) -> None:
    """Also in tables, tooltips, and what pictures are given."""
    app = open_page(page, **query)
    protos = [getattr(one, "proto", None) for one in (*app.main, *app.sidebar)]
    said = [unescaped(MessageToString(one, as_utf8=True)) for one in protos if one is not None]
    assert len(said) > 4
    found = [text for one in said for text in PLURAL.findall(one)]
    assert [text for text in found if text[:4] not in NOT_OURS] == []
