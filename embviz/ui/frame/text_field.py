"""The input row: text or ids are typed, pasted, uploaded, or added by button.

No character is lost: a text with line breaks moves into a field of several lines, and a file that
cannot be taken is refused with the reason.
"""

from __future__ import annotations

import streamlit as st

from embviz.core.config import max_tokens
from embviz.request.parameters import fits_link
from embviz.ui.frame.body import change_all, redraw_all, redraw_body
from embviz.ui.parts.widgets import (
    AT_ONCE,
    SMALL_MB,
    not_default,
    segments,
    switch,
    text_line,
    uploaded,
    visible_if,
)
from embviz.ui.state import link
from embviz.ui.state.session import setting, state, widget_value

AFTER_PAUSE = True  # 250 ms; a string of a time makes Streamlit import pandas
_LINES_HELP = "One line cannot hold line breaks; several can."
_ESCAPES_HELP = r"Then `\n`, `\t`, `\x0b` and `\u00e9` stand for one character each."
_UNTYPABLE = {"Line break": "\n", "Tab": "\t", "Carriage return": "\r"}


def draw(pause: bool) -> None:
    """Draw the row: text or ids, the field, and the characters that no key types.

    Args:
        pause: whether a rerun waits until the user stops typing, because the page follows typing.
    """
    live: str | bool = AFTER_PAUSE if pause else AT_ONCE
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key="input_row")
    with row:
        segments("Input", "input", label_visibility="collapsed", on_change=redraw_all)
        by_ids = setting("input") == "ids"
        with visible_if("ids_field", by_ids):
            if by_ids or not_default("ids"):
                text_line("Ids", "ids", "2 3 1 or [[1, 3], [0, 1]]", live, on_change=redraw_body)
        with visible_if("text_field", not by_ids):
            _text_field(live)
        with visible_if("special", not by_ids, width="content"):
            special = st.popover(
                "Special",
                icon=":material/keyboard_return:",
                width="content",
                key="special",
                on_change=redraw_all,
            )
            if special.open or not_default("escapes") or st.session_state.get("lines", False):
                with special:
                    _special_input()


def _text_field(live: str | bool) -> None:
    with st.container(key="one_line"):
        text_line("Text", "text", "Type something", live, on_change=redraw_body)
    # A one-line field drops line breaks and sends its whole text on every key. So a text with line
    # breaks, or a long one, is edited in several lines; the bound field stays, hidden.
    text = setting("text")
    breaks = "\n" in text or "\r" in text
    if breaks or not fits_link(text) or st.session_state.get("lines", False):
        if st.session_state.get("text_lines") != text:  # else what was typed on would be lost
            st.session_state["text_lines"] = text
        st.text_area(
            "Text in several lines",
            key="text_lines",
            height=80,
            on_change=_take_lines,
            placeholder="Type something",
            label_visibility="collapsed",
        )
        if "\r" in text:
            st.caption("This text has carriage returns. Editing it here makes them line feeds.")


def _take_lines() -> None:
    change_all({"text": widget_value("text_lines", setting("text"))})


def take_paste() -> None:
    """Take the text of a paste that the listener caught, with its line breaks."""
    text = widget_value("listener", {}).get("text")
    if isinstance(text, str):
        change_all({"text": text})


def _special_input() -> None:
    st.toggle(
        "Several lines",
        key="lines",
        persist_state="session",
        help=_LINES_HELP,
        on_change=redraw_all,
    )
    switch("Read escapes", "escapes", help=_ESCAPES_HELP, on_change=redraw_body)
    st.caption("Append a character that a line of text cannot hold:")
    with st.container(horizontal=True, gap="small"):
        for label, character in _UNTYPABLE.items():
            st.button(label, on_click=_append, args=(character,))
    label = f"Or take the text of a .txt file, at most {max_tokens():,} characters"
    st.file_uploader(label, type="txt", key="file", on_change=_take_file, max_upload_size=SMALL_MB)


def _append(character: str) -> None:
    change_all({"text": setting("text") + character})


def _take_file() -> None:
    """Put the uploaded file's text into the field, or note why it is refused."""
    file = next(iter(uploaded("file")), None)
    state()["notes"].pop("file", None)
    if file is None:
        return
    try:
        text = _text_of(file.name, file.getvalue())
    except ValueError as error:
        link.note({"file": f"{error}; not taken."})
        return
    change_all({"text": text})


def _text_of(name: str, content: bytes) -> str:
    limit = f"more than the {(most := max_tokens()):,} characters allowed"
    if len(content) > 4 * most:  # no UTF-8 character is longer than 4 bytes
        raise ValueError(f"'{name}' has {len(content):,} bytes, {limit}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"'{name}' is not UTF-8 text (byte {error.start:,})") from None
    if len(text) > most:
        raise ValueError(f"'{name}' has {len(text):,} characters, {limit}")
    return text
