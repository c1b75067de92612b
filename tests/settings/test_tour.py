"""The stops of the tour, as records."""

import pytest

from embviz.settings.given import read
from embviz.settings.pages import PAGES, SETTINGS
from embviz.settings.tour import STOPS, Stop


def test_the_tour_is_short() -> None:
    """Few stops, each with a short sentence."""
    assert len(STOPS) <= 9
    assert max(len(stop.sentence.split(" ")) for stop in STOPS) <= 25
    assert SETTINGS["tour"].read(str(len(STOPS))) == len(STOPS)


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.sentence[:20])
def test_a_stop_is_an_address(stop: Stop) -> None:
    """Its page reads its settings as they are, and none of them is at its default."""
    assert {*stop.settings} <= {*PAGES[stop.page].reads} - {"tour", "projector"}
    written = {name: SETTINGS[name].written(value) for name, value in stop.settings.items()}
    assert read(written) == stop.settings
