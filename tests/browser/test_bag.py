"""The bag of words in a browser: editing, typing, uploading, and the wrong route."""

import contextlib
import io
import re
from collections.abc import Callable

import numpy as np
import scipy.sparse
from playwright.sync_api import Error, Locator, expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks

ALERT = "[data-testid=stAlert]"


def all_routes(one: Visit) -> Locator:
    """The table of all routes."""
    return one.page.locator(".routes:not(.few)").first


def routes(one: Visit) -> dict[str, tuple[str, list[float]]]:
    """The table of all routes, which may be folded: verdict and first outputs by route."""
    rows: list[list[str]] = all_routes(one).evaluate(
        """table => [...table.querySelectorAll("tbody tr")].map((row) => [
            row.querySelector("td b").textContent,
            row.querySelector(".right, .wrong").textContent.slice(2),
            row.querySelectorAll("td")[1].textContent,
        ])"""
    )
    number = re.compile(r"-?\d+\.\d+")
    return {name: (yes, [float(word) for word in number.findall(said)]) for name, yes, said in rows}


def right(one: Visit, route: str, wanted: str) -> None:
    """Assert that a route's verdict is `wanted`, now or soon."""
    one.until(lambda: routes(one)[route][0], wanted)


def closer(one: Visit) -> None:
    """Open the fold of panels, and wait for the chart of the first."""
    one.page.locator(".st-key-closer summary").click()
    one.page.locator(".js-plotly-plot").first.wait_for()


def npz(matrix: scipy.sparse.csr_array) -> bytes:
    """A sparse matrix as scipy writes it."""
    file = io.BytesIO()
    scipy.sparse.save_npz(file, matrix)
    return file.getvalue()


def upload(one: Visit, name: str, content: bytes) -> None:
    """Give a file to the matrix's uploader."""
    one.page.locator(".st-key-bag_file input").set_input_files(
        [{"name": name, "mimeType": "application/octet-stream", "buffer": content}]
    )


def test_the_article_holds_on_every_right_route(visit: Callable[..., Visit]) -> None:
    """The article's figures and exactly the right routes are shown.

    The toolbar of the matrix, which appears above it, stands clear of all words. The table of all
    outputs is as high as its rows. An edited cell changes the results and the link.
    """
    one = visit("/bag_of_words?bag=matrix&bag_panel=matrix")
    known = [
        "dense_linear",
        "embedding_sum",
        "weighted_embedding_sum",
        "embedding_bag",
        "sparse_matmul",
        "scipy_matmul",
    ]
    all_routes(one).wait_for(state="attached")
    shown = routes(one)
    for name in known:
        assert shown[name][1] == [-0.2608, 0.7631, -0.7580]
    assert [name for name, (verdict, _) in shown.items() if verdict == "yes"] == known
    one.page.locator(".st-key-x_1").hover()
    toolbar = one.page.locator(".st-key-x_1 [data-testid=stElementToolbar]")
    toolbar.wait_for()
    covers = toolbar.evaluate(
        """bar => {
        const box = bar.getBoundingClientRect();
        const all = [...document.querySelectorAll("h5, [data-testid=stCaptionContainer] p")];
        return all.filter((words) => {
            const range = document.createRange();
            range.selectNodeContents(words);
            return [...range.getClientRects()].some((one) => one.right > box.left
                && one.left < box.right && one.bottom > box.top && one.top < box.bottom);
        }).map((words) => words.textContent); }"""
    )
    assert covers == []
    table = one.page.locator("[data-testid=stMain] [data-testid=stDataFrame]").last
    height = "table => table.getBoundingClientRect().height"
    one.until(lambda: table.evaluate(height) < 4 * 35 + 10, True)  # a head and two rows of 35 px
    grid = one.page.locator(".st-key-x_1 canvas").first
    box = grid.bounding_box()
    assert box is not None
    # Row 0, column 2, by position: a scroller above the grid takes the pointer.
    one.page.mouse.click(box["x"] + box["width"] * 0.7, box["y"] + 50)
    editor = one.page.locator("#portal input, .gdg-input").first
    for _ in range(20):  # the grid accepts the key after it has drawn the selection
        one.page.wait_for_timeout(200)
        one.page.keyboard.press("Enter")  # the cell opens
        with contextlib.suppress(Error):
            editor.wait_for(timeout=1000)
            break
    editor.fill("2")
    editor.press("Enter")
    expect(one.page.locator(".wrong").first).to_be_visible()
    one.until(lambda: "x=1+0+2+0" in one.search().replace("%20", "+"), True)
    right(one, "embedding_sum", "no")


def test_a_count_of_two_is_forgotten_visibly(visit: Callable[..., Visit]) -> None:
    """A count of 2 makes `embedding(indices).sum(0)` visibly wrong."""
    one = visit(
        "/bag_of_words?bag=matrix&x=1 0 2 0%0A0 0 1 1&bag_panel=from_pretrained",
        viewport={"width": 390, "height": 844},
        color_scheme="dark",
    )
    all_routes(one).wait_for(state="attached")
    shown = routes(one)
    assert shown["embedding_sum"] == ("no", [-0.2608, 0.7631, -0.7580])
    assert shown["embedding_bag"] == shown["dense_linear"] == ("yes", [-0.4240, 1.2283, -1.1374])
    one.sees(".bag .whole", "without the counts, 3 of 3 numbers are wrong")
    one.page.get_by_text("It freezes by default").first.wait_for()
    check_looks(one)


def test_documents_become_rows(visit: Callable[..., Visit]) -> None:
    """Documents become rows of counts or TF-IDF."""
    one = visit(
        "/bag_of_words?bag=documents&start=random&counts=tfidf&docs=a cat%0Acat dog cat&row=1",
        viewport={"width": 1280, "height": 720},
        color_scheme="dark",
    )
    expect(one.page.locator(".row-picture .word title")).to_have_text(["cat", "dog"])
    right(one, "embedding_sum", "no")
    right(one, "embedding_bag", "yes")
    closer(one)
    check_looks(one)


def test_a_large_matrix_opens_and_stays_sparse(visit: Callable[..., Visit]) -> None:
    """A matrix of 100,000 x 50,000 opens without becoming dense, after a file that is refused."""
    rows, columns, per_row = 100_000, 50_000, 10
    generator = np.random.default_rng(0)
    indices = generator.integers(0, columns, rows * per_row).astype(np.int32)
    indptr = np.arange(0, rows * per_row + 1, per_row).astype(np.int32)
    data = np.ones(rows * per_row, dtype=np.float32)
    matrix = scipy.sparse.csr_array((data, indices, indptr), shape=(rows, columns))
    one = visit("/bag_of_words?bag=file&start=random")
    upload(one, "x.npz", b"PK\x03\x04 nonsense")
    one.sees(ALERT, "x.npz")
    one.settle()
    upload(one, "large.npz", npz(matrix))
    all_routes(one).wait_for(state="attached", timeout=60_000)
    closer(one)
    stored = "100,000 rows x 50,000 columns, 1,000,000 cells stored"
    one.until(lambda: stored in one.page.content(), True)
    right(one, "embedding_bag", "yes")
    one.settle()
    one.page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    row = one.page.get_by_role("spinbutton", name=re.compile("Row"))
    row.fill("99999")
    row.press("Enter")
    stands = one.page.get_by_text("whole matrix: indices[999990:1000000]")
    stands.wait_for(state="attached")


def test_both_sums_play_and_point(visit: Callable[..., Visit]) -> None:
    """A pointed number writes its sum at a place that stays; Play adds the words one by one.

    A press on a document shows its words and keeps the focus; the address follows.
    """
    one = visit("/bag_of_words", reduced_motion="reduce")
    bag = one.page.locator(".bag")
    said, verdict = bag.locator(".said"), bag.locator(".whole")
    left, right = bag.locator(".answer.left"), bag.locator(".answer.right")
    expect(bag.locator(".factor")).to_have_text(["1", "2", "1", "1"])
    expect(left).to_have_text(["-0.513", "1.186", "-0.575"])
    expect(right).to_have_text(["-0.800", "1.488", "-0.323"])
    expect(bag.locator(".differs")).to_have_count(3)
    expect(bag.locator(".left.differs")).to_have_count(3)
    before = verdict.bounding_box()
    right.nth(1).hover()
    expect(said).to_contain_text(re.compile(r"^output\[1\] = .* = 1\.4877; .* 1\.1856$"))
    expect(bag.locator(".answer.lit")).to_have_text(["1.186", "1.488"])
    assert verdict.bounding_box() == before
    one.page.mouse.move(0, 0)
    expect(bag.locator(".lit")).to_have_count(0)
    bag.locator(".ways").focus()
    one.page.keyboard.press("ArrowDown")
    one.page.keyboard.press("ArrowDown")
    expect(bag.locator(".label.lit")).to_have_text("cats")
    expect(said).to_contain_text("2 × on the right")
    one.page.keyboard.press("Escape")
    expect(bag.locator(".lit")).to_have_count(0)
    play = bag.locator(".play")
    for numbers in (["-0.098", "0.298", "-0.379"], ["-0.385", "0.600", "-0.126"]):
        play.click()
        expect(left).to_have_text(numbers)
    expect(right).to_have_text(["-0.672", "0.902", "0.127"])
    expect(bag.locator(".differs")).to_have_count(0)
    for _ in range(4):
        play.click()
    expect(left.first).to_have_text("-0.513")
    sent = len(one.frames)
    bag.get_by_role("button", name="dogs like cats").click()
    expect(bag.locator(".label")).to_have_text(["cats", "dogs", "like"])
    expect(bag.locator("[aria-pressed=true]")).to_be_focused()
    expect(bag.locator(".differs")).to_have_count(0)
    assert len(one.frames) > sent
    one.linked("row=1")
    one.open("/bag_of_words?docs=" + "+".join(f"w{k}" for k in range(9)))
    for _ in range(9):  # the line of the other words is none
        bag.locator(".ways").press("ArrowDown")
    expect(said).to_contain_text("w6: 1 ×")
