"""The teacher's page: plans for a lesson, a guide to each lab, and its sheets for students.

All of it is made from the records of labs and plans, so it says what the students will see.
`access.py` decides who sees answers here.
"""

from pathlib import Path
from secrets import randbelow

import streamlit as st

from embviz.labs.catalogue import LABS
from embviz.teach.page import access, guide, plans, sheets
from embviz.ui.elements import widgets
from embviz.ui.elements.links import browser_title
from embviz.ui.elements.theme import style_sheet
from embviz.ui.state.address import setting
from embviz.ui.state.changes import go

# Values of the setting `teach`: the page is not shown, or shows the plans.
OFF, ALL = "none", "all"
SAMPLE = 7  # seed of the numbers, where the address names none
MOST_NUMBERS = 9_999  # the largest seed that is drawn: it is short on paper
CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
VIEWS = {"none": "Answers", "handout": "Handout", "ticket": "Exit ticket"}


def link() -> None:
    """A button that leads to the plans from anywhere on *Labs*."""
    label = "For teachers: plans, answers, handouts"
    changes = {"teach": ALL, "sheet": "none"}
    st.button(label, on_click=go, args=(changes,), icon=":material/school:", type="tertiary")


def draw() -> None:
    """The plans, the guide to a lab, or one of its sheets."""
    st.html(style_sheet(CSS, BORDER="borderColor"))
    with st.container(key="teach_page"):
        _page(setting("teach"), setting("sheet"))


def _page(lab: str, sheet: str) -> None:
    if lab == ALL:
        browser_title("Teaching")
        st.markdown("# Teach with embviz")
        _choices()
        plans.draw()
        return
    title, seed = LABS[lab].title, setting("numbers") or SAMPLE
    if sheet != "none":
        title += f" · {VIEWS[sheet].lower()}"
    browser_title(title)
    st.markdown(f"# {title}")
    _choices()
    with st.container(key="teach_sheets", horizontal=True, vertical_alignment="center"):
        widgets.segments(
            "Sheet", "sheet", format_func=VIEWS.__getitem__, label_visibility="collapsed"
        )
        st.button("Other numbers", on_click=_draw_numbers, icon=":material/casino:")
        said = f"Numbers {seed}, a sample: a class gets its own. Print: Ctrl+P or Cmd+P."
        st.html(f"<p class='teach-screen'>{said}</p>")
    if sheet == "none":
        access.ask()
        guide.draw(lab, seed, access.may_see())
    else:
        sheets.draw(lab, seed, sheet)


def _choices() -> None:
    """The row of plans and labs, and the way back to a board from which this page was opened."""
    with st.container(key="teach_ways", horizontal=True, vertical_alignment="center"):
        widgets.segments(
            "Guide",
            "teach",
            options=[ALL, *LABS],
            format_func=lambda key: "Plans" if key == ALL else LABS[key].title,
            label_visibility="collapsed",
            wrap=True,
        )
        if setting("board"):
            args = ({"teach": OFF, "sheet": "none"},)
            st.button("Back to the board", on_click=go, args=args, type="tertiary")


def _draw_numbers() -> None:
    """A callback: other numbers in the address."""
    go({"numbers": 1 + randbelow(MOST_NUMBERS)})
