"""Where it breaks, in a browser: searching, opening a case, links, looks."""

from collections.abc import Callable

from playwright.sync_api import expect

from embviz.limits.cases import case_named
from embviz.limits.search import find
from embviz.ui.pages.limits.values import sentence_case
from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks

MAIN = "[data-testid=stMain]"


def test_a_card_opens_its_case_and_back_closes_it(visit: Callable[..., Visit]) -> None:
    """Anywhere on the card, by key too; a button and the browser's Back lead to the five cards."""
    one = visit("/limits")
    cards = one.page.locator("[class*=st-key-card_]")
    expect(cards).to_have_count(5)
    one.sees(".st-key-cards", "IndexError and RuntimeError", "3 of 12 values differ")
    one.page.locator(".st-key-card_max-norm").click(position={"x": 300, "y": 60})
    one.sees("h4", "max_norm writes to the weight in forward")
    one.linked("case=max-norm")
    expect(one.page.locator(".side td.off")).to_have_count(6)
    check_looks(one)
    one.page.get_by_role("button", name="Back to the first five").click()
    expect(cards).to_have_count(5)
    one.linked()
    one.settle()
    one.page.locator(".st-key-card_out-of-range button").focus()
    one.page.keyboard.press("Enter")
    one.sees("h4", "An id that has no row")
    one.page.go_back()
    expect(cards).to_have_count(5)


def test_a_pasted_error_leads_to_its_case(visit: Callable[..., Visit]) -> None:
    """Typed at full speed too; without results it says so, and emptied it shows the cards."""
    one = visit("/limits")
    field = one.page.get_by_label("Search, or paste an error message")
    field.fill(
        'Traceback (most recent call last): File "x.py", line 3, in <module> RuntimeError: '
        "mat1 and mat2 must have the same dtype, but got Long and Float"
    )
    one.sees("h4", sentence_case(case_named("one-hot-is-int64").title))
    one.sees(MAIN, "int64", "The fix.")
    field.fill("no such words anywhere")
    one.page.get_by_text("No case is about this").wait_for()
    for text in ("max_norm", "padding"):
        field.fill("")
        field.press_sequentially(text)
        best = find(text)[0]
        expect(one.page.locator("h4")).to_have_text(sentence_case(best.title))
        one.linked(f"find={text}")
    field.fill("")
    expect(one.page.locator("[class*=st-key-card_]")).to_have_count(5)
    one.settle()
    one.page.locator(".st-key-all_cases summary").click()
    one.page.locator(".st-key-list_minus-zero button").click()
    one.sees("h4", "-0.0 in the weight")
    check_looks(one)


def test_a_link_to_a_case_in_the_dark_and_on_a_phone(visit: Callable[..., Visit]) -> None:
    """Both sides mark the values that differ; a case with its own process settles by itself."""
    size = {"width": 390, "height": 844}
    one = visit("/limits?case=inf-in-unseen-row", viewport=size, color_scheme="dark")
    one.sees(MAIN, "1 of 6 values differs")
    expect(one.page.locator(".side td.off")).to_have_count(2)
    one.page.get_by_text("The two programs").click()
    one.sees("[data-testid=stCode]", "import torch")
    one.sees(MAIN, "Lines that differ:")
    check_looks(one)
    one.open("/limits?case=medium-precision-on-a-cpu")
    expect(one.page.get_by_text("being proved")).to_have_count(0)
