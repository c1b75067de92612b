"""The start: imports in their order, `/ready`, and objects that no collection walks again."""

import gc
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from embviz.server import assets, start
from tests.server.alone import run
from tests.server.test_assets import get

ROOT = Path(__file__).resolve().parents[2]
CODE = """
import sys
from embviz.server import start

start.begin = lambda *_: None
import app
import embviz.ui.frame.sidebar
import embviz.ui.frame.text_field

print("torch" in sys.modules)  # the frame is drawn while PyTorch is still imported
app.first_page()
late = {"pandas", "scipy", "sklearn", "embviz.figures",
        "embviz.bag", "embviz.labs", "embviz.limits.cases", "embviz.training"}
print(late & {*sys.modules})
"""


END = """
import asyncio
import sys
from types import SimpleNamespace
from embviz.server import start

start.begin = lambda *_: None
import app

name = "embviz.ui.pages.timing.session"
sys.modules[name] = SimpleNamespace(close=lambda: print(name))
app.shutdown.bound = lambda _: print("bound")
app.sockets.send_at_once = lambda: print("send_at_once")


async def serve():
    async with app.lifespan(app.app):
        print("serves")


asyncio.run(serve())
"""


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A server that has not started; nothing stays frozen after the test."""
    monkeypatch.setattr(start, "state", start.State())
    monkeypatch.setattr(start, "OTHER_PAGES_AFTER_S", 0.0)
    monkeypatch.setattr(assets, "asked", threading.Event())
    yield monkeypatch
    gc.unfreeze()
    gc.enable()


def ready() -> tuple[int, Any]:
    """Status and content of `/ready`, which nobody may keep."""
    answer = run(start.ready(None))  # type: ignore[arg-type]
    assert answer.headers["cache-control"] == "no-store"
    return answer.status_code, json.loads(bytes(answer.body))


def test_the_first_picture_waits_for_no_module_that_it_does_not_use() -> None:
    """Shell and picture import no other page's modules."""
    assert subprocess.check_output([sys.executable, "-c", CODE], cwd=ROOT).split() == [
        b"False",
        b"set()",
    ]


def test_other_pages_are_imported_from_the_first_picture_on(fresh: pytest.MonkeyPatch) -> None:
    """They wait until a browser asks for a script; `/ready` says when all is there."""
    fresh.setattr(start, "OTHER_PAGES_AFTER_S", 600.0)
    first, others = threading.Event(), threading.Event()
    thread = start.begin(first.set, others.set)
    assert first.wait(60)
    assert not gc.isenabled()
    assert get("/assets/unknown.js").status == 404
    assert not others.wait(0.05)
    assert ready() == (503, {"ready": False})
    assert get(assets.publish("embviz_test", "export default 1;")).status == 200
    thread.join(60)
    assert others.is_set()
    assert ready() == (200, {"ready": True})
    assert gc.isenabled()
    assert gc.get_freeze_count() > 10_000


def test_a_failed_import_is_said(
    fresh: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """`/ready` stays at 503 and gives the reason, and the log has the traceback.

    Without a browser's request the other pages are imported after a while.
    """

    def fail() -> None:
        raise ImportError("no such page")

    for imports in ((fail, lambda: None), (lambda: None, fail)):
        fresh.setattr(start, "state", start.State())
        start.begin(*imports).join(60)
        assert ready() == (503, {"ready": False, "reason": "ImportError: no such page"})
        assert "in fail" in caplog.text
        caplog.clear()
        assert gc.isenabled()


def test_the_end_closes_sweeps() -> None:
    """And the server begins with small packets sent at once, and a bound on its end."""
    done = subprocess.check_output([sys.executable, "-c", END], cwd=ROOT, text=True)
    served = ["bound", "send_at_once", "serves", "embviz.ui.pages.timing.session"]
    assert done.split() == served
