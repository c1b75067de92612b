"""The model settings in the sidebar: what a newcomer changes, and the rest under *More*.

It draws the settings that have an effect on the page. Others stay in the session, not drawn or
hidden. *More* opens by itself where one of its settings is not the default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from embviz.core.config import why_no_gpu
from embviz.core.inits import INITS
from embviz.core.tokenizers import VOCABULARIES
from embviz.request.inputs import Inputs, read_inputs
from embviz.request.parameters import DEFAULTS, MODEL, PARAMETERS
from embviz.ui.frame import fitting
from embviz.ui.frame.body import change_all, redraw_body
from embviz.ui.parts.widgets import (
    choice,
    not_default,
    number,
    opens,
    segments,
    text_line,
    text_lines,
    uploaded,
    uploader,
    visible_if,
)
from embviz.ui.state.session import cached, setting, settings, state

SHOWN = ("vocab", "merges", "chars", "rows", "dim", "seed")
MORE = ("init", "weights", "dtype", "device", "unknown")
_UNKNOWN_HELP = "`error` refuses them by name; `unk` gives them one row more, `<unk>`."
_MERGES_HELP = "Each merge joins two pieces that often stand together, and adds one row."
_DTYPE_HELP = "How a number is stored. Weights are drawn in float32 and then converted."
_WEIGHTS_HELP = "Numbers with spaces or commas, or nested lists. Ctrl+Enter commits them."


def draw(reads: frozenset[str] | None) -> None:
    """Draw the settings; `reads` names those with an effect, and None stands for all."""

    def has_effect(name: str) -> bool:
        return reads is None or name in reads

    if not any(map(has_effect, SHOWN + MORE)):
        with visible_if("own", False):
            if uploaded("weights_file"):
                _upload_field()
        return
    own = INITS[setting("init")].draw is None
    with visible_if("vocabulary", has_effect("vocab")):
        _vocabulary()
    with visible_if("sizes", not own and has_effect("rows"), horizontal=True):
        _sizes()
    with visible_if("seeded", has_effect("seed") and not (own and reads is None)):
        number(
            "seed",
            "seed",
            "Start of the random draw: one seed is one table, everywhere.",
            on_change=redraw_body,
        )
    opened = opens("more", *MORE)
    with visible_if("more", has_effect("init")), st.expander("More", expanded=opened):
        _more(own)
    with visible_if("reset", bool(reads is None or reads)):
        st.button("Reset settings", on_click=_reset, type="tertiary", icon=":material/undo:")


def read(wanted: Mapping[str, Any] | None = None) -> Inputs:
    """The inputs by these settings, or by those of the session."""
    return read_inputs(settings(MODEL) if wanted is None else wanted, upload(), cached)


def _vocabulary() -> None:
    by_ids, reads = setting("input") == "ids", VOCABULARIES[setting("vocab")].reads
    choice(
        "Vocabulary",
        "vocab",
        disabled=by_ids,
        help="The place of each character or piece is its id.\n"
        + "".join(
            f"- `{one.name}`: {one.sentence}{' (not installed)' if one.missing() else ''}\n"
            for one in VOCABULARIES.values()
        ),
        on_change=_fit,
        args=("vocab",),
    )
    merges = "merges" in reads and not by_ids
    with visible_if("merged", merges):
        if merges or not_default("merges"):
            number("Merges", "merges", _MERGES_HELP, st.slider, on_change=_follow_vocabulary)
    custom = "chars" in reads and not by_ids
    with visible_if("custom", custom):
        if custom or not_default("chars"):
            text_line(
                "Characters, in id order",
                "chars",
                "abc",
                label_visibility="visible",
                on_change=_fit,
                args=("chars",),
            )


def _sizes() -> None:
    number(
        "num_embeddings",
        "rows",
        "V: how many rows the table has, one for each id.",
        on_change=redraw_body,
    )
    number("embedding_dim", "dim", "D: how many numbers each row has.", on_change=redraw_body)


def _more(own: bool) -> None:
    starts = "".join(f"- `{one.name}`: {one.sentence}\n" for one in INITS.values())
    choice("Weights start as", "init", help=starts, on_change=_fit, args=("init",))
    with visible_if("own", own):
        if own or not_default("weights"):
            _own_weights(own)
    with st.container(horizontal=True, gap="small"):
        choice("dtype", "dtype", help=_DTYPE_HELP, on_change=redraw_body)
        choice("Device", "device", help=why_no_gpu() or None, on_change=redraw_body)
    _unknown()


def _own_weights(own: bool) -> None:
    text_lines(
        "Embedding.weight, one row a line",
        "weights",
        height=130,
        help=_WEIGHTS_HELP,
        on_change=_fit,
        args=("weights",),
    )
    if own:
        _upload_field()


def _upload_field() -> None:
    """Draw the uploader of weights. An uploader that is not drawn loses its file."""
    kinds = "npy", "npz", "csv", "txt"
    uploader("Or a file of weights", "weights_file", *kinds, on_change=_fit, args=("weights",))


def _unknown() -> None:
    named, help, has_effect = VOCABULARIES[setting("vocab")], _UNKNOWN_HELP, True
    if named.knows_all:  # a link may have asked for the row, and the user may take it away
        help = "This vocabulary reads every character: none is unknown."
        has_effect = setting("unknown") != DEFAULTS["unknown"]
    segments(
        "Unknown characters",
        "unknown",
        disabled=setting("input") == "ids" or not has_effect,
        help=help,
        on_change=_follow_vocabulary,
    )


def upload() -> tuple[str, bytes] | None:
    """Name and content of the uploaded file of weights, if there is one."""
    return next(((file.name, file.getvalue()) for file in uploaded("weights_file")), None)


def _reset() -> None:
    remembered = state()
    remembered["notes"].clear()
    remembered["more"] = False
    remembered["resets"] = remembered.get("resets", 0) + 1  # for the stage's token and view
    page = remembered["page"]
    change_all(
        {
            one.name: one.default
            for one in PARAMETERS.values()
            if page in one.pages and one.name in st.session_state
        }
    )


def _fit(by: str) -> None:
    """Fit table and text to a choice by hand."""
    if by in ("vocab", "chars"):
        _follow_vocabulary()
    if changes := fitting.brought(by, read):
        change_all(changes)


def _follow_vocabulary() -> None:
    """Fit the table to a newly chosen vocabulary, unless the user chose more rows."""
    given, old = read(), state().get("vocabulary_size")
    if given.vocabulary is None:
        return
    if setting("rows") in (old, DEFAULTS["rows"]) or setting("rows") < len(given.vocabulary):
        st.session_state["rows"] = len(given.vocabulary)
