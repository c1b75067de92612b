"""The start: imports in their order, `/ready`, and objects that no collection walks again."""

import gc
import importlib
import os
import pkgutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

import app
import embviz
from embviz.server import assets, start

ROOT = Path(__file__).resolve().parents[2]
# Modules that no page and no route needs; the shell, and what it imports itself.
LATE = {
    "embviz.__main__",
    "embviz.playground.compare",
    *(
        f"embviz.timing.measure.{name}"
        for name in ["budget", "cluster", "gpu", "process", "rounds", "task"]
    ),
    "embviz.timing.tell.two_runs",
    *(f"embviz.ui.frame.{name}" for name in ("ask_field", "listener", "no_page", "shell")),
}
FIRST = """
from embviz.ui.frame import sidebar, text_field
from embviz.settings import pages

print("torch" in sys.modules)  # the frame is drawn while PyTorch is still imported
app.first_page()
import torch

print(torch.get_float32_matmul_precision())
late = {"pandas", "scipy", "sklearn", "embviz.picture.layout"}
late |= {name for name in sys.modules if name.startswith(("embviz.bag.", "embviz.labs.",
    "embviz.limits.", "embviz.training.")) and not name.endswith(".settings")}
print(late & {*sys.modules})
"""


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A server that has not started; nothing stays frozen after the test."""
    monkeypatch.setattr(start, "progress", start.Progress())
    monkeypatch.setattr(start, "OTHER_PAGES_AFTER_S", 0.0)
    monkeypatch.setattr(assets, "first_sent", threading.Event())
    yield monkeypatch
    gc.unfreeze()
    gc.enable()


def get(path: str) -> tuple[int, Any]:
    """Status and text of an answer."""
    answer = TestClient(Starlette(routes=[*start.routes(), *assets.routes()])).get(path)
    assert path != "/ready" or answer.headers["cache-control"] == "no-store"
    return answer.status_code, answer.text


def test_the_first_picture_has_full_precision_and_no_other_pages_modules() -> None:
    """In a process of its own, whose products have full precision, whatever a variable allows."""
    begin = "import sys; from embviz.server import start; start.begin = lambda *_: None; import app"
    command = [sys.executable, "-c", f"{begin}\n{FIRST}"]
    allowed = os.environ | {"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "1"}
    said = subprocess.check_output(command, cwd=ROOT, text=True, env=allowed)
    assert said.split() == ["False", "highest", "set()"]


def test_no_module_is_left_for_a_visitor_to_import() -> None:
    """An import after the garbage is frozen costs each later rerun 20 ms."""
    code = "import sys, app; app.first_page(); app.import_pages(); print(*sys.modules)"
    said = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
    modules = {one.name for one in pkgutil.walk_packages(embviz.__path__, "embviz.")}
    late = {one for one in modules - {*said.split()} if not one.startswith("embviz.commands")}
    assert late == LATE


def test_the_end_stops_the_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a sweep would start another measuring process in place of the one that is ended.

    The module with the sweeps may exist before it has them.
    """
    engine = Mock()
    monkeypatch.setattr(importlib.import_module(app.MEASURING), "ENGINE", engine)
    app.end_children()
    engine.close.assert_called_once_with()
    monkeypatch.setitem(sys.modules, app.MEASURING, ModuleType(app.MEASURING))
    app.end_children()


def test_other_pages_are_imported_from_the_first_picture_on(fresh: pytest.MonkeyPatch) -> None:
    """They wait until a browser asks for a script; `/ready` says when all is there."""
    fresh.setattr(start, "OTHER_PAGES_AFTER_S", 600.0)
    first, others = threading.Event(), threading.Event()
    thread = start.begin(first.set, others.set)
    assert first.wait(60)
    assert not gc.isenabled()
    folder = assets.publish(dict.fromkeys([assets.LISTENER, "test.js"], "export default 1;"))
    assert get(f"/{folder}/1/unknown.js")[0] == 404
    assert get(f"/{folder}/1/{assets.LISTENER}")[0] == 200
    assert not others.wait(0.05)
    assert get("/ready") == (503, '{"ready":false}')
    assert get(f"/{folder}/1/test.js")[0] == 200
    thread.join(60)
    assert others.is_set()
    assert get("/ready") == (200, '{"ready":true}')
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
        fresh.setattr(start, "progress", start.Progress())
        start.begin(*imports).join(60)
        said = '{"ready":false,"reason":"ImportError: no such page"}'
        assert get("/ready") == (503, said)
        assert "in fail" in caplog.text
        caplog.clear()
        assert gc.isenabled()


def test_it_starts_in_any_folder(tmp_path: Path) -> None:
    """The script of the pages and the options are those beside `app.py`."""
    command = """
import app
import streamlit as st

print(app.app.script_path.resolve())
print(*map(st.get_option, ["theme.primaryColor", "server.maxUploadSize"]))
"""
    given = {**os.environ, "PYTHONPATH": str(ROOT)}
    said = subprocess.check_output(
        [sys.executable, "-c", command], cwd=tmp_path, env=given, text=True
    )
    options = map(st.get_option, ["theme.primaryColor", "server.maxUploadSize"])
    assert said.split() == [str(ROOT / "embviz/ui/frame/shell.py"), *map(str, options)]
