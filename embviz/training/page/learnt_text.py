"""The text that models of characters learn from: its choice, its words, and its name."""

from __future__ import annotations

import streamlit as st

from embviz.fact import characters
from embviz.fact.table_rows import read_text
from embviz.text.markdown import literal
from embviz.text.refused import Refused, refusals_about
from embviz.ui.elements.widgets import number, opens, segments
from embviz.ui.state.address import setting


def choose(label: str, *numbers: str) -> None:
    """Draw the choice of the text, folded, and fields of these settings beside it."""
    box = st.expander(label, opens(label, "corpus", *numbers))
    with box.container(horizontal=True, vertical_alignment="bottom"):
        segments("Learn from", "corpus")
        for name in numbers:
            number("embedding_dim", name)


def words() -> str:
    """The chosen text.

    Raises:
        Refused: it cannot be read, or ids stand in its place.
    """
    if setting("corpus") != "own":
        return characters.constitution()
    if setting("input") == "ids":
        fix = {"Learn from a text": {"input": "text"}}
        raise Refused("There is no text above: choose text instead of ids.", fix, "input")
    with refusals_about("text"):
        return read_text(setting("text"))


def source(count: int, left_out: str) -> str:
    """The origin of the text, in one line of Markdown.

    Args:
        count: its characters that have ids.
        left_out: the sentence about the other ones, if any.
    """
    if setting("corpus") == "own":
        return f"Text: yours, {count:,} characters. {literal(left_out)}".rstrip()
    return f"Text: US Declaration of Independence and Constitution, {count:,} characters."
