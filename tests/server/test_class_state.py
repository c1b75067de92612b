"""The routes `class/state` and `class/board`: what pages are told, and what is refused."""

import asyncio
import json
import threading
from typing import Any
from urllib.parse import quote

import pytest
from starlette.applications import Starlette

from embviz.classes import here as classes
from embviz.classes import room
from embviz.classes.here import Here
from embviz.classes.record import Answer
from embviz.server import class_start, class_state, class_wait
from tests.server.alone import run
from tests.server.test_live import Answer as Response
from tests.server.test_live import ask_async

TEACHER, TOKEN = "a" * 43, "AAAAAAAAAAAA"


def ask(
    code: str, token: str = TOKEN, method: str = "GET", query: str = "", **more: Any
) -> Response:
    """One question of a member's page to a new server."""
    server = Starlette(routes=class_state.routes())
    query = f"code={code}&member={token}{query}"
    return run(ask_async(server, method, path="/class/state", query=query, **more))


def ask_board(code: str, secret: str = TEACHER, more: str = "") -> Response:
    """One question of a board to a new server."""
    server = Starlette(routes=class_state.routes())
    headers = {"cookie": f"{class_start.COOKIE}={secret}"}
    query = f"code={code}{more}"
    return run(ask_async(server, "GET", path="/class/board", query=query, headers=headers))


def test_a_member_is_told_what_the_teacher_pressed(here: Here) -> None:
    """The version changes with each press, and not with an answer."""
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

    quiet = {"waiting": 0, "since": None, "refused": None, "answered": False, "spread_s": 0.04}
    assert look() == quiet | {"version": versions[-1]}
    store.post(code, TOKEN, [Answer("ids", 1, "1 2", 3)]).result()
    assert look()["answered"]
    assert versions[0] == versions[1]
    store.change(code, TEACHER, paused=2).result()
    look()
    store.change(code, TEACHER, revealed={"ids"}).result()
    look()
    store.change(code, TEACHER, ended=True).result()
    look()
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
    """A thread of the route looks, or memory; too many open questions are 429."""
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
    assert json.loads(again.body) == state(code, TOKEN) | {"spread_s": 0.04}
    assert ask(code, "B" * 12).status == 200
    assert len(threads) == 2
    monkeypatch.setenv("EMBVIZ_MAX_SESSIONS", "1")
    route = class_state.Asked()
    route.open = 2
    monkeypatch.setattr(class_state, "Asked", lambda: route)
    assert (ask(code).status, route.open, len(threads)) == (429, 2, 2)


def test_a_page_waits_until_something_changes(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits if it names the version that it shows, a bounded time, and not in a crowd."""
    store, code = here.store, here.store.start("row", TEACHER).code
    store.join(code, TOKEN).result()
    seen = json.loads(ask(code).body)["version"]
    looks, refreshed = [0], class_state._refreshed
    monkeypatch.setattr(class_wait, "LOOK_S", 0.001)

    def look(asked: str) -> Any:
        looks[0] += 1
        if looks[0] == 3:
            store.change(code, TEACHER, paused=1).result()
        return refreshed(asked)

    def wait(token: str = TOKEN) -> str:
        return str(
            json.loads(ask(code, token, query=f"&seen={seen}", stops="silent").body)["version"]
        )

    monkeypatch.setattr(class_state, "_refreshed", look)
    news = wait()
    assert news != seen
    assert looks[0] >= 3
    looks[0] = 3
    assert wait() == news
    assert looks == [4]  # at once
    seen = news
    monkeypatch.setattr(class_wait, "HOLD_S", 0.0)
    assert wait() == news
    monkeypatch.setattr(class_wait, "HOLD_S", 1e9)
    left = ask(code, query=f"&seen={seen}", stops="gone")
    assert json.loads(left.body)["version"] == news
    assert wait("B" * 12) == ""  # not in: at once
    monkeypatch.setenv("EMBVIZ_MAX_SESSIONS", "1")
    route = class_state.Asked()
    route.open = 1
    with monkeypatch.context() as patch:
        patch.setattr(class_state, "Asked", lambda: route)
        assert wait() == news


def test_requests_that_wait_share_one_look(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many pages of a class cost one look each time, and hear of the class's end."""
    store, code = here.store, here.store.start("row", TEACHER).code
    tokens = [f"{number:012}" for number in range(20)]
    for token in tokens:
        store.join(code, token).result()
    seen = {token: json.loads(ask(code, token).body)["version"] for token in tokens}
    looks, refreshed = [0], class_state._refreshed
    monkeypatch.setattr(class_wait, "LOOK_S", 0.02)
    monkeypatch.setattr(room, "POLL_S", 1e9)  # all else is in memory

    def look(asked: str) -> Any:
        looks[0] += 1
        if looks[0] == 5:
            store.delete(code, TEACHER).result()
        here.rooms.get(asked).refresh(0)
        return refreshed(asked)

    async def all_wait() -> list[Response]:
        server = Starlette(routes=class_state.routes())
        return await asyncio.gather(
            *(
                ask_async(
                    server,
                    "GET",
                    path="/class/state",
                    query=f"code={code}&member={token}&seen={seen[token]}",
                    stops="silent",
                )
                for token in tokens
            )
        )

    monkeypatch.setattr(class_state, "_refreshed", look)
    assert {answer.status for answer in run(all_wait())} == {404}
    assert looks == [5]


def test_a_board_hears_news_and_nobody_else_does(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets all that has changed, or one question; without the cookie a refusal."""
    store, code = here.store, here.store.start("row", TEACHER).code
    first = json.loads(ask_board(code).body)
    assert (first["students"], first["question"]) == (0, 0)
    seen = f"&version={quote(first['version'])}"
    assert (ask_board(code, more=seen).status, ask_board(code, more=seen).body) == (204, b"")
    store.join(code, TOKEN).result()
    news = json.loads(ask_board(code, more=seen).body)
    assert [line["number"] for line in news["lines"]] == [1]
    question = json.loads(ask_board(code, more=f"{seen}&question=2").body)
    assert (question["question"], question["lines"]) == (2, [])
    assert question["spread"]["members"] == 1
    for odd in ("99", "-1", "1e9", "%C2%B2", "x" * 999):
        answer = ask_board(code, more=f"&question={odd}")
        assert (answer.status, len(json.loads(answer.body)["steps"])) == (200, 8)
    for other in ("", "b" * 43, "x"):
        answer = ask_board(code, other)
        assert answer.status == 403
        assert "Only the browser that started the class" in json.loads(answer.body)["refusal"]
    assert ask_board("tidy-otter-10").status == 403
    store.delete(code, TEACHER).result()
    assert ask_board(code).status == 404
