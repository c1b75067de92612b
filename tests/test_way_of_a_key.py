"""A key becomes a picture: the docstring of `embviz` lists the files that it enters, in order.

Without it the list would name other files than a reader meets.
"""

import re
import threading
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import app as entry
import embviz
from embviz.server.start import progress
from embviz.ui.elements import scripts

FOLDER = Path(embviz.__file__).parent
FILTERS = "hosting/", "server/"  # Rooms with what stands before the routes of the server.
# Files on the way beside those filters, and scripts: a reader can follow it in an hour.
MOST_PYTHON, MOST_SCRIPTS = 22, 22
LISTED = re.findall(r"^    ([\w/]+\.(?:py|js)) +\S", str(embviz.__doc__), re.MULTILINE)


def entered(ask: Any) -> list[str]:
    """The files of embviz of which a new thread calls a function, in the order of first calls."""
    files = list[str]()

    def note(frame: Any, event: str, _arg: object) -> None:
        """One event; a module and the body of a class have no flag of a function."""
        path = Path(frame.f_code.co_filename)
        is_function = event == "call" and frame.f_code.co_flags & CO_OPTIMIZED
        if is_function and FOLDER in path.parents:
            files.append(path.relative_to(FOLDER).as_posix())

    threading.setprofile(note)
    try:
        ask()
    finally:
        threading.setprofile(None)
    return [*dict.fromkeys(files)]


def test_the_way_of_a_key_is_listed_as_it_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage asks the route `live`, through all filters; imports and caches are on no way."""
    entry.import_pages()
    monkeypatch.setattr(progress, "is_warm", True)
    server = Starlette(routes=entry.app._user_routes, middleware=entry.app._user_middleware)
    client = TestClient(server, base_url="http://localhost")

    def ask(text: str) -> None:
        given = {"world": "letters", "text": text, "token": 0, "column": 0}
        answer = client.post("/live", json={"settings": given, "part": ""})
        assert answer.json()["tokens"] == len(text)

    ask("ca")
    files = entered(lambda: ask("cab"))
    files.sort(key=lambda file: not file.startswith(FILTERS))
    assert [file for file in LISTED if file.endswith(".py")] == files
    assert len([file for file in files if not file.startswith(FILTERS)]) <= MOST_PYTHON
    sources = {path: path.read_text("utf-8") for path in FOLDER.rglob("*.js")}
    bundle = scripts.order(FOLDER / "playground/page/stage/stage.js", sources)
    drawn = [file for file in LISTED if file.endswith(".js")]
    assert sorted(drawn) == sorted(map(scripts.name_of, bundle))
    assert len(drawn) <= MOST_SCRIPTS
