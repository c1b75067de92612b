"""Measures five ways through the code: the files that are entered, in the order of the first entry.

All is done once before it is watched: imports and caches are on no way. Threads and processes work
at the same time, so a way has the files of one after those of another. The scripts of a way are
those that the components of its page import. No browser takes part.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.testing.v1 import AppTest

import app as entry
from embviz.classes import pace
from embviz.classes.here import here
from embviz.classes.page import class_link
from embviz.classes.routes import STUDENT, TEACHER
from embviz.fact.shared_layers import kept_layers
from embviz.labs.catalogue import questions
from embviz.labs.question import written
from embviz.server.start import progress
from embviz.system.child import Child
from embviz.system.data_folder import FOLDER_VARIABLE
from embviz.timing.measure import sweep
from embviz.timing.page import measuring
from embviz.ui.elements import scripts
from tests.labs.page.visitor import Visitor
from tests.timing.page.conftest import NoEngine
from tests.ui.headless import open_page, press
from tests.ways.watch import watched

Patch = pytest.MonkeyPatch
LETTERS = {"world": "letters", "text": "cab"}
FRAME = "ui/frame/listen.js"  # The component of every page: it hears the page, and draws nothing.
REASONS = "timing/tell/reasons.py"
FILTERS = "hosting/", "server/"  # Rooms with what stands before the routes of the server.


@dataclass(frozen=True)
class Way:
    """One way: paths below `embviz`.

    Attributes:
        python: the files that are entered, in order.
        scripts: those of the page's components.
    """

    python: list[str]
    scripts: set[str]


def way(*threads: list[str], pages: tuple[AppTest, ...] = ()) -> Way:
    """The way of these threads, one after the other, on pages that were drawn."""
    python = [*dict.fromkeys(file for files in threads for file in files)]
    return Way(python, {one for page in pages for one in scripts_of(page)})


def scripts_of(page: AppTest) -> list[str]:
    """The scripts of its components, but for that of the frame."""
    sources = {path: path.read_text("utf-8") for path in scripts.FOLDER.rglob("*.js")}
    registry: Any = page._bidi_component_manager
    names = {one.proto.component_name for one in page.get("bidi_component")}
    found = [re.findall(r'"([\w/]+\.js)"', registry.get(name).js_content)[0] for name in names]
    bundles = [scripts.order(scripts.FOLDER / one, sources) for one in found if one != FRAME]
    return [scripts.name_of(path) for bundle in bundles for path in bundle]


def key(patch: Patch, _folder: Path) -> Way:
    """A key in the text field: what the stage asks the route `live`, through all filters."""
    entry.import_pages()
    patch.setattr(progress, "is_warm", True)
    server = Starlette(routes=entry.app._user_routes, middleware=entry.app._user_middleware)
    client = TestClient(server, base_url="http://localhost")
    for text in ("ca", "cab"):
        asked = {"settings": LETTERS | {"text": text, "token": 0, "column": 0}, "part": ""}
        with watched() as threads:  # a request has a thread of its own here
            answer = client.post("/live", json=asked)
        assert answer.json()["tokens"] == len(text)
    found = way(*threads.values(), pages=(open_page(**LETTERS),))
    found.python.sort(key=lambda one: not one.startswith(FILTERS))
    return found


def pick(_patch: Patch, _folder: Path) -> Way:
    """A press on a token of the picture: half a second later the script reports it."""
    page = open_page(**LETTERS)
    for token in (1, 2):
        with watched() as threads:
            report(page, "embviz_stage", "picked", {"token": token})
        assert page.query_params["token"] == str(token)
    return way(*threads.values(), pages=(page,))


def report(page: AppTest, component: str, event: str, value: object) -> None:
    """Send what a component's script reports with `setTriggerValue`."""
    (one,) = (one for one in page.get("bidi_component") if one.proto.component_name == component)
    states = page._tree.get_widget_states()
    events = json.dumps([{"event": event, "value": value}])
    states.widgets.add(id=_make_trigger_id(one.proto.id, "events"), json_trigger_value=events)
    page._run(states)


def dim(_patch: Patch, _folder: Path) -> Way:
    """Another number of columns, in the sidebar."""
    page = open_page(**LETTERS)
    for columns in (4, 5):
        page.run()  # after a change AppTest has what was drawn again, without the sidebar
        kept_layers.cache_clear()  # both tables are new, whatever was drawn before
        with watched() as threads:
            page.number_input(key="dim").set_value(columns).run()
        assert page.query_params["dim"] == str(columns)
    return way(*threads.values(), pages=(page,))


class WatchedEngine(sweep.Engine):
    """Starts the measuring process so that it is watched, and writes its files into this file."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def _start_worker(self) -> Child:
        if self._worker is None:
            self._worker = Child("the worker process", "tests.ways.watch", str(self._file))
        return self._worker


def timing(patch: Patch, folder: Path) -> Way:
    """*Measure here*: the press, the sweep's thread, the measuring process, the page at the end."""
    patch.setenv(FOLDER_VARIABLE, str(folder))
    patch.setattr("psutil.getloadavg", lambda: (0.0, 0.0, 0.0))  # a busy machine has a sentence
    page, warm, engine = open_page("timing"), NoEngine(), WatchedEngine(folder / "process")
    patch.setattr(measuring, "ENGINE", warm)
    press(page, "Half precision")  # it has the fewest cases
    press(page, "Measure here")
    warm.measure(warm.started[0], "done")
    page.run()
    patch.setattr(measuring, "ENGINE", engine)
    with watched() as begins, sweep.lock():  # the sweep waits until the press is answered
        press(page, "Measure here")
    (running,) = engine._sweeps
    while running.active:
        time.sleep(0.01)
    engine.close()
    assert (running.state, running.reason, running.run.failures) == ("done", "", {})
    with watched() as ends:
        page.run()
    process = (folder / "process").read_text("utf-8").split()
    found = way(*begins.values(), process, *ends.values(), pages=(page,))
    # Why two times differ is said only if noise lets them be told apart.
    return replace(found, python=[file for file in found.python if file != REASONS])


def vote(patch: Patch, folder: Path) -> Way:
    """A student's *Answer* in a class, then the next look of the board."""
    patch.setenv(FOLDER_VARIABLE, str(folder))
    patch.setattr(pace, "AT_ONCE", 10_000)
    cookies = {STUDENT: "a" * 43, TEACHER: "t" * 43}
    patch.setattr(class_link, "cookie", cookies.__getitem__)
    code = here().start("row", cookies[TEACHER])
    right = written(questions("row", here().room(code).seed)[0].right)
    student, board = Visitor(**{"class": code, "step": "1"}), Visitor(board=code)
    for _ in range(2):
        student.field.set_value(right)
        with watched() as answers:
            student.press("Answer")
        with watched() as looks:
            board.app.run()
    board.sees("1 of 1")
    return way(*answers.values(), *looks.values(), pages=(student.app, board.app))


# By the title of its list: what measures a way, on a page of its own, in a folder of its own.
MEASURED: dict[str, Callable[[Patch, Path], Way]] = {
    "a key becomes a picture": key,
    "a press in the picture goes into the address": pick,
    "a number in the sidebar becomes another table": dim,
    "a press on *Timing* becomes a sentence about time": timing,
    "a vote in a class is kept and counted": vote,
}
