"""An opened case: its claim, and the breaking code beside the fix, with the values of both.

The reason and the sources are folded.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from embviz.limits.case import Case
from embviz.limits.outcome import Outcome, Proof
from embviz.limits.script import script
from embviz.request.markdown import literal
from embviz.ui.pages.limits.browse import CARDS, LOOKS, proof_of
from embviz.ui.pages.limits.values import sentence_case, side, style
from embviz.ui.parts.links import link
from embviz.ui.parts.theme import chart_colours
from embviz.ui.state.session import go


def show(case: Case) -> None:
    """Draw the case."""
    proof = proof_of(case)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"#### {literal(sentence_case(case.title))}", width="content")
        st.markdown(_badge(proof.saying or proof.verdict), width="content")
        st.button(
            "Back to the first five",
            on_click=go,
            args=(CARDS,),
            type="tertiary",
            icon=":material/arrow_back:",
        )
    st.markdown(case.claim)
    st.html(style())
    if proof.not_run:
        st.info(literal(proof.not_run))
    # A saying is proved true or false; nothing breaks.
    breaks = case.expected != "same" and case.is_true is None
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**It breaks.**" if breaks else "**The proof.**")
        st.code(script(case.problem, case.sides), language="python", wrap_lines=True)
        _sides(case.sides, proof.problem)
    with right:
        st.markdown(f"**{'The fix' if breaks else 'In code'}.** {case.fix_title}")
        st.code(script(case.fix, case.sides_of_fix), language="python", wrap_lines=True)
        _sides(case.sides_of_fix, proof.fixed)
    with st.expander("Why?"):
        st.markdown(case.reason)
    _source(case, proof)


def _badge(word: str) -> str:
    colour, mark = LOOKS[word]
    return f":{colour}-badge[{mark} {word}]"


def _sides(sides: tuple[str, str], outcome: Outcome | None) -> None:
    if outcome is None:
        return
    places = st.columns(2, gap="small")
    values, colours = (outcome.left, outcome.right), chart_colours()[:2]
    for place, name, value, colour in zip(places, sides, values, colours, strict=True):
        place.html(side(name, value, outcome.differs, colour))
    st.markdown(f"{_badge(outcome.verdict)} {literal(outcome.detail)}")


def _source(case: Case, proof: Proof) -> None:
    """Draw the links: to another page, to read more, and to this case."""
    if case.see is not None:
        name, words = case.see
        link(name, label=words, icon=":material/arrow_forward:")
    with st.expander("Where to read more, and the link to this case"):
        links = [f"[{literal(label)}]({address})" for label, address in case.source]
        st.markdown(" · ".join(links))
        parts = urlsplit(st.context.url or "")
        st.caption(f"Link to this case ({proof.seconds * 1000:.1f} ms to prove):")
        address = f"{parts.scheme}://{parts.netloc}{parts.path}?case={case.name}"
        st.code(address, language=None)
