"""The teacher's page: plans for a lesson, a guide to each lab, and its sheets for students.

All of it is made from the records of labs and plans, so it says what the students will see.
`access.py` decides who sees answers here.
"""

from pathlib import Path
from secrets import randbelow

import streamlit as st

from embviz.labs.catalogue import LABS
from embviz.teach.page import access, guide, homework, plans, sheets
from embviz.teach.plan import ticket
from embviz.ui.elements import widgets
from embviz.ui.elements.links import browser_title
from embviz.ui.elements.theme import style_sheet
from embviz.ui.state.address import setting
from embviz.ui.state.changes import assign, go

# Values of the setting `teach`: the page is not shown, or shows the plans.
OFF, ALL = "none", "all"
SAMPLE = 7  # seed of the numbers, where the address names none
MOST_NUMBERS = 9_999  # the largest seed that is drawn: it is short on paper
CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
VIEWS = {
    "none": "Answers",
    "handout": "Handout",
    "ticket": "Exit ticket",
    "homework": "Homework",
}
PLAN_VIEWS = {"none": "Plan", "ticket": VIEWS["ticket"], "homework": VIEWS["homework"]}
MINUTES = "{} minutes"
KEY = "For you: print one copy with it, on both sides, and the others without."


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
    title = "Teach with embviz" if lab == ALL else LABS[lab].title
    views = PLAN_VIEWS if lab == ALL else VIEWS
    if sheet not in views:
        sheet = "none"
        assign({"sheet": sheet})
    if sheet != "none":
        title += f" · {VIEWS[sheet].lower()}"
    browser_title("Teaching" if lab == ALL and sheet == "none" else title)
    st.markdown(f"# {title}")
    _choices()
    seed, hidden = setting("numbers") or SAMPLE, {"label_visibility": "collapsed"}
    with st.container(key="teach_sheets", horizontal=True, vertical_alignment="center"):
        if lab == ALL and sheet != "homework":
            widgets.segments("Minutes", "plan", format_func=MINUTES.format, **hidden)
        options = [*views]
        widgets.segments("Sheet", "sheet", options=options, format_func=views.get, **hidden)
        if sheet != "homework" and (lab, sheet) != (ALL, "none"):
            st.button("Other numbers", on_click=_draw_numbers, icon=":material/casino:")
            drawn = sheets.ticket_seed(seed) if sheet == "ticket" else seed
            said = f"Numbers {drawn}, a sample. A class has others: its board shows them."
            said += " Print: Ctrl+P or Cmd+P."
            st.html(f"<p class='teach-screen'>{said}</p>")
    if sheet == "homework":
        homework.draw([*LABS] if lab == ALL else [lab])
    elif sheet != "none":
        _sheet(lab, seed, sheet)
    elif lab == ALL:
        plans.draw(int(setting("plan")))
    else:
        access.ask()
        guide.draw(lab, seed, access.may_see())


def _sheet(lab: str, seed: int, sheet: str) -> None:
    """A handout or an exit ticket, with what a teacher chooses before printing."""
    if sheet == "handout":
        parts = [sheets.handout(lab, seed)]
        head = "\n- ".join(["Afterwards you can:", *LABS[lab].goals])
    else:
        own = {lab: LABS[lab].ticket} if lab != ALL else ticket(int(setting("plan")))
        parts = sheets.ticket(own, seed)
        head = ""
    with st.container(key="teach_print", horizontal=True, vertical_alignment="center"):
        has_address = st.toggle(
            "Address and QR code", True, key="teach_address", persist_state="session"
        )
        has_key = access.may_see() and st.toggle(
            "Key on a page of its own", key="teach_has_key", persist_state="session", help=KEY
        )
        if has_address:
            st.html(f"<p class='teach-screen'>{sheets.about_address()}</p>")
    if sheet == "ticket":
        access.ask()  # The key is an answer.
    sheets.draw(parts, head, has_address)
    if has_key:
        sheets.key(parts)


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
