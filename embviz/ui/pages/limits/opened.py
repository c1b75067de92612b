"""An opened case: its result, the reason, the fix with its result, and the two programs folded."""

from __future__ import annotations

from difflib import SequenceMatcher

import streamlit as st

from embviz.limits.case import PRELUDE, Case
from embviz.limits.prove import Outcome, Proof
from embviz.request.markdown import literal
from embviz.ui.frame.body import queued_fragment
from embviz.ui.pages.limits.browse import CARDS, proof_of, sign
from embviz.ui.pages.limits.values import sentence_case, side, style
from embviz.ui.parts.links import link
from embviz.ui.parts.theme import chart_colours
from embviz.ui.state.session import go

LOOK_S = 0.7  # between two looks whether the process of a case has ended


def show(case: Case) -> None:
    """Draw the case."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"#### {literal(sentence_case(case.title))}", width="content")
        st.button(
            "Back to the first five",
            key="back_to_cards",
            on_click=go,
            args=(CARDS,),
            type="tertiary",
            icon=":material/arrow_back:",
        )
    st.html(style())
    proof = proof_of(case)
    if proof is None:
        st.info("It is being proved in a process of its own, because it changes that process.")
        queued_fragment(LOOK_S, _look, case)
    else:
        _result(proof)
    with st.expander("The two programs"):
        _programs(case)
    with st.container(horizontal=True, gap="small"):
        if case.see is not None:
            link(case.see[0], label=case.see[1], icon=":material/arrow_forward:")
        links = [f"[{literal(label)}]({address})" for label, address in case.source]
        st.markdown(f"Read more: {' · '.join(links)}")


def _look(case: Case) -> None:
    if proof_of(case) is not None:
        st.rerun()


def _result(proof: Proof) -> None:
    case = proof.case
    if proof.problem is None:
        st.info(literal(proof.told))
    elif proof.holds is False:
        st.warning("The claim below does not hold on the PyTorch installed here.")
    broken, mended = st.columns(2, gap="medium")
    with broken:
        if proof.problem:
            st.markdown(f"{sign(proof)} **{literal(proof.told)}**")
            _sides(case.sides, proof.problem)
        st.markdown(f"{case.claim} {case.why}")
    with mended:
        st.markdown(f"**{_head_of_fix(proof)}** {case.fix}")
        if proof.fixed:
            names = case.fixed_sides or case.sides
            _sides(names, proof.fixed)
            st.markdown(literal(proof.fixed.told(names)))


def _head_of_fix(proof: Proof) -> str:
    same = proof.problem is not None and proof.problem.verdict == "same"
    return "In code." if same else "The fix."


def _sides(names: tuple[str, str], outcome: Outcome) -> None:
    values, colours = (outcome.left, outcome.right), chart_colours()[:2]
    for place, name, value, colour in zip(st.columns(2), names, values, colours, strict=True):
        place.html(side(name, value, outcome.differs, colour))


def _programs(case: Case) -> None:
    """Draw both programs as they ran, and name the lines in which they differ."""
    texts = [f"{PRELUDE.strip()}\n\n\n{text.strip()}" for text in (case.breaks, case.mends)]
    pair = SequenceMatcher(a=texts[0].splitlines(), b=texts[1].splitlines(), autojunk=False)
    other = [code for code in pair.get_opcodes() if code[0] != "equal"]
    spans = [(code[1], code[2]) for code in other], [(code[3], code[4]) for code in other]
    for place, text, lines in zip(st.columns(2, gap="medium"), texts, spans, strict=True):
        place.code(text, language="python", line_numbers=True, wrap_lines=True)
        place.caption(f"Lines that differ: {_ranges(lines)}.")


def _ranges(spans: list[tuple[int, int]]) -> str:
    """Half-open spans of lines from 0, as a reader counts them.

    >>> _ranges([(0, 1), (4, 6), (7, 7)])
    '1, 5 to 6'
    """
    shown = [
        f"{low + 1}" if high == low + 1 else f"{low + 1} to {high}"
        for low, high in spans
        if high > low
    ]
    return ", ".join(shown) or "none"
