"""Where it breaks, in a browser: searching, opening and changing a case, links, looks."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from embviz.limits.cases import CASES
from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks, turn

MAIN = "[data-testid=stMain]"
LIST = ".st-key-cases"
ALL = len(CASES)


def shown(one: Visit) -> list[str]:
    """The titles in the list."""
    options = one.page.locator(f"{LIST} [role=radiogroup] label p")
    return [words.strip() for words in options.all_inner_texts()]


def test_a_pasted_error_leads_to_its_case(visit: Callable[..., Visit]) -> None:
    """Arrow keys or a pasted traceback open a case; a search without results offers all cases."""
    one = visit("/limits")
    expect(one.page.locator(LIST)).to_contain_text(f"{ALL} of {ALL} cases")
    check_looks(one)
    one.page.locator(f"{LIST} input[type=radio]").first.focus()
    one.page.keyboard.press("ArrowDown")
    one.linked("case=negative")
    one.sees("h4", "A negative id")
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


def test_the_list_is_filtered(visit: Callable[..., Visit]) -> None:
    """Group and verdict filter the list, and the open case stays open."""
    one = visit("/limits?group=Bags&verdict=raises")
    expect(one.page.locator(LIST)).to_contain_text(f"3 of {ALL} cases")
    one.until(lambda: len(shown(one)), 3)
    # An opened case stays open even if the list does not have it.
    one.sees("h4", "An id that has no row")
    one.page.locator(f"{LIST} [role=radiogroup] label").first.click()
    one.until(lambda: one.page.locator("h4").inner_text().lower(), shown(one)[0].lower())


def test_inputs_are_edited_and_travel_in_the_link(visit: Callable[..., Visit]) -> None:
    """Changed inputs change the case and travel in its link."""
    size = {"width": 1280, "height": 720}
    one = visit("/limits?case=inf-in-unseen-row", viewport=size, color_scheme="dark")
    one.sees(MAIN, "2 of 6 values differ")
    expect(one.page.locator(".side td.off")).to_have_count(4)
    check_looks(one)
    one.page.get_by_role("radio", name="nan", exact=True).click()
    one.linked("case=inf-in-unseen-row", "given=value%3Anan")
    one.page.get_by_role("radio", name="float64").click()
    one.linked("case=inf-in-unseen-row", "given=value%3Anan%2Cdtype%3Afloat64")
    one.sees(".side", "float64")
    code = one.page.locator("[data-testid=stCode]").last
    expect(code).to_contain_text("/limits?case=inf-in-unseen-row&given=value:nan,dtype:float64")
    one.settle()
    link = code.inner_text().strip()
    other = visit(link.removeprefix(one.base))
    other.sees(".side", "float64")
    other.sees(MAIN, "value = 'nan'")
    turn(one, (390, 844), "dark")
    check_looks(one)


def test_cases_with_a_process_of_their_own_arrive(visit: Callable[..., Visit]) -> None:
    """A case that changes state of the whole process appears once its child has proved it."""
    one = visit("/limits?case=flush-to-zero")
    one.sees(MAIN, re.compile(r"\d+ of 12 values differ"))
    one.sees(LIST, "not run: no CUDA device", "differ: 11 of 12 values")
