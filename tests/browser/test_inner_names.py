"""Streamlit's names that the styles and scripts use: an upgrade that loses one fails here.

The hosting page lists them with their reasons.
"""

import re
from pathlib import Path

import streamlit

from embviz.ui.elements import scripts
from tests.browser.conftest import Visits
from tests.load.server import ROOT

HOSTING = (ROOT / "embviz" / "hosting" / "README.md").read_text("utf-8")
# How a source names them, and the selector of a name that is found so.
PATTERNS = {
    r"\.(st[A-Z]\w+)": ".{}",
    r'data-testid\^?="?(\w+)': '[data-testid^="{}"]',
    r"\.(react-aria-\w+)": ".{}",
    r"dataset\.(test\w+)": "[data-{}]",
    r"\[(kind)=": "button[{}=primary]",
    r"\[(data-(?!test|key|point)\w+)": "[{}]",  # `data-key` and `data-point` are ours
}
# Each with what comes last there; a link with `inf` is drawn twice.
PLACES = {
    "/?text=ab&vocab=bpe&panel=code&dim=inf": [".stCode", ".stSlider", ".stAlert"],
    "/?panel=nearest": [".stDataFrame"],
    "/bag_of_words?bag=documents": [".stTextArea"],
    "/timing": [".stPlotlyChart"],
    "/timing?values=16+64": ["[data-testid=stMultiSelect] [data-tag]"],  # own settings are open
    "/training": [".stButtonGroup"],
    "/labs": [".stColumn"],
    "/labs?lab=row&numbers=3&step=3": [".stRadio"],
}
# While links load, while something is computed, when the server is gone, on a class's board, and
# in an open list.
FLEETING = {"stSkeleton", "stProgressBarTrack", "stDialog", "stErrorCodeBlock"}
FLEETING |= {"stPopover", "stPopoverBody", "data-focused"}
FOUND = "names => Object.keys(names).filter((one) => document.querySelector(names[one]))"


def used() -> dict[str, str]:
    """The names in all styles and scripts, with the selector of each."""
    paths = [path for path in scripts.FOLDER.rglob("*") if path.suffix in (".css", ".js", ".py")]
    source = "".join(path.read_text("utf-8") for path in paths)
    found = {}
    for pattern, selector in PATTERNS.items():
        for name in re.findall(pattern, source):
            dashed = re.sub(r"[A-Z]", lambda big: f"-{big[0].lower()}", name)
            written = f"data-{dashed}" if name.startswith("test") else name
            found[written] = selector.format(dashed if name.startswith("test") else name)
    return found


def test_the_hosting_page_lists_the_names() -> None:
    """Those that are used, and no more."""
    text = HOSTING.partition("**Names in Streamlit's pages**")[2]
    assert {*re.findall(r"`([\w-]+)`", text)} == {*used()}


def test_each_name_is_on_a_page(visit: Visits) -> None:
    """In the page itself; what is there for a moment alone, in Streamlit's scripts."""
    missing, one = used(), visit(None)
    for path, last in PLACES.items():
        one.move(path)
        for part in last:
            one.page.locator(part).first.wait_for(state="attached")
        for name in one.page.evaluate(FOUND, missing):
            del missing[name]
    assert {*missing} <= FLEETING
    files = (Path(streamlit.__file__).parent / "static").rglob("*.js")
    theirs = "".join(path.read_text("utf-8") for path in files)
    said = {name for name in FLEETING for how in (f"`{name}`", f"[{name}]") if how in theirs}
    assert said == FLEETING
