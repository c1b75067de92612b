"""Opens a page without a browser."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from embviz.settings.pages import PAGES, SETTINGS
from embviz.text.markdown import NO_LINK
from embviz.timing.page import measuring

ROOT = Path(__file__).resolve().parents[2]
NAMES = [*PAGES]
# Each AppTest searches all installed packages for components, which takes 0.3 s.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

# It starts the measuring process, which no page without a browser needs.
measuring.warm = lambda: None  # type: ignore[assignment]


def open_page(page: str = "playground", **query: str | list[str]) -> AppTest:
    """A page for a link, run once; it raises nothing."""
    app = AppTest.from_file(str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=300)
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(str(ROOT / "pages" / f"{page}.py")).run()
    assert [failure.value for failure in app.exception] == [], query
    return app


def press(app: AppTest, label: str) -> None:
    """Press the button with this label."""
    next(one for one in app.button if one.label == label).click().run()


def value(app: AppTest, name: str) -> Any:
    """A setting as the page has it after its last run."""
    return app.session_state["_embviz"].given.get(name, SETTINGS[name].default)


def unescaped(text: object) -> str:
    """Markdown as a reader sees it."""
    return re.sub(r"\\([^\w\s])", r"\1", str(text).replace(NO_LINK, ""))


def sent(app: AppTest, component: str) -> list[Any]:
    """What components of this name got."""
    found = [one.proto for one in app.get("bidi_component")]
    return [json.loads(one.json) for one in found if one.component_name == component]


def answer(app: AppTest) -> Any:
    """What the playground's picture shows, or its refusal."""
    return json.loads(sent(app, "embviz_stage")[0]["answer"])


def refused(app: AppTest) -> list[str]:
    """The refusals and failures on a page, also those that a picture shows in its place."""
    said = [one.value for one in app.error]
    said += [one["refusal"] for one in answers(app) if "refusal" in one]
    return [unescaped(one) for one in said]


def answers(app: AppTest) -> list[Any]:
    """What the pictures that follow typing show, or their refusals."""
    found = [json.loads(one.proto.json or "{}") for one in app.get("bidi_component")]
    return [json.loads(one["answer"]) for one in found if "answer" in one]


def take_fix(app: AppTest, label: str) -> None:
    """Press a fix: a button of the page, or one in a picture, for which the address stands."""
    every = {unescaped(one.label): one for one in app.button}
    if label in every:
        every[label].click().run()
        return
    changes = next(one["fixes"][label] for one in answers(app) if label in one.get("fixes", {}))
    for name, value in changes.items():
        app.query_params[name] = SETTINGS[name].written(SETTINGS[name].read(value))
    app.run()


def page_words(page: str, **query: str | list[str]) -> str:
    """All words of a page for a link."""
    app = open_page(page, **query)
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.code]
    said = [part.value for part in parts] + refused(app)
    for one in sent(app, "embviz_strips"):
        shown = json.loads(one["answer"])
        for text in filter(None, (shown, shown.get("then"))):  # a refusal has no sentences
            pieces = [text.get("said", ()), *text.get("alike", {}).values()]
            said += ["**".join(one) for one in pieces]
    return "\n".join(map(unescaped, said))
