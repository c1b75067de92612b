"""The button that downloads a file, the same on every page. It makes no file."""

from __future__ import annotations

from typing import Any

import streamlit as st


def download(label: str, content: Any, file: str, mime: str | None = None, **more: Any) -> None:
    """A button that downloads a file.

    Args:
        label: of the button.
        content: as of `st.download_button`; a function is called when the button is pressed.
        file: its name.
        mime: its type; by default that of the content.
        more: further arguments of `st.download_button`.
    """
    icon = ":material/download:"
    # A rerun would withdraw the file of another button that was pressed just before.
    st.download_button(label, content, file, mime, icon=icon, on_click="ignore", **more)
