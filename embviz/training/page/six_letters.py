"""Six letters learn: the rows of a small model that guesses the next letter."""

from __future__ import annotations

from typing import Any

import streamlit as st

from embviz.fact import letters
from embviz.settings.worlds import LETTERS
from embviz.training.page.letters.component import draw_letters
from embviz.ui.elements.links import link
from embviz.ui.elements.widgets import fold
from embviz.ui.state.address import setting

EXAMPLES = "cab", "bead", "face"  # some of the words


def draw() -> None:
    """The training, and a link to its rows in the playground."""
    st.caption(
        f"A model reads a letter and guesses the next, in {len(letters.WORDS)} English words: "
        f"{', '.join(f'*{word}*' for word in EXAMPLES)} …"
    )
    draw_letters(setting("seed"))
    link("playground", _learnt_rows(), label="Look at these rows in the playground")
    fold("The model, the words and the loop", _program)


def _learnt_rows() -> dict[str, Any]:
    """The settings that show the learnt rows; the text stays where it fits."""
    text = setting("text")
    shown = {"world": LETTERS.name, "input": "text", **LETTERS.settings, "init": "learnt"}
    if not text or not LETTERS.fits(text):
        shown["text"] = LETTERS.text
    # With a panel open the page would begin below the table.
    return {**shown, "token": 0, "column": 0, "panel": "none"}


def _program() -> None:
    st.code(letters.program(setting("seed"), "model.embedding.weight"))
