"""The frame in a browser: deep links, links to pages, folds, the console."""

import re
from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.browser.conftest import Visits
from tests.load.server import Server

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
    fresh_server: Callable[..., Server], visit: Visits
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
    assert server.printed() == []


def test_a_script_that_did_not_load_is_fetched_again(visit: Visits) -> None:
    """The stage is drawn although its script failed first; the next request has another address."""
    one = visit(None)
    failed: list[str] = []

    def fail(route: Route) -> None:
        failed.append(route.request.url)
        route.abort()

    one.page.route(re.compile(r"/embviz_stage-\w+\.js$"), fail)
    assert one.open("/?text=ab").glyphs() == ["a", "b"]
    assert failed
    assert [problem for problem in one.problems if "net::ERR_FAILED" not in problem] == []
    one.problems.clear()


def test_a_fold_and_a_wrong_number(visit: Visits) -> None:
    """Nothing moves away from under a press; a wrong number says why below it."""
    one = visit("/?text=mine")
    fold = one.page.locator(".stExpander details").first
    (opened,), (closed,) = fold.evaluate(HEIGHTS), fold.evaluate(HEIGHTS)
    assert opened > closed > 0
    one.page.get_by_role("spinbutton", name="num_embeddings").fill("99999999999")
    one.page.keyboard.press("Enter")
    expect(one.page.locator(".st-key-rows [role=alert]")).to_have_css("position", "static")


def test_the_links_by_keyboard_and_on_a_phone(visit: Visits) -> None:
    """All pages are seen; a ring marks the focused link; each page leads to the next."""
    one = visit("/limits", viewport={"width": 390, "height": 844})
    links = one.page.locator(".st-key-pages a")
    expect(links).to_have_count(7)
    for link in links.all():
        expect(link).to_be_in_viewport(ratio=1)
    links.first.focus()
    one.page.keyboard.press("Tab")
    expect(links.nth(1)).to_be_focused()
    expect(links.nth(1)).to_have_css("outline-width", "3px")
    one.page.keyboard.press("Enter")
    one.page.wait_for_url("**/bag_of_words")
    one.settle().page.locator(".st-key-next_page a").click()
    one.page.wait_for_url("**/training")
    one.settle()
