"""The frame around every page: links to the pages, notes, the text or ids, the sidebar.

`app.py` serves this script. Each run takes the address first. What a page has for itself in the
sidebar it draws there.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import streamlit as st

from embviz.request.markdown import literal
from embviz.request.pages import Page
from embviz.server.scheduler import run_queue
from embviz.ui.frame import sidebar, text_field
from embviz.ui.frame.failure import contained
from embviz.ui.pages import bag, context, labs, limits, playground, timing, training
from embviz.ui.parts.links import link
from embviz.ui.parts.theme import style_sheet
from embviz.ui.state.session import (
    LINKS,
    end_of_run,
    notes,
    setting,
    state,
    take_address,
)

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[2] / "pages"
SIDEBAR_PX = 304
COLOURS = {
    "PAGE_COLOUR": "backgroundColor",
    "INK_COLOUR": "textColor",
    "ACCENT_COLOUR": "primaryColor",
    "GREY_COLOUR": "grayTextColor",
    "GREEN_COLOUR": "greenTextColor",
    "BLUE_COLOUR": "blueTextColor",
}
STYLE, LARGE = (
    style_sheet((HERE / f"{name}.css").read_text(encoding="utf-8"), **COLOURS)
    for name in ("frame", "projector")
)
# The path through the dashboard: each page ends with a link to the next.
PATH = [one.PAGE for one in (playground, bag, training, context, timing, limits, labs)]


@st.fragment(key=LINKS)
def links(names: Iterable[str], **more: Any) -> None:
    """Links to these pages, with the settings that each reads; they follow each change."""
    linked = state()["linked"]
    for name in names:
        linked[name] = link(name, **more)


def frame(page: Page) -> None:
    """Draw what is around the page, and the page."""
    remembered, names = state(), [one.name for one in PATH]
    remembered |= {"linked": {}, "whole": False}
    with st.container(gap="xsmall"):  # one, or what is below would shift when a note goes
        with st.container(horizontal=True, gap="small", key="pages"):
            links(names)
        for note in notes():
            remembered["whole"] = True  # a change draws all again: the note goes
            st.warning(literal(note))
    # The page writes its headline here, above the field.
    remembered["head"] = st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", gap="small"
    )
    model = page.model(setting)
    text_field.draw("text" in model)
    with st.sidebar:
        sidebar.draw(model)
    try:
        with contained(f"page {page.name}"):
            chosen.run()
        with st.container(key="next_page"):
            following = names[names.index(page.name) + 1 :][:1]
            links(following, icon=":material/arrow_forward:", icon_position="right")
    finally:  # below the sidebar of the page, also where a page stops early
        sidebar.projector()


# Files of our own: a Material icon as favicon would be fetched from Google.
st.set_page_config(
    "embviz", str(HERE / "icon.svg"), layout="wide", initial_sidebar_state=SIDEBAR_PX
)
st.logo(str(HERE / "logo.svg"), size="large")
with run_queue.slot():
    state()["pages"] = {
        one.name: st.Page(FOLDER / f"{one.name}.py", title=one.title, default=one is PATH[0])
        for one in PATH
    }
    chosen = st.navigation([*state()["pages"].values()], position="hidden")
    record = next(one for one in PATH if one.title == chosen.title)
    take_address(record.name)
    st.html(STYLE + LARGE * setting("projector"))
    state()["drawn"] = None
    frame(record)
    end_of_run()
