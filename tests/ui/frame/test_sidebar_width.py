"""The sidebar begins open on each page that has settings, in whichever of its two parts."""

from embviz.settings.pages import PAGES
from embviz.ui.frame.sidebar import WIDTH_PX, begins_as


def test_it_begins_open_where_a_page_has_settings() -> None:
    """Of the table, as on *Training*, or fields of its own, as on *Bag of words*."""
    assert {name for name, page in PAGES.items() if begins_as(page) == "collapsed"} == {
        "limits",
        "labs",
    }
    assert {begins_as(page) for page in PAGES.values()} == {"collapsed", WIDTH_PX}
