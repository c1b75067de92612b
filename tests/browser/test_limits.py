"""Where it breaks, in a browser: searching, opening a case, links, looks."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from embviz.limits.cases import CASES
from embviz.limits.search import find
from embviz.ui.pages.limits.values import sentence_case
from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks

MAIN = "[data-testid=stMain]"
LIST = ".st-key-cases"
ALL = len(CASES)


def open_list(one: Visit) -> None:
    """Open the list of all cases in the sidebar."""
    one.page.locator(".st-key-all_cases summary").click()
    expect(one.page.locator(LIST)).to_contain_text(f"{ALL} of {ALL} cases")


def test_the_page_opens_on_five_cards(visit: Callable[..., Visit]) -> None:
    """Five cards with their verdicts; one opens its case, from which a button leads back."""
    one = visit("/limits")
    cards = one.page.locator(".st-key-cards [data-testid=stMarkdown] strong")
    expect(cards).to_have_count(5)
    one.sees(".st-key-cards", "raises IndexError", "differ: 3 of 12 values")
    one.page.locator(".st-key-open_max-norm button").click()
    one.sees("h4", "max_norm writes to the weight in forward")
    one.linked("case=max-norm")
    expect(one.page.locator("[data-testid=stCode]").nth(1)).to_contain_text("renorm")
    check_looks(one)
    one.page.get_by_role("button", name="Back to the first five").click()
    expect(cards).to_have_count(5)
    one.linked()
    a_pasted_error_leads_to_its_case(one)


def a_pasted_error_leads_to_its_case(one: Visit) -> None:
    """Arrow keys or a pasted traceback open a case; a search without results offers all cases.

    Each search typed at full speed opens its own best case, not that of fewer letters.
    """
    open_list(one)
    check_looks(one)
    one.page.locator(f"{LIST} input[type=radio]").first.focus()
    one.page.keyboard.press("ArrowDown")
    one.linked("case=float-ids")
    one.sees("h4", "Ids that are no integer tensor")
    one.settle()
    field = one.page.get_by_label("Search, or paste an error message")
    field.fill(
        'Traceback (most recent call last): File "x.py", line 3, in <module> RuntimeError: '
        "mat1 and mat2 must have the same dtype, but got Long and Float"
    )
    one.sees(MAIN, "int64", "The fix")
    field.fill("no such words anywhere")
    one.page.get_by_text("No case is about this").wait_for()
    one.page.get_by_role("button", name="Show all cases").click()
    expect(one.page.locator(LIST)).to_contain_text(f"{ALL} of {ALL} cases")
    one.settle()
    for text in ("max_norm", "padding"):
        field.fill("")
        field.press_sequentially(text)
        best = find(text)[0]
        expect(one.page.locator("h4")).to_have_text(sentence_case(best.title))
        one.linked(f"find={text}")
    expect(one.page.locator(LIST)).to_contain_text(f"{len(find('padding'))} of {ALL} cases")


def test_a_phone_lists_full_titles(visit: Callable[..., Visit]) -> None:
    """On a phone the list of cases shows titles, and the address their names.

    The first case changes state of the whole process, and appears once its child has proved it.
    """
    one = visit("/limits?case=flush-to-zero", viewport={"width": 390, "height": 844})
    one.sees(MAIN, re.compile(r"\d+ of 12 values differ"))
    check_looks(one)
    one.page.get_by_role("combobox", name="Case").click()
    one.page.get_by_role("option", name="-0.0 in the weight").click()
    one.sees("h4", "-0.0 in the weight")
    one.linked("case=minus-zero")


def test_a_link_to_a_case_in_the_dark(visit: Callable[..., Visit]) -> None:
    """Both sides mark the values that differ, and the page names the link to the case."""
    size = {"width": 1280, "height": 720}
    one = visit("/limits?case=inf-in-unseen-row", viewport=size, color_scheme="dark")
    one.sees(MAIN, "1 of 6 values differs")
    expect(one.page.locator(".side td.off")).to_have_count(2)
    one.page.get_by_text("Where to read more").click()
    code = one.page.locator("[data-testid=stCode]").last
    expect(code).to_contain_text(f"{one.base}/limits?case=inf-in-unseen-row")
    check_looks(one)
