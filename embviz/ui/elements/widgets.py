"""Widgets of settings: each shows its setting, and a change of it changes the address.

The key of a widget is its setting's name. Range, choices and help come from the setting's record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

import streamlit as st

from embviz.settings.kinds import Number
from embviz.settings.pages import SETTINGS
from embviz.system.bounds import hosted
from embviz.ui.elements.failure import contained
from embviz.ui.state.address import setting, settings, usual
from embviz.ui.state.changes import commit, is_over
from embviz.ui.state.session import session

FILE_MB = 16  # megabytes of an uploaded file of weights: `MAX_FILE_BYTES` of `fact/weights.py` fit
# After the last key; each commit is an entry of the history. `ui/frame/areas.js` has it again.
PAUSE = "600ms"


def shown(
    name: str,
    then: Callable[[], object] | None = None,
    value: Any = None,
    of: Callable[[Any], Any] | None = None,
) -> dict[str, Any]:
    """Arguments of a widget that shows a setting.

    Streamlit writes into a widget what the session state is given, also over what is being typed:
    so only another value is given.

    Args:
        name: of the setting, and the key of the widget.
        then: called after a change.
        value: shown in place of the setting's own value.
        of: the setting for a value of the widget, as in `commit`.
    """
    wanted = setting(name) if value is None else value
    if is_over(name):
        pass  # The typed text stays, though the setting has another one.
    elif name not in st.session_state or st.session_state[name] != wanted:
        st.session_state[name] = wanted
    help = SETTINGS[name].help or None
    return {"key": name, "on_change": commit, "args": (name, then, of), "help": help}


def opens(fold: str, *names: str) -> bool:
    """Whether a fold of settings begins open, because one of them is not as usual.

    Once open it stays open: it must not close on the way back to a default.
    """
    this = session()
    differs = settings(names) != usual(names)
    this.folds[fold] = this.folds.get(fold, False) or differs
    return this.folds[fold]


def fold(label: str, draw: Callable[..., object], *args: Any, of: Sequence[str] = ()) -> None:
    """A fold whose content is made only while it is open; it begins as `of` these settings.

    A refusal in it is said in it, and the rest of the page stays.
    """
    with st.expander(label, opens(label, *of), key=f"fold {label}", on_change="rerun") as box:
        if box.open:
            with contained(f"fold {label}"):
                draw(*args)


def uploader(label: str, key: str, *kinds: str, megabytes: int = FILE_MB, **more: Any) -> None:
    """A field for files with these endings, or any; none where hosted: no upload is taken there."""
    if not hosted():
        st.file_uploader(label, [*kinds] or None, key=key, max_upload_size=megabytes, **more)


def uploaded(key: str) -> list[Any]:
    """The files that an uploader holds.

    Session state may also hold placeholders, for files that a forged message names.
    """
    value = st.session_state.get(key)
    files = value if isinstance(value, list) else [value]
    return [file for file in files if isinstance(file, BytesIO)]


def _of_setting(widget: Callable[..., Any], begins: str, **usual: Any) -> Any:
    """A widget of Streamlit as `(label, setting, then, ...)`.

    `begins`: the argument for what the widget shows before anybody touches it. Streamlit sends a
    new value once. A browser that gets a widget's script only after another run begins with this
    one, and would send an empty text as if it had been typed. `then` is called after a change,
    before the address is written.
    """

    def draw(label: str, name: str, then: Callable[[], object] | None = None, **more: Any) -> None:
        given = usual | shown(name, then) | more
        value = st.session_state.get(name, setting(name))  # a long one may be forgotten
        if begins != "value" and "options" not in given:
            given["options"] = SETTINGS[name].options()
        if begins == "index":
            value = [*given["options"]].index(value)
        widget(label, **given, **{begins: value})

    return draw


text_line = _of_setting(st.text_input, "value", live=False)  # commits on Enter and on leaving it
text_lines = _of_setting(st.text_area, "value")  # commits on Ctrl+Enter
switch = _of_setting(st.toggle, "value")
choice = _of_setting(st.selectbox, "index")
several = _of_setting(st.multiselect, "default", placeholder="Choose at least one")
segments = _of_setting(st.segmented_control, "default", required=True, wrap=False)


def number(
    label: str,
    name: str,
    widget: Callable[..., int] = st.number_input,
    value: int | None = None,
    of: Callable[[Any], Any] | None = None,
    **more: Any,
) -> None:
    """A whole number within its range, or up to `max_value`; a larger one shows as that.

    `value` and `of` are those of `shown`.
    """
    record = SETTINGS[name]
    assert isinstance(record, Number)
    limits = {"min_value": record.low, "max_value": record.high, "step": 1} | more
    wanted = setting(name) if value is None else value
    given = shown(name, value=min(wanted, limits["max_value"]), of=of)
    widget(label, **given, **limits, value=st.session_state[name])


def presses(label: str, name: str, options: Sequence[str], **more: Any) -> None:
    """A row of presses, one of them pressed, or none: then the setting is its default.

    An option that a link alone names has a press while it is chosen.
    """
    given, usual_one = shown(name), SETTINGS[name].default
    if st.session_state[name] == usual_one:
        st.session_state[name] = None
    chosen = st.session_state[name]
    if chosen is not None and chosen not in options:
        options = [*options, chosen]
    st.pills(label, options, default=chosen, **given | more)
