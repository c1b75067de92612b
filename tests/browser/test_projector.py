"""Projector mode in a browser, on each page."""

import pytest
from playwright.sync_api import expect

from embviz.settings.pages import PAGES
from tests.browser.conftest import Visits

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
