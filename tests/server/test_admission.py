"""A full server answers new visitors with a sentence, and keeps those who are there."""

import asyncio
from typing import Any

import pytest

from embviz.core.bounds import SESSIONS
from embviz.server.admission import Admission
from tests.server.alone import run


async def fill(server: Admission, limit: int) -> list[Any]:
    """Fill the server with connections that stay; what it answers to others, then and at last."""
    leave, answers = asyncio.Event(), []

    async def stays() -> Any:
        await leave.wait()

    async def connects() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        answers.append(message)

    stream: Any = {"type": "websocket", "path": "/base/_stcore/stream"}

    async def opens(path: str, cookie: str = "other=1") -> None:
        headers = [(b"cookie", cookie.encode())]
        await server(
            {"type": "http", "path": path, "method": "GET", "headers": headers}, connects, send
        )

    connections = [asyncio.create_task(server(stream, stays, send)) for _ in range(limit)]
    await asyncio.sleep(0)
    await opens("/base/context/")
    assert (server.connected, answers[0]["status"]) == (limit, 503)
    await opens("/base/", "_streamlit_xsrf=2|ab")  # a reload: the old connection is still open
    assert answers[2:] == ["/base/"]
    reserve = [server(stream, stays, send) for _ in range(max(1, limit // 10))]
    connections += [asyncio.create_task(one) for one in reserve]
    await asyncio.sleep(0)
    await server(stream, connects, send)
    assert answers[3:] == [{"type": "websocket.close"}]
    await opens("/", "_streamlit_xsrf=2|ab")
    assert answers[4]["status"] == 503
    for path in ("/ready", "/_stcore/health", "/healthz", "/static/js/main.js"):
        await opens(path)
    await server({"type": "lifespan"}, connects, send)  # the server's own start and end
    leave.set()
    await asyncio.gather(*connections, return_exceptions=True)
    assert server.connected == 0
    await opens("/")
    assert answers[6:] == ["/ready", "/_stcore/health", "/healthz", "/static/js/main.js", None, "/"]
    return answers


@pytest.mark.parametrize("limit", [2, 30])
def test_a_full_server_says_so_and_closes_no_connection(
    limit: int, hosted: pytest.MonkeyPatch
) -> None:
    """Pages of a full server answer 503 with a sentence; a tenth is reserved for reloads."""
    hosted.setenv(SESSIONS.variable, str(limit))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "websocket":
            await send(scope.get("path"))
        else:
            await receive()
            raise OSError("the connection broke")

    answers = run(fill(Admission(app), limit))
    for start, body in (answers[0:2], answers[4:6]):
        assert dict(start["headers"])[b"retry-after"] == b"5"
        assert f"{limit} visitors are connected".encode() in body["body"]
