"""A hosted server takes no uploads, bounds messages and gives no metrics."""

from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from embviz.server import guard
from tests.server.alone import run

MB = guard.MB


def answer(path: str, method: str = "GET") -> int:
    """The status of a request that the guard answers; 0 if it passes the request on."""
    statuses = [0]

    async def app(*_: Any) -> None:
        """Streamlit."""

    async def send(message: Any) -> None:
        statuses.append(message.get("status", statuses[-1]))

    scope = {"type": "http", "path": path, "method": method, "headers": []}
    run(guard.Guard(app)(scope, None, send))  # type: ignore[arg-type]
    return statuses[-1]


@pytest.mark.parametrize("base", ["", "/base"])
def test_uploads_and_metrics_are_not_found(base: str, hosted: pytest.MonkeyPatch) -> None:
    """A hosted server takes no file, whatever its size, and tells nobody how many visit it."""
    for path in ("upload_file", "upload_file/me/some-id", "metrics", "metrics/"):
        assert answer(f"{base}/_stcore/{path}", "PUT") == 404
        assert answer(f"{base}/_stcore/{path}") == 404
    assert answer(f"{base}/_stcore/health") == 0
    hosted.delenv("EMBVIZ_HOSTED")
    assert answer(f"{base}/_stcore/upload_file/me/some-id", "PUT") == 0


def test_a_message_that_is_too_large_ends_its_connection(hosted: pytest.MonkeyPatch) -> None:
    """A message over the limit never reaches Streamlit, which would keep it for the session."""
    heard: list[Any] = []

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        heard.extend([await receive() for _ in range(3)])

    sizes = iter((5 * MB, 5 * MB + 1, 1))

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.receive", "bytes": bytes(next(sizes))}

    run(guard.Guard(app)({"type": "websocket"}, receive, None))  # type: ignore[arg-type]
    kinds = [one["type"].partition(".")[2] for one in heard]
    assert kinds == ["receive", "disconnect", "receive"]


def test_messages_for_developers_are_dropped(hosted: pytest.MonkeyPatch) -> None:
    """No visitor empties all caches, ends all sweeps or reads names of files."""
    sent = [
        BackMsg(clear_cache=True),
        BackMsg(load_git_info=True),
        BackMsg(set_run_on_save=True),
        BackMsg(debug_shutdown_runtime=True),
        BackMsg(stop_script=True),
    ]
    queue = [one.SerializeToString() for one in sent] + [b"\xff\xff"]
    heard: list[bytes] = []

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        heard.extend([(await receive())["bytes"] for _ in range(2)])

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.receive", "bytes": queue.pop(0)}

    run(guard.Guard(app)({"type": "websocket"}, receive, None))  # type: ignore[arg-type]
    assert heard == [BackMsg(stop_script=True).SerializeToString(), b"\xff\xff"]
