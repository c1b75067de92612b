"""The settings and the text or ids, drawn on every run and bound to the URL.

`draw()` is the shell's; `inputs()` is what pages read. All widgets carry their
URL parameter's name as key, so Streamlit's own `bind=` keeps link and widget
together. Typed text is data: messages reach the page escaped.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from embviz.config import (
    INITS,
    MAX_NUM_EMBEDDINGS,
    MAX_TOKENS,
    available_devices,
    why_no_gpu,
)
from embviz.ui import parameters
from embviz.ui.inputs import Inputs, Refusal, read_inputs
from embviz.ui.parameters import DEFAULTS, RANGES
from embviz.vocabulary import VOCABULARIES, Vocabulary, VocabularyError, resolve

LONG = ("text", "ids", "chars", "weights")  # fields that may outgrow a link
BOUND: Any = {"bind": "query-params", "persist_state": "session"}
_STATE = "_embviz"

_VOCABULARY_HELP = (
    "Each character's place is its id. `printable` is Python's `string.printable`, so 'a' is 10."
)
_UNKNOWN_HELP = "`error` refuses them by name; `unk` gives them one row more, `<unk>`."
_DTYPE_HELP = "How a number is stored. Weights are drawn in float32 and then converted."
_WEIGHTS_HELP = "Numbers with spaces or commas, or nested lists. Ctrl+Enter commits them."
_LINES_HELP = "One line cannot hold line breaks. Several can; Ctrl+Enter commits them."
_ESCAPES_HELP = r"Then `\n`, `\t`, `\x0b` and `\u00e9` stand for one character each."
_KEYS_NOBODY_TYPES = {"Line break": "\n", "Tab": "\t", "Carriage return": "\r"}


_listener = st.components.v2.component(
    "embviz_listener", js=(Path(__file__).parent / "listen.js").read_text(encoding="utf-8")
)


def draw(with_panels: bool) -> None:
    """Draw notes, sidebar, input row and, for a page that has them, the choice of panels."""
    state = st.session_state.setdefault(_STATE, {"notes": {}})
    _heed_link(state)
    # First, so that the browser fetches Streamlit's component loader, which the stage waits for.
    state["run"] = state.get("run", 0) + 1  # new data, so that it looks every time
    with _seen("listener", False):
        data = {"field": ".st-key-text input", "run": state["run"],
                "resets": state.get("resets", 0)}  # fmt: skip
        _listener(key="listener", data=data, on_text_change=_take_paste)
    _input_row()  # before the sidebar, which depends on whether there is a text
    with st.sidebar:
        _model_settings()
    _show_notes(state)
    given = read_inputs(_settings(), _upload())
    state["inputs"] = given
    if given.refusal is None:
        state["before"] = given
    if given.vocabulary is not None:
        state["symbols"] = len(given.vocabulary)
    state["above"] = st.container()
    with _seen("panels", with_panels):
        _segments("Look closer", "panel", wrap=True)


def above_panels() -> DeltaGenerator:
    """The place above the choice of panels, for the page's own content."""
    place: DeltaGenerator = st.session_state[_STATE]["above"]
    return place


def panel() -> str:
    """The panel that was chosen, or `none`."""
    chosen: str = _setting("panel")
    return chosen


def inputs_before() -> Inputs | None:
    """The last inputs of this session that could be used, for a page to keep on screen."""
    before: Inputs | None = st.session_state[_STATE].get("before")
    return before


def inputs() -> Inputs:
    """What the user chose and typed, as the shell read it on this run."""
    given: Inputs = st.session_state[_STATE]["inputs"]
    return given


def show_refusal(refusal: Refusal) -> None:
    """Say what is wrong and offer what one click would mend."""
    st.error(literal(refusal.message), icon=":material/block:")
    for label, changes in refusal.fixes.items():
        st.button(literal(label), on_click=_change, args=(changes,))


def literal(text: str) -> str:
    """Text that Streamlit's Markdown shows as it is: no markup, no maths, no colours."""
    shown = re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=\"'])", r"\\\1", text)
    return shown.replace("\x00", "\\x00")


def _heed_link(state: dict[str, Any]) -> None:
    """Put the default, and a note, in place of each parameter that cannot be used."""
    _change(state.pop("assign", {}))
    first, query = "seen" not in state, dict(st.query_params.items())
    changed = {name: raw for name, raw in query.items() if state.get("seen", {}).get(name) != raw}
    state["seen"] = query
    if bad := parameters.check(changed):
        _note(state, bad)
        # The stage keeps the last two in the link alone; no widget holds them.
        _start_over(state, {name: DEFAULTS[name] for name in bad}, spare=("token", "view"))
    if long := {n: changed[n] for n in LONG if not parameters.fits_link(changed.get(n, ""))}:
        _start_over(state, long)
    if first and "rows" not in query:
        _fit_rows({**DEFAULTS, **{name: parameters.read(name, query[name]) for name in query
                                  if name in DEFAULTS}})  # fmt: skip
    # A note has done its work once the user has chosen something else.
    if state["notes"] and state["noted_at"] != _settings():
        state["notes"].clear()


def _note(state: dict[str, Any], notes: Mapping[str, str]) -> None:
    state["notes"].update(notes)
    state["noted_at"] = _settings()


def _fit_rows(settings: Mapping[str, Any]) -> None:
    """Rows enough for the vocabulary, where a link does not say how many."""
    with contextlib.suppress(VocabularyError):
        characters = resolve(settings["vocab"], settings["chars"])
        needed = len(Vocabulary(characters, settings["unknown"] == "unk"))
        if settings["input"] == "text" and DEFAULTS["rows"] < needed <= MAX_NUM_EMBEDDINGS:
            st.session_state["rows"] = needed


def _start_over(
    state: dict[str, Any], values: Mapping[str, Any], spare: Iterable[str] = ()
) -> NoReturn:
    """Run again with these values in place of the link's.

    On a first run the link would win over session state, so the parameters are
    taken out of it; later they are bound to widgets, and session state wins.
    """
    state["assign"] = {name: value for name, value in values.items() if name not in spare}
    with contextlib.suppress(StreamlitAPIException):
        kept = {n: st.query_params.get_all(n) for n in st.query_params if n not in values}
        st.query_params.from_dict(kept)
    st.rerun()


def _show_notes(state: dict[str, Any]) -> None:
    if notes := state["notes"]:
        lines = [literal(note) for note in notes.values()]
        st.warning(lines[0] if len(lines) == 1 else "- " + "\n- ".join(lines))
    for name in LONG:
        if not parameters.fits_link(long := _setting(name)):
            st.info(
                f"The {name} field is too long for a link ({parameters.url_bytes(long):,} of at "
                f"most {parameters.MAX_URL_TEXT_BYTES:,} bytes): the address carries "
                f"none of it, so a reload forgets it.",
                icon=":material/link_off:",
            )


def _setting(name: str) -> Any:
    """A setting as `parameters.read` allows it, whatever a forged message put there."""
    try:
        return parameters.read(name, st.session_state.get(name, DEFAULTS[name]))
    except ValueError:
        return DEFAULTS[name]


def _settings() -> dict[str, Any]:
    return {name: _setting(name) for name in DEFAULTS}


def _change(changes: Mapping[str, Any]) -> None:
    for name, value in changes.items():
        st.session_state[name] = value


def _reset() -> None:
    _change({name: value for name, value in DEFAULTS.items() if name in st.session_state})
    st.session_state["lines"] = False
    state = st.session_state[_STATE]
    state["notes"].clear()
    state["resets"] = state.get("resets", 0) + 1  # for the stage's token and view


def _model_settings() -> None:
    by_ids = _setting("input") == "ids"
    _choice("Vocabulary", "vocab", VOCABULARIES, disabled=by_ids, help=_VOCABULARY_HELP,
            on_change=_follow_vocabulary)  # fmt: skip
    with _seen("custom", _setting("vocab") == "custom" and not by_ids):
        _line("Characters, in id order", "chars", "abc", label_visibility="visible",
              on_change=_follow_vocabulary)  # fmt: skip
    sizes = st.container()  # above, but drawn once it is known whether there is a choice
    _choice("Weights start as", "init", list(INITS))
    st.caption(literal(INITS[_setting("init")]))
    own = _setting("init") == "own"
    with _seen("own", own):
        _own_weights(own)
    with sizes, _seen("sizes", not own):
        left, right = st.columns(2, gap="small")
        with left:
            _number("num_embeddings", "rows", "V: how many rows the table has, one for each id.")
        with right:
            _number("embedding_dim", "dim", "D: how many numbers each row has.")
    left, right = st.columns(2, gap="small")
    with left:
        _number("seed", "seed", "Start of the random draw: one seed is one table, everywhere.")
    with right:
        _choice("dtype", "dtype", parameters.CHOICES["dtype"](), help=_DTYPE_HELP)
    _choice("Device", "device", available_devices())
    if why := why_no_gpu():
        st.caption(literal(why))
    _segments("Unknown characters", "unknown", disabled=by_ids, help=_UNKNOWN_HELP,
              on_change=_follow_vocabulary)  # fmt: skip
    st.button("Reset settings", on_click=_reset, type="tertiary", icon=":material/undo:")


def _own_weights(own: bool) -> None:
    fits = parameters.fits_link(_setting("weights"))
    bound: Any = BOUND if fits else {"persist_state": "session"}
    st.text_area("Embedding.weight, one row a line", DEFAULTS["weights"], key="weights",
                 height=130, help=_WEIGHTS_HELP, **bound)  # fmt: skip
    if own:
        st.file_uploader("Or a file of weights", type=["npy", "npz", "csv", "txt"],
                     key="weights_file")  # fmt: skip


def _upload() -> tuple[str, bytes] | None:
    file = st.session_state.get("weights_file")
    return None if file is None else (file.name, file.getvalue())


def _input_row() -> None:
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key="input_row")
    with row:
        _segments("Input", "input", label_visibility="collapsed")
        by_ids = _setting("input") == "ids"
        with _seen("ids_field", by_ids):
            _line("Ids", "ids", "2 3 1 or [[1, 3], [0, 1]]")
        with _seen("text_field", not by_ids):
            _text_field()
        with (
            _seen("special", not by_ids, width="content"),
            st.popover("Special", icon=":material/keyboard_return:", width="content"),
        ):
            _special_input()


def _seen(name: str, seen: bool, **more: Any) -> DeltaGenerator:
    """A container for bound widgets, which are always drawn so that the link keeps them."""
    return st.container(key=f"{name}_{'seen' if seen else 'unseen'}", gap=None, **more)


def _line(label: str, name: str, placeholder: str, **more: Any) -> None:
    """A field that commits on every key and is bound to the link as long as it fits there."""
    fits = parameters.fits_link(_setting(name))
    bound: Any = BOUND if fits else {"persist_state": "session"}
    st.text_input(label, DEFAULTS[name], key=name, live="0ms", placeholder=placeholder,
                  **({"label_visibility": "collapsed"} | more | bound))  # fmt: skip


def _text_field() -> None:
    with st.container(key="one_line"):
        _line("Text", "text", "Type something")
    # One line drops line breaks when edited and sends its whole text on every key, so a text
    # that has some, or is long, is edited in several lines. The bound field stays, unseen.
    text = _setting("text")
    breaks = "\n" in text or "\r" in text
    if breaks or not parameters.fits_link(text) or st.session_state.get("lines", False):
        st.session_state["text_lines"] = text
        st.text_area("Text in several lines", key="text_lines", height=80, on_change=_take_lines,
                     placeholder="Ctrl+Enter commits", label_visibility="collapsed")  # fmt: skip
        if "\r" in text:
            st.caption("This text has carriage returns. Editing it here makes them line feeds.")


def _take_lines() -> None:
    st.session_state["text"] = st.session_state["text_lines"]


def _take_paste() -> None:
    text = st.session_state["listener"].get("text")
    if isinstance(text, str):
        st.session_state["text"] = text


def _special_input() -> None:
    st.toggle("Several lines", key="lines", persist_state="session", help=_LINES_HELP)
    st.toggle("Read escapes", DEFAULTS["escapes"], key="escapes", help=_ESCAPES_HELP, **BOUND)
    st.caption("Append a character that a line of text cannot hold:")
    with st.container(horizontal=True, gap="small"):
        for label, character in _KEYS_NOBODY_TYPES.items():
            st.button(label, on_click=_append, args=(character,))
    label = f"Or take the text of a .txt file, at most {MAX_TOKENS:,} characters"
    st.file_uploader(label, type="txt", key="file", on_change=_take_file)


def _append(character: str) -> None:
    st.session_state["text"] = _setting("text") + character


def _take_file() -> None:
    """Put a dropped file's text into the field, or note why not."""
    file = st.session_state.get("file")
    state = st.session_state[_STATE]
    state["notes"].pop("file", None)
    if file is None:
        return
    try:
        st.session_state["text"] = _text_of(file.name, file.getvalue())
    except ValueError as error:
        _note(state, {"file": f"{error}; not taken."})


def _text_of(name: str, content: bytes) -> str:
    limit = f"more than the {MAX_TOKENS:,} characters allowed"
    if len(content) > 4 * MAX_TOKENS:  # no UTF-8 character is longer than 4 bytes
        raise ValueError(f"'{name}' has {len(content):,} bytes, {limit}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"'{name}' is not UTF-8 text (byte {error.start:,})") from None
    if len(text) > MAX_TOKENS:
        raise ValueError(f"'{name}' has {len(text):,} characters, {limit}")
    return text


def _follow_vocabulary() -> None:
    """Keep the table as large as a newly chosen vocabulary, unless the user sized it himself."""
    given, old = read_inputs(_settings(), _upload()), st.session_state[_STATE].get("symbols")
    if given.vocabulary is None:
        return
    if _setting("rows") in (old, DEFAULTS["rows"]) or _setting("rows") < len(given.vocabulary):
        st.session_state["rows"] = len(given.vocabulary)


def _number(label: str, name: str, help: str) -> None:
    low, high = RANGES[name]
    try:
        st.number_input(label, low, high, DEFAULTS[name], 1, key=name, help=help, **BOUND)
    except (ValueError, OverflowError, TypeError):  # ?dim=inf, or NaN in a forged message
        _forget(name)


# Streamlit writes a widget's *label* into the link, so these show the link's own values.
def _choice(label: str, name: str, options: list[str], **more: Any) -> None:
    st.selectbox(label, options, options.index(DEFAULTS[name]), key=name, **more, **BOUND)


def _segments(label: str, name: str, **more: Any) -> None:
    st.segmented_control(
        label, parameters.CHOICES[name](), default=DEFAULTS[name], required=True, key=name,
        **{"wrap": False} | more | BOUND,
    )  # fmt: skip


def _forget(name: str) -> NoReturn:
    """Start over with one widget whose value Streamlit itself cannot read."""
    state = st.session_state[_STATE]
    if name not in state["notes"]:
        _note(state, {name: f"{name} was not a whole number; using {DEFAULTS[name]:,}."})
    _start_over(state, {name: DEFAULTS[name]})
