"""The route `class/state`: what a member's page is told, and what is refused."""

import json
import threading
from typing import Any

import pytest
from starlette.applications import Starlette

from embviz.classes import here as classes
from embviz.classes import room
from embviz.classes.here import Here
from embviz.classes.record import Answer
from embviz.server import class_state
from tests.server.alone import run
from tests.server.test_live import Answer as Response
from tests.server.test_live import ask_async

TEACHER, TOKEN = "a teacher's secret", "AAAAAAAAAAAA"


def ask(code: str, token: str = TOKEN, method: str = "GET", **more: Any) -> Response:
    """One question to a new server."""
    server = Starlette(routes=class_state.routes())
    query = f"code={code}&member={token}"
    return run(ask_async(server, method, path="/class/state", query=query, **more))


def test_a_member_is_told_what_the_teacher_pressed(here: Here) -> None:
    """The version changes with each press, with the member's hand, and not with an answer."""
    store, code = here.store, here.store.start("row", TEACHER).code
    assert json.loads(ask(code).body)["version"] == ""
    store.join(code, TOKEN).result()
    versions = []

    def look() -> Any:
        answer = ask(code)
        assert answer.status == 200
        assert answer.headers["cache-control"] == "no-store"
        assert "set-cookie" not in answer.headers
        assert len(answer.body) < 300
        versions.append(json.loads(answer.body).pop("version"))
        return json.loads(answer.body)

    quiet = {"paused": None, "revealed": [], "ended": False, "waiting": 0, "since": None}
    quiet |= {"refused": None, "again_s": 2.0, "answered": False}
    assert look() == quiet | {"version": versions[-1]}
    store.post(code, TOKEN, [Answer("ids", 1, "1 2", 3)]).result()
    assert look()["answered"]
    assert versions[0] == versions[1]
    store.change(code, TEACHER, paused=2).result()
    assert look()["paused"] == 2
    store.change(code, TEACHER, revealed={"ids"}).result()
    assert look()["revealed"] == ["ids"]
    store.raise_hand(code, TOKEN, True).result()
    look()
    store.change(code, TEACHER, ended=True).result()
    assert look()["ended"]
    assert len({*versions}) == len(versions) - 1


def test_answers_that_wait_are_counted_for_all_tabs(here: Here) -> None:
    """While the file is away, the page learns how many answers wait, and since when."""
    store, code = here.store, here.store.start("row", TEACHER).code
    store.join(code, TOKEN).result()
    assert ask(code).status == 200
    box = class_state.outbox_of(store, code, TOKEN)
    assert class_state.outbox_of(store, code, TOKEN) is box
    away = store.path.rename(store.path.with_suffix(".away"))
    box.add(Answer("ids", 1, "1 2", 3))
    store.join(code, TOKEN).exception()  # comes after what was sent
    told = json.loads(ask(code).body)
    assert told["waiting"] == 1
    assert told["since"] is not None
    away.rename(store.path)
    while box.waiting:
        store.join(code, TOKEN).result()
    assert json.loads(ask(code).body)["waiting"] == 0


def test_strangers_learn_nothing(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong codes, too many of them, other methods and other sites are refused in words."""
    code = here.store.start("row", TEACHER).code
    for wrong in ("", "tidy-otter-10", "x" * 9000, "%00%3Cb%3E"):
        answer = ask(wrong)
        assert answer.status == 404
        assert "There is no class" in json.loads(answer.body)["refusal"]
        assert len(answer.body) < 300
    assert ask(code, method="POST").status == 405
    elsewhere = {"origin": "https://evil.example.org", "sec-fetch-site": "cross-site"}
    assert ask(code, headers=elsewhere).status == 403
    with monkeypatch.context() as patch:
        patch.setattr(here, "_allowed", classes.Allowance(0, 1e9, lambda: 0.0))
        assert "Too many wrong codes" in json.loads(ask(code).body)["refusal"]
    here.store.path.rename(here.store.path.with_suffix(".away"))
    here.rooms._rooms.clear()
    assert ask(code).status == 503
    monkeypatch.setenv("EMBVIZ_CLASSES", "off")
    assert class_state.routes() == []


def test_the_event_loop_asks_no_database(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread of the route looks, or memory; over EMBVIZ_MAX_SESSIONS open questions it is 429."""
    threads, code = [], here.store.start("row", TEACHER).code
    here.store.join(code, TOKEN).result()
    state = class_state.state

    def look(*asked: str) -> dict[str, Any]:
        threads.append(threading.current_thread())
        return state(*asked)

    monkeypatch.setattr(class_state, "state", look)
    monkeypatch.setattr(room, "POLL_S", 1e9)
    assert ask(code).status == 200
    assert "embviz-class-state" in threads[0].name
    again = ask(code)  # a member of a class that was just asked for
    assert json.loads(again.body) == state(code, TOKEN)
    assert ask(code, "B" * 12).status == 200
    assert len(threads) == 2
    monkeypatch.setenv("EMBVIZ_MAX_SESSIONS", "1")
    route = class_state.State()
    route.open = 1
    monkeypatch.setattr(class_state, "State", lambda: route)
    assert (ask(code).status, route.open, len(threads)) == (429, 1, 2)
