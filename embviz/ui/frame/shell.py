"""The frame around every page: navigation, model settings, the text or ids.

`app.py` serves this script. It draws every URL-bound widget on every run,
because one drawn by a page alone would lose its value and its parameter on a
page switch. Pages read the result with `controls.inputs()`.
"""

from pathlib import Path

import streamlit as st

from embviz.server.scheduler import run_queue
from embviz.ui.frame import controls, projector
from embviz.ui.state.session import setting, state

HERE = Path(__file__).resolve().parent
PAGES_FOLDER = HERE.parents[2] / "pages"
SIDEBAR_PX = 304

# In the order of the story; a page joins the bar when its file exists.
# Some have settings of their own instead of the model's, or no use for a text.
WITHOUT_MODEL = ("bag_of_words", "limits", "timing", "labs")
PAGES = {
    "playground": "Playground",
    "bag_of_words": "Bag of words",
    "training": "Training",
    "limits": "Where it breaks",
    "context": "Context",
    "timing": "Timing",
    "labs": "Labs",
}


def pages() -> list[st.Page]:
    """The pages that exist, the first one as the default."""
    found = [name for name in PAGES if (PAGES_FOLDER / f"{name}.py").is_file()]
    return [
        st.Page(PAGES_FOLDER / f"{name}.py", title=PAGES[name], default=name == found[0])
        for name in found
    ]


STYLE = f"<style>{(HERE / 'frame.css').read_text(encoding='utf-8')}</style>"
# Files of our own: a Material icon as favicon would be fetched from Google.
st.set_page_config(
    "embviz", str(HERE / "icon.svg"), layout="wide", initial_sidebar_state=SIDEBAR_PX
)
st.logo(str(HERE / "logo.svg"), size="large")
st.html(STYLE)
with run_queue.slot():
    known = pages()
    page = st.navigation(known, position="top")
    state()["pages"] = {one.url_path: one for one in known}  # for links from page to page
    without = page.title in [PAGES[name] for name in WITHOUT_MODEL]
    # Two chapters on context bring texts of their own; one of them uses the seed.
    chapter = setting("chapter") if page.title == PAGES["context"] else ""
    controls.draw(
        with_panels=page.title == PAGES["playground"],
        with_text=not without and chapter not in ("trained", "sentences"),
        with_model=not without and chapter != "sentences",
    )
    try:
        page.run()
    finally:  # below what a page puts into the sidebar, also where a page stops early
        projector.draw()
