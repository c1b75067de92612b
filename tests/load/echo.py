"""The bare app to compare with: one live text field, and its text below it."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = "WTF does nn.Embedding do?"  # as long as the playground's
FILES = {
    "app.py": 'import streamlit as st\n\napp = st.App("echo.py")\n',
    "echo.py": "import streamlit as st\n\n"
    f'st.text(st.text_input("Text", {TEXT!r}, live="0ms", key="text"))\n',
}


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
