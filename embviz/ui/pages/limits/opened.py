"""An opened case: its claim, its inputs, and the breaking code beside the fix.

It is proved on every rerun with the inputs of the address. The reason and the sources are folded.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from embviz.limits.case import Case, Input
from embviz.limits.outcome import Outcome, Proof
from embviz.limits.prove import check_inputs, inputs_of, prove
from embviz.limits.script import script
from embviz.request.markdown import literal
from embviz.ui.pages.limits.browse import CARDS, proof_of
from embviz.ui.pages.limits.values import sentence_case, side, style
from embviz.ui.parts.theme import chart_colours
from embviz.ui.state.session import change, setting, state, widget_value

MARKS = {
    "differ": ":orange-badge[≠ differ]",
    "same": ":green-badge[= same]",
    "raises": ":red-badge[! raises]",
    "not run": ":gray-badge[· not run]",
}
SAYINGS = {"false": ":red-badge[✗ false]", "true": ":green-badge[✓ true]"}
SLIDER = 20  # steps; with more, a thumb cannot set each value


def show(case: Case) -> None:
    """Draw the case."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"#### {literal(sentence_case(case.title))}", width="content")
        head = st.container(width="content")
        st.button(
            "Back to the first five",
            on_click=change,
            args=(CARDS,),
            type="tertiary",
            icon=":material/arrow_back:",
        )
    st.markdown(case.claim)
    if case.needs:
        proof = proof_of(case)
    else:
        try:
            proof = prove(case, **_inputs(case))
        except ValueError as error:  # only a link can carry wrong inputs
            st.warning(literal(f"{error} Shown with its default inputs."))
            proof = prove(case)
    st.html(style())
    with head:
        mark = SAYINGS.get(proof.saying) or MARKS[proof.verdict]
        st.markdown(mark + (" :gray-badge[emulated]" if case.emulated else ""))
    if proof.not_run:
        st.info(literal(proof.not_run))
    given = proof.given or check_inputs(case, {})
    breaks = case.expected != "same"
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**It breaks.**" if breaks else "**The proof.**")
        st.code(script(case.problem, given, case.sides), language="python", wrap_lines=True)
        _sides(case.sides, proof.problem)
    with right:
        st.markdown(f"**{'The fix' if breaks else 'In code'}.** {case.fix_title}")
        st.code(script(case.fix, given, case.sides_of_fix), language="python", wrap_lines=True)
        _sides(case.sides_of_fix, proof.fixed)
    with st.expander("Why?"):
        st.markdown(case.reason)
    _source(case, proof)


def _sides(sides: tuple[str, str], outcome: Outcome | None) -> None:
    if outcome is None:
        return
    places = st.columns(2, gap="small")
    values, colours = (outcome.left, outcome.right), chart_colours()[:2]
    for place, name, value, colour in zip(places, sides, values, colours, strict=True):
        place.html(side(name, value, outcome.differs, colour))
    st.markdown(f"{MARKS[outcome.verdict]} {literal(outcome.detail)}")


def _inputs(case: Case) -> dict[str, object]:
    """Draws the widgets of a case, set to the values in the address, and returns these values.

    Raises:
        ValueError: the address has a value that the case does not take.
    """
    inputs = inputs_of(case)
    if not inputs:
        return {}
    wrong = None
    try:
        given = check_inputs(case, _given(case))
    except ValueError as error:
        given, wrong = check_inputs(case, {}), error
    columns = st.columns(max(2, len(inputs)), gap="medium")
    keep = partial(_keep, case, [known.name for known in inputs])
    for place, known in zip(columns, inputs, strict=False):
        key = f"given_{case.name}_{known.name}"
        st.session_state[key] = given[known.name]
        with place:
            _widget(known, key, keep)
    if wrong is not None:
        raise wrong
    return given


def _widget(known: Input, key: str, keep: partial[None]) -> None:
    common: Any = {"key": key, "on_change": keep, "help": known.help or None}
    if known.options:
        st.segmented_control(known.label, known.options, required=True, format_func=str, **common)
    elif known.high - known.low <= SLIDER:  # type: ignore[operator]
        st.slider(known.label, known.low, known.high, step=1, **common)
    else:
        st.number_input(known.label, known.low, known.high, step=1, **common)


def _given(case: Case) -> dict[str, object]:
    """The inputs of a case in the address, unchecked: `row:2,repeats:5`.

    Raises:
        ValueError: with the part that cannot be read.
    """
    kinds: dict[str, tuple[object, ...]] = {known.name: known.options for known in case.inputs}
    found: dict[str, object] = {}
    for part in filter(None, setting("given").split(",")):
        name, colon, value = part.partition(":")
        if not colon:
            raise ValueError(f"{part[:40]!r} is not an input and its value, like row:2.")
        options = {str(option): option for option in kinds.get(name, ())}
        number = value.removeprefix("-")
        is_number = number.isascii() and number.isdigit() and len(number) <= 20
        found[name] = options.get(value, int(value) if is_number else value)
    return found


def _keep(case: Case, names: list[str]) -> None:
    """Write the widgets' values into the address, without those that are defaults."""
    defaults = check_inputs(case, {})
    values = {name: widget_value(f"given_{case.name}_{name}", defaults[name]) for name in names}
    parts = [f"{name}:{value}" for name, value in values.items() if value != defaults[name]]
    change({"given": ",".join(parts)})


def _source(case: Case, proof: Proof) -> None:
    """Draw the links: to another page, to read more, and to this case."""
    if case.see is not None:
        name, words = case.see
        st.page_link(state()["pages"][name], label=words, icon=":material/arrow_forward:")
    with st.expander("Where to read more, and the link to this case"):
        links = [f"[{literal(label)}]({address})" for label, address in case.source]
        st.markdown(" · ".join(links))
        parts = urlsplit(st.context.url or "")
        query = {"case": case.name} | ({"given": setting("given")} if setting("given") else {})
        st.caption(f"Link to this case ({proof.seconds * 1000:.1f} ms to prove):")
        address = f"{parts.scheme}://{parts.netloc}{parts.path}?{urlencode(query, safe=':,')}"
        st.code(address, language=None)
