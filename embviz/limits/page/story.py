"""Where lookup and matmul differ, each case proved on the installed PyTorch."""

import streamlit as st

from embviz.limits.cases import CASES, GROUPS
from embviz.limits.page import browse
from embviz.limits.search import Found
from embviz.text.markdown import literal
from embviz.ui.elements.links import browser_title, headline, try_this
from embviz.ui.elements.widgets import fold
from embviz.ui.frame.body import body
from embviz.ui.state.address import setting

NOTHING = (
    "No case is about this. Use other words, or the last line of the error. Many meet one of these:"
)


def draw() -> None:
    """The cases, and what to try."""
    headline(
        "Where `nn.Embedding` and `nn.Linear` differ, fail or are misread, run on this PyTorch."
    )
    cases()
    try_this(*TRIES)


@body
def cases() -> None:
    """The search; then the opened case, what may be meant, or cards; then all cases."""
    found = browse.search()
    browser_title(found.opened.title if found.opened else "")
    if found == Found():
        if setting("find").strip():
            st.info(NOTHING)
        cards()
    if found.offered:
        browse.offer(found)
    if found.opened:
        browse.show(found.opened)
    fold(f"All {len(CASES)} cases", all_cases)


def cards() -> None:
    """The cases that nearly everybody meets: each card is a button."""
    shown = [case for case in CASES if case.card]
    above = (len(shown) + 1) // 2
    columns = st.columns(above) + st.columns(len(shown) - above)
    for column, case in zip(columns, shown, strict=True):
        brief = browse.brief(case)
        label = f"**{literal(case.title)}**  \n`{case.line}`  \n{brief}"
        with column:
            browse.case_button(case, "open", label, type="secondary", width="stretch")


def all_cases() -> None:
    """All cases by group, each a link with the line of code that breaks.

    The first groups stand in the left column, the others in the right: the groups' order is that
    of the keyboard.
    """
    st.caption("Each with the line that fails or differs.")
    with st.container(key="all_cases"):
        left, right = st.columns(2)
    lines = {name: 1 + len(GROUPS[name]) for name in GROUPS}  # with the group's name
    above = 0
    for name in GROUPS:
        place = left if 2 * above + lines[name] <= sum(lines.values()) else right
        above += lines[name]
        with place.container(gap="xsmall"):
            st.markdown(f"**{name}**")
            for case in GROUPS[name]:
                browse.case_link(case)


TRIES = (
    (
        "A *nan* in a row that is not looked up spoils the matmul, not the lookup.",
        "limits",
        {"find": "nan"},
    ),
    (
        "The last line of an error finds its case: `IndexError: index out of range in self`.",
        "limits",
        {"find": "IndexError: index out of range in self"},
    ),
)
