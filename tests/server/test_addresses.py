"""The server's own addresses below its base path: `/playground`, and published scripts."""

import re
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from embviz.server import addresses, assets


@pytest.mark.parametrize("query", ["", "?text=a+b%26c&dim=4", "?text=http%3A%2F%2Fx"])
def test_the_playground_is_the_bare_address(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name leads there with the same query, and a browser asks again each time."""
    monkeypatch.setattr("streamlit.get_option", lambda _name: "base")
    client = TestClient(Starlette(routes=addresses.routes()))
    answer = client.get(f"/base/playground{query}", follow_redirects=False)
    assert answer.status_code == 307
    assert urljoin("/base/playground", answer.headers["location"]) == f"/base/{query}"


def test_published_scripts_are_cached_without_a_limit() -> None:
    """A browser asks once for a script as it was published, and gets nothing else."""
    path = assets.publish("embviz_test", "export default 'é';")
    assert re.fullmatch(r"/assets/embviz_test-[0-9a-f]{16}\.js", path)
    client = TestClient(Starlette(routes=assets.routes()))
    answer = client.get(path)
    assert (answer.status_code, answer.text) == (200, "export default 'é';")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert assets.publish("embviz_test", "export default 'é';") == path
    assert assets.publish("embviz_test", "export default 'e';") != path
    assert client.get("/assets/..%2Fapp.py").status_code == 404
