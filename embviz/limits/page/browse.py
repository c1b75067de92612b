"""The parts of *Where it breaks*: the answer to a question, what is offered, and an opened case.

An opened case shows its result, the reason, the fix, and the program folded.
The verdicts are proved once in this process. A case with a process of its own is proved when
somebody opens it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st
import torch

from embviz.limits.case import LAYERS, PRELUDE, Case, address
from embviz.limits.cases import CASES, case_named
from embviz.limits.elsewhere import Elsewhere
from embviz.limits.frames import of_values
from embviz.limits.own_process import begin
from embviz.limits.prove import Outcome, Proof, prove
from embviz.limits.search import Found, find
from embviz.settings.pages import PAGES
from embviz.text.markdown import literal
from embviz.ui.elements.links import answer_link, link
from embviz.ui.frame.body import queued_fragment
from embviz.ui.state.address import setting
from embviz.ui.state.changes import go
from embviz.ui.state.session import cached

# Colour and sign of each verdict.
LOOKS = {"differ": ":orange[≠]", "same": ":green[=]", "raises": ":red[!]"}
CARDS = sum(case.card for case in CASES)  # cases on the first screen
# The words of a link from a case to another page, and the settings that it has there.
SEE = {
    "bag_of_words": ("Try it with your own documents", {}),
    "context": ("Static against contextual", {}),
    "timing": ("Time it yourself", {}),
    "training": ("Train both routes side by side", {"lesson": "step"}),
}
MORE = 3  # links beside the opened case, to others that a search finds
ARROW = ":material/arrow_forward:"
LOOK_S = 0.7  # between two looks whether the process of a case has ended


@st.cache_resource(show_spinner=False)  # a second session waits, and does not prove them again
def proofs_of_list() -> dict[str, Proof]:
    """The proofs of the cases that need no process of their own, the same for all sessions."""
    return {case.name: prove(case) for case in CASES if not case.own_process}


def proof_of(case: Case) -> Proof | None:
    """The proof of a case; None while its own process runs."""
    if not case.own_process:
        return proofs_of_list()[case.name]
    started = begin(case)
    return started.result() if started.done() else None


def signed(proof: Proof, words: str = "") -> str:
    """The result of a proof, or these words, with the verdict's sign, as Markdown."""
    sign = LOOKS[proof.problem.verdict] if proof.problem else ":gray[·]"
    return f"{sign} {literal(words or proof.told)}"


def brief(case: Case) -> str:
    """The result of a case in a few words, with the verdict's sign, as Markdown."""
    proof = proof_of(case)
    if proof is None:
        return ":gray[·] being proved"
    return signed(proof, proof.told.split(",")[0].rstrip("."))


def asked() -> Found:
    """The finds for the question or error in the address; the case that it names is opened."""
    text, named = setting("find"), setting("case")
    found = cached("asked", text, lambda: find(text))
    if named == "none":
        return found
    case = case_named(named)
    others = [hit for hit in (found.opened, *found.offered) if hit is not None and hit != case]
    return Found(case, listed=tuple(others))


def answer_to(found: Found) -> Case | Elsewhere | None:
    """The record whose sentence answers a question; None where a case opens, and for an error.

    The nearest record of an error may have another cause: it is offered among others.
    """
    if found.opened or found.listed or found.is_error or not found.offered:
        return None
    return found.offered[0]


def answer(record: Case | Elsewhere, others: Sequence[Case | Elsewhere]) -> None:
    """Draw the sentence of a record, a link to where it is seen, and links to others below."""
    if isinstance(record, Case):
        st.markdown(f"{record.claim} {record.why} {record.fix}")
        link("limits", _with_question(record), label="See it run on this PyTorch", icon=ARROW)
    else:
        st.markdown(record.answer)
        label = f"See it: {PAGES[record.page].title}"
        answer_link(record.page, record.settings, label=label, icon=ARROW)
    near([("Not what you asked? Also near in words:", others)])
    _back()


def also(found: Found) -> None:
    """Draw the records that list a text too, in one row: one of them is opened.

    A case is a button: the focus leaves a control with a key for the title of what it opens.
    """
    if found.listed:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown("Or:", width="content")
            for record in found.listed[:MORE]:
                if isinstance(record, Case):
                    label, args = literal(record.title), (_with_question(record),)
                    key = f"more_{record.name}"
                    st.button(label, key, on_click=go, args=args, type="tertiary")
                else:
                    _record_link(record)


def near(parts: Iterable[tuple[str, Sequence[Case | Elsewhere]]], answers: bool = False) -> None:
    """Draw links to records below headlines; a case has its line that breaks.

    With `answers` the sentence of a page stands below its link.
    """
    with st.container(key="near_cases", gap="small"):
        for headline, records in parts:
            st.markdown(f"**{headline}**")
            for record in records:
                with st.container(gap="xxsmall"):
                    _record_link(record)
                    if answers and isinstance(record, Elsewhere):
                        st.markdown(record.answer)


def _record_link(record: Case | Elsewhere) -> None:
    if isinstance(record, Case):
        label = f"{literal(record.title)}  \n`{record.line}`"
        link("limits", _with_question(record), label=label)
    else:
        label = f"{literal(record.title)} ({PAGES[record.page].title})"
        answer_link(record.page, record.settings, label=label)


def _with_question(case: Case) -> dict[str, Any]:
    """The settings that open a case of an answer: the others stay a press away."""
    return {"case": case.name, "find": setting("find")}


def end_question(changes: Mapping[str, Any]) -> None:
    """A callback: these changes end the question, if there is one.

    Its headline and its text in the field stand outside of the body, so they are drawn again too.
    """
    go(changes, redraw_all=bool(setting("find")))


def _back() -> None:
    """Draw the button that ends an answer or a case: the cards are back, and their headline."""
    args = ({"find": ""},)
    label = f"← The first {CARDS} cases"
    st.button(label, "back_to_cards", on_click=end_question, args=args, type="tertiary")


def show(case: Case) -> None:
    """Draw the case."""
    with st.container(key="case_head", horizontal=True, gap="small"):
        st.markdown(f"## {literal(case.title)}", width="content")
        _back()
    if proof := proof_of(case):
        _result(proof)
    else:
        st.info(
            "This case is being proved in a process of its own, because it changes settings of "
            "the whole process."
        )
        queued_fragment(LOOK_S, _look, case)
    with st.expander("The program"):
        _program(case)
    with st.container(horizontal=True, gap="small"):
        if case.see:
            label, changes = SEE[case.see]
            link(case.see, changes, label=label, icon=ARROW)
        links = [f"[{literal(source)}]({address(source)})" for source in case.source]
        st.markdown(f"Read more: {' · '.join(links)}")


def _look(case: Case) -> None:
    if proof_of(case) is not None:
        st.rerun()


def _result(proof: Proof) -> None:
    case = proof.case
    broken, fixed = st.columns(2, gap="medium")
    with broken:
        st.markdown(f"**{signed(proof)}**")
        if proof.problem:
            if not proof.lacks and not proof.comes_out:
                st.warning(f"The claim below does not hold with PyTorch {torch.__version__}.")
            _sides(case.sides, proof.problem)
        st.markdown(f"{case.claim} {case.why}")
    with fixed:
        # Without an error nothing may be broken: two names of grad_fn need no fix.
        st.markdown(f"**{'The fix.' if any(case.raises) else 'What to do.'}** {case.fix}")
        _on_a_layer(proof)


def _on_a_layer(proof: Proof) -> None:
    """The fix as one types it, and what came of it with this PyTorch."""
    st.caption("On a layer. *The program* below has the lines before these.")
    st.code(proof.case.typed.strip(), language="python", wrap_lines=True)
    if proof.lacks or proof.problem is None:
        st.caption("These lines did not run here.")
    elif proof.mistyped:
        said = literal(proof.mistyped[:300].strip(": "))
        st.warning(f"With PyTorch {torch.__version__} these lines raise {said}")
    else:
        st.markdown("These lines ran here, and what they `assert` is true.")


def _sides(names: tuple[str, str], outcome: Outcome) -> None:
    """Both values side by side; numbers that differ have a sign and a colour."""
    sides = zip(names, (outcome.left, outcome.right), ("blue", "orange"), strict=True)
    for place, (name, value, colour) in zip(st.columns(2), sides, strict=True):
        with place:
            st.markdown(f":{colour}[**{literal(name)}**]")
            if not isinstance(value, torch.Tensor):
                st.caption(type(value).__name__)
                st.code(str(value)[:600], language=None, wrap_lines=True)
                continue
            st.caption(f"{value.dtype} {tuple(value.shape)}".removeprefix("torch."))
            cells = of_values(value, outcome.differs)
            st.table(cells, border=False, width="content", hide_index=True, hide_header=True)


def _program(case: Case) -> None:
    """Draw the program as it ran, after the lines that all begin with; then those of a fix."""
    st.code(PRELUDE.strip(), language="python")
    st.code(case.program.strip(), language="python", wrap_lines=True)
    st.caption("The fix on a layer comes after the first lines above and these:")
    st.code(LAYERS.strip(), language="python", wrap_lines=True)
