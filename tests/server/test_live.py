"""The route `live`: who is answered, with what, and what is refused."""

import asyncio
import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette

from embviz.request import live as requests
from embviz.server import incoming, live, start
from embviz.server.tables import run_both_cached
from tests.server.alone import run

HELLO = b'{"settings": {"text": "hello"}}'
SECRET = "xyzzy"
HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
# A status, and the headers of a request that gets it.
SITES = """200
200 origin=http://testserver
200 host=TESTSERVER.:8501 sec-fetch-site=none
200 host=[::1]:8501 origin=http://[::1]:8501
200 host=a.wild.example.org
200 origin=https://embviz.example.org sec-fetch-site=same-origin
200 origin=https://friend.example.org sec-fetch-site=cross-site
403 origin=https://evil.example.org
403 origin=http://testserver.evil.example.org
403 origin=null
403 sec-fetch-site=same-site
403 host=wild.example.org
403 host=rebound.example.org sec-fetch-site=same-origin
403 host="""


@dataclass
class Answer:
    """A response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def refusal(self) -> str:
        """The sentence of a refused request."""
        content = json.loads(self.body)
        assert set(content) == {"refusal", "fixes"}
        return str(content["refusal"])


def app() -> Starlette:
    """A server with the route alone."""
    return Starlette(routes=live.routes())


async def ask_async(
    to: Starlette,
    method: str = "GET",
    *parts: bytes,
    path: str = "/live",
    query: str = "",
    headers: Mapping[str, str] | None = None,
    stops: str = "",
) -> Answer:
    """One request, its body in parts; at the end the client may be `silent` or `gone`."""
    given = {"host": "testserver"} | dict(headers or {})
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode()}
    scope |= {"headers": [(k.encode(), v.encode()) for k, v in given.items()], "root_path": ""}
    queue = [{"type": "http.request", "body": one, "more_body": True} for one in parts]
    sent: list[Any] = []

    async def receive() -> Any:
        if queue:
            return queue.pop(0)
        if stops == "silent":
            await asyncio.Event().wait()
        if stops == "gone":
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await to(scope, receive, send)
    head = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], head, b"".join(one.get("body", b"") for one in sent[1:]))


def ask(*args: Any, **more: Any) -> Answer:
    """One request to a new server."""
    return run(ask_async(app(), *args, **more))


def options(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> None:
    """Set options of Streamlit's section `server` for this test."""
    real = st.get_option
    values = {f"server.{name}": value for name, value in changed.items()}
    monkeypatch.setattr(st, "get_option", lambda name: values.get(name, real(name)))


def test_a_post_gives_the_answer_of_a_rerun() -> None:
    """The stage gets the JSON that a rerun gives it, uncompressed, and no cookie."""
    answer = ask("POST", HELLO[:9], HELLO[9:])
    assert (answer.status, answer.body.decode()) == (200, requests.answer(HELLO, run_both_cached))
    assert answer.headers == HEADERS | {
        "content-length": str(len(answer.body)),
        "content-type": "application/json",
        "content-encoding": "identity",
    }


def test_a_get_gives_the_json_of_an_address() -> None:
    """A script gets the object that the command line prints."""
    answer = ask(query="text=h%C3%A9&dim=2")
    wanted = requests.answer_json({"text": "hé", "dim": "2"}, run_both_cached)
    assert (answer.status, answer.body.decode()) == (200, wanted)
    assert answer.headers.items() >= (HEADERS | {"content-type": "application/json"}).items()


def test_it_is_served_below_the_base_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `server.baseUrlPath`, the route is there and nowhere else, for GET and POST."""
    options(monkeypatch, baseUrlPath="/a/b/")
    for method, path, status in (("POST", "/a/b", 200), ("PUT", "/a/b", 405), ("POST", "", 404)):
        assert ask(method, HELLO, path=f"{path}/live").status == status


def test_other_sites_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of this server and programs are answered, on allowed hosts; other sites are not."""
    options(
        monkeypatch,
        allowedHosts=["TestServer", "::1", "*.wild.example.org"],
        corsAllowedOrigins=["https://friend.example.org"],
    )
    for line in SITES.splitlines():
        status, *headers = line.split()
        answer = ask("POST", HELLO, headers=dict(one.split("=") for one in headers))
        assert answer.status == int(status), line
        assert "access-control-allow-origin" not in answer.headers
        assert status == "200" or answer.refusal


def test_any_host_or_origin_where_a_proxy_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """`*`, or no name, allows all hosts; without CORS' checks all origins may ask."""
    host = {"host": "any.example.org"}
    other = host | {"origin": "https://other.example.org"}
    for hosts, cors, statuses in ((["*"], True, [200, 403]), ([], False, [200, 200])):
        options(monkeypatch, allowedHosts=hosts, enableCORS=cors)
        assert [ask("POST", HELLO, headers=one).status for one in (host, other)] == statuses


def test_a_mistake_is_told_from_a_limit() -> None:
    """A mistake is 422 with what would correct it, and more than a limit is 413."""
    unknown = ask("POST", '{"settings": {"text": "é", "unknown": "error"}}'.encode())
    assert "'é'" in unknown.refusal
    assert json.loads(unknown.body)["fixes"]
    assert [unknown.status, ask("POST", b"{").status, ask(query="txt=a").status] == [422] * 3
    large = b'{"settings": {"rows": 1000000, "dim": 1024}}'
    assert ask("POST", large).status == ask(query="rows=1000000&dim=1024").status == 413


def test_a_body_that_is_long_or_does_not_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bytes are counted, whatever length it claims; what is refused is not read further."""
    monkeypatch.setenv("EMBVIZ_LIVE_KB", "1")
    monkeypatch.setattr(incoming, "BODY_S", 0.05)
    assert ask("POST", HELLO.ljust(1000), headers={"content-length": "1000"}).status == 200
    assert ask("POST", b"{", stops="gone").status == 400
    for claimed, sent, status in (("1001", 0, 413), ("x", 600, 413), ("7", 600, 413), ("", 9, 408)):
        given = {"content-length": claimed}
        answer = ask("POST", b" " * sent, b" " * sent, headers=given, stops="silent")
        assert (answer.status, answer.headers["connection"]) == (status, "close")


def test_a_busy_server_says_when_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """One slow answer delays no other; over `EMBVIZ_MAX_SESSIONS` open ones, the next gets 429."""
    monkeypatch.setenv("EMBVIZ_MAX_SESSIONS", "2")
    release = threading.Event()

    def wait(content: bytes, _run: Any) -> str:
        assert content != b"slow" or release.wait(60)
        return ""

    monkeypatch.setattr(requests, "answer", wait)

    async def scene() -> None:
        post = partial(ask_async, app(), "POST")
        slow = [asyncio.create_task(post(b"slow"))]
        assert (await post(b"quick")).status == 200
        slow.append(asyncio.create_task(post(b"slow")))
        await asyncio.sleep(0.01)
        busy = await post(stops="silent")  # it is not read
        release.set()
        assert (busy.status, busy.headers["retry-after"]) == (429, "1")
        assert busy.refusal
        assert [(await one).status for one in [*slow, post(b"quick")]] == [200] * 3

    run(scene())
    monkeypatch.setattr(live, "WAIT_S", -1.0)  # its client has turned to a rerun by now
    assert ask("POST", b"quick").status == 429


def test_no_text_reaches_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A failure is logged with its place and without its message, which may quote the text."""

    def fail(content: bytes, _run: Any) -> bytes:
        raise RuntimeError(f"cannot compute {content!r}")

    monkeypatch.setattr(requests, "answer", fail)
    with caplog.at_level(logging.DEBUG):
        answer = ask("POST", SECRET.encode())
        ask(query=f"text={SECRET}")
    assert (answer.status, "Traceback" in answer.refusal) == (500, False)
    assert "RuntimeError" in caplog.text
    assert "test_live.py" in caplog.text
    assert SECRET not in caplog.text + answer.body.decode()


def test_a_part_is_waited_for_while_the_server_imports_its_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then the browser asks again, 429, instead of a sentence that blames the person, 422."""
    monkeypatch.setattr(start, "state", start.State())
    bodies = b"{", b'{"part": "unheard of"}'
    assert [ask("POST", one).status for one in bodies] == [422, 429]
    start.state.is_warm = True
    assert ask("POST", bodies[1]).status == 422
