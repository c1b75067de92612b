"""The bar of the tour, and which links and changes leave it."""

from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from embviz.settings.pages import SETTINGS
from embviz.settings.tour import STOPS
from tests.ui.headless import open_page, press, refused


def links(app: AppTest) -> dict[str, tuple[str, str]]:
    """Page and query of each link, by its label."""
    found = {one.proto.label: one.proto for one in app.get("page_link")}
    return {label: (one.page or "playground", one.query_string) for label, one in found.items()}


def address(number: int) -> tuple[str, dict[str, str]]:
    """Page and query of the stop with this number, counted from 1."""
    stop = STOPS[number - 1]
    settings = {**stop.settings, "tour": number}
    return stop.page, {name: SETTINGS[name].written(value) for name, value in settings.items()}


def leads_to(app: AppTest, label: str) -> tuple[str, dict[str, str]]:
    """Page and query of a link."""
    page, query = links(app)[label]
    return page, {name: value for name, (value,) in parse_qs(query).items()}


@pytest.mark.parametrize("number", range(1, len(STOPS) + 1))
def test_a_stop_has_its_sentence_and_leads_to_its_neighbours(number: int) -> None:
    """The first one has none before it, the last one none after it; no other link is in it."""
    page, query = address(number)
    app = open_page(page, **query)
    assert refused(app) == [*app.warning] == []
    assert STOPS[number - 1].sentence in [one.value for one in app.markdown]
    found = links(app)
    for label, neighbour in (("Back", number - 1), ("Next", number + 1)):
        assert (label in found) == (1 <= neighbour <= len(STOPS))
        if label in found:
            assert leads_to(app, label) == address(neighbour)
            del found[label]
    assert [query for _, query in found.values() if "tour" in query] == []
    assert "Leave" not in [one.label for one in open_page("limits", tour=str(number)).button]


def test_start_leads_to_the_first_stop_whatever_was_chosen() -> None:
    """Projector mode stays."""
    app = open_page(text="abc", seed="7", panel="code", projector="true")
    page, query = leads_to(app, "Start here, 6 minutes")
    assert (page, query) == ("playground", {"tour": "1", "projector": "true"})
    assert "Next" not in links(app)


def test_leaving_keeps_what_is_shown() -> None:
    """A change of a setting stays in the tour; the bar goes with *Leave* alone."""
    app = open_page("training", lesson="step", world="letters", tour="3")
    app.number_input(key="seed").set_value(7).run()
    kept = {"lesson": "step", "world": "letters", "seed": "7"}
    assert app.query_params == kept | {"tour": "3"}
    assert "Next" in links(app.run())
    press(app, "Leave")
    assert app.query_params == kept
    assert "Next" not in links(app)
