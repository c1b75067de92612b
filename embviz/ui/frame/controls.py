"""The input row, the sidebar and the notes: drawn on every run, read by pages.

The shell calls `draw()`; pages call the rest. All widgets are bound to the address. Typed text
is data: messages reach the page escaped.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embviz.core.config import why_no_gpu
from embviz.core.inits import INITS
from embviz.core.tokenizers import VOCABULARIES
from embviz.request.inputs import Inputs, Refusal, read_inputs
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS, MODEL
from embviz.ui.frame import text_field
from embviz.ui.frame.body import change_all, is_alone, redraw_all, redraw_body
from embviz.ui.parts import terms
from embviz.ui.parts.component import component
from embviz.ui.parts.refusal import refuse
from embviz.ui.parts.widgets import (
    SMALL_MB,
    choice,
    not_default,
    number,
    segments,
    text_line,
    text_lines,
    uploaded,
    visible_if,
)
from embviz.ui.state import link
from embviz.ui.state.session import cached, setting, settings, state

_UNKNOWN_HELP = "`error` refuses them by name; `unk` gives them one row more, `<unk>`."
_MERGES_HELP = "Each merge joins two pieces that often stand together, and adds one row."
_DTYPE_HELP = "How a number is stored. Weights are drawn in float32 and then converted."
_WEIGHTS_HELP = "Numbers with spaces or commas, or nested lists. Ctrl+Enter commits them."

_INPUT_ROW = ("input", "text", "ids", "escapes")
_SIDEBAR = tuple(name for name in MODEL if name not in _INPUT_ROW)

_HERE = Path(__file__).parent
_listener = component(
    "embviz_listener", [terms.SCRIPT, *(_HERE / f"{name}.js" for name in ("menu", "listen"))]
)


def draw(with_panels: bool, follows: bool, with_text: bool, with_model: bool) -> None:
    """Draw notes, sidebar, input row and choice of panels; hidden if the page does not use them.

    The field commits after a pause on a page that `follows` what is typed by itself.
    """
    remembered = state()
    remembered["frame_drawn"] = remembered["body_drawn"] = None
    link.take_address()
    # First, so that the browser fetches Streamlit's component loader early: the stage needs it.
    with visible_if("listener", False):
        data = {"field": ".st-key-text input", "resets": remembered.get("resets", 0)}
        _listener(key="listener", data=data, on_text_change=text_field.take_paste)
    with visible_if("input", with_text):
        if with_text or not_default(*_INPUT_ROW):
            # Before the sidebar, which depends on whether there is a text.
            text_field.draw(pause=follows and _routed())
    with st.sidebar, visible_if("model", with_model):
        if with_model or not_default(*_SIDEBAR):
            _model_settings()
    with st.container():  # even if empty: if the stage shifts, the browser redraws it with a flash
        link.show_notes()
    _take_inputs()
    remembered["above"] = st.container()
    with visible_if("panels", with_panels):
        if with_panels or not_default("panel"):
            segments("Look closer", "panel", wrap=True, on_change=redraw_body)


def above_panels() -> DeltaGenerator:
    """The container above the choice of panels, for the page's content."""
    place: DeltaGenerator = state()["above"]
    return place


def panel() -> str:
    """The chosen panel, or `none`."""
    chosen: str = setting("panel")
    return chosen


def inputs() -> Inputs:
    """The inputs of this run."""
    if is_alone():
        _take_inputs()
    given: Inputs = state()["inputs"]
    return given


def inputs_before() -> Inputs | None:
    """The last usable inputs of this session, which a page keeps on screen after a mistake."""
    last: Inputs | None = state().get("last_inputs")
    return last


def show_refusal(refusal: Refusal) -> None:
    """Show what is wrong, with a button for each fix."""
    with st.container(key="refusal"):  # frame.css hides it while the stage is newer
        refuse(refusal.message)
        for label, changes in refusal.fixes.items():
            st.button(literal(label), on_click=change_all, args=(changes,))


def _vocabulary() -> None:
    by_ids, reads = setting("input") == "ids", VOCABULARIES[setting("vocab")].reads
    choice(
        "Vocabulary",
        "vocab",
        disabled=by_ids,
        help="The place of each character, piece or word is its id.\n"
        + "".join(
            f"- `{one.name}`: {one.sentence}{' (not installed)' if one.missing() else ''}\n"
            for one in VOCABULARIES.values()
        ),
        on_change=_follow_vocabulary,
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
                on_change=_follow_vocabulary,
            )


def _model_settings() -> None:
    _vocabulary()
    sizes = st.container()  # drawn later: own weights leave no choice of sizes
    choice("Weights start as", "init", on_change=redraw_all)
    st.caption(literal(INITS[setting("init")].sentence))
    own = INITS[setting("init")].draw is None
    with visible_if("own", own):
        if own or not_default("weights"):
            _own_weights(own)
    fills = VOCABULARIES[setting("vocab")].fills
    with sizes, visible_if("sizes", not own, horizontal=True):
        number(
            "num_embeddings",
            "rows",
            "V: how many rows the table has, one for each id."
            + (" With one row more, one more word is known." if fills else ""),
            on_change=redraw_body,
        )
        number("embedding_dim", "dim", "D: how many numbers each row has.", on_change=redraw_body)
    with st.container(horizontal=True, gap="small"):
        number(
            "seed",
            "seed",
            "Start of the random draw: one seed is one table, everywhere.",
            on_change=redraw_body,
        )
        choice("dtype", "dtype", help=_DTYPE_HELP, on_change=redraw_body)
    choice("Device", "device", on_change=redraw_body)
    if why := why_no_gpu():
        st.caption(literal(why))
    _unknown()
    st.button("Reset settings", on_click=_reset, type="tertiary", icon=":material/undo:")


def _unknown() -> None:
    named, help, has_effect = VOCABULARIES[setting("vocab")], _UNKNOWN_HELP, True
    if named.has_unk:
        help, has_effect = "This vocabulary always has the row `<unk>`.", False
    elif named.knows_all:  # a link may have asked for the row, and the user may take it away
        help = "This vocabulary reads every character: none is unknown."
        has_effect = setting("unknown") != DEFAULTS["unknown"]
    segments(
        "Unknown characters",
        "unknown",
        disabled=setting("input") == "ids" or not has_effect,
        help=help,
        on_change=_follow_vocabulary,
    )


def _own_weights(own: bool) -> None:
    text_lines(
        "Embedding.weight, one row a line",
        "weights",
        height=130,
        help=_WEIGHTS_HELP,
        on_change=redraw_all,
    )
    if own:
        st.file_uploader(
            "Or a file of weights",
            type=["npy", "npz", "csv", "txt"],
            key="weights_file",
            max_upload_size=SMALL_MB,
            on_change=redraw_all,
        )


def _routed() -> bool:
    """Whether the route `live` can answer: it does not know the user's own weights."""
    return INITS[setting("init")].draw is not None


def upload() -> tuple[str, bytes] | None:
    """Name and content of the uploaded file of weights, if there is one."""
    return next(((file.name, file.getvalue()) for file in uploaded("weights_file")), None)


def _read() -> Inputs:
    return read_inputs(settings(MODEL), upload(), cached)


def _take_inputs() -> None:
    remembered, given = state(), _read()
    remembered["inputs"] = given
    if given.refusal is None:
        remembered["last_inputs"] = given
    if given.vocabulary is not None:
        remembered["vocabulary_size"] = len(given.vocabulary)


def _reset() -> None:
    remembered = state()
    remembered["notes"].clear()
    remembered["resets"] = remembered.get("resets", 0) + 1  # for the stage's token and view
    defaults = {name: value for name, value in DEFAULTS.items() if name in st.session_state}
    change_all({**defaults, "lines": False})


def _follow_vocabulary() -> None:
    """Fit the table to a newly chosen vocabulary, unless the user chose more rows."""
    given, old = _read(), state().get("vocabulary_size")
    if given.vocabulary is None:
        return
    if setting("rows") in (old, DEFAULTS["rows"]) or setting("rows") < len(given.vocabulary):
        st.session_state["rows"] = len(given.vocabulary)
