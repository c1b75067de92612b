"""Projector mode in a browser, on each page."""

import pytest
from playwright.sync_api import ViewportSize, expect

from embviz.settings.pages import PAGES
from embviz.teach.page.plans import address
from embviz.teach.plan import PLANS
from tests.browser.conftest import Visits

LOW: ViewportSize = {"width": 1280, "height": 600}
# What is drawn at the middle of the button is the button.
ON_TOP = """(button) => {
  const { left, top, width, height } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""


@pytest.mark.parametrize("width", [1280, 700])
def test_each_page_leaves_projector_mode(moves: Visits, width: int) -> None:
    """Its button is in sight, and nothing covers it, whether the sidebar was open or closed."""
    for page in PAGES:
        path = "" if page == "playground" else page
        one = moves(f"/{path}?projector=true", viewport={"width": width, "height": 600})
        leave = one.page.get_by_role("button", name="Leave projector mode")
        expect(leave).to_be_in_viewport(ratio=1)
        assert leave.evaluate(ON_TOP), page
        if width >= 1200:  # nor does it cover a link
            assert leave.bounding_box()["y"] < 40, page
            links = one.page.locator(".st-key-pages")
            assert links.bounding_box()["y"] < 60, page


PLAYGROUND = next(section for section in PLANS[90] if section.page == "playground")
# The sums of the two pictures, and the line of the lookup.
RESULTS = {
    "/?projector=true": "text=copied: embedding(id)",
    address(PLAYGROUND.page, PLAYGROUND.settings)[1:]: "text=copied: embedding(id)",
    "/bag_of_words?projector=true": "text=weighted sum",
    "/timing?projector=true": ".js-plotly-plot .scatterlayer .trace >> nth=0",
}


@pytest.mark.parametrize("path", RESULTS)
def test_a_low_window_has_the_result_in_it(moves: Visits, path: str) -> None:
    """At 1280x600, which the browser's own bars leave of 1280x720."""
    one = moves(path, viewport=LOW)
    result = one.page.locator(RESULTS[path]).first
    expect(result).to_be_in_viewport(ratio=1)


def test_the_line_of_code_on_a_card_is_whole(moves: Visits) -> None:
    """It wraps where its card is narrow."""
    one = moves("/limits?projector=true", viewport=LOW)
    labels = one.page.locator("[class*=st-key-open_] button [data-testid=stMarkdownContainer]")
    expect(labels.first).to_be_visible()
    assert (
        labels.evaluate_all("all => all.filter((one) => one.scrollWidth > one.clientWidth)") == []
    )
