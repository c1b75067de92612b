"""The servers of the benchmark: this project, and a bare app that only echoes its text field."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tests.browser.chromium import FLAGS, MISSING, find  # noqa: E402 - found just above
from tests.load.server import Server, start  # noqa: E402

TEXT = "WTF does nn.Embedding do?"  # as long as the playground's
FILES = {
    "app.py": 'import streamlit as st\n\napp = st.App("echo.py")\n',
    "echo.py": "import streamlit as st\n\n"
    f'st.text(st.text_input("Text", {TEXT!r}, live="0ms", key="text"))\n',
}


@contextlib.contextmanager
def serving(app: Path) -> Iterator[Server]:
    """The app of a folder on a free port, until the end of the block."""
    with tempfile.TemporaryDirectory() as folder, start(Path(folder), False, {}, app) as server:
        yield server


@contextlib.contextmanager
def echo_app() -> Iterator[Path]:
    """A folder with the bare app, under the project's own configuration."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, source in FILES.items():
            (folder / file).write_text(source, encoding="utf-8")
        (folder / ".streamlit").mkdir()
        shutil.copy(ROOT / ".streamlit" / "config.toml", folder / ".streamlit")
        yield folder


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A started Chromium, until the end of the block; exits without one."""
    if (path := find()) is None:
        sys.exit(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()
