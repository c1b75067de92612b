"""The frame around every page: links to the pages, notes, the text or ids, the sidebar.

`app.py` serves this script. Each run takes the address first. What a page has for itself in the
sidebar it draws there.
"""

from pathlib import Path

import streamlit as st

from embviz.request.markdown import literal
from embviz.request.pages import Page
from embviz.server.scheduler import run_queue
from embviz.ui.frame import sidebar, text_field
from embviz.ui.frame.failure import contained
from embviz.ui.pages import bag, context, labs, limits, playground, timing, training
from embviz.ui.parts.links import link
from embviz.ui.parts.theme import css_colour
from embviz.ui.state.session import END, TOP, end_of_run, notes, setting, state, take_address

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[2] / "pages"
SIDEBAR_PX = 304
COLOUR = (
    f":root {{ --page-colour: {css_colour('backgroundColor')}; "
    f"--ink-colour: {css_colour('textColor')} }}"
)
STYLE = f"<style>{COLOUR}\n{(HERE / 'frame.css').read_text(encoding='utf-8')}</style>"
LARGE = f"<style>{(HERE / 'projector.css').read_text(encoding='utf-8')}</style>"
# The path through the dashboard: each page ends with a link to the next.
PATH = [one.PAGE for one in (playground, bag, training, context, timing, limits, labs)]


@st.fragment(key=TOP)
def top() -> None:
    """The links to the pages with the settings that each reads, and notes on the address."""
    with st.container(horizontal=True, gap="small", key="pages"):
        for name in state()["pages"]:
            link(name)
    for note in notes():
        st.warning(literal(note))


@st.fragment(key=END)
def end(page: Page) -> None:
    """The link to the next page, with the settings as they are."""
    for one in PATH[PATH.index(page) + 1 :][:1]:
        link(one.name, icon=":material/arrow_forward:", icon_position="right")


def frame(page: Page) -> None:
    """Draw what is around the page, and the page."""
    model = page.model(setting)
    top()
    text_field.draw("text" in model)
    with st.sidebar:
        sidebar.draw(model)
    state()["folds_open"] = False
    try:
        with contained(f"page {page.name}"):
            chosen.run()
        with st.container(key="next_page"):
            end(page)
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
