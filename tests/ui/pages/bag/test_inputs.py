"""The bag page, headless: its panels, and refusals without an exception."""

from dataclasses import replace

import pytest
import torch

from embviz.bag import pretrained
from embviz.request.settings import SETTINGS
from embviz.ui.pages.bag import sections
from tests.ui.headless import open_page, page_words, refusals, unescaped, value


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"bag": "documents", "start": "random", "docs": " "}, "No documents were given"),
        (
            {"bag": "documents", "start": "random", "docs": "the and of", "stop": "true"},
            "stop words",
        ),
        ({"linear": "1 nan 2 3"}, "nan"),
        ({"docs": "one two three four five", "linear": "1 2"}, "The weight has shape (1, 2)"),
        ({"bag": "matrix", "x": "1 2\n3"}, "Row 1 has 1 numbers"),
        ({"bag": "file", "start": "random"}, "no file is chosen yet"),
    ],
    ids=str,
)
def test_what_is_no_bag_is_refused_in_words(query: dict[str, str], words: str) -> None:
    """Bad input gives one sentence with the reason, and is not replaced."""
    (said,) = refusals("bag_of_words", **query)
    assert words in said


def test_a_wrong_shape_is_mended_by_one_press() -> None:
    """A random weight stands in for the own one, also in the address; the matrix stays."""
    app = open_page("bag_of_words", bag="matrix", x="1 2 3 4 5", linear="1 2 3")
    assert "The weight has shape (1, 3)" in unescaped(app.error[0].value)
    next(one for one in app.button if one.label == "Use a random weight").click().run()
    assert [one.value for one in app.error] == []
    assert app.query_params == {
        "bag": "matrix",
        "x": "1 2 3 4 5",
        "start": "random",
        "linear": "1 2 3",
    }


SIGNS = {
    "contributions": "",
    "matrix": "offsets",
    "from_pretrained": "It freezes by default",
    "batch": "class SparseRows",
}


@pytest.mark.parametrize("panel", SIGNS)
def test_every_panel_opens_by_its_link(panel: str) -> None:
    """Each panel that a link can name is drawn alone, with its chart or its words."""
    assert set(SIGNS) == set(SETTINGS["bag_panel"].options())
    app = open_page("bag_of_words", bag_panel=panel, bag="documents", start="random")
    assert [one.value for one in app.error] == []
    charts = app.get("plotly_chart")
    words = "\n".join(unescaped(one.value) for one in [*app.markdown, *app.code, *app.caption])
    assert charts == []  # contributions are folded, as without a link
    assert SIGNS[panel] in words
    for other in {"from_pretrained", "batch"} - {panel}:
        assert SIGNS[other] not in words


def values(page: str = "bag_of_words", **query: str) -> tuple[str, str]:
    """Where the rows and the weight come from, on a page without a refusal."""
    app = open_page(page, **query)
    assert [one.value for one in app.error] == []
    assert [one.proto.component_name for one in app.get("bidi_component")].count("embviz_bag") == 1
    random = any("a random one is used" in one.value for one in app.caption)
    return value(app, "bag"), "random" if random else value(app, "start")


@pytest.mark.parametrize(
    ("query", "source", "start"),
    [
        ({}, "documents", "own"),
        ({"bag": "matrix"}, "matrix", "own"),
        ({"x": "1 0 2 0"}, "documents", "own"),
        ({"docs": "one two three four five"}, "documents", "random"),
        ({"stop": "true"}, "documents", "random"),
    ],
    ids=str,
)
def test_a_link_opens_with_a_result(query: dict[str, str], source: str, start: str) -> None:
    """No link without own weights is refused."""
    assert values(**query) == (source, start)


def test_a_large_number_is_short() -> None:
    """The table of routes writes a large number with an exponent."""
    assert sections._numbers(torch.tensor([3e38, -1.5])) == "    3e+38 -1.5000"


def test_a_fact_that_is_false_is_shown_as_false(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fact of `from_pretrained` that does not hold says so, and one that holds does not."""
    false = "does not hold on the PyTorch installed here"
    query = {"bag_panel": "from_pretrained", "bag": "matrix"}
    assert false not in page_words("bag_of_words", **query)
    first, *others = pretrained.facts(torch.ones(3, 4))
    monkeypatch.setattr(pretrained, "facts", lambda _: [replace(first, holds=False), *others])
    assert page_words("bag_of_words", **query).count(false) == 1
