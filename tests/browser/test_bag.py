"""The bag of words in a browser: editing, typing, uploading, and the wrong route."""

import contextlib
import io
import re
from collections.abc import Callable

import numpy as np
import scipy.sparse
from playwright.sync_api import Error, expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks

ALERT = "[data-testid=stAlert]"


def routes(one: Visit) -> dict[str, tuple[str, list[float]]]:
    """The page's table of routes: verdict and first outputs by route, read at one moment."""
    rows: list[list[str]] = one.page.locator(".routes").first.evaluate(
        """table => [...table.querySelectorAll("tbody tr")].map((row) => [
            row.querySelector("td b").innerText,
            row.querySelector(".right, .wrong").innerText,
            row.querySelectorAll("td")[1].innerText,
        ])"""
    )
    number = re.compile(r"-?\d+\.\d+")
    return {name: (yes, [float(word) for word in number.findall(said)]) for name, yes, said in rows}


def right(one: Visit, route: str, wanted: str) -> None:
    """Assert that a route's verdict is `wanted`, now or soon."""
    one.until(lambda: routes(one)[route][0], wanted)


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
    """The article's figures and exactly the right routes are shown, and the page looks right."""
    one = visit("/bag_of_words")
    known = [
        "dense_linear",
        "embedding_sum",
        "weighted_embedding_sum",
        "embedding_bag",
        "sparse_matmul",
        "scipy_matmul",
    ]
    one.page.locator(".routes").first.wait_for()
    shown = routes(one)
    for name in known:
        assert shown[name][1] == [-0.2608, 0.7631, -0.7580]
    assert [name for name, (verdict, _) in shown.items() if verdict == "yes"] == known
    check_looks(one)


def test_a_count_of_two_is_forgotten_visibly(visit: Callable[..., Visit]) -> None:
    """A count of 2 makes `embedding(indices).sum(0)` visibly wrong."""
    one = visit(
        "/bag_of_words?x=1 0 2 0%0A0 0 1 1&bag_panel=from_pretrained",
        viewport={"width": 390, "height": 844},
        color_scheme="dark",
    )
    one.page.locator(".routes").first.wait_for()
    shown = routes(one)
    assert shown["embedding_sum"] == ("no", [-0.2608, 0.7631, -0.7580])
    assert shown["embedding_bag"] == shown["dense_linear"] == ("yes", [-0.4240, 1.2283, -1.1374])
    one.sees(ALERT, "output 1 is 0.7631 instead of 1.2283")
    one.page.get_by_text("It freezes by default").first.wait_for()
    check_looks(one)


def test_a_cell_edited_in_place_reaches_the_link(visit: Callable[..., Visit]) -> None:
    """An edited cell changes the results and the link."""
    one = visit("/bag_of_words")
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
    one.settle()
    one.reload()
    right(one, "embedding_sum", "no")


def test_documents_become_rows(visit: Callable[..., Visit]) -> None:
    """Documents become rows of counts or TF-IDF."""
    one = visit(
        "/bag_of_words?bag=documents&start=random&counts=tfidf&docs=a cat%0Acat dog cat&row=1"
        "&bag_panel=contributions",
        viewport={"width": 1280, "height": 720},
        color_scheme="dark",
    )
    expect(one.page.locator(".row-picture .word title")).to_have_text(["cat", "dog"])
    right(one, "embedding_sum", "no")
    right(one, "embedding_bag", "yes")
    one.page.locator(".js-plotly-plot").first.wait_for()
    check_looks(one)


def test_a_wrong_shape_is_mended_by_one_click(visit: Callable[..., Visit]) -> None:
    """A weight of the wrong shape is refused, and one click replaces it."""
    one = visit("/bag_of_words?x=1 2 3 4 5")
    one.sees(ALERT, "The weight has shape (3, 4)")
    one.page.get_by_role("button", name="Use a random weight").click()
    one.page.locator(".routes").first.wait_for()
    right(one, "embedding_bag", "yes")
    one.linked("x=1+2+3+4+5", "start=random")


def test_a_large_matrix_opens_and_stays_sparse(visit: Callable[..., Visit]) -> None:
    """A matrix of 100,000 x 50,000 opens without becoming dense, after a file that is refused."""
    rows, columns, per_row = 100_000, 50_000, 10
    generator = np.random.default_rng(0)
    indices = generator.integers(0, columns, rows * per_row).astype(np.int32)
    indptr = np.arange(0, rows * per_row + 1, per_row).astype(np.int32)
    data = np.ones(rows * per_row, dtype=np.float32)
    matrix = scipy.sparse.csr_array((data, indices, indptr), shape=(rows, columns))
    one = visit("/bag_of_words?bag=file&start=random&bag_panel=memory")
    upload(one, "x.npz", b"PK\x03\x04 nonsense")
    one.sees(ALERT, "x.npz")
    one.settle()
    upload(one, "large.npz", npz(matrix))
    one.page.locator(".routes").first.wait_for(timeout=60_000)
    one.page.locator(".js-plotly-plot").first.wait_for()
    stored = "100,000 rows x 50,000 columns, 1,000,000 cells stored"
    one.until(lambda: stored in one.page.content(), True)
    right(one, "embedding_bag", "yes")
    one.settle()
    row = one.page.get_by_role("spinbutton", name=re.compile("Row"))
    row.fill("99999")
    row.press("Enter")
    one.page.get_by_text("indptr says: indices[999990:1000000]").wait_for()
