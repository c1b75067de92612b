"""The model settings in the sidebar: what a newcomer changes, and the rest under *More*.

It draws the settings that have an effect on the page. *More* opens by itself where one of its
settings is not the default.
"""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from embviz.fact.inits import INITS
from embviz.fact.table import MAX_NUM_EMBEDDINGS
from embviz.fact.tokenizers import VOCABULARIES
from embviz.settings.given import TYPED, filled
from embviz.settings.page_record import Page, nothing
from embviz.settings.pages import PAGES, SETTINGS
from embviz.system.devices import why_no_gpu
from embviz.text.markdown import literal
from embviz.text.wording import counted, quote
from embviz.ui.elements.widgets import (
    FILE_MB,
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
from embviz.ui.state.address import setting, table_rows
from embviz.ui.state.changes import assign, go
from embviz.ui.state.session import session

WORDS_MB = (
    50  # Megabytes of an uploaded file of words and vectors, of which the first rows are read.
)
VECTORS = "cat 0.9 0.1 -0.4\ndog 0.8 0.2 -0.5\ncar -0.7 0.6 0.3"
VECTORS_TEXT = "cat dog car"
WIDTH_PX = 304
MORE = ("input", "seed", "init", "weights", "header", "dtype", "device", "unknown")


def begins_as(page: Page) -> int | Literal["collapsed"]:
    """The width of the sidebar in px; it begins closed where a page never has settings.

    It stays open where one chapter of a page has none: a press would move all that one looks at.
    """
    has_settings = page.fields or page.model is not nothing
    return WIDTH_PX if has_settings else "collapsed"


def draw(page: Page) -> None:
    """Draw the model's settings that a page reads, as far as others let them have an effect."""
    reads = page.model(setting)
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
        if reads:
            reset()
    else:
        with st.expander("More", expanded=opens("more", *MORE)):
            _more(own)
            reset()


def reset() -> None:
    """Draw the button below the settings of a page."""
    st.button("Reset settings", on_click=_reset, type="tertiary", icon=":material/undo:")


def _reset() -> None:
    """Every setting of the page as it was at the start, but for what is typed."""
    this = session()
    this.folds.pop("more", None)
    typed = {name: value for name, value in this.given.items() if name in TYPED}
    names = [name for name in PAGES[this.page].reads if name not in TYPED]
    begun = filled(typed, names, this.example())
    go({name: begun[name] for name in names}, redraw_all=True)


def projector() -> None:
    """The switch at the foot of the sidebar. In projector mode, which hides it, the way back."""
    with st.sidebar:
        switch("Projector mode", "projector", help=None)
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
    idle = by_ids or INITS[setting("init")].words
    choice("Vocabulary", "vocab", disabled=idle)
    if "merges" in reads and not idle:
        number("Merges", "merges", st.slider)
    if "chars" in reads and not idle:
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
    if session().page != "training":
        # In a new tab: what is typed here would not be in a link that a key does not draw again.
        st.caption("[How large should embedding_dim be?](training?lesson=size)")
    vocab = setting("vocab")
    if rows.symbols:
        unk = ", and one for all others: `<unk>`" if rows.unk else ""
        st.caption(f"A row for each of {counted(rows.symbols, rows.unit)} of `{vocab}`{unk}.")
    recorded = (init for init in INITS.values() if init.recorded)
    learnt = next((init for init in recorded if init.goes_with["vocab"] == vocab), None)
    if rows.symbols and learnt and learnt.sizes and not own_sizes:
        count, numbers = learnt.sizes
        st.caption(
            f"These rows are random. A learnt table is there, too: {count:,} rows of {numbers} "
            "numbers, the last row for `<unk>`."
        )
        label = f"Take the learnt table, {count:,} × {numbers}"
        st.button(label, on_click=go, args=({"init": learnt.name},))


def _more(own: bool) -> None:
    segments("Input", "input", help=None)
    if not own:
        number("seed", "seed")
    choice("Weights start as", "init", _fit)
    if own:
        has_words = INITS[setting("init")].words
        label = "Words and vectors" if has_words else "Embedding.weight, one row a line"
        text_lines(label, "weights", height=130)
        most = WORDS_MB if has_words else FILE_MB
        uploader("Or a file", "weights_file", megabytes=most, on_change=_take_file)
        if kept := session().weights_file:
            named = literal(quote(kept[0]))
            st.button(f"Without {named}", on_click=_drop_file, icon=":material/close:")
    with st.container(horizontal=True, gap="small"):
        choice("dtype", "dtype")
        if setting("device") != "cpu" or not why_no_gpu():
            choice("Device", "device", help=why_no_gpu() or None)
    if setting("input") == "text":
        segments("Unknown characters", "unknown")


def _own() -> bool:
    """Whether the user gives the weights himself."""
    return INITS[setting("init")].draw is None


def _fit() -> None:
    """Own weights have few rows: ids fit them, a text hardly; words in front of rows fit a text."""
    if INITS[setting("init")].words:
        assign({"input": "text"})
        if setting("weights") == SETTINGS["weights"].default:
            assign({"weights": VECTORS})
            if "text" not in session().given:
                assign({"text": VECTORS_TEXT})
    elif _own():
        assign({"input": "ids"})


def _take_file() -> None:
    """Keep the file: an uploader that is not drawn on the next page would lose it."""
    files = [(file.name, file.getvalue()) for file in uploaded("weights_file")]
    session().weights_file = files[0] if files else None
    _usual_header()


def _drop_file() -> None:
    session().weights_file = None
    _usual_header()


def _usual_header() -> None:
    """Another table has another first line."""
    if setting("header") != "auto":
        go({"header": "auto"})
