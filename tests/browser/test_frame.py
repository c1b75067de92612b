"""The frame in a browser: deep links, links to pages, folds, terms, the console."""

import re
from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit
from tests.load.server import Server

FOCUSED = "() => document.activeElement.textContent"
# A fold's heights for longer than Streamlit unfolds it: in each frame, and when a movement ends,
# which may be between two frames.
HEIGHTS = """async (fold) => {
  const heights = [], end = performance.now() + 700;
  const move = fold.animate;
  fold.animate = (...given) => {
    const moving = move.apply(fold, given);
    moving.finished.then(() => heights.push(fold.offsetHeight), () => {});
    return moving;
  };
  fold.querySelector("summary").click();
  for (let frame = 0; frame < 8 || performance.now() < end; frame++) {
    await new Promise(requestAnimationFrame);
    if (frame > 2) heights.push(fold.offsetHeight);
  }
  return [...new Set(heights)];
}"""


def test_first_deep_link_on_a_fresh_server(
    fresh_server: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    """It may be to a page without settings; scripts and route are below the base path.

    Ordinary use prints nothing on the terminal.
    """
    server = fresh_server(STREAMLIT_SERVER_BASE_URL_PATH="some/base")
    one = visit("/limits?case=float-ids", base=server.address)
    one.sees("h4", "Ids that are no integers")
    one.open("/context?text=hi&dim=3")
    expect(one.page.get_by_role("spinbutton", name="embedding_dim")).to_have_value("3")
    one.go("Playground")
    one.until(one.glyphs, ["h", "i"])
    one.text().press("End")
    with one.page.expect_response(f"{server.address}/live") as answered:
        one.page.keyboard.type("!")
    assert answered.value.status == 200
    one.until(one.glyphs, ["h", "i", "!"])
    one.settle()
    one.page.get_by_role("combobox", name="Vocabulary").click()
    one.page.get_by_role("option", name="custom", exact=True).click()
    one.settle()
    one.page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    one.page.locator(".st-key-input").get_by_text("ids", exact=True).click()
    one.settle()
    assert server.printed() == []


def test_a_script_that_did_not_load_is_fetched_again(visit: Callable[..., Visit]) -> None:
    """The stage is drawn although its script failed first; the next request has another address."""
    one = visit(None)
    failed: list[str] = []

    def fail(route: Route) -> None:
        failed.append(route.request.url)
        route.abort()

    one.page.route(re.compile(r"/embviz_stage-\w+\.js$"), fail)
    one.open("/?text=ab")
    assert one.glyphs() == ["a", "b"]
    assert failed
    assert [problem for problem in one.problems if "net::ERR_FAILED" not in problem] == []
    one.problems.clear()


def test_folds_fields_and_terms(visit: Callable[..., Visit]) -> None:
    """Nothing moves away from under a press; a wrong number says why; a term has its meaning."""
    one = visit("/?text=mine")
    fold = one.page.locator(".stExpander details").first
    (opened,) = fold.evaluate(HEIGHTS)
    (closed,) = fold.evaluate(HEIGHTS)
    assert opened > closed > 0
    field = one.page.get_by_role("spinbutton", name="num_embeddings")
    field.fill("99999999999")
    field.press("Enter")
    typed = one.page.locator(".st-key-rows [role=alert]")
    expect(typed).to_have_css("position", "static")
    box, under = field.bounding_box(), typed.bounding_box()
    assert box is not None
    assert under is not None
    assert under["y"] >= box["y"] + box["height"] - 1
    one.page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    row = one.page.locator(".st-key-input")
    row.get_by_text("ids", exact=True).click()
    one.settle()
    one.type("4 5")
    row.get_by_text("text", exact=True).click()
    one.settle()
    expect(one.text()).to_have_value("mine")
    row.get_by_text("ids", exact=True).click()
    expect(one.text()).to_have_value("4 5")
    one.open("/training?lesson=unseen")
    term, meaning = one.page.locator(".term").first, one.page.locator(".embviz-meaning")
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
        term.scroll_into_view_if_needed()
        one.page.wait_for_timeout(300)  # a scroll, which hides a meaning, is told a frame later
        term.click()
        expect(meaning).to_be_visible()
        place = meaning.bounding_box()
        assert place is not None
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= width


def test_the_links_by_keyboard_and_on_a_phone(visit: Callable[..., Visit]) -> None:
    """A ring marks the focused link; the current page is marked; a phone shows names too."""
    one = visit("/limits", viewport={"width": 390, "height": 844})
    links = one.page.locator(".st-key-pages a")
    expect(links).to_have_count(7)
    expect(links.first).to_be_in_viewport()
    links.first.focus()
    one.page.keyboard.press("Tab")
    one.until(lambda: one.page.evaluate(FOCUSED), "Bag of words")
    ring = "() => getComputedStyle(document.activeElement).outlineWidth"
    one.until(lambda: one.page.evaluate(ring), "3px")
    one.page.keyboard.press("Enter")
    one.page.wait_for_url("**/bag_of_words")
    one.settle()
    one.page.locator(".st-key-next_page a").click()
    one.page.wait_for_url("**/training")
    one.settle()
