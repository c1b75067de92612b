"""Where it breaks, on the page: search the cases, open one, change it, see it fixed.

The verdicts of the list are proved once in this process, the opened case on every rerun. Child
processes prove the cases that change state of the whole process; until then the page says so. The
one for the compiler starts when its case is opened.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st
import torch

from embviz.limits import isolated
from embviz.limits.case import Case, Input
from embviz.limits.cases import CASES, case_named
from embviz.limits.outcome import Outcome, Proof
from embviz.limits.prove import check_inputs, inputs_of, prove
from embviz.limits.script import script
from embviz.limits.search import find
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.ui.pages.limits.values import side, style
from embviz.ui.parts.theme import chart_colours, css_colour
from embviz.ui.parts.widgets import BOUND, choice, text_line, visible_if
from embviz.ui.state.session import change, setting, state, widget_value

MARKS = {
    "differ": ":orange-badge[≠ differ]",
    "same": ":green-badge[= same]",
    "raises": ":red-badge[! raises]",
    "not run": ":gray-badge[· not run]",
}
SIGNS = {"differ": ":orange[≠]", "same": ":green[=]", "raises": ":red[!]", "not run": "·"}
EVERYTHING = {"find": "", "group": "all", "verdict": "all"}
WAIT = "It is being proved in a process of its own, because it changes settings of the process."
UNOPENED = "It is proved when you open it: the compiler takes some seconds."
LOOK_S = 0.7  # between two checks whether such a process has ended
SLIDER = 20  # steps; with more, a thumb cannot set each value


@cache  # a run asks for each case, and Streamlit's cache computes a key each time
@st.cache_resource(show_spinner=False)  # a second session waits, and does not prove them again
def proofs_of_list() -> dict[str, Proof]:
    """The proofs of the list, which are the same for all sessions: all inputs are defaults."""
    return {case.name: prove(case) for case in CASES if not case.needs}


def _proof(case: Case) -> Proof:
    if not case.needs:
        return proofs_of_list()[case.name]
    kind = isolated.kind_of(case)
    if kind != "settings" and setting("case") != case.name and not isolated.started(kind):
        return Proof(case, {}, None, None, UNOPENED)
    proofs = isolated.proofs_of_child(wait=False, kind=kind)
    return proofs.get(case.name) or Proof(case, {}, None, None, WAIT)


def summary() -> None:
    """One line: how many cases there are, and how many claims hold on this machine."""
    proofs = [_proof(case) for case in CASES]
    wrong = [proof for proof in proofs if proof.holds is False]
    held = sum(proof.holds is True for proof in proofs)
    st.caption(
        f"{len(proofs)} cases on PyTorch {torch.__version__}: {held} claims proved, "
        f"{len(wrong)} refuted, {len(proofs) - held - len(wrong)} not run."
    )
    if kinds := {isolated.kind_of(proof.case) for proof in proofs if proof.not_run == WAIT}:
        st.fragment(_look, run_every=LOOK_S)(kinds)  # without a slot: it draws nothing
    if wrong:
        names = ", ".join(proof.case.title for proof in wrong)
        st.warning(literal(f"No longer so with this PyTorch: {names}."))


def _look(kinds: set[str]) -> None:
    if not kinds <= isolated.pending():
        st.rerun(scope="app")


def choose() -> list[Case]:
    """Draws the list in the sidebar, with its search and filters; returns the cases found."""
    # A phone hides the sidebar, so this field stands above the case there.
    with st.container(key="case_on_phones"):
        choice("Case (search and filters: » at the top)", "case")
    with visible_if("given", False):
        st.text_input("Its inputs", DEFAULTS["given"], key="given", **BOUND)
    with st.sidebar:
        text_line(
            "Search, or paste an error message",
            "find",
            "RuntimeError: mat1 and mat2 …",
            label_visibility="visible",
            on_change=_open_first,
        )
        left, right = st.columns(2, gap="small")
        with left:
            choice("Group", "group")
        with right:
            choice("Verdict", "verdict")
        _list(found := _found())
    return found


def _list(found: list[Case]) -> None:
    if not found:
        st.caption("0 cases")
        return
    names = [case.name for case in found]
    opened = setting("case")
    st.session_state["cases"] = opened if opened in names else None
    st.html(f"<style>{_group_headings(found)}</style>")
    st.radio(
        f"{len(found)} of {len(CASES)} cases",
        names,
        key="cases",
        format_func=lambda name: literal(case_named(name).title),
        captions=[_caption(case) for case in found],
        on_change=_open,
    )


def _found() -> list[Case]:
    group, verdict = setting("group"), setting("verdict")
    return [
        case
        for case in find(setting("find"))
        if group in ("all", case.group) and verdict in ("all", _proof(case).verdict)
    ]


def _caption(case: Case) -> str:
    proof = _proof(case)
    waits = proof.not_run == WAIT
    return f"{SIGNS[proof.verdict]} {'being proved …' if waits else literal(proof.line)}"


def _group_headings(found: list[Case]) -> str:
    """A style that draws a heading above the first case of each group; `st.radio` has none."""
    look = f"color: {css_colour('grayTextColor')}; font-size: 12px; font-weight: 600;"
    rules = []
    for place, case in enumerate(found):
        if place and found[place - 1].group == case.group:
            continue
        rules.append(
            f'.st-key-cases [role="radiogroup"] > *:nth-child({place + 1})::before {{'
            f'content: "{case.group}"; {look} }}'
        )
    return "\n".join(rules)


def _open() -> None:
    if (name := widget_value("cases")) is not None:
        change({"case": name, "given": ""})


def _open_first() -> None:
    """Open the best case: a pasted error shows its case at once."""
    if setting("find") and (found := _found()):
        change({"case": found[0].name, "given": ""})


def show(found: list[Case]) -> None:
    """Draws the opened case: claim, inputs, both values, the reason, the fix.

    Args:
        found: the cases of the list; the opened one may not be among them.
    """
    case = case_named(setting("case"))
    if not found:  # the opened case would look like the answer to the search
        st.info("No case is about this. Use fewer words, or the last line of the error.")
        st.button("Show all cases", on_click=change, args=(EVERYTHING,))
        return
    if case not in found:
        st.caption("This case is not in the list: the search or the filters exclude it.")
    first = case.title.split()[0]
    title = case.title[0].upper() + case.title[1:] if first.isalpha() else case.title
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"#### {literal(title)}", width="content")
        head = st.container(width="content")
    st.markdown(case.claim)
    if case.needs:
        proof = _proof(case)
    else:
        try:
            proof = prove(case, **_inputs(case))
        except ValueError as error:  # only a link can carry wrong inputs
            st.warning(literal(f"{error} Shown with its default inputs."))
            proof = prove(case)
    st.html(style())
    with head:
        st.markdown(MARKS[proof.verdict] + (" :gray-badge[emulated]" if case.emulated else ""))
    if proof.problem is None or proof.fixed is None:
        st.info(literal(proof.not_run))
        _source(case, proof)
        return
    _sides(case.sides, proof.problem)
    st.markdown(f"**Why.** {case.reason}")
    st.markdown(f"**{'The fix' if case.expected != 'same' else 'In code'}.** {case.fix_title}")
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.code(script(case.fix, proof.given, case.sides_of_fix), language="python")
    with right:
        _sides(case.sides_of_fix, proof.fixed, across=False)
    with st.expander("The code of the problem" if case.expected != "same" else "The code above"):
        st.code(script(case.problem, proof.given, case.sides), language="python")
    _source(case, proof)


def _sides(sides: tuple[str, str], outcome: Outcome, across: bool = True) -> None:
    places = st.columns(2, gap="small") if across else [st.container(), st.container()]
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
    """Draws the links: to read more, to another page, and to this case."""
    links = [f"[{literal(label)}]({address})" for label, address in case.source]
    st.markdown(f"**Read more:** {' · '.join(links)}")
    if case.see is not None:
        name, words = case.see
        st.page_link(state()["pages"][name], label=words, icon=":material/arrow_forward:")
    parts = urlsplit(st.context.url or "")
    query = {"case": case.name} | ({"given": setting("given")} if setting("given") else {})
    st.caption(f"Link to this case ({proof.seconds * 1000:.1f} ms to prove):")
    st.code(
        f"{parts.scheme}://{parts.netloc}{parts.path}?{urlencode(query, safe=':,')}", language=None
    )
