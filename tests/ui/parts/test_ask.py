"""What a component that follows typing is told to ask, and what its choices change."""

import json
from typing import Any

import pytest

from embviz.ui.parts import ask, terms
from embviz.ui.state import session
from tests.ui.headless import open_page, sent


@pytest.mark.parametrize(
    ("picked", "query", "drawn"),
    [
        ({"token": 3, "column": 0}, {"token": "3"}, [False]),
        ({"view": "linear"}, {"view": "linear"}, [False]),
        ({"vocab": "bytes"}, {"vocab": "bytes"}, [True]),  # a fix
        ({"unknown": "unk", "dim": 3}, {"dim": "3"}, [True]),
        ("token", {}, []),
        ({"token": float("nan")}, {}, []),
        ({"token": 10**9, "vocab": "bytes"}, {}, []),
        ({"panel": "code", "no": 1}, {}, [False]),
    ],
)
def test_a_choice_goes_into_the_address(
    picked: Any, query: dict[str, str], drawn: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fix draws sidebar and field again; a forged message changes nothing."""
    redrawn: list[bool] = []
    monkeypatch.setattr(ask, "widget_value", lambda *_: {"picked": picked})
    monkeypatch.setattr(session, "redraw", redrawn.append)
    monkeypatch.setattr(terms, "try_this", lambda *_: ask.pick("stage"))
    assert (open_page(text="abc").query_params, redrawn) == ({"text": "abc"} | query, drawn)


OWN = {"init": "own", "input": "ids", "ids": "3 1 2"}


@pytest.mark.parametrize(
    ("page", "query", "live", "field"),
    [
        ("playground", {"token": "2", "view": "linear"}, True, "text"),
        ("playground", {"token": "2", **OWN}, False, "ids"),
    ],
)
def test_the_route_is_asked_where_it_knows_the_table(
    page: str, query: dict[str, str], live: bool, field: str
) -> None:
    """Not for own weights."""
    (found,) = sent(open_page(page, **query), "embviz_stage")
    assert (found["live"] is not None, found["field"]) == (live, field)
    assert found["question"] == json.loads(found["answer"])["question"]
    assert found["question"]["token"] == 2
    assert found["view"] == query.get("view", "embedding")
