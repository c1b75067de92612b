"""What a page may load and whom it may ask stands in the headers of every answer."""

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from embviz.hosting import headers
from embviz.text.refused import Refused


@pytest.fixture
def framed(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The policy is made anew."""
    headers.policy.cache_clear()
    yield monkeypatch
    headers.policy.cache_clear()


def test_every_answer_has_the_headers_and_keeps_its_own(framed: pytest.MonkeyPatch) -> None:
    """A route that says more about itself is heard."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        own = {"Referrer-Policy": "no-referrer"} if scope["path"] == "/own" else {}
        await PlainTextResponse("", headers=own)(scope, receive, send)

    found = [TestClient(headers.Safe(app)).get(path).headers for path in ("/", "/own")]
    for one in found:
        assert one["x-content-type-options"] == "nosniff"
        assert one["content-security-policy"] == headers.policy()
    assert [one["referrer-policy"] for one in found] == ["same-origin", "no-referrer"]


def test_the_policy_names_this_server_alone(framed: pytest.MonkeyPatch) -> None:
    """And the one script in the text of Streamlit's page, by its digest."""
    rules = dict(rule.split(" ", 1) for rule in headers.policy().split("; "))
    assert rules["default-src"] == "'none'"
    assert {one for rule in rules.values() for one in rule.split() if "'" not in one} == {
        "blob:",
        "data:",
    }
    page = headers._INDEX.read_bytes()
    script = page.split(b"<script>")[1].split(b"</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script).digest()).decode()
    assert f"'sha256-{digest}'" in rules["script-src"]
    assert "unsafe-eval" not in rules["script-src"].replace("wasm-unsafe-eval", "")


def test_a_host_names_the_pages_that_may_show_embviz(framed: pytest.MonkeyPatch) -> None:
    """In one variable; nothing else of it reaches the header."""
    assert headers.policy().endswith("frame-ancestors 'self'")
    headers.policy.cache_clear()
    framed.setenv(headers.FRAMES, "https://course.example.org https://*.example.com:8443")
    ends = "frame-ancestors 'self' https://course.example.org https://*.example.com:8443"
    assert headers.policy().endswith(ends)
    for wrong in (
        "course.example.org",
        "https://a.example; script-src *",
        "*",
        "https://a.example/page",
        "'self'",
    ):
        framed.setenv(headers.FRAMES, wrong)
        with pytest.raises(Refused, match=r"is no origin\. Write scheme and name"):
            headers.framing()
