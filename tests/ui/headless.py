"""Opens a page without a browser."""

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


def open_page(page: str = "playground", **query: str | list[str]) -> AppTest:
    """A page for a link, run once."""
    app = AppTest.from_file(str(ROOT / "embviz" / "ui" / "frame" / "shell.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return app.switch_page(str(ROOT / "pages" / f"{page}.py")).run()


def refusals(page: str, **query: str) -> list[str]:
    """The refusals on a page for a link, as a reader sees them; the page raises nothing."""
    app = open_page(page, **query)
    assert [failure.value for failure in app.exception] == []
    return [re.sub(r"\\([^\w\s])", r"\1", error.value) for error in app.error]
