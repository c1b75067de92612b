"""Uploads of a server that is not hosted are bounded, with Streamlit's own routes behind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from streamlit import config
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.web.server.starlette.starlette_routes import create_upload_routes

from embviz.hosting import uploads
from embviz.hosting.uploads import Bounded

KB = 1_000
TAKEN, OVER = 204, 413


class Server(TestClient):
    """Streamlit's routes of uploads and its manager, behind the bounds."""

    def __init__(self, base: str = "") -> None:
        self.manager = MemoryUploadedFileManager("")
        sessions: Any = SimpleNamespace(is_active_session=lambda session: session != "unknown")
        routes = create_upload_routes(sessions, self.manager, base)
        bounded = Middleware(Bounded, held=self.held)
        super().__init__(Starlette(routes=routes, middleware=[bounded]))
        self.base = f"{base}/_stcore/upload_file"

    def held(self, session: str, file: str) -> bool:
        """Whether the manager has it."""
        return bool(self.manager.get_files(session, [file]))

    def upload(self, session: str, file: str, kb: int = 1, **more: Any) -> int:
        """The status of an upload."""
        content = {"files": {"f": ("a.csv", b"1" * (kb * KB))}} | more
        return self.put(f"{self.base}/{session}/{file}", **content).status_code

    def files(self) -> int:
        """How many the manager has."""
        return sum(map(len, self.manager.file_storage.values()))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small bounds, and no token of a browser."""
    monkeypatch.setattr(uploads, "SESSION_FILES", 3)
    monkeypatch.setattr(uploads, "SERVER_FILES", 7)
    monkeypatch.setattr(uploads, "SESSION_BYTES", 50 * KB)
    monkeypatch.setattr(uploads, "SERVER_BYTES", 120 * KB)
    options = {"server.maxUploadSize": 1, "server.enableXsrfProtection": False}
    usual = {name: config.get_option(name) for name in options}
    for name, value in options.items():
        config.set_option(name, value)
    yield
    for name, value in usual.items():
        config.set_option(name, value)


@pytest.mark.parametrize("base", ["", "/base"])
def test_files_and_bytes_are_bounded(base: str) -> None:
    """Of one session and of all together; what is over is refused, and nothing of it is kept."""
    server = Server(base)
    assert [server.upload("a", f"{n}") for n in range(5)] == [TAKEN] * 3 + [OVER] * 2
    assert [server.upload("b", f"{n}", 20) for n in range(3)] == [TAKEN, TAKEN, OVER]
    assert server.upload("b", "2", 5) == TAKEN
    assert [server.upload("c", f"{n}", 40) for n in range(2)] == [TAKEN, OVER]
    assert server.upload("d", "0", 45) == OVER  # 88 KB are there
    assert server.files() == 7
    assert [server.upload(f"{n}", "0") for n in range(3)] == [OVER] * 3
    refused = server.put(f"{server.base}/a/9", files={"f": b"1"})
    assert "may upload 3 files with 48.8 KiB together" in refused.text
    assert refused.headers["connection"] == "close"
    assert "This server holds 7 uploads" in server.put(f"{server.base}/e/9", files={"f": b"1"}).text


def test_what_streamlit_forgets_makes_room() -> None:
    """A file that its user removes, one that is sent again, and a session that ends."""
    server = Server()
    for _ in range(5):
        assert [server.upload("a", f"{n}", 15) for n in range(3)] == [TAKEN] * 3
        assert server.upload("a", "9") == OVER
        assert server.delete(f"{server.base}/a/1").status_code == TAKEN
        assert server.upload("a", "9", 15) == TAKEN
        server.manager.remove_session_files("a")
    assert [server.upload("a", "same", 20) for _ in range(5)] == [TAKEN] * 5
    assert not uploads.is_held("a", "same")  # no server of Streamlit runs


def test_what_is_refused_anyway_costs_nothing() -> None:
    """An unknown session, no file, one that is too long, or of a length that is not told."""
    server = Server()
    for _ in range(9):
        assert server.upload("unknown", "0") == 400
        assert server.upload("a", "0", files=None, content=b"1") == 400
        assert server.put(f"{server.base}/a/0", content=iter([b"1"])).status_code == OVER
    assert server.upload("a", "0", 2_000) == OVER
    assert [server.upload("a", f"{n}") for n in range(3)] == [TAKEN] * 3
    assert server.get("/other").status_code == 404


def test_an_upload_that_does_not_arrive_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then it counts as what it claims to be."""
    monkeypatch.setattr(uploads, "ARRIVE_S", 0.05)
    server, sent = Server(), list[Any]()
    path, length = f"{server.base}/a/0", f"{45 * KB}".encode()
    headers = [(b"content-length", length), (b"content-type", b"multipart/form-data; boundary=x")]
    scope = {"type": "http", "method": "PUT", "path": path, "headers": headers, "query_string": b""}

    async def never() -> Any:
        if server.upload("a", "1", 20) != OVER:
            sent.append("taken")
        await asyncio.sleep(60)

    async def send(message: Any) -> None:
        sent.append(message.get("status"))

    asyncio.run(server.app(scope, never, send))
    assert sent == [408, None]
    assert server.upload("a", "1", 40) == TAKEN
