"""The route `live`: who is answered, with what, and what is refused."""

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.testclient import TestClient

from embviz.live import answer as requests
from embviz.live import route as live
from embviz.server import incoming, start, threads
from tests.server.alone import run

HELLO = b'{"settings": {"text": "hello"}}'
SECRET = "xyzzy"
HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
# A status, and the headers of a request that gets it.
SITES = """200
200 origin=http://localhost
200 host=[::1]:8501 origin=http://[::1]:8501
200 sec-fetch-site=none
200 origin=https://embviz.example.org sec-fetch-site=same-origin
200 origin=https://friend.example.org sec-fetch-site=cross-site
403 origin=https://evil.example.org
403 origin=http://localhost.evil.example.org
403 origin=null
403 origin=http://localhost:3000
403 sec-fetch-site=same-site"""


def client() -> TestClient:
    """A new server with the route alone."""
    return TestClient(Starlette(routes=live.routes()), "http://localhost")


def status(content: Any = HELLO, **headers: str) -> int:
    """The status of an answer; a refusal has a sentence and fixes."""
    answer = client().post("/live", content=content, headers=headers)
    assert answer.status_code == 200 or {*answer.json()} == {"refusal", "fixes"}
    assert answer.headers.items() >= HEADERS.items()
    assert "access-control-allow-origin" not in answer.headers
    return answer.status_code


def options(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> None:
    """Set options of Streamlit's section `server` for this test."""
    real = st.get_option
    values = {f"server.{name}": value for name, value in changed.items()}
    monkeypatch.setattr(st, "get_option", lambda name: values.get(name, real(name)))


def test_a_post_and_a_get_are_answered() -> None:
    """With what a rerun gives the stage, and what the command line prints; without a cookie."""
    post, get = client().post("/live", content=HELLO), client().get("/live?text=h%C3%A9&dim=2")
    assert (post.status_code, post.text) == (200, requests.answer(HELLO))
    wanted = requests.answer_json({"text": "hé", "dim": "2"})
    assert (get.status_code, get.text) == (200, wanted)
    headers = HEADERS | {"content-type": "application/json"}
    for answer, more in ((post, {"content-encoding": "identity"}), (get, {})):
        length = {"content-length": str(len(answer.content))}
        assert dict(answer.headers) == headers | length | more


def test_it_is_served_below_the_base_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `server.baseUrlPath`, the route is there and nowhere else, for GET and POST."""
    options(monkeypatch, baseUrlPath="/a/b/")
    for method, path, code in (("POST", "/a/b", 200), ("PUT", "/a/b", 405), ("POST", "", 404)):
        assert client().request(method, f"{path}/live", content=HELLO).status_code == code


def test_other_sites_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of this server and programs are answered; other sites are not."""
    options(monkeypatch, corsAllowedOrigins=["https://friend.example.org"])
    for line in SITES.splitlines():
        code, *headers = line.split()
        assert status(**dict(one.split("=") for one in headers)) == int(code), line
    options(monkeypatch, enableCORS=False)
    assert status(origin="https://other.example.org") == 200


def test_a_mistake_is_told_from_a_limit() -> None:
    """A mistake is 422 with what would correct it, and more than a limit is 413."""
    mistake = '{"settings": {"text": "é", "unknown": "error"}}'
    unknown = client().post("/live", content=mistake.encode()).json()
    assert ("'é'" in unknown["refusal"], bool(unknown["fixes"])) == (True, True)
    large = b'{"settings": {"rows": 1000000, "dim": 1024}}'
    assert [status(one) for one in (mistake, b"{", large)] == [422, 422, 413]
    for query, code in (("txt=a", 422), ("rows=1000000&dim=1024", 413)):
        assert client().get(f"/live?{query}").status_code == code
    assert status(b'{"part": "unheard of"}') == 422


def test_a_body_that_is_long_or_does_not_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bytes are counted, whatever length it claims; what is refused is not read further."""
    monkeypatch.setenv("EMBVIZ_LIVE_KB", "1")
    monkeypatch.setattr(incoming, "BODY_S", 0.05)
    assert status(HELLO.ljust(1000)) == 200
    long = client().post("/live", content=HELLO.ljust(1001))
    assert (long.status_code, long.headers["connection"]) == (413, "close")

    async def read(claimed: bytes, *sizes: int) -> bytes:
        parts = [{"type": "http.request", "body": b" " * n, "more_body": True} for n in sizes]

        async def receive() -> Any:
            if not parts:
                await asyncio.sleep(60)
            return parts.pop()

        scope = {"type": "http", "headers": [(b"content-length", claimed)]}
        return await incoming.received(Request(scope, receive), 1000)

    for claimed, sizes, code in ((b"7", [600, 600], 413), (b"1001", [9], 408)):
        with pytest.raises(HTTPException) as refused:
            run(read(claimed, *sizes))
        assert refused.value.status_code == code


def test_large_requests_that_come_slowly_keep_no_small_one_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They have a number of bytes together; a key is answered beside them."""
    monkeypatch.setattr(live, "ARRIVING_BYTES", 250_000)
    monkeypatch.setattr(incoming, "BODY_S", 0.3)
    monkeypatch.setattr(requests, "answer", lambda *_: "")

    def ask(size: int, body: bytes | None) -> Request:
        async def receive() -> Any:
            if body is None:
                await asyncio.sleep(60)
            return {"type": "http.request", "body": body}

        asked = {"type": "http", "method": "POST", "server": ("localhost", 80), "path": "/live"}
        length = (b"content-length", b"%d" % size)
        return Request(asked | {"query_string": b"", "headers": [length]}, receive)

    async def come() -> list[int]:
        route = live.Live()
        slow = [asyncio.ensure_future(route.answer(ask(99_999, None))) for _ in range(3)]
        await asyncio.sleep(0)
        key = await route.answer(ask(len(HELLO), HELLO))
        answers = [key, *await asyncio.gather(*slow)]
        assert route.arriving == 0
        return [one.status_code for one in answers]

    assert run(come()) == [200, 408, 408, 429]


def test_a_busy_server_says_when_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """One slow answer delays no other; over `EMBVIZ_MAX_SESSIONS` open ones, the next gets 429."""
    monkeypatch.setenv("EMBVIZ_MAX_SESSIONS", "2")
    begun, release = threading.Semaphore(0), threading.Event()

    def wait(content: bytes) -> str:
        begun.release()
        assert content != b"slow" or release.wait(60)
        return ""

    monkeypatch.setattr(requests, "answer", wait)
    with ThreadPoolExecutor(3) as pool:
        post = partial(client().post, "/live")
        slow = [pool.submit(post, content=b"slow")]
        assert begun.acquire(timeout=60)
        assert post(content=b"quick").status_code == 200
        slow.append(pool.submit(post, content=b"slow"))
        assert all(begun.acquire(timeout=60) for _ in range(2))
        busy = post(content=b"quick")
        release.set()
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "1")
        assert [one.result().status_code for one in slow] == [200, 200]
        assert post(content=b"quick").status_code == 200
    monkeypatch.setattr(threads, "WAIT_S", -1.0)  # its client has turned to a rerun by now
    assert status() == 429


def test_the_event_loop_computes_what_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once all is imported; a large table is for another thread, and stops nobody."""
    in_threads = []

    def note(_content: bytes) -> str:
        in_threads.append(threading.current_thread().name.startswith("embviz-live"))
        return ""

    monkeypatch.setattr(requests, "answer", note)
    monkeypatch.setattr(start, "progress", start.Progress())
    large = b'{"settings": {"rows": 1000000}}'
    for start.progress.is_warm in (False, True):
        assert [status(HELLO), status(large)] == [200, 200]
    assert in_threads == [True, True, False, True]


def test_no_text_reaches_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A failure is logged with its place and without its message, which may quote the text."""

    def fail(content: bytes) -> bytes:
        raise RuntimeError(f"cannot compute {content!r}")

    monkeypatch.setattr(requests, "answer", fail)
    with caplog.at_level(logging.DEBUG, "embviz"):
        answer = client().post("/live", content=SECRET.encode())
    assert (answer.status_code, "Traceback" in answer.text) == (500, False)
    assert "RuntimeError" in caplog.text
    assert "test_route.py" in caplog.text
    assert SECRET not in caplog.text + answer.text
