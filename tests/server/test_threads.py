"""Threads of one kind of work: no other work waits for them, and their queue is bounded."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from embviz.classes import pace
from embviz.classes import routes as class_routes
from embviz.classes.room import StoreError
from embviz.server import threads
from embviz.server.threads import LateError, Threads

BUSY = "The server is busy. Try again in a few seconds."


def test_a_locked_file_of_classes_stops_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While more requests wait for it than Starlette has threads, a page's file is served.

    Requests beyond the queue are refused at once, those in it once they have waited for too long.
    """
    monkeypatch.setenv("EMBVIZ_DATA_FOLDER", str(tmp_path))
    monkeypatch.setattr(pace, "AT_ONCE", 10_000)
    monkeypatch.setattr(threads, "WAIT_S", 0.2)
    entered, free = threading.Semaphore(0), threading.Event()

    def locked() -> None:
        entered.release()
        assert free.wait(30)
        raise StoreError("Not stored yet, press again.")

    monkeypatch.setattr(class_routes, "here", locked)

    def file(_request: Request) -> PlainTextResponse:
        return PlainTextResponse("a file")

    app = Starlette(routes=[*class_routes.routes(), Route("/file", file)])
    with TestClient(app, "http://localhost") as browser, ThreadPoolExecutor(120) as many:

        def ask(_number: int) -> tuple[int, str]:
            answer = browser.get("/class/k7m-q2x4/version")
            return answer.status_code, unescape(answer.text).partition("<p>")[2].partition("</p>")[
                0
            ]

        asked = [many.submit(ask, number) for number in range(110)]
        for _ in range(4):
            assert entered.acquire(timeout=30)
        end = time.monotonic() + 30
        while sum(one.done() for one in asked) < 10:
            assert time.monotonic() < end
            time.sleep(0.01)
        assert browser.get("/file").text == "a file"
        assert not entered.acquire(blocking=False)
        time.sleep(threads.WAIT_S)
        free.set()
        found = [one.result(30) for one in asked]
    assert sorted({*found}) == [(503, "Not stored yet, press again."), (503, BUSY)]
    assert found.count((503, BUSY)) == 106


def test_what_is_free_again_is_used_again() -> None:
    """Also after work that failed."""
    few = Threads("few", count=1, most=2)

    async def run(*works: Callable[[], object]) -> list[object]:
        return await asyncio.gather(*map(few.run, works), return_exceptions=True)

    def fails() -> None:
        raise OSError("no")

    for _ in range(3):
        first, second, third = asyncio.run(run(fails, lambda: 7, lambda: 8))
        assert repr(first) == "OSError('no')"
        assert second == 7
        assert isinstance(third, LateError)
        assert few.open == 0
