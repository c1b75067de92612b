"""Where it breaks, on the page: search the cases, open one, change it, see it fixed.

The list's verdicts are proved once in this process, the opened case on every
run. Cases that would change the state of the whole process are proved in a
short-lived child, once; until it has answered, the page says so.
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
from embviz.limits.prove import DTYPES, check_inputs, prove, takes_dtype
from embviz.limits.script import script
from embviz.limits.search import find
from embviz.request.markdown import literal
from embviz.request.parameters import DEFAULTS
from embviz.server.scheduler import queued_fragment
from embviz.ui.pages.limits.values import STYLE, side
from embviz.ui.parts.theme import chart_colours
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
WAIT = "It is being proved in a process of its own: it changes a setting of the whole process."
LOOK_S = 0.7  # between two looks whether that process has answered
SLIDER = 20  # values that a slider can be set to with a thumb
_HEADINGS = "color: light-dark(#565d6a, #a9b1be); font-size: 12px; font-weight: 600;"


@cache
def _proofs() -> dict[str, Proof]:
    """The verdicts of the list, proved once: with these inputs they are the same for everyone."""
    return {case.name: prove(case) for case in CASES if not case.needs}


def _proof(case: Case) -> Proof:
    if not case.needs:
        return _proofs()[case.name]
    if isolated.begin().done():
        return isolated.proofs_of_child()[case.name]
    return Proof(case, {}, None, None, WAIT)


def summary() -> None:
    """How many cases there are, and whether what is claimed of each is so here."""
    proofs = [_proof(case) for case in CASES]
    wrong = [proof for proof in proofs if proof.holds is False]
    held = sum(proof.holds is True for proof in proofs)
    st.caption(
        f"{len(proofs)} cases on PyTorch {torch.__version__}: {held} claims proved, "
        f"{len(wrong)} refuted, {len(proofs) - held - len(wrong)} not run."
    )
    if not isolated.begin().done():
        queued_fragment(LOOK_S, _look)
    if wrong:
        names = ", ".join(proof.case.title for proof in wrong)
        st.warning(literal(f"No longer so with this PyTorch: {names}."))


def _look() -> None:
    if isolated.begin().done():
        st.rerun(scope="app")


def choose() -> list[Case]:
    """In the sidebar the list, narrowed by words, group and verdict; one of it is opened."""
    # A phone hides the sidebar, so there this field is shown above the case.
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
        format_func=_name,
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


def _name(name: str) -> str:
    return literal(case_named(name).title)


def _caption(case: Case) -> str:
    proof = _proof(case)
    waits = proof.not_run == WAIT
    return f"{SIGNS[proof.verdict]} {'being proved …' if waits else literal(proof.line)}"


def _group_headings(found: list[Case]) -> str:
    """A heading above the first case of each group; radios know none."""
    rules = []
    for place, case in enumerate(found):
        if place and found[place - 1].group == case.group:
            continue
        rules.append(
            f'.st-key-cases [role="radiogroup"] > *:nth-child({place + 1})::before {{'
            f'content: "{case.group}"; {_HEADINGS} }}'
        )
    return "\n".join(rules)


def _open() -> None:
    if (name := widget_value("cases")) is not None:
        change({"case": name, "given": ""})


def _open_first() -> None:
    """Somebody who pastes an error is led to its case."""
    if setting("find") and (found := _found()):
        change({"case": found[0].name, "given": ""})


def show(found: list[Case]) -> None:
    """The opened case: claim, inputs, both results, the reason, the fix.

    Args:
        found: the cases of the list, to which it may not belong.
    """
    case = case_named(setting("case"))
    if not found:  # a case that has nothing to do with the search would look like its answer
        st.info("No case speaks of this. Take fewer words, or the last line of the error.")
        st.button("Show all cases", on_click=change, args=(EVERYTHING,))
        return
    if case not in found:
        st.caption("This case is not in the list: the search or the filters leave it out.")
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
        except ValueError as error:  # only what a link carried can be wrong
            st.warning(literal(f"{error} Shown with its own inputs."))
            proof = prove(case)
    st.html(STYLE)
    with head:
        st.markdown(MARKS[proof.verdict] + (" :gray-badge[emulated]" if proof.emulated else ""))
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
    with st.expander("The code of what breaks" if case.expected != "same" else "The code above"):
        st.code(script(case.problem, proof.given, case.sides), language="python")
    _source(case, proof)


def _sides(sides: tuple[str, str], outcome: Outcome, across: bool = True) -> None:
    colours = chart_colours()
    places = st.columns(2, gap="small") if across else [st.container(), st.container()]
    for place, is_left in zip(places, (True, False), strict=True):
        with place:
            name = sides[0] if is_left else sides[1]
            st.html(side(name, outcome, is_left, colours[0 if is_left else 1]))
    st.markdown(f"{MARKS[outcome.verdict]} {literal(outcome.detail)}")


def _inputs(case: Case) -> dict[str, object]:
    """The widgets of a case, set to what the address says.

    Raises:
        ValueError: the address says what the case does not take.
    """
    asked = list(case.inputs)
    if takes_dtype(case):
        asked.append(Input("dtype", "dtype", "float32", options=tuple(DTYPES)))
    if not asked:
        return {}
    wrong = None
    try:
        given = check_inputs(case, _given(case))
    except ValueError as error:
        given, wrong = check_inputs(case, {}), error
    columns = st.columns(max(2, len(asked)), gap="medium")
    for place, known in zip(columns, asked, strict=False):
        key = f"given_{case.name}_{known.name}"
        st.session_state[key] = given[known.name]
        keep = partial(_keep, case, [known.name for known in asked])
        with place:
            _widget(known, key, keep)
    if wrong is not None:
        raise wrong
    return given


def _widget(known: Input, key: str, keep: partial[None]) -> None:
    said: Any = {"key": key, "on_change": keep, "help": known.help or None}
    if known.options:
        st.segmented_control(known.label, known.options, required=True, format_func=str, **said)
    elif known.high - known.low <= SLIDER:  # type: ignore[operator]
        st.slider(known.label, known.low, known.high, step=1, **said)
    else:
        st.number_input(known.label, known.low, known.high, step=1, **said)


def _given(case: Case) -> dict[str, object]:
    """What the address says of a case's inputs: `row:2,repeats:5`.

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
        whole = number.isascii() and number.isdigit() and len(number) <= 20
        found[name] = options.get(value, int(value) if whole else value)
    return found


def _keep(case: Case, names: list[str]) -> None:
    """Write what the widgets say into the address; what is as it was at first is left out."""
    first = check_inputs(case, {})
    values = {name: widget_value(f"given_{case.name}_{name}", first[name]) for name in names}
    parts = [f"{name}:{value}" for name, value in values.items() if value != first[name]]
    change({"given": ",".join(parts)})


def _source(case: Case, proof: Proof) -> None:
    """Where it is written, where to go on, how to link to it."""
    said = [f"[{literal(label)}]({address})" for label, address in case.source]
    st.markdown(f"**Read more:** {' · '.join(said)}")
    if case.see is not None:
        name, words = case.see
        st.page_link(state()["pages"][name], label=words, icon=":material/arrow_forward:")
    parts = urlsplit(st.context.url or "")
    query = {"case": case.name} | ({"given": setting("given")} if setting("given") else {})
    st.caption(f"Link to this case ({proof.seconds * 1000:.1f} ms to prove):")
    st.code(
        f"{parts.scheme}://{parts.netloc}{parts.path}?{urlencode(query, safe=':,')}", language=None
    )
