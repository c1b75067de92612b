"""*Ask* on every page: Enter leads to the answer, Back to the page as it was."""

from urllib.parse import parse_qs

from playwright.sync_api import expect

from embviz.limits.elsewhere import ELSEWHERE
from tests.browser.conftest import Visits
from tests.browser.test_composition import listening
from tests.browser.test_looks import COLOURS, check_fits, find_nothing, viewport

FIELD = "form.ask input[type=search]"
ERROR = "IndexError: index out of range in self"
LENGTH = "history.length"
SCROLLED = "document.querySelector('.stMain').scrollTop"


def test_enter_asks_and_back_leads_to_the_page_as_it_was(visit: Visits) -> None:
    """One entry of the history; what was typed and chosen stays. The focus goes to the answer."""
    one = visit("/?text=hello&dim=4&seed=7")
    listening(one.page)  # until then a form of HTML asks
    entries, numbers = one.page.evaluate(LENGTH), one.page.locator(".ways").inner_text()
    one.ask("what is a row for")
    one.linked("find=what+is+a+row+for")
    record = next(record for record in ELSEWHERE if record.title == "What a row is for")
    one.sees("h1", f"Nearest answer: {record.title}")
    expect(one.page.locator("h1")).to_be_focused()
    expect(one.page).to_have_title("What a row is for · Where it breaks · embviz")
    expect(one.page.get_by_text(record.answer)).to_be_in_viewport()
    assert one.page.evaluate(LENGTH) == entries + 1
    one.page.go_back()
    one.settle().linked("text=hello", "dim=4", "seed=7")
    assert one.page.locator(".ways").inner_text() == numbers
    expect(one.page.locator(FIELD)).to_have_value("")
    one.page.go_forward()
    one.settle().sees("h1", f"Nearest answer: {record.title}")
    expect(one.page.locator(FIELD)).to_have_value("what is a row for")
    one.go("Playground")
    one.linked("text=hello", "dim=4", "seed=7")


def test_the_answers_headline_has_no_ring(visit: Visits) -> None:
    """It is read and not pressed; what can be pressed keeps its ring, in forced colours too."""
    one = visit("/limits")
    listening(one.page)
    for colours in ("none", "active"):
        one.page.emulate_media(forced_colors=colours)
        one.ask("what is a row for")
        headline = one.page.locator("h1")
        expect(headline).to_be_focused()
        expect(headline).to_have_css("outline-style", "none")
        one.ask("gpt2")
    one.page.keyboard.press("Tab")
    expect(one.page.locator(":focus")).not_to_have_css("outline-style", "none")


def test_only_enter_asks(visit: Visits) -> None:
    """Leaving the field asks nothing, and so does Enter in an empty one."""
    one = visit("/training?dim=4")
    one.page.locator(FIELD).fill("nan")
    one.page.keyboard.press("Tab")
    one.settle().linked("dim=4")
    one.ask("  ")
    one.linked("dim=4")


def test_a_pasted_traceback_opens_its_case_however_long(visit: Visits) -> None:
    """The address has its end, and a reload shows the same; projector mode stays."""
    one = visit("/timing?projector=true")
    listening(one.page)  # until then a form of HTML asks
    one.ask('  File "train.py", line 12, in <module> ' * 500 + ERROR)
    one.sees("h2", "An id that has no row")
    assert len(one.search()) <= 6_100
    query = parse_qs(one.search()[1:])
    assert (query["projector"], query["find"][0].endswith(ERROR)) == (["true"], True)
    one.reload().sees("h2", "An id that has no row")
    check_fits(one)
    expect(one.page.locator("[data-testid=stAlert]")).to_have_count(0)


def test_on_a_phone_one_press_opens_the_field(visit: Visits) -> None:
    """It lies over the row, and nothing moves; the answer is on the first screen."""
    one = visit("/context", viewport=viewport((390, 844)), color_scheme="dark")
    field, headline = one.page.locator(FIELD), one.page.locator("h1")
    before, top = field.bounding_box(), headline.bounding_box()
    assert before is not None
    assert before["width"] < 200
    field.click()
    opened = field.bounding_box()
    assert opened is not None
    assert opened["width"] > 340
    assert headline.bounding_box() == top
    one.ask("gpt2")
    one.sees("h1", "Does it matter for my model?")
    expect(one.page.get_by_role("link", name="See it: Timing")).to_be_in_viewport()
    assert one.page.evaluate(SCROLLED) == 0
    check_fits(one)
    find_nothing(one, COLOURS)


def test_no_field_of_a_touch_screen_has_letters_below_16_px(visit: Visits) -> None:
    """Safari would zoom into it, and stay so. *Ask* is as small as the links before a press."""
    types = "[type=text], [type=search], [type=number]"
    for path in ("/?text=hello", "/training", "/bag_of_words", "/labs?lab=row"):
        one = visit(path, viewport=viewport((390, 844)))
        one.settle()
        devtools = one.page.context.new_cdp_session(one.page)
        devtools.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        try:
            one.page.locator(FIELD).focus()
            size = "(all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
            sizes = one.page.locator(f"input:is({types}), textarea, select").evaluate_all(size)
        finally:  # it holds for all pages of this browser
            devtools.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
            devtools.detach()
        assert min(sizes) >= 16, (path, sizes)
