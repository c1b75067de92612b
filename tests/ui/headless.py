"""Opens a page without a browser."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from embviz.request.settings import SETTINGS
from embviz.ui.pages import bag, context, labs, limits, playground, timing, training
from embviz.ui.pages.timing import measuring

ROOT = Path(__file__).resolve().parents[2]
# Each page's record comes with its module, so tests that go through all of them import this.
NAMES = [one.PAGE.name for one in (bag, context, labs, limits, playground, timing, training)]
# Each AppTest searches all installed packages for components, which takes 0.3 s.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

# It starts the measuring process, which no page without a browser needs.
measuring._warm = lambda: None


def open_page(page: str = "playground", **query: str | list[str]) -> AppTest:
    """A page for a link, run once; it raises nothing."""
    app = AppTest.from_file(str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=60)
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
    one, raw = SETTINGS[name], app.session_state["_embviz"]["raw"]
    return one.read(raw[name]) if name in raw else one.default


def unescaped(text: object) -> str:
    """Markdown as a reader sees it."""
    return re.sub(r"\\([^\w\s])", r"\1", str(text))


def refusals(page: str, **query: str) -> list[str]:
    """The refusals on a page for a link."""
    return [unescaped(error.value) for error in open_page(page, **query).error]


def page_words(page: str, **query: str | list[str]) -> str:
    """All words of a page for a link."""
    app = open_page(page, **query)
    parts = [*app.markdown, *app.caption, *app.error, *app.info, *app.warning]
    said = [part.value for part in parts]
    for one in app.get("bidi_component"):
        if one.proto.component_name in ("embviz_grids", "embviz_strips"):
            packed = one.proto.bytes
            shown = json.loads(packed[4 + int.from_bytes(packed[:4], "little") :])
            said += [shown[name] for name in ("above", "below", "said") if name in shown]
            then = shown.get("then") or {"said": "", "alike": {}}
            said += [then["said"], *shown.get("alike", {}).values(), *then["alike"].values()]
    return "\n".join(map(unescaped, said))
