"""The frame around every page: links to the pages, notes, the text or ids, the sidebar.

`app.py` serves this script. Each run takes the address first. A change that leaves the sidebar as
it is draws what is beside it, or the body of the page alone (`body.py`). What a page has for itself
in the sidebar it draws there.
"""

from importlib import import_module
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from embviz.server.scheduler import run_queue
from embviz.server.sessions import sessions
from embviz.settings.page_record import Page
from embviz.settings.pages import PAGES, PATH, next_page
from embviz.text.markdown import literal
from embviz.ui.elements.failure import contained
from embviz.ui.elements.links import link, titled
from embviz.ui.elements.theme import COLOURS, style_sheet
from embviz.ui.frame import ask_field, no_page, sidebar, text_field, tour_bar
from embviz.ui.frame.listener import listener
from embviz.ui.state.address import follow_late_link, notes, setting, take_address
from embviz.ui.state.bound import bound_widgets
from embviz.ui.state.redraw import MAIN, begin_run, end_run, running
from embviz.ui.state.session import session

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[2] / "pages"
STYLE, LARGE = (
    style_sheet((HERE / f"{name}.css").read_text(encoding="utf-8"), **COLOURS)
    for name in ("frame", "projector")
)


@st.fragment(key=MAIN)
def main(page: Page, script: str) -> None:
    """Draw all but the sidebar; `script` is Streamlit's name of the page."""
    this, names, context = session(), [*PAGES], get_script_run_ctx()
    assert context is not None
    with run_queue.slot(context.session_id):
        with st.container(gap="xsmall"):  # one, or what is below would shift when a note goes
            with st.container(
                horizontal=True, gap="small", vertical_alignment="center", key="pages"
            ):
                this.links = {name: link(name) for name in names}
                ask_field.draw()
            for note in notes():
                st.warning(literal(note))
        if setting("tour"):
            tour_bar.draw()
        # What chooses a lesson or chapter comes first: headline and field differ between them, and
        # a press must not move what was pressed.
        this.tabs = st.container()
        # The page writes its headline here, above the field.
        this.head = st.container(
            horizontal=True,
            horizontal_alignment="distribute",
            vertical_alignment="center",
            gap="small",
        )
        if "text" in page.model(setting):
            text_field.draw()
        # The browser clears what is drawn by this name when another page comes.
        with contained(f"page {page.name}"), context.run_with_active_hash(script):
            import_module(f"pages.{page.name}").draw()
        with st.container(key="next_page"):
            if following := next_page(page):
                link(following, icon=":material/arrow_forward:", icon_position="right")


# First of all: a visitor who leaves at once stops this script at the next call of Streamlit.
run = get_script_run_ctx()
assert run is not None
sessions.note(run.session_id)
# Files of our own: a Material icon as favicon would be fetched from Google.
icon = str(HERE / "icon.svg")
st.logo(str(HERE / "logo.svg"), size="large")
with run_queue.slot(run.session_id):
    bound_widgets()
    session().pages = {
        page.name: st.Page(
            FOLDER / f"{page.name}.py", title=titled(page.title), default=page is PATH[0]
        )
        for page in PAGES.values()
    }
    title = st.navigation([*session().pages.values()], position="hidden").title
    shown = next(page for page in PAGES.values() if titled(page.title) == title)
    take_address(shown.name)
    st.set_page_config(titled(shown.title), icon, "wide", sidebar.begins_as(shown))
    no_page.note()
    text_field.mark_breaks()
    st.html(STYLE + LARGE if setting("projector") else STYLE)
    begin_run()
    # Early, so that the browser fetches Streamlit's component loader: the stage needs it.
    listener(key="listener")
    with st.sidebar:
        sidebar.draw(shown)
    try:
        main(shown, running())
    finally:  # below the sidebar of the page, also where a page stops early
        sidebar.projector()
    end_run()
    follow_late_link()
