"""The menu of pages, the next stop, and the meanings of terms, in a browser."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.conftest import Visit

FOCUSED = "() => document.activeElement.textContent"


def test_the_menu_is_the_first_stop_of_tab_and_the_path_leads_on(
    visit: Callable[..., Visit],
) -> None:
    """A strong ring marks the focused page; the next stop opens another page, or a lesson."""
    one = visit("/limits")
    one.page.keyboard.press("Tab")
    one.until(lambda: one.page.evaluate(FOCUSED), "Where it breaks")
    ring = "() => getComputedStyle(document.activeElement).outlineWidth"
    one.until(lambda: one.page.evaluate(ring), "3px")
    one.page.keyboard.press("Tab")
    # Tab goes on from there as everywhere.
    one.until(lambda: one.page.evaluate(FOCUSED), "Context")
    one.page.locator(".st-key-next_stop a").click()
    one.page.wait_for_url("**/context")
    one.settle()
    one.page.locator(".st-key-next_stop button").click()
    one.settle()
    one.linked("chapter=contextual")


def test_the_menu_of_a_phone_has_a_name_and_closes_after_a_choice(
    visit: Callable[..., Visit],
) -> None:
    """Then the page is seen, not the sidebar over it."""
    one = visit("/limits", viewport={"width": 390, "height": 844})
    button = one.page.get_by_role("button", name="Menu and settings")
    expect(button).to_have_css("border-top-style", "solid")
    button.click()
    one.page.get_by_test_id("stSidebarNavLink").filter(has_text="Context").click()
    one.page.wait_for_url("**/context")
    one.settle()
    expect(one.page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")


def test_a_term_shows_its_meaning_on_hover_focus_and_tap(visit: Callable[..., Visit]) -> None:
    """The meaning stays inside the window, and Escape hides it."""
    one = visit("/")
    term, meaning = one.page.locator(".term").first, one.page.locator(".embviz-meaning")
    expect(meaning).to_be_hidden()
    term.hover()
    expect(meaning).to_be_visible()
    said = meaning.text_content()
    assert term.get_attribute("aria-label") == f"{term.inner_text()}: {said}"
    one.page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()
    one.page.mouse.move(0, 0)
    term.focus()
    expect(meaning).to_be_visible()
    for width in (1440, 390):
        one.page.set_viewport_size({"width": width, "height": 844})
        term.click()
        box = meaning.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
