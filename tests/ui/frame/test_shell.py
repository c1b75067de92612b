"""The frame reads the page records."""

import pytest

from embviz.request.pages import PAGES
from embviz.request.parameters import DEFAULTS, PARAMETERS
from embviz.request.path import STOPS, next_stop
from embviz.ui.pages.training.lessons import LESSONS
from tests.ui.headless import ROOT, open_page


def test_every_page_has_a_record_and_a_file() -> None:
    """The records and the files in `pages/` name the same pages."""
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == set(PAGES)
    assert all(page.title and page.sentence for page in PAGES.values())


ALL = {"input", "vocabulary", "sizes", "seeded", "more"}


@pytest.mark.parametrize(
    ("page", "query", "seen"),
    [
        ("playground", {}, {*ALL, "panels"}),
        ("training", {}, ALL),
        ("training", {"lesson": "characters"}, {"seeded"}),
        ("training", {"lesson": "characters", "corpus": "own"}, {"input", "seeded"}),
        ("limits", {}, set()),
        ("context", {}, ALL),
        ("context", {"chapter": "sentences"}, set()),
        ("playground", {"init": "own"}, {*ALL, "panels"} - {"sizes", "seeded"}),
    ],
)
def test_a_page_shows_what_its_record_asks_for(
    page: str, query: dict[str, str], seen: set[str]
) -> None:
    """Text field, panels and the settings with an effect are visible; no other."""
    app = open_page(page, **query)
    blocks = [*app.main.children.values(), *app.sidebar.children.values()]
    keys = {str(getattr(block, "key", "")) for block in blocks}
    assert {name for name in (*ALL, "panels") if f"{name}_seen" in keys} == seen


@pytest.mark.parametrize(("query", "opened"), [({}, False), ({"dtype": "float64"}, True)])
def test_more_opens_where_the_address_sets_one_of_it(query: dict[str, str], opened: bool) -> None:
    """A setting of the link is never folded away."""
    more = next(one for one in open_page("playground", **query).expander if one.label == "More")
    assert more.proto.expanded == opened


def test_the_path_leads_through_every_page_lesson_and_chapter() -> None:
    """From the playground on, each next stop is another one, and the last is the labs page."""
    here, seen = STOPS[0], []
    while here is not None:
        seen.append(here)
        settings = {**DEFAULTS, **here.settings}
        here = next_stop(here.page, settings.__getitem__)
    assert seen == list(STOPS)
    assert {stop.page for stop in STOPS} == set(PAGES)
    for page, name in (("training", "lesson"), ("context", "chapter")):
        stops = [stop.settings[name] for stop in STOPS if stop.page == page]
        assert stops == list(PARAMETERS[name].options())
    lessons = [stop for stop in STOPS if stop.page == "training"][1:]
    titles = [LESSONS[stop.settings["lesson"]].title for stop in lessons]
    assert [stop.label for stop in lessons] == titles


def test_a_page_ends_with_its_next_stop() -> None:
    """A lesson's is a button, a page's is a link with the settings of the next one."""
    button = open_page("training").button(key="next_stop_button")
    assert button.label == LESSONS["lockstep"].title
    link = next(iter(open_page("training", lesson="characters").get("page_link")))
    assert link.proto.label == "Where it breaks"
