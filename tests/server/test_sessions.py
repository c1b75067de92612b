"""The sessions of closed tabs end in time, and their memory goes back to the system."""

import time
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit import runtime

from embviz.server import memory
from embviz.server.scheduler import run_queue
from embviz.server.sessions import EARLY_S, Sessions
from tests.load.client import Tab
from tests.load.server import ROOT, start
from tests.server.alone import run

MB = 1_000_000
# Each tab holds 40 MB that only a collection of garbage finds.
PAGE = """
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from embviz.server.scheduler import run_queue
from embviz.server.sessions import sessions
sessions.note(get_script_run_ctx().session_id)
if "kept" not in st.session_state:
    st.session_state["kept"] = kept = [bytearray(b"x" * 40_000_000)]
    kept.append(kept)
"""
APP = """
import asyncio, contextlib
import streamlit as st
from embviz.server.scheduler import run_queue
from embviz.server.sessions import sessions

@contextlib.asynccontextmanager
async def lifespan(_app):
    task = asyncio.create_task(sessions.watch())
    yield
    task.cancel()

app = st.App("page.py", lifespan=lifespan)
"""
SOON_S = 120.0  # for what takes a few seconds


class Fake:
    """Streamlit's runtime, as far as sessions need it."""

    def __init__(self) -> None:
        self.active, self.ended = set[str](), list[str]()

    def is_active_session(self, session: str) -> bool:
        """Whether it is connected."""
        return session in self.active

    def close_session(self, session: str) -> None:
        """End it; one cannot be ended."""
        self.ended.append(session)
        if session == "bad":
            raise OSError


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    """It has taken the place of Streamlit's, and lost sessions may return for 30 s."""
    found = Fake()
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: found)
    monkeypatch.setattr(st, "get_option", lambda _name: 30)
    return found


def test_a_lost_session_ends_when_its_visitor_can_return_no_more(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not before, not if he has returned meanwhile, and only once; the queue forgets it too."""
    sessions = Sessions()
    for one in ("stays", "returns", "goes"):
        sessions.note(one)
        monkeypatch.setitem(run_queue.last_s, one, 0.01)
    fake.active = {"stays", "returns", "goes"}
    assert sessions.end_lost(100) == 0
    fake.active = {"stays"}
    for now in range(101, 120):
        assert sessions.end_lost(now) == 0
    fake.active = {"stays", "returns"}
    assert sessions.end_lost(120) == 0
    fake.active = {"stays"}
    ends = {now: sessions.end_lost(now) for now in range(121, 160)}
    assert {now: count for now, count in ends.items() if count} == {
        101 + 30 - EARLY_S: 1,
        121 + 30 - EARLY_S: 1,
    }
    assert fake.ended == ["goes", "returns"]
    assert sessions.lost == {"stays": None}
    assert {"stays", "returns", "goes"} & {*run_queue.last_s} == {"stays"}


def test_a_session_that_cannot_end_stops_no_other(
    fake: Fake, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has it."""
    sessions = Sessions()
    for one in ("bad", "good"):
        sessions.note(one)
    sessions.end_lost(0)
    assert sessions.end_lost(99) == 2
    assert (fake.ended, sessions.lost) == (["bad", "good"], {})
    assert [one.getMessage() for one in caplog.records] == ["A session did not end"]
    caplog.clear()


def test_no_session_is_ended_without_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a test of a page, or before the server has begun."""
    monkeypatch.setattr(runtime, "exists", lambda: False)
    sessions = Sessions()
    sessions.note("one")
    assert sessions.end_lost(0) == 0


@pytest.mark.skipif(memory.trimmer() is None, reason="no glibc")
def test_closed_tabs_give_their_memory_back(tmp_path: Path) -> None:
    """Nobody else comes or goes; Streamlit itself holds the last ones that it has served."""
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "page.py").write_text(PAGE)
    given = {"STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "2", "PYTHONPATH": str(ROOT)}
    with start(tmp_path, tmp_path, **given) as server:

        def held() -> tuple[int, int]:
            return int(server.process.memory_info().rss / MB), server.process.num_fds()

        async def visits() -> Any:
            tabs = [Tab(server.address) for _ in range(6)]
            for tab in tabs:
                await tab.open()
            found = held()
            for tab in tabs:
                await tab.close()
            return found

        before, opened = held(), run(visits())
        assert opened[0] >= before[0] + 6 * 40
        assert opened[1] >= before[1] + 6 * 3
        end = time.monotonic() + SOON_S
        # Mostly one or two; three on a busy machine.
        while held()[0] > before[0] + 4 * 40 or held()[1] > before[1] + 3 * 3:
            assert time.monotonic() < end, (before, opened, held())
            time.sleep(0.2)
