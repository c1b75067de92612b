"""A full server keeps those who are there; a hosted one refuses what strangers may not ask for."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from embviz.core.bounds import SESSIONS
from embviz.server.gate import Gate
from tests.server.alone import run

PASSED = "passed on"
STREAM = {"type": "websocket"}


class Server:
    """A gate before an app that answers `PASSED`, and keeps connections until `leave` is set."""

    def __init__(self) -> None:
        self.gate = Gate(self._app)
        self.leave = asyncio.Event()
        self.heard: list[bytes] = []
        self.headers = [(b"host", b"a.example:8501")]

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send({"status": PASSED})
            return
        while (message := await receive())["type"] != "websocket.disconnect":
            self.heard.append(message["bytes"])
        raise OSError("the connection broke")

    async def ask(self, scope: dict[str, Any], *messages: bytes) -> list[Any]:
        """What is sent back to a request, or to a connection that sends these and stays."""
        sent: list[Any] = []
        queue = list(messages)

        async def receive() -> Any:
            if queue:
                return {"type": "websocket.receive", "bytes": queue.pop(0)}
            await self.leave.wait()
            return {"type": "websocket.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        with suppress(OSError):
            await self.gate(scope, receive, send)
        return sent

    async def get(self, *paths: str, method: str = "GET") -> list[Any]:
        """For each path `PASSED`, or the status of the gate's own answer."""
        asked = [
            {"type": "http", "path": path, "method": method, "headers": self.headers}
            for path in paths
        ]
        return [(await self.ask(one))[0]["status"] for one in asked]

    async def connect(self, number: int) -> list[asyncio.Task[list[Any]]]:
        """So many connections that stay."""
        tasks = [asyncio.create_task(self.ask(STREAM)) for _ in range(number)]
        await asyncio.sleep(0)
        return tasks


@pytest.mark.parametrize(("limit", "taken", "base"), [(2, 3, ""), (30, 33, "/base")])
def test_a_full_server_says_so_and_closes_no_connection(
    limit: int, taken: int, base: str, hosted: pytest.MonkeyPatch
) -> None:
    """From the limit on, pages answer 503; a tenth more connections are taken, and no others."""
    hosted.setenv(SESSIONS.variable, str(limit))
    hosted.setattr("streamlit.get_option", lambda name: base if "base" in name else [])
    pages = [base + path for path in ("/", "/timing", "/timing/")]
    others = [base + path for path in ("/ready", "/_stcore/health", "/static/js/main.js")]

    async def scene() -> None:
        server = Server()
        connections = await server.connect(limit - 1)
        assert await server.get(*pages) == [PASSED] * 3
        connections += await server.connect(1)
        for method in ("GET", "HEAD"):
            assert await server.get(*pages, *others, method=method) == [503] * 3 + [PASSED] * 3
        assert await server.get(*pages, method="POST") == [PASSED] * 3
        asked = {"type": "http", "path": pages[0], "method": "GET", "headers": []}
        start, body = await server.ask(asked)
        headers = dict(start["headers"])
        assert int(headers[b"retry-after"]) > 0
        assert headers[b"cache-control"] == b"no-store"
        assert f"{limit} visitors".encode() in body["body"]
        connections += await server.connect(taken - limit)
        refused = await asyncio.wait_for(server.ask(STREAM, b""), 9)
        assert refused == [{"type": "websocket.close"}]
        assert server.gate.connected == taken
        server.leave.set()
        assert await asyncio.gather(*connections) == [[]] * taken
        assert server.gate.connected == 0  # although they broke
        assert await server.get(*pages) == [PASSED] * 3

    run(scene())


def test_strangers_get_no_uploads_metrics_and_messages_for_developers(
    hosted: pytest.MonkeyPatch,
) -> None:
    """No visitor of a hosted server fills its memory, counts the others or ends their sweeps."""
    paths = ("upload_file", "upload_file/me/some-id", "metrics", "metrics/", "health")
    reserved = ("clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime")
    message: Any = BackMsg
    dropped = [message(**{name: True}).SerializeToString() for name in reserved]
    kept = [message(stop_script=True).SerializeToString(), b"\xff\xff"]

    async def answers() -> tuple[list[Any], list[bytes]]:
        server = Server()
        server.leave.set()
        await server.ask(STREAM, *dropped, *kept)
        found = await server.get(*(f"/base/_stcore/{path}" for path in paths), method="PUT")
        return found, server.heard

    assert run(answers()) == ([404] * 4 + [PASSED], kept)
    hosted.delenv("EMBVIZ_HOSTED")
    assert run(answers()) == ([PASSED] * 5, [*dropped, *kept])


def test_a_page_for_another_host_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also before any page is imported; what is no page is passed on."""

    async def scene(*allowed: str) -> tuple[list[Any], bytes]:
        monkeypatch.setattr("streamlit.get_option", lambda name: allowed if "Hosts" in name else "")
        server = Server()
        asked = {"type": "http", "path": "/", "method": "GET", "headers": server.headers}
        said = (await server.ask(asked))[-1].get("body", b"")
        return await server.get("/", "/labs", "/ready"), said

    for allowed in ((), ("*",), ("b.example", "A.example")):
        assert run(scene(*allowed))[0] == [PASSED] * 3
    statuses, said = run(scene("b.example", "localhost"))
    assert statuses == [403, 403, PASSED]
    expected = "does not answer to 'a.example'. server.allowedHosts: b.example, localhost."
    assert expected in said.decode()
