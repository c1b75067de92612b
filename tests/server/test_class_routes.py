"""The routes of classes: cookies, who may start a class, and what strangers get."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from cachetools import TTLCache
from starlette.applications import Starlette
from starlette.testclient import TestClient

from embviz.classes.here import here
from embviz.classes.store import Store
from embviz.server import class_routes
from embviz.server.class_routes import NO_WORD, STUDENT, TEACHER, present, ticket

WORD = "correct horse"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The store of a new server, on which a wrong try costs 0.2 s."""
    monkeypatch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path))
    monkeypatch.setattr(class_routes, "WRONG_S", 0.2)
    return here()


def made(peer: str = "::ffff:127.0.0.1", base: str = "http://localhost") -> TestClient:
    """A browser with this address."""
    app = Starlette(routes=class_routes.routes())
    return TestClient(app, base, follow_redirects=False, client=(peer, 5000))


@pytest.fixture
def browser(store: Store) -> TestClient:
    """A browser at the server's machine."""
    return made()


def start(browser: TestClient, headers: dict[str, str] | None = None, **fields: str) -> str:
    """The code of a new class, or the sentence that refuses it."""
    answer = browser.post("/class/start", data={"lab": "row"} | fields, headers=headers)
    if answer.status_code == 303:
        return answer.headers["location"].removeprefix("../labs?board=")
    assert "set-cookie" not in answer.headers
    return unescape(answer.text).rpartition("<p>")[2].removesuffix("</p>")


def test_a_class_starts_and_the_browser_is_its_teacher(browser: TestClient, store: Store) -> None:
    """A browser has one cookie for all its classes, and none that somebody could guess."""
    browser.cookies.set(TEACHER, "guessed", "localhost.local")
    assert not store.is_teacher(start(browser), "guessed")
    browser.cookies.clear()
    rooms = [store.room(start(browser, pace=pace)) for pace in ("vote", "own")]
    assert [(room.lab, room.own_pace) for room in rooms] == [("row", False), ("row", True)]
    assert len(store.classes_of(browser.cookies[TEACHER])) == 2


def test_the_file_of_all_answers_is_the_teachers(browser: TestClient, store: Store) -> None:
    """A student, and whoever knows the code, get a sentence; the teacher counts as no student."""
    code = start(browser)
    file = browser.get(f"/class/{code}/csv")
    assert file.content == b"\xef\xbb\xbfstudent\n"
    assert f'filename="embviz_{code}.csv"' in file.headers["content-disposition"]
    assert class_routes.present(code) == 0
    refused = made().get(f"/class/{code}/csv")
    assert (refused.status_code, "Only the teacher" in refused.text) == (403, True)
    assert made().get("/class/nothing/csv").status_code == 403


def test_the_link_makes_one_student_and_no_row(browser: TestClient, store: Store) -> None:
    """Opened eight times by one browser, it is one cookie; a preview of the link makes no row."""
    code = start(browser)
    answers = [browser.get(f"/class/{code}") for _ in range(8)]
    assert {(one.status_code, one.headers["location"]) for one in answers} == {
        (303, f"../labs?class={code}")
    }
    assert len({one.cookies[STUDENT] for one in answers}) == 1
    https = made(base="https://a.example").get(f"/class/{code}")
    proxied = made().get(f"/class/{code}", headers={"X-Forwarded-Proto": "https"})
    for answer, secure in ((answers[0], False), (https, True), (proxied, True)):
        cookie = answer.headers["set-cookie"]
        for word in ("HttpOnly", "SameSite=lax", "Path=/", f"Max-Age={60 * 86_400};"):
            assert word in cookie
        assert ("; Secure" in cookie) == secure
    assert store.answers(code) == []
    typed = browser.get("/class", params={"code": " K7M q2x4&board=1 "})
    assert typed.headers["location"] == "labs?class=K7M%20q2x4%26board%3D1"


def test_below_a_base_path(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways are relative, and the cookie has the path."""
    monkeypatch.setattr(st, "get_option", lambda name: "/app" if "base" in name else [])
    answer = made().get("/app/class/k7m-q2x4")
    assert answer.headers["location"] == "../labs?class=k7m-q2x4"
    assert "Path=/app;" in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    ("peer", "headers"),
    [
        ("::ffff:192.168.1.5", {}),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}),
        ("127.0.0.1", {"X-Forwarded-Proto": "https"}),
        ("::1", {"Forwarded": "for=127.0.0.1"}),
        ("127.0.0.1", {"X-Real-IP": "10.0.0.1"}),
        ("127.0.0.1", {"Via": "1.1 proxy"}),
        ("unix", {}),
    ],
)
def test_elsewhere_a_class_needs_the_word(
    store: Store, monkeypatch: pytest.MonkeyPatch, peer: str, headers: dict[str, str]
) -> None:
    """From another machine and through a proxy; a wrong word costs a second."""
    browser = made(peer)
    assert start(browser, headers, word=WORD) == NO_WORD.format(f"'{WORD}'")
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", WORD)
    since = time.monotonic()
    for wrong in ("", WORD[:-1], f"{WORD}x", "é"):
        assert "is not the word" in start(browser, headers, word=wrong)
    assert time.monotonic() - since >= 0.8
    assert store.room(start(browser, headers, word=WORD)).lab == "row"


@pytest.mark.parametrize(
    ("headers", "lab", "sentence"),
    [
        ({"Origin": "https://evil.example"}, "row", "Only the pages of this server"),
        ({}, "<b>", "'<b>' is not one of the labs: row"),
        ({}, "x" * 3_000_000, "longer than 1,000 bytes"),
    ],
)
def test_what_is_refused(
    browser: TestClient, headers: dict[str, str], lab: str, sentence: str
) -> None:
    """In one sentence, and no class is made."""
    assert sentence in start(browser, headers, lab=lab)


def test_the_version_follows_the_teacher(browser: TestClient, store: Store) -> None:
    """It says nothing else; a browser that asks is counted as present, once."""
    path = f"/class/{(code := start(browser))}/version"
    for student, count in (("r" * 43, 1), ("s" * 43, 2), ("s" * 43, 2)):
        browser.cookies.set(STUDENT, student)
        answer = browser.get(path)
        assert (answer.text, present(code), present("k7m-q2x4")) == ("1", count, 0)
        assert answer.headers["cache-control"] == "no-store"
    store.press(code, browser.cookies[TEACHER], "reveal", 1)
    assert browser.get(path).text == "2"


def test_wrong_codes_cost_their_sender_and_nobody_else(browser: TestClient) -> None:
    """While 100 wrong codes wait, a right one is answered at once."""
    code = start(browser)

    def ask(one: str) -> tuple[int, float]:
        since = time.monotonic()
        status = browser.get(f"/class/{one}/version").status_code
        return status, time.monotonic() - since

    with ThreadPoolExecutor(100) as pool:
        wrong = pool.map(ask, [f"bbb-{number:04}" for number in range(100)])
        assert {ask(code)[0] for _ in range(3)} == {200}
        assert min(wrong) >= (403, 0.2)


def test_another_device_gets_the_board_for_a_minute(
    browser: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a cookie of its own, and an address without the secret."""
    assert class_routes._tickets.ttl == 60
    now = 0.0
    monkeypatch.setattr(class_routes, "_tickets", type(class_routes._tickets)(9, 60, lambda: now))
    code, other = start(browser), start(browser)
    phone, secret = made("192.168.1.5"), ticket(code)
    for path in (f"{other}/board/{secret}", f"{code}/board/{secret[:-1]}"):
        assert phone.get(f"/class/{path}").status_code == 403
    answer = phone.get(f"/class/{code}/board/{secret}")
    assert answer.headers["location"] == f"../../../labs?board={code}"
    assert [store.is_teacher(each, phone.cookies[TEACHER]) for each in (code, other)] == [
        True,
        False,
    ]
    now = 61.0
    assert phone.get(f"/class/{code}/board/{secret}").status_code == 403


class Watched(TTLCache):  # type: ignore[misc]
    """A cache that fails if it is used without the lock."""

    def __getitem__(self, key: Any) -> Any:
        assert class_routes._lock.locked()
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        assert class_routes._lock.locked()
        super().__setitem__(key, value)

    def __iter__(self) -> Any:
        assert class_routes._lock.locked()
        return super().__iter__()


def test_what_threads_share_is_used_under_a_lock(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tickets, and who is present: pages read them while the event loop writes."""
    for name in ("_tickets", "_present"):
        monkeypatch.setattr(class_routes, name, Watched(9, 60.0))
    code = start(browser)
    assert made().get(f"/class/{code}/version").status_code == 200
    assert present(code) == 1
    assert made().get(f"/class/{code}/board/{ticket(code)}").status_code == 303
    assert made().get(f"/class/{code}/board/wrong").status_code == 403


@pytest.mark.parametrize("variable", ["EMBVIZ_CLASSES=off", "EMBVIZ_HOSTED=1"])
def test_without_classes_there_is_no_route(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """Where they are off, and by default where hosted."""
    monkeypatch.setenv(*variable.split("="))
    assert class_routes.routes() == []


def test_a_file_that_fails_is_a_sentence(browser: TestClient, store: Store) -> None:
    """A teacher reads why no class starts; a student's page sees that the server is not well."""
    store.path.write_text("no database" * 500)
    assert start(browser).endswith("press again. The file votes.sqlite3 is no database.")
    assert browser.get("/class/k7m-q2x4/version").status_code == 503
