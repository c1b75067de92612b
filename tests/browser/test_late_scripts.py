"""A slow network: scripts of widgets that come after a second run of the page."""

import re
from typing import Any

from tests.browser.conftest import MOVE, Visits

# Streamlit's files of single widgets.
LATE = re.compile(r"/(TextInput|TextArea|NumberInput|Selectbox|Multiselect|Checkbox|ButtonGroup)\.")
FIELDS = """() => Object.fromEntries([...document.querySelectorAll("[data-testid=stSidebar] input")]
  .map((one) => [one.getAttribute("aria-label"), one.value]))"""


def test_what_a_link_has_survives_scripts_that_come_late(visit: Visits) -> None:
    """Streamlit sends a new value once: an empty field would be sent as if it had been typed."""
    held, one = list[Any](), visit(None)
    page = one.page

    def hold(route: Any) -> None:
        if is_held and LATE.search(route.request.url):
            held.append(route)
        else:
            route.continue_()

    is_held = True
    page.route("**/static/js/**", hold)
    page.goto(one.base + "/?text=hello&rows=128&seed=7")
    one.sees(".verdict", "50 of 50")
    assert held, "the scripts are fetched for each page"
    page.evaluate(MOVE, one.base + "/?text=jelly&rows=128&seed=7&dim=12")
    one.sees(".verdict", "60 of 60")
    is_held = False
    for route in held:
        route.continue_()
    one.settle()
    one.until(one.text().input_value, "jelly")
    sizes = lambda: [*map(page.evaluate(FIELDS).get, ("num_embeddings", "embedding_dim"))]  # noqa: E731
    one.until(sizes, ["128", "12"])
    page.locator(".st-key-panel button").first.click()
    one.settle()
    for part in ("text=jelly", "rows=128", "seed=7", "dim=12"):
        assert part in one.search()
