"""A full server keeps those who are there; a hosted one refuses what strangers may not ask for."""

from contextlib import suppress
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from embviz.hosting.gate import Gate
from embviz.system.bounds import SESSIONS

PASSED = 204


class Server(TestClient):
    """A gate before an app that answers `PASSED`, and whose connections break at their end."""

    def __init__(self, name: str = "localhost") -> None:
        self.gate = Gate(self._app)
        self.origins: list[str | None] = []
        super().__init__(self.gate, f"http://{name}:8501")

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await Response(status_code=PASSED)(scope, receive, send)
            return
        self.origins.append(Headers(scope=scope).get("origin"))
        await receive()
        await send({"type": "websocket.accept"})
        await receive()
        raise OSError("the connection broke")

    def statuses(self, paths: list[str], method: str = "GET") -> list[int]:
        """For each path `PASSED`, or the status of the gate's own answer."""
        return [self.request(method, path).status_code for path in paths]


@pytest.mark.parametrize(("limit", "taken", "base"), [(2, 3, ""), (30, 33, "/base")])
def test_a_full_server_says_so_and_closes_no_connection(
    limit: int, taken: int, base: str, hosted: pytest.MonkeyPatch
) -> None:
    """From the limit on, pages answer 503; a tenth more connections are taken, and no others."""
    hosted.setenv(SESSIONS.variable, str(limit))
    hosted.setattr("streamlit.get_option", lambda name: base if "base" in name else [])
    pages = [base + path for path in ("/", "/timing", "/timing/")]
    others = [base + path for path in ("/ready", "/_stcore/health", "/static/js/main.js")]
    server, visitors = Server(), list[Any]()

    def connect(number: int) -> None:
        for _ in range(number):
            one = server.websocket_connect("/")
            one.__enter__()
            visitors.append(one)

    try:
        connect(limit - 1)
        assert server.statuses(pages) == [PASSED] * 3
        connect(1)
        for method in ("GET", "HEAD"):
            assert server.statuses(pages + others, method) == [503] * 3 + [PASSED] * 3
        full = server.get(pages[0])
        assert (int(full.headers["retry-after"]) > 0, f"{limit} visitors" in full.text) == (1, 1)
        assert full.headers["cache-control"] == "no-store"
        connect(taken - limit)
        with pytest.raises(WebSocketDisconnect):
            connect(1)
        assert server.gate.connected == taken
    finally:
        for one in visitors:
            with suppress(OSError):  # not around the block: it would hide a failure
                one.__exit__(None, None, None)
    assert server.gate.connected == 0  # although they broke
    assert server.statuses(pages) == [PASSED] * 3


def test_strangers_get_no_uploads_and_metrics(hosted: pytest.MonkeyPatch) -> None:
    """No visitor of a hosted server fills its memory or counts the others; nobody needs agents."""
    paths = ["upload_file", "upload_file/me/some-id", "metrics", "metrics/"]
    agents = ["agent/interact", "agent/mcp", "agent/openapi.json"]
    for status in (404, PASSED):
        found = Server().statuses([f"/base/_stcore/{path}" for path in paths], "PUT")
        others = Server().statuses([f"/_stcore/{path}" for path in (*agents, "health")], "POST")
        assert (found, others) == ([status] * 4, [404] * 3 + [PASSED])
        hosted.delenv("EMBVIZ_HOSTED", raising=False)


@pytest.mark.parametrize(
    ("origin", "heard"),
    [
        (None, None),
        ("http://a.example:8501", "http://a.example:8501"),
        ("https://a.example:8501", "http://a.example:8501"),  # TLS ends at a proxy
        ("https://course.example", "http://a.example:8501"),
        ("http://localhost:3000", "refused"),
        ("http://course.example", "refused"),
        ("http://evil.example", "refused"),
        ("null", "refused"),
        ("", "refused"),
        ("http://user@localhost:8501.evil.example", "refused"),
    ],
)
def test_a_page_of_another_site_is_not_connected(
    origin: str | None, heard: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit never hears of it: for a foreign origin it would ask a third party and wait."""
    options = {
        "server.allowedHosts": ["a.example"],
        "server.corsAllowedOrigins": ["https://course.example"],
        "server.enableCORS": True,
        "server.maxWidgetStateSize": 5,
    }
    monkeypatch.setattr("streamlit.get_option", options.get)
    server = Server("a.example")
    headers = {} if origin is None else {"Origin": origin}
    if heard == "refused":
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            server.websocket_connect("ws://a.example:8501/", headers=headers),
        ):
            pass
        assert (refused.value.code, server.origins) == (1008, [])
    else:
        with suppress(OSError), server.websocket_connect("ws://a.example:8501/", headers=headers):
            pass
        assert server.origins == [heard]
    assert server.gate.connected == 0


def test_a_connection_by_another_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with an origin that is allowed."""
    options = {
        "server.allowedHosts": ["b.example"],
        "server.corsAllowedOrigins": ["http://c.example"],
    }
    monkeypatch.setattr("streamlit.get_option", options.get)
    for origin in ("http://a.example:8501", "http://c.example"):
        with (
            pytest.raises(WebSocketDisconnect),
            Server().websocket_connect("ws://a.example:8501/", headers={"Origin": origin}),
        ):
            pass


def test_a_page_for_another_host_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also before any page is imported, for files too; health is told to whoever asks."""
    for allowed, status in (
        ([], 403),
        (["*"], PASSED),
        (["b.example", "A.example"], PASSED),
        (["b.example", "localhost"], 403),
    ):
        monkeypatch.setattr("streamlit.get_option", {"server.allowedHosts": allowed}.get)
        paths = ["/", "/labs", "/live", "/static/js/main.js", "/ready", "/_stcore/health"]
        asked = Server("a.example").statuses(paths)
        assert asked == [status] * 4 + [PASSED] * 2
    said = "does not answer to 'a.example'. server.allowedHosts: b.example, localhost."
    assert said in Server("a.example").get("/").text


def test_a_visitor_with_many_cookies_is_told(hosted: pytest.MonkeyPatch) -> None:
    """The page's connection could not be opened with them; a page's files need none."""
    hosted.setattr("streamlit.get_option", lambda name: "" if "base" in name else [])
    server = Server()
    for length, status in ((7_900, PASSED), (8_000, 431)):
        cookie = {"Cookie": "a" * length}
        assert server.get("/timing", headers=cookie).status_code == status
        assert server.get("/static/js/main.js", headers=cookie).status_code == PASSED
    assert "delete the cookies of this host" in server.get("/", headers=cookie).text
