"""Where it breaks, on the page: the search, five cards to begin with, the list of all cases.

The verdicts are proved once in this process. A case with a process of its own is proved when
somebody opens it. `opened.py` draws an opened case.
"""

from __future__ import annotations

from functools import cache

import streamlit as st
import torch

from embviz.limits.alone import begin, done
from embviz.limits.case import Case
from embviz.limits.cases import CASES, GROUPS, case_named
from embviz.limits.prove import Proof, prove
from embviz.limits.search import find
from embviz.request.markdown import literal
from embviz.ui.pages.limits.values import sentence_case
from embviz.ui.parts.widgets import PAUSE, text_line
from embviz.ui.state.session import change, go, setting

# Colour and sign of each verdict.
LOOKS = {"differ": ("orange", "≠"), "same": ("green", "="), "raises": ("red", "!")}
CARDS = {"case": "none", "find": ""}
# The title is the button, and its surface is the whole card.
CARD_STYLE = """<style>
[class*="st-key-card_"] { position: relative; }
[class*="st-key-card_"]:hover { border-color: currentColor; }
[class*="st-key-card_"] .stElementContainer, [class*="st-key-card_"] .stButton { position: static; }
[class*="st-key-card_"] button { position: static; text-align: left; padding: 0; min-height: 0; }
[class*="st-key-card_"] button::after { content: ""; position: absolute; inset: 0; }
</style>"""
ABREAST = 3  # cards


@cache  # a run asks for each case, and Streamlit's cache computes a key each time
@st.cache_resource(show_spinner=False)  # a second session waits, and does not prove them again
def proofs_of_list() -> dict[str, Proof]:
    """The proofs of the cases that need no process of their own, the same for all sessions."""
    return {case.name: prove(case) for case in CASES if not case.alone}


def proof_of(case: Case) -> Proof | None:
    """The proof of a case; None while its own process runs."""
    if not case.alone:
        return proofs_of_list()[case.name]
    started = begin(case)
    return started.result() if started.done() else None


def refuted() -> None:
    """Warn of claims that this PyTorch refutes."""
    known = {**proofs_of_list(), **done()}
    if wrong := [one.case.title for one in known.values() if one.holds is False]:
        st.warning(literal(f"Not so with PyTorch {torch.__version__}: {', '.join(wrong)}."))


def search() -> list[Case]:
    """Draw the search; return the cases it finds, the best first; none without a search."""
    text_line(
        "Search, or paste an error message",
        "find",
        lambda: change({"case": "none"}),
        placeholder="RuntimeError: mat1 and mat2 …",
        live=PAUSE,
        help=None,
    )
    return find(setting("find"))


def opened(found: list[Case]) -> Case | None:
    """The case that the address names, or the best of the search; None without either."""
    return case_named(setting("case")) if setting("case") != "none" else next(iter(found), None)


def others(found: list[Case], shown: Case) -> None:
    """Draw a press for each other case that the search finds."""
    rest = [case for case in found if case is not shown]
    if rest:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown(f"{len(rest)} more:", width="content")
            for case in rest[:ABREAST]:
                _press(case, "more")


def nothing() -> None:
    """Say that the search finds nothing."""
    st.info("No case is about this. Use fewer words, or the last line of the error.")


def cards() -> None:
    """Draw the cases that nearly everybody meets: the whole card opens its case."""
    shown = [case for case in CASES if case.card]
    st.html(CARD_STYLE)
    with st.container(key="cards", gap="small"):
        for first in range(0, len(shown), ABREAST):
            row = shown[first : first + ABREAST]
            for place, case in zip(st.columns(ABREAST, gap="small"), row, strict=False):
                with place.container(border=True, height="stretch", key=f"card_{case.name}"):
                    _press(case, "open", bold=True)
                    st.markdown(_line(case))


def listed() -> None:
    """Draw the fold with all cases by group."""
    with st.expander(f"All {len(CASES)} cases", key="all_cases", on_change="rerun") as fold:
        if fold.open:
            for place, name in zip(st.columns(2) * len(GROUPS), GROUPS, strict=False):
                with place.container(gap="xxsmall"):
                    st.markdown(f"**{name}**")
                    for case in GROUPS[name]:
                        _press(case, "list")


def _press(case: Case, place: str, bold: bool = False) -> None:
    title = literal(sentence_case(case.title))
    st.button(
        f"**{title}**" if bold else title,
        key=f"{place}_{case.name}",
        on_click=go,
        args=({"case": case.name},),
        type="tertiary",
    )


def _line(case: Case) -> str:
    """The result in a few words: the errors' classes, or how many values differ."""
    proof = proof_of(case)
    assert proof is not None  # no card has a process of its own
    errors = proof.problem.errors if proof.problem else ()
    kinds = dict.fromkeys(error.partition(":")[0] for error in errors if error)
    return f"{sign(proof)} {literal(' and '.join(kinds) or proof.told.partition(',')[0])}"


def sign(proof: Proof) -> str:
    """The coloured sign of a verdict, as Markdown."""
    colour, mark = LOOKS[proof.problem.verdict] if proof.problem else ("gray", "·")
    return f":{colour}[{mark}]"
