"""What a component that follows typing is told to ask, and what its choices change."""

import json
from typing import Any

import pytest

from embviz.live import answer as live
from embviz.live.answer import answer
from embviz.live.parts import PARTS
from embviz.ui.elements import ask, links
from embviz.ui.state import changes
from tests.ui.headless import open_page, sent


@pytest.mark.parametrize(
    ("picked", "query", "drawn"),
    [
        ({"token": 3, "column": 0}, {"token": "3"}, [False]),
        ({"vocab": "bytes"}, {"vocab": "bytes"}, [True]),  # a fix
        ({"unknown": "unk", "dim": 3}, {"dim": "3"}, [True]),
        ("token", {}, []),
        ({"token": float("nan")}, {}, []),
        ({"token": 10**9, "vocab": "bytes"}, {}, []),
    ],
)
def test_a_choice_goes_into_the_address(
    picked: Any, query: dict[str, str], drawn: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fix draws sidebar and field again; a forged message changes nothing."""
    redrawn: list[bool] = []
    monkeypatch.setattr(ask, "widget_value", lambda *_: {"picked": picked})
    monkeypatch.setattr(changes, "redraw", redrawn.append)
    monkeypatch.setattr(links, "fold", lambda *_: ask.pick("stage"))
    assert (open_page(text="abc").query_params, redrawn) == ({"text": "abc"} | query, drawn)


@pytest.mark.parametrize(
    ("page", "component", "own"),
    [
        ("training", "embviz_film", {"target": "1 2", "rate": "0.1x", "token": "2"}),
        ("context", "embviz_strips", {"edit": "ab"}),
        ("context", "embviz_strips", {"chapter": "contextual", "mask": "full"}),
    ],
)
def test_a_part_of_a_page_is_what_the_page_draws(
    page: str, component: str, own: dict[str, str]
) -> None:
    """The settings of a part count: the route's answer to its question is that of the rerun."""
    shown = sent(open_page(page, dim="2", text="abca", **own), component)
    assert shown
    for one in shown:
        model = json.loads(one["question"]) | {"text": one["text"]}
        body = json.dumps({"settings": model, "part": one["part"]})
        assert answer(body.encode()) == one["answer"]


@pytest.mark.parametrize("part", PARTS)
def test_an_answer_has_the_columns_that_are_drawn(part: str) -> None:
    """Rows of 1,024 numbers take no more bytes than rows of 64, on any page."""
    given = {"text": "abcdefghij" * 30, "rows": 500, "edit": "jihg" * 60}

    def size(dim: int) -> int:
        body = json.dumps({"part": part, "settings": given | {"dim": dim}})
        return len(live.answer(body.encode()))

    assert 5_000 < size(1_024) < 1.05 * size(64)
