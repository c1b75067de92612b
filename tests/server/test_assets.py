"""Scripts of the components: cached by browsers, named by their content; no others are served."""

import re

import pytest
from starlette.applications import Starlette

from embviz.server import assets
from tests.server.alone import run
from tests.server.test_live import Answer, ask_async


def get(path: str) -> Answer:
    """The answer to one GET."""
    return run(ask_async(Starlette(routes=assets.routes()), "GET", path=path))


def test_a_published_script_is_cached_without_a_limit() -> None:
    """A script is served as it was published, as JavaScript that no browser asks for twice."""
    path = assets.publish("embviz_test", "export default 'é';")
    assert re.fullmatch(r"/assets/embviz_test-[0-9a-f]{16}\.js", path)
    answer = get(path)
    assert (answer.status, answer.body.decode()) == (200, "export default 'é';")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert assets.publish("embviz_test", "export default 'é';") == path
    assert assets.publish("embviz_test", "export default 'e';") != path


@pytest.mark.parametrize("file", ["", "embviz_test.js", "../app.py", "..%2Fapp.py", "a/b.js"])
def test_nothing_else_is_served(file: str) -> None:
    """A name that was not published is not found, and no browser keeps that."""
    answer = get(f"/assets/{file}")
    assert answer.status == 404
