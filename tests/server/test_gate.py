"""A full server keeps those who are there; a hosted one refuses what strangers may not ask for."""

import asyncio
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from embviz.core.bounds import SESSIONS
from embviz.server.gate import Gate
from tests.server.alone import run

PASSED = "passed on"


class Server:
    """A gate before an app that answers `PASSED`, and keeps connections until `leave` is set."""

    def __init__(self) -> None:
        self.gate = Gate(self._app)
        self.leave = asyncio.Event()
        self.heard: list[Any] = []

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "websocket":
            return await send(PASSED)
        while not self.leave.is_set():
            self.heard.append(await receive())
        raise OSError("the connection broke")

    async def get(self, path: str, method: str = "GET") -> Any:
        """What a request is answered with: `PASSED`, or the gate's status, headers and body."""
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        await self.gate({"type": "http", "path": path, "method": method}, None, send)  # type: ignore[arg-type]
        if sent == [PASSED]:
            return PASSED
        return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]

    async def connect(self, messages: list[bytes]) -> list[Any]:
        """A connection that sends these and stays; what the gate sends back."""
        sent: list[Any] = []

        async def receive() -> Any:
            if messages:
                return {"type": "websocket.receive", "bytes": messages.pop(0)}
            await self.leave.wait()
            return {"type": "websocket.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        try:
            await self.gate({"type": "websocket"}, receive, send)
        except OSError:
            assert self.leave.is_set()
        return sent


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
        connections = [asyncio.create_task(server.connect([])) for _ in range(limit - 1)]
        await asyncio.sleep(0)
        assert await server.get(f"{base}/") == PASSED
        connections.append(asyncio.create_task(server.connect([])))
        await asyncio.sleep(0)
        for page in ("/", "/context", "/context/"):
            status, headers, body = await server.get(base + page)
            assert (status, headers[b"retry-after"]) == (503, b"5")
            assert f"{limit} visitors are connected".encode() in body
        for path in ("/ready", "/_stcore/health", "/static/js/main.js"):
            assert await server.get(base + path) == PASSED
        assert await server.get(f"{base}/context", "POST") == PASSED
        reserve = max(1, limit // 10)
        connections += [asyncio.create_task(server.connect([])) for _ in range(reserve)]
        await asyncio.sleep(0)
        assert server.gate.connected == limit + reserve
        assert await server.connect([b""]) == [{"type": "websocket.close"}]
        server.leave.set()
        assert await asyncio.gather(*connections) == [[]] * (limit + reserve)
        assert server.gate.connected == 0  # also of connections that broke
        assert await server.get(f"{base}/") == PASSED

    run(scene())


def test_uploads_and_metrics_are_not_found(hosted: pytest.MonkeyPatch) -> None:
    """A hosted server takes no file, and tells nobody how many visit it."""

    async def answers() -> list[Any]:
        paths = ("upload_file", "upload_file/me/some-id", "metrics", "metrics/", "health")
        return [await Server().get(f"/base/_stcore/{path}", "PUT") for path in paths]

    *closed, health = run(answers())
    assert [one[0] for one in closed] == [404] * 4
    assert health == PASSED
    hosted.delenv("EMBVIZ_HOSTED")
    assert run(answers()) == [PASSED] * 5


def test_messages_for_developers_are_dropped(hosted: pytest.MonkeyPatch) -> None:
    """No visitor of a hosted server empties all caches, ends all sweeps or reads file names."""
    reserved = ["clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime"]
    messages = [BackMsg(**{name: True}).SerializeToString() for name in reserved]
    others = [BackMsg(stop_script=True).SerializeToString(), b"\xff\xff"]

    async def heard() -> list[bytes]:
        server = Server()
        connection = asyncio.create_task(server.connect([*messages, *others]))
        await asyncio.sleep(0)
        server.leave.set()
        await connection
        return [one["bytes"] for one in server.heard if "bytes" in one]

    assert run(heard()) == others
    hosted.delenv("EMBVIZ_HOSTED")
    assert run(heard()) == [*messages, *others]
