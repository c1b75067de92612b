"""Where it breaks, in a browser: searching, opening a case, links, looks."""

from collections.abc import Callable

from playwright.sync_api import expect

from embviz.limits.cases import CASES, case_named
from tests.browser.conftest import Visit, Visits
from tests.browser.test_looks import COLOURS, check_fits, find_nothing, viewport

OPEN = ":is(.st-key-back_to_cards, [class*=st-key-open_]) button"


def test_asking_and_opening_and_going_back(moves: Callable[..., Visit]) -> None:
    """An error opens its case, a card opens its case anywhere; Back leads to the cards."""
    one = moves("/limits")
    expect(one.page.locator(OPEN)).to_have_count(5)
    one.ask("'weight' must be 2-D")
    expect(one.page.locator("h2")).to_have_count(1)
    one.linked("find=%27weight%27+must+be+2-D")
    one.ask("")
    one.linked()
    expect(one.page.locator(OPEN)).to_have_count(5)
    one.settle()
    one.page.locator(".st-key-open_max-norm button").click(position={"x": 8, "y": 8})
    one.sees("h2", "max_norm writes to the weight in forward")
    title = "Where it breaks · embviz"
    expect(one.page).to_have_title(f"max_norm writes to the weight in forward · {title}")
    one.linked("case=max-norm")
    one.settle()
    one.page.go_back()
    expect(one.page.locator(OPEN)).to_have_count(5)
    expect(one.page).to_have_title(title)


def test_the_list_is_links_on_a_phone(visit: Visits) -> None:
    """Each has the line that breaks below its name, and leads to its case, which is in view."""
    one = visit("/limits", viewport=viewport((390, 844)), color_scheme="dark")
    one.page.get_by_text(f"All {len(CASES)} cases").click()
    links = one.page.locator(".st-key-all_cases a")
    expect(links).to_have_count(len(CASES))
    check_fits(one)
    case = case_named("grad-fn-differs")
    link = links.filter(has_text=case.title)
    assert str(link.get_attribute("href")).endswith("limits?case=grad-fn-differs")
    expect(link.locator("p")).to_have_css("text-decoration-line", "underline")
    expect(link.locator("code")).to_have_text(case.line)
    link.click()
    one.sees("h2", case.title)
    one.linked("case=grad-fn-differs")
    expect(one.page.locator("h2")).to_be_in_viewport()
    check_fits(one)
    find_nothing(one, COLOURS)
