"""Threads of one kind of work: no other work waits for them, and their queue is bounded."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from embviz.classes import routes as class_routes
from embviz.server import threads
from embviz.server.threads import LateError, Threads


def test_work_that_waits_is_bounded_in_number_and_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the queue it is refused at once, in the queue once it has waited for too long.

    Starlette's own threads, which serve the files of pages, are free meanwhile.
    """
    monkeypatch.setattr(threads, "WAIT_S", 0.2)
    few, free, begun = Threads("few", count=2, most=5), threading.Event(), list[str]()

    def locked() -> str:
        begun.append(threading.current_thread().name)
        assert free.wait(30)
        return "done"

    async def run() -> list[object]:
        asked = [asyncio.ensure_future(few.run(locked)) for _ in range(7)]
        await asyncio.sleep(0.1)
        assert [work.done() for work in asked] == [False] * 5 + [True] * 2
        assert await asyncio.to_thread(lambda: "a file") == "a file"
        await asyncio.sleep(threads.WAIT_S)
        free.set()
        return await asyncio.gather(*asked, return_exceptions=True)

    found = [*map(str, asyncio.run(run()))]
    assert found == ["done"] * 2 + ["The server is busy. Try again in a few seconds."] * 5
    assert [name.rpartition("_")[0] for name in begun] == ["few", "few"]


def test_what_is_free_again_is_used_again() -> None:
    """Also after work that failed."""
    few = Threads("few", count=1, most=2)

    async def run(*works: Callable[[], object]) -> list[object]:
        return await asyncio.gather(*map(few.run, works), return_exceptions=True)

    def fails() -> None:
        time.sleep(0.1)  # the third comes meanwhile
        raise OSError("no")

    def slow() -> int:
        time.sleep(0.1)
        return 7

    for _ in range(3):
        first, second, third = asyncio.run(run(fails, slow, lambda: 8))
        assert repr(first) == "OSError('no')"
        assert second == 7
        assert isinstance(third, LateError)
        assert few.open == 0


def test_work_on_the_event_loop_leaves_it_to_others() -> None:
    """However much comes at once, what else the loop has to do is done between any two works."""
    done = list[str]()

    async def run() -> None:
        few = Threads("few", count=1, most=5)
        works = [few.run(done.append, "short", on_loop=True) for _ in range(5)]
        worked = asyncio.gather(*works)
        while not worked.done():
            await asyncio.sleep(0)
            done.append("other")
        await worked

    asyncio.run(run())
    assert done.count("short") == 5
    assert "short short" not in " ".join(done)


def test_a_class_that_waits_for_its_file_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its page asks again."""
    monkeypatch.setattr(class_routes, "_threads", Threads("none", count=1, most=0))
    with TestClient(Starlette(routes=class_routes.routes()), "http://localhost") as browser:
        answer = browser.get("/class/k7m-q2x4/version")
    assert (answer.status_code, "The server is busy." in answer.text) == (503, True)
