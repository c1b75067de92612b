"""The frame in a browser: deep links, page switches, the address, the console."""

import re
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit, serving
from tests.load.server import ROOT, Server

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

# A second page for the frame. Its stage shows a table with a -0.0, which matmul turns into 0.0:
# a difference that the comparison must report.
SECOND_PAGE = '''
"""A page for a test."""
import streamlit as st
import torch
from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.routes import run_both
from embviz.ui.frame import controls
from embviz.ui.stage import stage

given = controls.inputs()
st.markdown("##### A claim")

def poisoned(config: Config):
    layers = tie(config)
    with torch.no_grad():
        layers.embedding.weight[10, 0] = -0.0
        layers.linear.weight[0, 10] = -0.0
    return layers

stage(run_both(given.config, given.ids, poisoned), given)
'''


@pytest.fixture(scope="module")
def two_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of a copy without `labs.py` and with another page as `context.py`."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("app.py", "embviz", "pages", ".streamlit"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    (folder / "pages" / "labs.py").unlink()
    (folder / "pages" / "context.py").write_text(SECOND_PAGE, encoding="utf-8")
    with serving(folder, app=folder) as server:
        yield server
    assert server.printed() == [], "the console must stay silent"


def test_first_deep_link_on_a_fresh_server(
    fresh_server: Callable[..., Server], visit: Callable[..., Visit]
) -> None:
    """It may be to a page without settings; scripts and route are below the base path.

    Ordinary use prints nothing on the terminal.
    """
    server = fresh_server(STREAMLIT_SERVER_BASE_URL_PATH="some/base")
    one = visit("/limits?text=hi&dim=3&case=float-ids", base=server.address)
    one.sees("h4", "Ids that are no integer tensor")
    one.page.get_by_test_id("stTopNavLink").get_by_text("Playground").click()
    one.until(one.glyphs, ["h", "i"])
    one.settle()
    one.text().press("End")
    with one.page.expect_response(f"{server.address}/live") as answered:
        one.page.keyboard.type("!")
    assert answered.value.status == 200
    one.until(one.glyphs, ["h", "i", "!"])
    one.settle()
    assert server.printed() == []
    one.open("/context?text=hi&dim=3")
    expect(one.page.get_by_role("spinbutton", name="embedding_dim")).to_have_value("3")
    expect(one.text()).to_have_value("hi")
    one.open("/?dim=inf&text=a%0Ab&unknown=unk")
    one.text().fill("é" * 3)
    one.settle()
    for label, option in (("dtype", "float16"), ("Vocabulary", "custom"), ("Vocabulary", "bytes")):
        one.page.get_by_role("combobox", name=label).click()
        one.page.get_by_role("option", name=option, exact=True).click()
        one.settle()
    one.page.locator(".st-key-input").get_by_text("ids", exact=True).click()
    one.settle()
    one.reload()
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


def test_switching_pages_keeps_settings_and_makes_one_entry(
    two_pages: Server, visit: Callable[..., Visit]
) -> None:
    """The bar has the pages that exist; a switch keeps the settings and is one history entry."""
    one = visit("/?text=abc&dim=4&seed=7&token=2&view=embedding", base=two_pages.address)
    wanted = ["Playground", "Bag of words", "Training", "Where it breaks", "Context", "Timing"]
    expect(one.page.get_by_test_id("stTopNavLink")).to_have_text(wanted)
    entries = one.page.evaluate("history.length")
    one.page.get_by_test_id("stTopNavLink").get_by_text("Context").click()
    one.page.wait_for_url("**/context?*")
    one.settle()
    query = ("text=abc", "dim=4", "seed=7")
    one.linked(*query)
    expect(one.text()).to_have_value("abc")
    one.picked("ids[0, 2]")
    one.until(lambda: one.page.evaluate("history.length"), entries + 1)
    one.type("abcd")
    one.page.go_back()
    one.until(lambda: one.page.evaluate("location.pathname"), "/")
    one.linked(*query, "token=2", "view=embedding")
    one.settle()
    one.reload()
    expect(one.page.locator("input[name=view]:checked")).to_have_value("embedding")
    one.sees(".shapes", "output (1, 3, 4)")


def test_a_difference_is_shown_where_it_is(two_pages: Server, visit: Callable[..., Visit]) -> None:
    """A deep link keeps its settings; a difference of one bit is reported in its cell."""
    one = visit("/context?text=xax&dim=4", base=two_pages.address)
    one.sees(".shapes", "output (1, 3, 4)")
    expect(one.page.locator(".answer")).to_have_text(
        "≠The routes do not give the same bits: 11 of 12 numbers. Tokens that differ: 1."
    )
    one.sees(".exact", "The outputs are not bitwise equal: max |difference| 0, max ulp 0.")
    expect(one.page.locator(".cell.differs")).to_have_text(["-0.000", "0.000"])


def test_settings_travel_in_the_link(visit: Callable[..., Visit]) -> None:
    """The link has exactly the settings that differ from the defaults, and restores them."""
    one = visit()
    one.linked()
    dim = one.page.get_by_role("spinbutton", name="embedding_dim")
    dim.fill("7")
    dim.press("Enter")
    one.linked("dim=7")
    one.page.get_by_text("More", exact=True).click()
    one.page.get_by_role("combobox", name="Weights start as").click()
    one.page.get_by_role("option", name="integers").click()
    one.linked("dim=7", "init=integers")
    one.sees(".shapes", "output (1, 25, 7)")
    one.settle()
    # How many rows are drawn depends on the room that is left, which settles last.
    one.until(lambda: len(one.agreed()[0]), 7)
    numbers = one.agreed()[:10]
    other = visit("/" + one.search())
    other.until(lambda: other.agreed()[:10], numbers)
    one.reload()
    one.until(lambda: one.agreed()[:10], numbers)


def test_a_fold_opens_and_closes_at_once(visit: Callable[..., Visit]) -> None:
    """Nothing moves away from under a press."""
    fold = visit().page.locator(".stExpander details").first
    (opened,) = fold.evaluate(HEIGHTS)
    (closed,) = fold.evaluate(HEIGHTS)
    assert opened > closed > 0


def test_text_and_ids_do_not_lose_each_other(visit: Callable[..., Visit]) -> None:
    """Text and ids are kept when the input switches."""
    one = visit("/?text=mine")
    row = one.page.locator(".st-key-input")
    row.get_by_text("ids", exact=True).click()
    one.settle()
    one.type("4 5")
    row.get_by_text("text", exact=True).click()
    one.settle()
    expect(one.text()).to_have_value("mine")
    row.get_by_text("ids", exact=True).click()
    one.settle()  # for a moment both fields are there
    expect(one.text()).to_have_value("4 5")


def test_a_wrong_number_says_why_under_its_field(visit: Callable[..., Visit]) -> None:
    """One of the address and one that is typed; Reset settings clears both."""
    one = visit("/?dim=inf")
    field = one.page.get_by_role("spinbutton", name="num_embeddings")
    field.fill("99999999999")
    field.press("Enter")
    typed = one.page.locator(".st-key-rows [role=alert]")
    expect(typed).to_have_css("position", "static")
    box, under = field.bounding_box(), typed.bounding_box()
    assert box is not None
    assert under is not None
    assert under["height"] > 10
    assert under["y"] >= box["y"] + box["height"] - 1
    sentence = one.page.get_by_text("dim='inf' is not a whole number")
    expect(sentence).to_have_count(2)  # above the page, too: a phone hides the sidebar
    one.page.get_by_text("Reset settings").click()
    expect(field).to_have_value("100")
    expect(typed).to_have_count(0)
    expect(sentence).to_have_count(0)
