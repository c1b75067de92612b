"""The button that downloads a file, the same on every page."""

from __future__ import annotations

from typing import Any

import streamlit as st


def download(
    label: str, content: Any, file: str, mime: str | None = None, late: bool = False, **more: Any
) -> None:
    """A button that downloads a file.

    Args:
        label: of the button.
        content: as of `st.download_button`, or a function that makes it.
        file: its name.
        mime: its type; by default that of the content.
        late: whether the function is called when the button is pressed, because much would be made.
            Streamlit deletes such a file after two runs of any session: on a busy server it may be
            gone before the browser asks for it, and the button has to be pressed again.
        more: further arguments of `st.download_button`.
    """
    if callable(content) and not late:
        content = content()
    icon = ":material/download:"
    # A rerun would withdraw the file of another button that was pressed just before.
    st.download_button(label, content, file, mime, icon=icon, on_click="ignore", **more)
