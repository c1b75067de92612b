"""Where lookup and matmul differ, each case proved on the installed PyTorch.

The page answers what is asked on any page (`ui/frame/ask_field.py`).
"""

import streamlit as st

from embviz.limits.case import Case
from embviz.limits.cases import CASES, PARTS
from embviz.limits.page import browse
from embviz.text.markdown import literal
from embviz.ui.elements.links import browser_title, headline, link, try_this
from embviz.ui.elements.widgets import fold
from embviz.ui.frame.body import body
from embviz.ui.state.address import setting

NOTHING = "No case has words like these. Many people meet one of these:"
HEADLINE = "Where `nn.Embedding` and `nn.Linear` differ, fail or are misread, run on this PyTorch."


def draw() -> None:
    """The answer to what was asked, or the cases; and what to try."""
    found = browse.asked()
    record = browse.answer_to(found)
    nearest = "No sure answer. The nearest" if found.is_unsure else "Nearest answer"
    headline(f"{nearest}: {literal(record.title)}" if record else HEADLINE)
    cases()
    try_this(*TRIES)


@body
def cases() -> None:
    """The answer, the opened case, what may be meant, or cards; then all cases."""
    found = browse.asked()
    record = found.opened or browse.answer_to(found)
    browser_title(record.title if record else "")
    if found.opened:
        browse.also(found)
        browse.show(found.opened)
    elif record:
        browse.answer(record, found.offered[1:])
    elif found.offered:
        browse.near(found.parts(), answers=True)
    else:
        if setting("find").strip():
            st.info(NOTHING)
        cards()
    fold(f"All {len(CASES)} cases", all_cases)


def cards() -> None:
    """The cases that nearly everybody meets: each card is a button."""
    shown = [case for case in CASES if case.card]
    above = (len(shown) + 1) // 2
    columns = st.columns(above) + st.columns(len(shown) - above)
    for column, case in zip(columns, shown, strict=True):
        label = f"**{literal(case.title)}**  \n`{case.line}`  \n{browse.brief(case)}"
        args = ({"case": case.name},)
        key, press = f"open_{case.name}", browse.end_question
        column.button(label, key, on_click=press, args=args, width="stretch")


def all_cases() -> None:
    """All cases by part and group, each a link with the line of code that breaks."""
    st.caption("Below each title: the line of code that fails or differs.")
    with st.container(key="all_cases"):
        for part, groups in PARTS.items():
            st.subheader(part, anchor=False)
            part_of_list(groups)


def part_of_list(groups: dict[str, tuple[Case, ...]]) -> None:
    """Draw the groups in two columns of about the same height.

    The first groups stand in the left column, the others in the right: the groups' order is that
    of the keyboard.
    """
    left, right = st.columns(2)
    lines = {name: 1 + len(groups[name]) for name in groups}  # with the group's name
    above = 0
    for name in groups:
        place = left if 2 * above + lines[name] <= sum(lines.values()) else right
        above += lines[name]
        with place.container(gap="xsmall"):
            st.markdown(f"**{name}**")
            for case in groups[name]:
                label = f"{literal(case.title)}  \n`{case.line}`"
                link("limits", {"case": case.name}, label=label)


TRIES = (
    (
        "A *nan* in a row that is not looked up spoils the matmul, not the lookup.",
        "limits",
        {"case": "inf-in-unseen-row"},
    ),
    (
        "The last line of an error finds its case: `IndexError: index out of range in self`.",
        "limits",
        {"find": "IndexError: index out of range in self"},
    ),
)
