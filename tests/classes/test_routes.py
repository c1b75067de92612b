"""The routes of classes: cookies, who may start a class, and what strangers get."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from cachetools import TTLCache
from starlette.applications import Starlette
from starlette.testclient import TestClient

from embviz.classes import board, pace, visit
from embviz.classes import routes as class_routes
from embviz.classes import visits as class_visits
from embviz.classes.here import here
from embviz.classes.pace import Tries
from embviz.classes.routes import NO_WORD, NO_WORD_HOSTED, STUDENT, TEACHER, ticket
from embviz.classes.store import Store
from embviz.classes.visit import is_here
from embviz.classes.visits import kept, version_of, visits, visits_of
from embviz.system import spent

WORD = "correct horse battery"
ANNA, BEN = "r" * 43, "s" * 43


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The store of a new server, where nobody has tried anything."""
    monkeypatch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path))
    monkeypatch.setattr(class_routes, "words", Tries())
    monkeypatch.setattr(class_routes, "codes", Tries())
    monkeypatch.setattr(class_routes, "LOCKED_S", 0.0)
    return here()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The clock of paces and of open pages, which stands still until `now` is set."""
    made = SimpleNamespace(now=1e6)
    made.monotonic = lambda: made.now
    for module in (spent, class_visits, visit):
        monkeypatch.setattr(module, "time", made)
    return made


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
    return unescape(answer.text).partition("<p>")[2].partition("</p>")[0]


def test_a_class_starts_and_the_browser_is_its_teacher(browser: TestClient, store: Store) -> None:
    """A browser has one cookie for all its classes, and none that somebody could guess."""
    browser.cookies.set(TEACHER, "guessed", "localhost.local")
    assert not store.is_teacher(start(browser), "guessed")
    browser.cookies.clear()
    rooms = [store.room(start(browser, lab=lab)) for lab in ("row", "bag")]
    assert [(room.lab, room.labs) for room in rooms] == [("row", ("row",)), ("bag", ("bag",))]
    assert len(store.classes_of(browser.cookies[TEACHER])) == 2


def test_the_file_of_all_answers_is_the_teachers(browser: TestClient, store: Store) -> None:
    """A student, and whoever knows the code, get a sentence."""
    code = start(browser)
    snapshot = store.snapshot(code)
    for query, table, content in (
        ("", "", board.csv(snapshot)),
        ("?table=students", "_students", board.csv_students(snapshot)),
    ):
        file = browser.get(f"/class/{code}/csv{query}")
        assert file.content == content
        assert f'filename="embviz_{code}{table}.csv"' in file.headers["content-disposition"]
        refused = made().get(f"/class/{code}/csv{query}")
        assert (refused.status_code, "Only the teacher" in refused.text) == (403, True)
    assert made().get("/class/nothing/csv").status_code == 403


def test_the_link_makes_one_student_and_no_row(browser: TestClient, store: Store) -> None:
    """Opened again by one browser, it is one cookie; a preview of the link makes no row."""
    code = start(browser)
    answers = [browser.get(f"/class/{code}") for _ in range(3)]
    assert {(one.status_code, one.headers["location"]) for one in answers} == {
        (303, f"../labs?class={code}")
    }
    assert len({one.cookies[STUDENT] for one in answers}) == 1
    https = made(base="https://localhost").get(f"/class/{code}")
    proxied = made().get(f"/class/{code}", headers={"X-Forwarded-Proto": "https"})
    for answer, secure in ((answers[0], False), (https, True), (proxied, True)):
        cookie = answer.headers["set-cookie"]
        for word in ("HttpOnly", "SameSite=lax", "Path=/", f"Max-Age={60 * 86_400};"):
            assert word in cookie
        assert ("; Secure" in cookie) == secure
    assert store.snapshot(code).members == []
    typed = browser.get("/class", params={"code": " K7M q2x4&board=1 "})
    assert typed.headers["location"] == "labs?class=K7M%20q2x4%26board%3D1"


def test_below_a_base_path(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways are relative, and the cookie has the path."""
    monkeypatch.setattr(st, "get_option", lambda name: "/app" if "base" in name else [])
    answer = made().get("/app/class/k7m-q2x4")
    assert answer.headers["location"] == "../labs?class=k7m-q2x4"
    assert "Path=/app;" in answer.headers["set-cookie"]


@pytest.mark.parametrize(("peer", "hosts"), [("127.0.0.1", "0"), ("192.168.1.5", "1")])
def test_a_word_that_is_set_is_asked_for(
    store: Store, monkeypatch: pytest.MonkeyPatch, peer: str, hosts: str
) -> None:
    """Of everybody: behind a proxy that adds no header all come from the machine itself.

    A program is refused at once; a visitor's page is led to the labs, which say the sentence.
    """
    monkeypatch.setenv("EMBVIZ_HOSTED", hosts)
    monkeypatch.setenv("EMBVIZ_CLASSES", "on")
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", WORD)
    browser = made(peer)
    for wrong in ("", WORD[:-1], f"{WORD}x", "é"):
        assert "is not the class word" in start(browser, word=wrong)
    form = {"lab": "row", "word": "wrong"}
    answer = browser.post("/class/start", data=form, headers={"Accept": "text/html,*/*"})
    assert (answer.status_code, answer.headers["location"]) == (303, "../labs?refused=word")
    assert "set-cookie" not in answer.headers
    assert store.room(start(browser, word=WORD)).lab == "row"


def test_without_a_word_a_class_starts_at_the_machine(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not from another one, not through a proxy; hosted, where a proxy may add nothing, never."""
    assert start(made("::ffff:192.168.1.5"), word=WORD) == unescape(NO_WORD)
    assert start(made(), {"Via": "1.1 proxy"}, word=WORD) == unescape(NO_WORD)
    assert len(start(made())) == len("k7m-q2x4")
    monkeypatch.setenv("EMBVIZ_CLASSES", "on")
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert start(made()) == NO_WORD_HOSTED
    assert "localhost" not in NO_WORD_HOSTED


def test_who_tries_many_words_waits_and_nobody_else(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch, clock: SimpleNamespace
) -> None:
    """One address is refused, also with the right word; a teacher elsewhere starts a class."""
    monkeypatch.setenv("EMBVIZ_CLASS_WORD", WORD)
    monkeypatch.setattr(pace, "MOST_WAIT_S", 1e-3)
    tried = [start(made("10.0.0.9"), word="wrong") for _ in range(30)]
    compared = [one for one in tried if "is not the class word" in one]
    assert len(compared) == pace.AT_ONCE
    assert start(made("10.0.0.9"), word=WORD) == tried[-1]
    assert "Wait some seconds" in tried[-1]
    clock.now += 1 / pace.ALL_EACH_SECOND
    assert len(start(browser, word=WORD)) == len("k7m-q2x4")
    clock.now += 1 / pace.EACH_SECOND
    for _ in range(3):  # a right one gives its turn back
        assert len(start(made("10.0.0.9"), word=WORD)) == len("k7m-q2x4")


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


def test_the_version_follows_the_teacher_and_another_tab(
    browser: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Own answers at once, presses half a second later: so long an answer needs no file."""
    now = 0.0
    ttl = class_routes.VERSION_S
    monkeypatch.setattr(class_routes, "_versions", TTLCache(9, ttl, lambda: now))
    path = f"/class/{(code := start(browser))}/version"
    for student in (ANNA, BEN):
        visits(code, student, "row", 1)
    browser.cookies.set(STUDENT, ANNA)
    answer = browser.get(path)
    assert (answer.text, answer.headers["cache-control"]) == ("1.0", "no-store")
    kept(code, BEN)
    assert browser.get(path).text == "1.0"
    kept(code, ANNA)
    store.press(code, browser.cookies[TEACHER], "reveal", "row", 1)
    with monkeypatch.context() as known:
        known.setattr(class_routes, "here", None)  # it would fail
        known.setattr(class_routes, "_threads", None)
        assert browser.get(path).text == "1.1"
    now += 0.6
    assert browser.get(path).text == version_of(store.room(code), ANNA) == "2.1"


def test_only_pages_that_are_open_count(browser: TestClient, clock: SimpleNamespace) -> None:
    """Neither requests without a cookie nor made-up ones nor those that the link gives."""
    path = f"/class/{(code := start(browser))}"

    def present() -> int:
        return sum(map(is_here, visits_of(code).values()))

    for student in ("", ANNA, "short"):
        browser.cookies.set(STUDENT, student)
        assert browser.get(f"{path}/version").status_code == 200
    given = made()
    given.get(path)
    assert given.get(f"{path}/version").status_code == 200
    assert visits_of(code) == {}
    for student in (ANNA, BEN, "x" * 9000):
        visits(code, student, "row", 1)  # its page is drawn
    assert present() == 2
    clock.now += visit.HERE_S
    assert (present(), len(visits_of(code))) == (0, 2)  # both are closed, or asleep
    browser.cookies.set(STUDENT, ANNA)
    assert browser.get(f"{path}/version").status_code == 200
    assert present() == 1  # awake


def test_wrong_codes_wait_and_a_browser_of_the_class_does_not(
    browser: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch, clock: SimpleNamespace
) -> None:
    """Of 100 wrong ones few are answered; meanwhile a word is compared, and students are told."""
    monkeypatch.setattr(pace, "MOST_WAIT_S", 1e-3)
    few, code = pace.AT_ONCE, start(browser)

    def ask(one: str) -> int:
        return browser.get(f"/class/{one}/version").status_code

    assert [ask(code) for _ in range(2 * few)] == [200] * 2 * few  # right ones cost no turn
    with ThreadPoolExecutor(20) as pool:
        wrong = [*pool.map(ask, [f"bbb-{number:04}" for number in range(100)])]
    assert sorted(wrong) == [403] * few + [429] * (100 - few)
    assert ask(code) == 429
    assert start(browser) != code
    browser.cookies.set(STUDENT, ANNA)
    visits(code, ANNA, "row", 1)
    assert ask(code) == 200
    store.press(code, browser.cookies[TEACHER], "delete")
    while (status := ask(code)) == 200:  # for half a second
        time.sleep(0.05)
    assert status == 403  # whoever was in it learns then that it is gone


def test_another_device_gets_the_board_for_a_minute(
    browser: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a cookie of its own, and an address without the secret."""
    assert class_routes.tickets.ttl == 60
    now = 0.0
    monkeypatch.setattr(class_routes, "tickets", TTLCache(9, 60, lambda: now))
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


@pytest.mark.parametrize("variable", ["EMBVIZ_CLASSES=off", "EMBVIZ_HOSTED=1"])
def test_without_classes_there_is_no_route(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """Where they are off, and by default where hosted."""
    monkeypatch.setenv(*variable.split("="))
    assert class_routes.routes() == []


def test_another_sites_name_for_this_machine_is_refused(browser: TestClient) -> None:
    """Its page would be of the same origin, and read a class; the sentence says what to set."""
    code = start(browser)
    for path in (f"/class/{code}", f"/class/{code}/version", f"/class/{code}/csv"):
        answer = made(base="http://evil.example:8501").get(path)
        assert answer.status_code == 403
        assert "does not answer to 'evil.example'" in unescape(answer.text)
        assert "STREAMLIT_SERVER_ALLOWED_HOSTS" in answer.text


def test_a_file_that_fails_is_a_sentence(browser: TestClient, store: Store) -> None:
    """A teacher reads why no class starts; a student's page sees that the server is not well."""
    store.path.write_text("no database" * 500)
    assert start(browser).endswith("press again. The file votes.sqlite3 is no database.")
    assert browser.get("/class/k7m-q2x4/version").status_code == 503
