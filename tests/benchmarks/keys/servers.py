"""The servers of the benchmark: this project, and a bare app that only echoes its text field."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from embviz.core.tokenizers import vocabulary as vocabulary  # noqa: E402 - found just above
from embviz.request.settings import defaults as defaults  # noqa: E402
from tests.browser.chromium import FLAGS, MISSING, find  # noqa: E402
from tests.load.echo import TEXT as TEXT  # noqa: E402
from tests.load.echo import echo_app as echo_app  # noqa: E402
from tests.load.server import Server, start  # noqa: E402


@contextlib.contextmanager
def serving(app: Path) -> Iterator[Server]:
    """The app of a folder on a free port, until the end of the block."""
    with tempfile.TemporaryDirectory() as folder, start(Path(folder), False, {}, app) as server:
        yield server


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
