"""A full server keeps those who are there; a hosted one refuses what strangers may not ask for."""

from contextlib import suppress
from typing import Any

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg

from embviz.core.bounds import SESSIONS
from embviz.server.gate import Gate

PASSED = 204


class Server(TestClient):
    """A gate before an app that answers `PASSED`, and whose connections break at their end."""

    def __init__(self, name: str = "localhost") -> None:
        self.gate = Gate(self._app)
        self.heard: list[bytes] = []
        super().__init__(self.gate, f"http://{name}:8501")

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await Response(status_code=PASSED)(scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            self.heard.append(message["bytes"])
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


def test_strangers_get_no_uploads_metrics_and_messages_for_developers(
    hosted: pytest.MonkeyPatch,
) -> None:
    """No visitor of a hosted server fills its memory, counts the others or ends their sweeps."""
    paths = ["upload_file", "upload_file/me/some-id", "metrics", "metrics/", "health"]
    reserved = ("clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime")
    message: Any = BackMsg
    dropped = [message(**{name: True}).SerializeToString() for name in reserved]
    kept = [message(stop_script=True).SerializeToString(), b"\xff\xff"]
    for status, heard in ((404, kept), (PASSED, dropped + kept)):
        server = Server()
        with suppress(OSError), server.websocket_connect("/") as connection:
            for one in dropped + kept:
                connection.send_bytes(one)
        found = server.statuses([f"/base/_stcore/{path}" for path in paths], "PUT")
        assert (found, server.heard) == ([status] * 4 + [PASSED], heard)
        hosted.delenv("EMBVIZ_HOSTED", raising=False)


def test_a_page_for_another_host_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also before any page is imported; what is no page is passed on."""
    for allowed, status in (
        ([], 403),
        (["*"], PASSED),
        (["b.example", "A.example"], PASSED),
        (["b.example", "localhost"], 403),
    ):
        monkeypatch.setattr("streamlit.get_option", {"server.allowedHosts": allowed}.get)
        asked = Server("a.example").statuses(["/", "/labs", "/ready"])
        assert asked == [status, status, PASSED]
    said = "does not answer to 'a.example'. server.allowedHosts: b.example, localhost."
    assert said in Server("a.example").get("/").text
