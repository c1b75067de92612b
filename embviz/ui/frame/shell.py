"""The frame around every page: navigation, model settings, the text or ids.

`app.py` serves this script. It draws the URL-bound widgets that several pages read. A page that
reads none of them draws none: they leave its address, and the session keeps their values. Pages
read the result with `controls.inputs()`.
"""

from pathlib import Path

import streamlit as st

from embviz.request.pages import PAGES
from embviz.server.scheduler import run_queue
from embviz.ui.frame import controls, path, projector
from embviz.ui.frame.failure import contained
from embviz.ui.parts.theme import css_colour
from embviz.ui.state.session import state

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[2] / "pages"
SIDEBAR_PX = 304
COLOUR = (
    f":root {{ --page-colour: {css_colour('backgroundColor')}; "
    f"--ink-colour: {css_colour('textColor')} }}"
)
STYLE = f"<style>{COLOUR}\n{(HERE / 'frame.css').read_text(encoding='utf-8')}</style>"

# Files of our own: a Material icon as favicon would be fetched from Google.
st.set_page_config(
    "embviz", str(HERE / "icon.svg"), layout="wide", initial_sidebar_state=SIDEBAR_PX
)
st.logo(str(HERE / "logo.svg"), size="large")
st.html(STYLE)
with run_queue.slot():
    links: dict[str, st.Page] = {}
    for name, one in PAGES.items():  # the first one is the default
        if (file := FOLDER / f"{name}.py").is_file():
            links[name] = st.Page(file, title=one.title, default=not links)
    state()["pages"] = links  # for links from page to page
    page = st.navigation([*links.values()], position="top")
    record = next(one for one in PAGES.values() if one.title == page.title)
    state()["page"] = record.name
    controls.draw(record)
    try:
        with contained(f"page {record.name}"):
            page.run()
        path.draw(record.name)
    finally:  # below the sidebar of the page, also where a page stops early
        projector.draw()
    state()["frame_drawn"] = state()["body_drawn"]  # a page may have no body
