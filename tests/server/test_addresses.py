"""The server's own addresses: below its base path, and `/playground`."""

from typing import Any
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette

from embviz.server import addresses
from tests.server.alone import run
from tests.server.test_live import ask_async


@pytest.mark.parametrize(
    ("base", "path"), [("", "/live"), ("a", "/a/live"), ("/a/b/", "/a/b/live"), (None, "/live")]
)
def test_paths_lie_below_the_base(monkeypatch: pytest.MonkeyPatch, base: Any, path: str) -> None:
    """`server.baseUrlPath` may have slashes at its ends."""
    monkeypatch.setattr("streamlit.get_option", lambda _name: base)
    assert addresses.under_base("live") == addresses.under_base("/live") == path


@pytest.mark.parametrize("query", ["", "text=a+b%26c&dim=4", "text=http%3A%2F%2Fx"])
def test_the_playground_is_the_bare_address(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name leads there with the same query, and a browser asks again each time."""
    monkeypatch.setattr("streamlit.get_option", lambda _name: "base")
    server = Starlette(routes=addresses.routes())
    answer = run(ask_async(server, "GET", path="/base/playground", query=query))
    assert answer.status == 307
    there = urljoin("http://testserver/base/playground", answer.headers["location"])
    assert there == "http://testserver/base/" + f"?{query}" * bool(query)
