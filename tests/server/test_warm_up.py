"""The imports of a start: the first picture waits for no module that it does not use."""

import gc
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from embviz.server import assets, health, memory, warm_up
from tests.server.test_assets import get

ROOT = Path(__file__).resolve().parents[2]
CODE = """
import sys
from embviz.server import warm_up

warm_up.begin = lambda *_: None
import app

assert "torch" not in sys.modules
app.first_page()
late = ["pandas", "scipy", "sklearn", "torch._dynamo", "embviz.figures",
        "embviz.bag", "embviz.labs", "embviz.limits.cases", "embviz.training"]
print(*(name for name in late if name in sys.modules))
"""


def test_the_first_picture_waits_for_no_module_that_it_does_not_use() -> None:
    """Shell and picture import no other page's modules."""
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_other_pages_are_imported_from_the_first_picture_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other pages wait until a browser asks for a script, and no fixed time longer."""
    monkeypatch.setattr(assets, "asked", threading.Event())
    monkeypatch.setattr(warm_up, "OTHER_PAGES_AFTER_S", 600)
    monkeypatch.setattr(memory, "freeze", lambda: None)
    monkeypatch.setattr(health, "warm", threading.Event())
    first, others = threading.Event(), threading.Event()
    thread = threading.Thread(target=warm_up._warm_up, args=(first.set, others.set))
    thread.start()
    assert first.wait(60)
    assert not others.is_set()
    assert get("/assets/unknown.js").status == 404
    assert not assets.asked.is_set()
    assert get(assets.publish("embviz_test", "export default 1;")).status == 200
    thread.join(60)
    assert others.is_set()
    assert health.warm.is_set()


def test_imported_objects_are_left_out_of_later_collections() -> None:
    """A collection would walk PyTorch's objects for 0.1 s, and no session is served meanwhile."""
    try:
        memory.postpone()
        assert not gc.isenabled()
        memory.freeze()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()
