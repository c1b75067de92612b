"""Where it breaks, on the page: five cards to begin with, the search, the list of all cases.

The verdicts of the list are proved once in this process. A child process proves the cases that
change state of the whole process; until then the page says so. `opened.py` draws an opened case.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st
import torch

from embviz.limits import isolated
from embviz.limits.case import Case
from embviz.limits.cases import CASES, case_named
from embviz.limits.outcome import Proof
from embviz.limits.prove import prove
from embviz.limits.search import find
from embviz.request.markdown import literal
from embviz.ui.pages.limits.values import sentence_case
from embviz.ui.parts.theme import css_colour
from embviz.ui.parts.widgets import PAUSE, choice, text_line
from embviz.ui.state.session import change, go, setting, widget_value

# Colour and sign of each verdict, and of a saying.
LOOKS = {
    "differ": ("orange", "≠"),
    "same": ("green", "="),
    "raises": ("red", "!"),
    "not run": ("gray", "·"),
    "false": ("red", "✗"),
    "true": ("green", "✓"),
}
EVERYTHING = {"find": "", "group": "all", "verdict": "all"}
CARDS = {"case": "none", **EVERYTHING}
WAIT = "It is being proved in a process of its own, because it changes settings of the process."
LOOK_S = 0.7  # between two checks whether that process has ended
ABREAST = 3  # cards


@cache  # a run asks for each case, and Streamlit's cache computes a key each time
@st.cache_resource(show_spinner=False)  # a second session waits, and does not prove them again
def proofs_of_list() -> dict[str, Proof]:
    """The proofs of the list, which are the same for all sessions."""
    return {case.name: prove(case) for case in CASES if not case.needs}


def proof_of(case: Case) -> Proof:
    """The proof of a case, or why there is none yet."""
    if not case.needs:
        return proofs_of_list()[case.name]
    return isolated.proof_of_child(case) or Proof(case, None, None, WAIT)


def refuted() -> None:
    """Warn of claims that this PyTorch refutes, and look again while the child process runs."""
    proofs = [proof_of(case) for case in CASES]
    if any(proof.not_run == WAIT for proof in proofs):
        st.fragment(_look, run_every=LOOK_S)()  # without a slot: it draws nothing
    if wrong := ", ".join(proof.case.title for proof in proofs if proof.holds is False):
        st.warning(literal(f"No longer so with this PyTorch: {wrong}."))


def _look() -> None:
    if isolated.begin().done():
        st.rerun(scope="app")


def choose() -> list[Case]:
    """Draw the search and the list; return what they find.

    A search or a filter opens its best case, until one is chosen from what they find.
    """
    text_line(
        "Search, or paste an error message",
        "find",
        _anew,
        placeholder="RuntimeError: mat1 and mat2 …",
        live=PAUSE,
        help=None,
    )
    with st.sidebar:
        fold = _filters()
    found = _found()
    names = [case.name for case in found]
    with st.container(key="case_on_phones"):  # a phone hides the sidebar
        _picker(names)
    if fold.open:
        with fold:
            _counts()
            _list(found)
    return found


def nothing() -> None:
    """Say that nothing is found; an opened case would look like the answer to the search."""
    st.info("No case is about this. Use fewer words, or the last line of the error.")
    st.button("Show all cases", on_click=go, args=(EVERYTHING,))


def opened() -> Case | None:
    """The opened case, or the best of a search; None while the cards are shown."""
    if setting("case") != "none":
        return case_named(setting("case"))
    searches = any(setting(name) != EVERYTHING[name] for name in EVERYTHING)
    return next(iter(_found()), None) if searches else None


def _anew() -> None:
    """After another search: the case that was open is no longer."""
    change({"case": "none"})


def _filters() -> Any:
    """Draw the filters, folded; return the fold, for the list."""
    if any(setting(name) != EVERYTHING[name] for name in EVERYTHING):  # its results are seen
        st.session_state["all_cases"] = True
    fold = st.expander(f"All {len(CASES)} cases", key="all_cases", on_change="rerun")
    with fold:
        left, right = st.columns(2, gap="small")
        with left:
            choice("Group", "group", _anew)
        with right:
            choice("Verdict", "verdict", _anew)
    return fold


def _counts() -> None:
    proofs = [proof_of(case) for case in CASES]
    wrong = sum(proof.holds is False for proof in proofs)
    held = sum(proof.holds is True for proof in proofs)
    st.caption(
        f"PyTorch {torch.__version__}: {held} claims proved, {wrong} refuted, "
        f"{len(proofs) - held - wrong} not run."
    )


def _select(key: str, names: list[str]) -> None:
    """Set a list of titles to the opened case."""
    case = opened()
    st.session_state[key] = case.name if case is not None and case.name in names else None


def _picker(names: list[str]) -> None:
    _select("case_picker", names)
    st.selectbox(
        f"Case ({len(names)} of {len(CASES)})",
        names,
        key="case_picker",
        format_func=_title,
        placeholder="Choose a case",
        on_change=_open,
        args=("case_picker",),
    )


def _list(found: list[Case]) -> None:
    if not found:
        st.caption("0 cases")
        return
    names = [case.name for case in found]
    _select("cases", names)
    st.html(f"<style>{_group_headings(found)}</style>")
    st.radio(
        f"{len(found)} of {len(CASES)} cases",
        names,
        key="cases",
        format_func=lambda name: literal(_title(name)),
        captions=[caption(proof_of(case)) for case in found],
        on_change=_open,
        args=("cases",),
    )


def _title(name: str) -> str:
    return sentence_case(case_named(name).title)


def _found() -> list[Case]:
    group, verdict = setting("group"), setting("verdict")
    return [
        case
        for case in find(setting("find"))
        if group in ("all", case.group) and verdict in ("all", proof_of(case).verdict)
    ]


def caption(proof: Proof) -> str:
    """The verdict in one line: its sign, what it is, and of a saying whether it is true."""
    line = "being proved …" if proof.not_run == WAIT else literal(proof.line)
    saying = f"{sign(proof.saying)} {proof.saying}: " if proof.saying else ""
    return f"{saying}{sign(proof.verdict)} {line}"


def sign(word: str) -> str:
    """The coloured sign of a verdict or a saying, as Markdown."""
    colour, mark = LOOKS[word]
    return f":{colour}[{mark}]"


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


def _open(key: str) -> None:
    if (name := widget_value(key)) is not None:
        go({"case": name}, whole=False)


def cards() -> None:
    """Draw the cases that nearly everybody meets: what happens, the verdict, a button."""
    shown = [case for case in CASES if case.card]
    with st.container(key="cards", gap="small"):
        for first in range(0, len(shown), ABREAST):
            for place, case in zip(
                st.columns(ABREAST, gap="small"), shown[first : first + ABREAST], strict=False
            ):
                with place.container(border=True, height="stretch"):
                    _card(case)


def _card(case: Case) -> None:
    st.markdown(f"**{literal(sentence_case(case.title))}**")
    st.markdown(case.card)
    with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
        st.markdown(caption(proof_of(case)), width="stretch")
        opens = {"case": case.name}
        st.button("Open", key=f"open_{case.name}", on_click=go, args=(opens,))
