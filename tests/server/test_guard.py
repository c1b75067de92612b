"""A hosted server bounds uploads and messages and gives no metrics."""

from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from embviz.server import guard
from tests.server.alone import run

MB = guard.MB


def answer(path: str, method: str = "GET", length: str | None = None) -> int:
    """The status of a request that the guard answers; 0 if it passes the request on."""
    statuses = [0]

    async def app(*_: Any) -> None:
        """Streamlit."""

    async def send(message: Any) -> None:
        statuses.append(message.get("status", statuses[-1]))

    headers = [] if length is None else [(b"Content-Length", length.encode())]
    scope = {"type": "http", "path": path, "method": method, "headers": headers}
    run(guard.Guard(app)(scope, None, send))  # type: ignore[arg-type]
    return statuses[-1]


def test_uploads_are_bounded_for_each_session_and_for_all(hosted: pytest.MonkeyPatch) -> None:
    """A file, the files of a session and those of all sessions have a limit, where hosted."""
    held: dict[str, int] = {}
    hosted.setattr(guard, "held_bytes", lambda: held)
    path = "/_stcore/upload_file/me/some-id"
    assert answer(path, "PUT", str(10 * MB)) == 0
    assert answer(path, "PUT", str(12 * MB)) == 413
    for length in (None, "many", "-1", ""):
        assert answer(path, "PUT", length) == 411
    held["me"] = 15 * MB
    assert answer(path, "PUT", str(5 * MB)) == 0
    assert answer(path, "PUT", str(7 * MB)) == 413
    assert answer(path, "DELETE") == answer("/", "PUT", "1") == 0
    held |= {f"other {k}": 20 * MB for k in range(5)} | {"me": 0}
    assert answer(path, "PUT", str(2 * MB)) == 413
    hosted.delenv("EMBVIZ_HOSTED")
    assert answer(path, "PUT", str(50 * MB)) == 0


def test_the_guard_counts_what_streamlit_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Runtime.uploaded_file_mgr.file_storage` holds every uploaded file, by session."""
    manager = MemoryUploadedFileManager("/_stcore/upload_file")
    for name in ("a", "b"):
        manager.add_file("me", UploadedFileRec(name, "x.npz", "", bytes(100)))
    monkeypatch.setattr(guard.runtime, "exists", lambda: True)
    monkeypatch.setattr(
        guard.runtime, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=manager)
    )
    assert guard.held_bytes() == {"me": 200}
    manager.remove_session_files("me")
    assert guard.held_bytes() == {}


def test_metrics_are_not_found(hosted: pytest.MonkeyPatch) -> None:
    """A hosted server tells nobody how many visitors it has."""
    for path in ("/_stcore/metrics", "/base/_stcore/metrics", "/_stcore/metrics/"):
        assert answer(path) == 404
    assert answer("/_stcore/health") == 0


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
