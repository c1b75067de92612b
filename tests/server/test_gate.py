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

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send(PASSED)
            return
        while (message := await receive())["type"] != "websocket.disconnect":
            self.heard.append(message["bytes"])
        raise OSError("the connection broke")

    async def ask(self, scope: dict[str, str], *messages: bytes) -> list[Any]:
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

    async def get(self, path: str, method: str = "GET") -> Any:
        """`PASSED`, or the status of the gate's own answer."""
        first, *_ = await self.ask({"type": "http", "path": path, "method": method})
        return PASSED if first == PASSED else first["status"]

    async def connect(self, number: int) -> list[asyncio.Task[list[Any]]]:
        """So many connections that stay."""
        tasks = [asyncio.create_task(self.ask(STREAM)) for _ in range(number)]
        await asyncio.sleep(0)
        return tasks


@pytest.mark.parametrize("limit", [2, 30])
def test_a_full_server_says_so_and_closes_no_connection(
    limit: int, hosted: pytest.MonkeyPatch
) -> None:
    """From the limit on, pages answer 503; a tenth more connections are taken, and no others."""
    hosted.setenv(SESSIONS.variable, str(limit))
    base = "" if limit == 2 else "/base"
    hosted.setattr("streamlit.get_option", lambda _name: base)

    async def scene() -> None:
        server = Server()
        connections = await server.connect(limit - 1)
        assert await server.get(f"{base}/") == PASSED
        connections += await server.connect(1)
        for page in ("/", "/context", "/context/"):
            assert await server.get(base + page) == 503
        start, body = await server.ask({"type": "http", "path": f"{base}/", "method": "GET"})
        assert int(dict(start["headers"])[b"retry-after"]) > 0
        assert f"{limit} visitors are connected".encode() in body["body"]
        for path in ("/ready", "/_stcore/health", "/static/js/main.js"):
            assert await server.get(base + path) == PASSED
        assert await server.get(f"{base}/context", "POST") == PASSED
        reserve = max(1, limit // 10)
        connections += await server.connect(reserve)
        assert server.gate.connected == limit + reserve
        assert await server.ask(STREAM, b"") == [{"type": "websocket.close"}]
        server.leave.set()
        assert await asyncio.gather(*connections) == [[]] * (limit + reserve)
        assert server.gate.connected == 0  # although they broke
        assert await server.get(f"{base}/") == PASSED

    run(scene())


def test_uploads_and_metrics_are_not_found(hosted: pytest.MonkeyPatch) -> None:
    """A hosted server takes no file, and tells nobody how many visit it."""

    async def answers() -> list[Any]:
        paths = ("upload_file", "upload_file/me/some-id", "metrics", "metrics/", "health")
        return [await Server().get(f"/base/_stcore/{path}", "PUT") for path in paths]

    *closed, health = run(answers())
    assert closed == [404] * 4
    assert health == PASSED
    hosted.delenv("EMBVIZ_HOSTED")
    assert run(answers()) == [PASSED] * 5


def test_messages_for_developers_are_dropped(hosted: pytest.MonkeyPatch) -> None:
    """No visitor of a hosted server empties all caches, ends all sweeps or reads file names."""
    reserved = BackMsg(clear_cache=True), BackMsg(load_git_info=True), BackMsg(set_run_on_save=True)
    messages = [one.SerializeToString() for one in reserved]
    others = [BackMsg(stop_script=True).SerializeToString(), b"\xff\xff"]

    async def heard() -> list[bytes]:
        server = Server()
        server.leave.set()
        await server.ask(STREAM, *messages, *others)
        return server.heard

    assert run(heard()) == others
    hosted.delenv("EMBVIZ_HOSTED")
    assert run(heard()) == [*messages, *others]
