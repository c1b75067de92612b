"""The model settings in the sidebar: what a newcomer changes, and the rest under *More*.

It draws the settings that have an effect on the page. *More* opens by itself where one of its
settings is not the default.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from embviz.fact.inits import INITS
from embviz.fact.table import MAX_NUM_EMBEDDINGS
from embviz.fact.tokenizers import VOCABULARIES
from embviz.settings.given import TYPED
from embviz.settings.pages import PAGES
from embviz.system.devices import why_no_gpu
from embviz.text.markdown import literal
from embviz.text.wording import quote
from embviz.ui.elements.widgets import (
    choice,
    number,
    opens,
    segments,
    switch,
    text_line,
    text_lines,
    uploaded,
    uploader,
)
from embviz.ui.state.address import setting, table_rows, usual
from embviz.ui.state.changes import assign, go
from embviz.ui.state.session import session

MORE = ("input", "seed", "init", "weights", "dtype", "device", "unknown")


def draw(reads: frozenset[str]) -> None:
    """Draw the settings with these names, as far as others let them have an effect."""
    own = "init" in reads and _own()
    if "vocab" in reads:
        _vocabulary()
    session().rows = None
    if "rows" in reads and not own:
        _sizes()
    if "init" not in reads:
        if "input" in reads:
            segments("Input", "input", help=None)
        if "seed" in reads:
            number("seed", "seed")
    else:
        with st.expander("More", expanded=opens("more", *MORE)):
            _more(own)
    if reads:
        reset()


def reset() -> None:
    """Draw the button below the settings of a page."""
    st.button("Reset settings", on_click=_reset, type="tertiary", icon=":material/undo:")


def _reset() -> None:
    """Every setting of the page as it was at the start, but for what is typed."""
    this = session()
    this.folds.pop("more", None)
    go(
        usual(name for name in PAGES[this.page].reads if name not in TYPED),
        redraw_all=True,
    )


def projector() -> None:
    """The switch at the foot of the sidebar, and in projector mode the way back."""
    with st.sidebar:
        switch("Projector mode", "projector")
    if setting("projector"):
        st.button(
            "Leave projector mode",
            key="leave_projector",
            on_click=go,
            args=({"projector": False},),
            icon=":material/close_fullscreen:",
        )


def _vocabulary() -> None:
    by_ids, reads = setting("input") == "ids", VOCABULARIES[setting("vocab")].reads
    choice("Vocabulary", "vocab", disabled=by_ids)
    if "merges" in reads and not by_ids:
        number("Merges", "merges", st.slider)
    if "chars" in reads and not by_ids:
        text_line("Characters, in id order", "chars", placeholder="abc")


def _sizes() -> None:
    """Rows and columns of the table, as the picture has them."""
    session().rows = rows = table_rows()

    def asked(count: Any) -> Any:
        """The setting for so many rows: `<unk>` is one more."""
        return count - 1 if rows.unk and type(count) is int else count

    # Learnt rows have sizes of their own; without that kind of init the attribute is missing.
    own_sizes = INITS[setting("init")].sizes
    with st.container(horizontal=True, gap="small"):
        most = MAX_NUM_EMBEDDINGS + rows.unk
        number(
            "num_embeddings",
            "rows",
            value=rows.count,
            of=asked,
            min_value=rows.least,
            max_value=most,
            disabled=bool(own_sizes),
        )
        dim = own_sizes[1] if own_sizes else None
        number("embedding_dim", "dim", value=dim, disabled=bool(own_sizes))
    if rows.symbols and rows.count == rows.least:
        unk = ", and one for all others: `<unk>`" if rows.unk else ""
        st.caption(f"A row for each of {rows.symbols:,} {rows.unit}s of `{setting('vocab')}`{unk}.")


def _more(own: bool) -> None:
    segments("Input", "input", help=None)
    if not own:
        number("seed", "seed")
    choice("Weights start as", "init", _fit)
    if own:
        text_lines("Embedding.weight, one row a line", "weights", height=130)
        kinds = "npy", "npz", "csv", "txt"
        uploader("Or a file of weights", "weights_file", *kinds, on_change=_take_file)
        if kept := session().weights_file:
            named = literal(quote(kept[0]))
            st.button(f"Without {named}", on_click=_drop_file, icon=":material/close:")
    with st.container(horizontal=True, gap="small"):
        choice("dtype", "dtype")
        choice("Device", "device", help=why_no_gpu() or None)
    if setting("input") == "text":
        segments("Unknown characters", "unknown")


def _own() -> bool:
    """Whether the user gives the weights himself."""
    return INITS[setting("init")].draw is None


def _fit() -> None:
    """Own weights have few rows: ids fit them, a text hardly."""
    if _own():
        assign({"input": "ids"})


def _take_file() -> None:
    """Keep the file: an uploader that is not drawn on the next page would lose it."""
    files = [(file.name, file.getvalue()) for file in uploaded("weights_file")]
    session().weights_file = files[0] if files else None


def _drop_file() -> None:
    session().weights_file = None
