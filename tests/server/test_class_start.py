"""The route `class/start`: the class, the teacher's cookie, and what is refused."""

import json
from collections.abc import Iterator, Mapping
from http.cookies import Morsel, SimpleCookie
from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette

from embviz.classes import here
from embviz.classes.record import StoreError
from embviz.server import class_start
from embviz.server.class_start import COOKIE, MOST_BYTES, is_secret
from tests.server.alone import run
from tests.server.test_live import Answer, ask_async

ROW = b'{"lab": "row"}'


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path))
    yield
    here.close()


def start(
    body: bytes = ROW, headers: Mapping[str, str] | None = None, path: str = "/class/start"
) -> Answer:
    """The answer to one request."""
    app = Starlette(routes=class_start.routes())
    return run(ask_async(app, "POST", body, path=path, headers=headers))


def cookie(answer: Answer) -> Morsel[str]:
    """The cookie of an answer."""
    return SimpleCookie(answer.headers["set-cookie"])[COOKIE]


def test_a_class_starts_and_the_browser_is_its_teacher() -> None:
    """The code is in the store, for the secret of the cookie alone, which no script can read."""
    answer = start()
    code, got = json.loads(answer.body)["code"], cookie(answer)
    classes = here.here()
    assert answer.status == 200
    assert classes is not None
    assert classes.store.is_teacher(code, got.value)
    assert not classes.store.is_teacher(code, class_start.token_urlsafe(32))
    assert got["httponly"]
    assert got["samesite"].lower() == "lax"
    assert int(got["max-age"]) == 60 * 24 * 3600
    assert got["path"] == "/"
    assert not got["secure"]
    second = start(headers={"cookie": f"{COOKIE}={got.value}"})
    assert cookie(second).value == got.value
    assert len(classes.store.classes_of(got.value)) == 2


def test_the_cookie_fits_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a proxy with TLS it is Secure, and it has the server's base path."""
    get_option = st.get_option
    monkeypatch.setattr(
        st, "get_option", lambda name: "lab" if name == "server.baseUrlPath" else get_option(name)
    )
    got = cookie(start(path="/lab/class/start", headers={"x-forwarded-proto": "https"}))
    assert got["secure"]
    assert got["path"] == "/lab"


def test_an_odd_cookie_is_replaced() -> None:
    """A secret that this route cannot have made, such as a short one, is not taken over."""
    got = cookie(start(headers={"cookie": f"{COOKIE}=mine"})).value
    assert is_secret(got)
    assert got != "mine"


@pytest.mark.parametrize(
    ("body", "headers", "status", "says"),
    [
        (b"", None, 422, "is not a request"),
        (b"[1]", None, 422, "[1]"),
        (b'{"lab": 3}', None, 422, "is not a request"),
        (b'{"lab": "<b>"}', None, 422, "not one of the labs"),
        (b'{"lab": "row"' + b" " * MOST_BYTES + b"}", None, 413, "longer than"),
        (ROW, {"origin": "https://elsewhere.example"}, 403, "this server"),
        (ROW, {"sec-fetch-site": "cross-site"}, 403, "this server"),
    ],
)
def test_what_is_refused(
    body: bytes, headers: Mapping[str, str] | None, status: int, says: str
) -> None:
    """A refusal is a sentence without a cookie, and makes no class."""
    answer = start(body, headers)
    assert answer.status == status
    assert says in json.loads(answer.body)["refusal"]
    assert "set-cookie" not in answer.headers


def test_without_classes_there_is_no_route(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `EMBVIZ_CLASSES=off` the route answers 404."""
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    assert start().status == 404


def test_a_database_that_fails_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The teacher reads why no class could be started."""
    classes = here.here()
    assert classes is not None

    def fail(lab: str, teacher: str) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(classes.store, "start", fail)
    answer = start()
    assert answer.status == 503
    assert "The disk is full." in json.loads(answer.body)["refusal"]
