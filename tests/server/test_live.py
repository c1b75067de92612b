"""The route `live`: who is answered, with what, and what is refused."""

import asyncio
import json
import logging
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette

from embviz.request import live as requests
from embviz.request.live import from_body
from embviz.server import incoming, live
from embviz.server.tables import run_both_cached
from tests.commands import call
from tests.server.alone import run

HELLO = b'{"settings": {"text": "hello"}}'
SECRET = "xyzzy"


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
    method: str = "POST",
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


@pytest.fixture
def option(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Sets an option of Streamlit for this test."""
    before: dict[str, Any] = {}

    def set_to(name: str, value: Any) -> None:
        before.setdefault(name, st.get_option(name))
        st.config.set_option(name, value)

    yield set_to
    for name, value in before.items():
        st.config.set_option(name, value)


@pytest.mark.parametrize("host", ["0", "1"])
def test_a_post_gives_the_bytes_of_a_rerun(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    """On one's own machine and hosted, two servers give the bytes that the stage gets."""
    monkeypatch.setenv("EMBVIZ_HOSTED", host)
    first, second = ask("POST", HELLO[:9], HELLO[9:]), ask("POST", HELLO)
    expected = requests.answer(from_body(HELLO), run_both_cached)
    assert (first.status, first.body, second.body) == (200, expected, expected)
    assert first.headers["content-type"] == "application/octet-stream"
    assert first.headers["cache-control"] == "no-store"
    assert "set-cookie" not in first.headers


def test_a_get_gives_the_same_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    """An address gives the stage's bytes, and to a program that asks for JSON the comparison."""
    assert ask("GET", query="text=hello").body == ask("POST", HELLO).body
    query = "text=h%C3%A9&dim=2&unknown=unk"
    answer = ask("GET", query=query, headers={"accept": "application/json"})
    printed = call(capsys, "compare", "hé", "--dim", 2, "--unknown", "unk", "--json")[1]
    assert (answer.status, answer.body.decode() + "\n") == (200, printed)
    assert answer.headers["content-type"] == "application/json"


def test_it_is_served_below_the_base_path(option: Any) -> None:
    """With `server.baseUrlPath`, the route is there and nowhere else."""
    option("server.baseUrlPath", "/a/b/")
    assert ask("POST", HELLO, path="/a/b/live").status == 200
    assert ask("POST", HELLO).status == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_not_allowed(method: str) -> None:
    """Only GET, HEAD and POST are answered."""
    answer = ask(method, HELLO)
    assert answer.status == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "POST"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://testserver"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"origin": "https://embviz.example.org", "sec-fetch-site": "same-origin"}, 200),
        ({"origin": "https://friend.example.org", "sec-fetch-site": "cross-site"}, 200),
        ({"origin": "https://evil.example.org"}, 403),
        ({"origin": "https://evil.example.org", "sec-fetch-site": "cross-site"}, 403),
        ({"origin": "http://testserver.evil.example.org"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://["}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"host": "rebound.example.org"}, 403),
        ({"host": "rebound.example.org", "sec-fetch-site": "same-origin"}, 403),
    ],
)
def test_other_sites_are_refused(headers: dict[str, str], status: int, option: Any) -> None:
    """Pages of this server and programs are answered, on allowed hosts; other sites are not."""
    option("server.allowedHosts", ["testserver"])
    option("server.corsAllowedOrigins", ["https://friend.example.org"])
    answer = ask("POST", HELLO, headers=headers)
    assert answer.status == status
    assert "access-control-allow-origin" not in answer.headers
    if status == 403:
        assert answer.refusal


def test_refusals_have_the_pages_words() -> None:
    """A mistake is 422 with its fixes, and more than a limit is 413."""
    unknown = ask("POST", '{"settings": {"text": "é"}}'.encode())
    assert unknown.status == 422
    assert "'é' (U+00E9) at position 0" in unknown.refusal
    fixes = {"Map unknown characters to <unk>": {"unknown": "unk"}}
    assert json.loads(unknown.body)["fixes"] == fixes
    assert ask("POST", b"{").status == ask("GET", query="txt=a").status == 422
    large = ask("POST", b'{"settings": {"rows": 1000000, "dim": 1024}}')
    assert large.status == 413
    assert "over the budget" in large.refusal


def test_a_long_body_is_refused_whatever_it_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body over the bound is refused at its claimed length, or when it has become too long."""
    monkeypatch.setenv("EMBVIZ_LIVE_KB", "1")
    for parts, claimed in (((b"",), "1001"), ((b" " * 600,) * 9, None), ((b" " * 600,) * 9, "7")):
        headers = {"content-length": claimed} if claimed else {}
        answer = ask("POST", *parts, headers=headers, stops="silent")
        assert answer.status == 413
        assert answer.headers["connection"] == "close"
        assert "1 KB" in answer.refusal
    assert ask("POST", HELLO + b" " * (1000 - len(HELLO))).status == 200


def test_a_slow_client_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that does not arrive is given up, and a client that has gone is forgotten."""
    monkeypatch.setattr(incoming, "BODY_S", 0.0)
    assert ask("POST", b"{", stops="silent").status == 408
    monkeypatch.undo()
    assert ask("POST", b"{", stops="gone").status == 400


def test_a_full_server_says_when_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over `EMBVIZ_MAX_SESSIONS` open requests, the next one gets 429; then there is room again."""
    monkeypatch.setenv("EMBVIZ_MAX_SESSIONS", "2")
    started, release = threading.Semaphore(0), threading.Event()

    def wait(*_: Any) -> bytes:
        started.release()
        assert release.wait(60)
        return b"done"

    monkeypatch.setattr(requests, "answer", wait)

    async def scene() -> list[Answer]:
        server = app()
        waiting = [asyncio.create_task(ask_async(server, "POST", HELLO)) for _ in range(2)]
        await asyncio.to_thread(started.acquire)
        refused = await ask_async(server, "POST", HELLO)
        release.set()
        return [refused, *await asyncio.gather(*waiting), await ask_async(server, "POST", HELLO)]

    refused, *answered = run(scene())
    assert (refused.status, refused.headers["retry-after"]) == (429, "1")
    assert refused.refusal
    assert [(one.status, one.body) for one in answered] == [(200, b"done")] * 3


def test_short_requests_pass_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a large table, a long text or many ids are computed, a short request is answered."""
    release, answer = threading.Event(), requests.answer

    def wait(asked: Any, compute: Any) -> bytes:
        large = asked.numbers >= live.SMALL or asked.settings["input"] == "ids"
        if large or len(asked.settings["text"]) > 100:
            assert release.wait(60)
        return answer(asked, compute)

    monkeypatch.setattr(requests, "answer", wait)
    large = b'{"settings": {"rows": 524288, "dim": 2, "text": "a"}}'
    long = json.dumps({"settings": {"text": "a" * (live.SHORT + 1)}}).encode()
    ids = {"input": "ids", "ids": "1 " * 300, "rows": 1000, "dim": 1000}
    many = json.dumps({"settings": ids}).encode()

    async def scene() -> tuple[Answer, list[Answer]]:
        server = app()
        slow = [asyncio.create_task(ask_async(server, "POST", one)) for one in (large, long, many)]
        while not release.is_set():
            short = await ask_async(server, "POST", HELLO)
            release.set()
        return short, await asyncio.gather(*slow)

    short, slow = run(scene())
    assert [short.status, *(one.status for one in slow)] == [200] * 4


def test_a_request_that_waited_too_long_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its client has turned to a rerun by then."""
    assert ask("POST", HELLO).status == 200
    monkeypatch.setattr(live, "WAIT_S", -1.0)
    assert ask("POST", HELLO).status == 429


def test_no_text_reaches_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A failure is logged with its place and without its message, which may quote the text."""

    def fail(asked: Any, _compute: Any) -> bytes:
        raise RuntimeError(f"cannot compute {asked.settings['text']!r}")

    monkeypatch.setattr(requests, "answer", fail)
    with caplog.at_level(logging.DEBUG):
        answer = ask("POST", b'{"settings": {"text": "%s"}}' % SECRET.encode())
        ask("POST", b'{"settings": {"%s": 1}}' % SECRET.encode())
        ask("GET", query=f"text={SECRET}")
    assert (answer.status, "Traceback" in answer.refusal) == (500, False)
    assert "RuntimeError in the route live" in caplog.text
    assert "test_live.py" in caplog.text
    assert SECRET not in caplog.text
    assert SECRET.encode() not in answer.body


def test_a_part_is_waited_for_while_the_server_imports_its_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then the browser asks again, 429, instead of a sentence that blames the person, 422."""
    monkeypatch.setattr(live.health, "warm", threading.Event())
    monkeypatch.setattr(requests, "PARTS", {})
    body = b'{"settings": {"text": "hello"}, "part": "static"}'
    early = ask("POST", body)
    assert early.status == 429
    assert early.headers["retry-after"] == "1"
    live.health.warm.set()
    late = ask("POST", body)
    assert late.status == 422
    assert late.refusal == "'static' is no part of a page that follows the text."
