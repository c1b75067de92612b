r"""The input row: text or ids in one line, and whether escapes are read.

No character is lost: a line break that is pasted, or that a link brings, becomes `\n` in the field,
and *Read escapes* is switched on.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from embviz.request.parameters import fits_link
from embviz.ui.frame.body import change_all, redraw_all, redraw_body
from embviz.ui.parts.widgets import (
    AT_ONCE,
    not_default,
    segments,
    switch,
    text_line,
    visible_if,
)
from embviz.ui.state.session import setting, state, widget_value

AFTER_PAUSE = True  # 250 ms; a string of a time makes Streamlit import pandas
_ESCAPES_HELP = r"Then `\n`, `\t`, `\x0b` and `\u00e9` stand for one character each."


def draw(pause: bool) -> None:
    """Draw the row: text or ids, the field, and the switch of escapes.

    Args:
        pause: whether a rerun waits until the user stops typing, because the page follows typing.
    """
    live: str | bool = AFTER_PAUSE if pause else AT_ONCE
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key="input_row")
    with row:
        segments("Input", "input", label_visibility="collapsed", on_change=redraw_all)
        by_ids, text = setting("input") == "ids", setting("text")
        if not by_ids and ("\n" in text or "\r" in text):  # of a link: the field would drop them
            changes = _in_one_line(text)
            with suppress(StreamlitAPIException):  # bound already: then Streamlit writes both
                st.query_params.update(text=changes["text"], escapes="true")
            change_all(changes)
        with visible_if("ids_field", by_ids):
            if by_ids or not_default("ids"):
                _field("Ids", "ids", "2 3 1 or [[1, 3], [0, 1]]", live)
        with visible_if("text_field", not by_ids):
            _field("Text", "text", "Type something", live)
        with visible_if("escapes_switch", not by_ids, width="content"):
            switch("Read escapes", "escapes", help=_ESCAPES_HELP, on_change=redraw_body)


def _field(label: str, name: str, placeholder: str, live: str | bool) -> None:
    text_line(label, name, placeholder, live, on_change=_typed, args=(name,))


def _typed(name: str) -> None:
    if name in state()["too_long"] and fits_link(setting(name)):
        change_all({name: setting(name)})  # bound again: Streamlit writes it into the address
    redraw_body()


def take_paste() -> None:
    """Take the text of a paste that the listener caught, with its line breaks."""
    text = widget_value("listener", {}).get("text")
    if isinstance(text, str):
        change_all(_in_one_line(text.replace("\r\n", "\n")))


def _in_one_line(text: str) -> dict[str, Any]:
    """The settings that show a text with line breaks in one line."""
    if not setting("escapes"):
        text = text.replace("\\", "\\\\")
    return {"text": text.replace("\n", r"\n").replace("\r", r"\r"), "escapes": True}
