"""The bag of words: edit, type, upload, and see the route that forgets the counts."""

import io
import re
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse
from conftest import Visit
from playwright.sync_api import expect
from test_looks import check_looks


def outputs(one: Visit) -> dict[str, list[float]]:
    """The numbers of each route's first outputs, off the page."""
    rows = one.page.locator(".routes").first.locator("tbody tr")
    found = {}
    for k in range(rows.count()):
        cells = rows.nth(k).locator("td")
        name = cells.nth(0).locator("b").inner_text()
        found[name] = [float(word) for word in re.findall(r"-?\d+\.\d+", cells.nth(1).inner_text())]
    return found


def verdicts(one: Visit) -> dict[str, str]:
    """Yes or no, by route."""
    table = one.page.locator(".routes").first
    names = table.locator("tbody td:first-child b").all_inner_texts()
    return dict(zip(names, table.locator(".right, .wrong").all_inner_texts(), strict=True))


def npz(matrix: scipy.sparse.csr_array) -> bytes:
    """A sparse matrix as scipy writes it."""
    file = io.BytesIO()
    scipy.sparse.save_npz(file, matrix)
    return file.getvalue()


def upload(one: Visit, name: str, content: bytes) -> None:
    """Drop a file on the matrix's uploader."""
    one.page.locator(".st-key-bag_file input").set_input_files(
        [{"name": name, "mimeType": "application/octet-stream", "buffer": content}]
    )


def test_the_article_holds_on_every_right_route(visit: Callable[..., Visit]) -> None:
    """The figures of the article would not be on the page, or a right route be called wrong."""
    one = visit("/bag_of_words")
    shown = outputs(one)
    right = ["dense_linear", "embedding_sum", "weighted_embedding_sum", "embedding_bag",
             "sparse_matmul", "scipy_matmul"]  # fmt: skip
    for name in right:
        assert shown[name] == [-0.2608, 0.7631, -0.7580]
    assert [name for name, verdict in verdicts(one).items() if verdict == "yes"] == right


def test_a_count_of_two_is_forgotten_visibly(visit: Callable[..., Visit]) -> None:
    """People would go on to copy `embedding(row.indices).sum(0)` for counts."""
    one = visit("/bag_of_words?x=1 0 2 0%0A0 0 1 1")
    shown = outputs(one)
    assert verdicts(one)["embedding_sum"] == "no"
    assert shown["embedding_sum"] == [-0.2608, 0.7631, -0.7580]
    assert shown["embedding_bag"] == shown["dense_linear"] == [-0.4240, 1.2283, -1.1374]
    warning = one.page.get_by_test_id("stAlert").inner_text()
    assert "output 1 is 0.7631 instead of 1.2283" in warning


def test_a_cell_edited_in_place_reaches_the_link(visit: Callable[..., Visit]) -> None:
    """The editor would change nothing, or a shared link show the matrix before."""
    one = visit("/bag_of_words")
    grid = one.page.locator(".st-key-x_1 canvas").first
    box = grid.bounding_box()
    assert box is not None
    # Row 0, column 2; the grid lies under a scroller that takes the pointer.
    one.page.mouse.click(box["x"] + box["width"] * 0.7, box["y"] + 50)
    one.page.wait_for_timeout(300)
    one.page.keyboard.press("Enter")  # the cell opens
    editor = one.page.locator("#portal input, .gdg-input").first
    editor.fill("2")
    editor.press("Enter")
    expect(one.page.locator(".wrong").first).to_be_visible()
    one.settle()
    assert "x=1+0+2+0" in one.search().replace("%20", "+")
    assert verdicts(one)["embedding_sum"] == "no"
    one.reload()
    assert verdicts(one)["embedding_sum"] == "no"


def test_documents_become_rows(visit: Callable[..., Visit]) -> None:
    """Typed words would not become counts, or TF-IDF be summed as ones."""
    one = visit(
        "/bag_of_words?bag=documents&start=random&counts=tfidf&docs=a cat%0Acat dog cat&row=1"
    )
    words = one.page.locator(".row-picture .word title").all_text_contents()
    assert words == ["cat", "dog"]
    assert verdicts(one)["embedding_sum"] == "no"
    assert verdicts(one)["embedding_bag"] == "yes"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("bag=documents&start=random&docs=%20", "No documents were given"),
        ("bag=documents&start=random&docs=the and of&stop=true", "stop words"),
        ("linear=1 nan 2 3", "nan"),
        ("x=1 2%0A3", "Row 1 has 1 numbers"),
        ("x=1 2 3 4 5", "The weight has shape (3, 4)"),
        ("bag=file&start=random", "no file is chosen yet"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(
    visit: Callable[..., Visit], query: str, words: str
) -> None:
    """Bad input would end in a traceback, or be replaced in silence."""
    one = visit(f"/bag_of_words?{query}")
    assert words in one.page.get_by_test_id("stAlert").first.inner_text()


def test_a_wrong_shape_is_mended_by_one_click(visit: Callable[..., Visit]) -> None:
    """Somebody who added a column would have to write a weight by hand."""
    one = visit("/bag_of_words?x=1 2 3 4 5")
    one.page.get_by_role("button", name="Use a random weight").click()
    one.page.locator(".routes").first.wait_for()
    one.settle()
    assert verdicts(one)["embedding_bag"] == "yes"
    assert "start=random" in one.search()


def test_a_large_matrix_opens_and_stays_sparse(visit: Callable[..., Visit]) -> None:
    """100,000 documents would be made dense: 20 GB."""
    rows, columns, per_row = 100_000, 50_000, 10
    generator = np.random.default_rng(0)
    indices = generator.integers(0, columns, rows * per_row).astype(np.int32)
    indptr = np.arange(0, rows * per_row + 1, per_row).astype(np.int32)
    data = np.ones(rows * per_row, dtype=np.float32)
    matrix = scipy.sparse.csr_array((data, indices, indptr), shape=(rows, columns))
    one = visit("/bag_of_words?bag=file&start=random&bag_panel=memory")
    upload(one, "large.npz", npz(matrix))
    one.page.locator(".routes").first.wait_for(timeout=60_000)
    one.settle()
    assert "100,000 rows x 50,000 columns, 1,000,000 cells stored" in one.page.content()
    assert verdicts(one)["embedding_bag"] == "yes"
    row = one.page.get_by_role("spinbutton", name=re.compile("Row"))
    row.fill("99999")
    row.press("Enter")
    one.page.get_by_text("indptr says: indices[999990:1000000]").wait_for()


def test_a_file_that_is_no_matrix_is_refused(visit: Callable[..., Visit]) -> None:
    """A stranger's pickle would be loaded, or nonsense end in a traceback."""
    one = visit("/bag_of_words?bag=file&start=random")
    upload(one, "x.npz", b"PK\x03\x04 nonsense")
    expect(one.page.get_by_test_id("stAlert").first).to_contain_text("x.npz")


def test_every_panel_by_its_link(visit: Callable[..., Visit]) -> None:
    """A panel would be empty, or a shared link open another."""
    signs = {"contributions": ".js-plotly-plot", "memory": ".js-plotly-plot",
             "matrix": "text=offsets", "from_pretrained": "text=It freezes by default",
             "batch": "text=class SparseRows"}  # fmt: skip
    for panel, sign in signs.items():
        one = visit(f"/bag_of_words?bag_panel={panel}&bag=documents&start=random")
        one.page.locator(sign).first.wait_for()


@pytest.mark.parametrize(
    ("query", "width", "height", "theme"),
    [("", 1440, 900, "light"), ("bag=documents&start=random&bag_panel=matrix", 1280, 720, "dark"),
     ("x=1 0 2 0&bag_panel=from_pretrained", 390, 844, "dark")],
)  # fmt: skip
def test_looks(
    visit: Callable[..., Visit], query: str, width: int, height: int, theme: str
) -> None:
    """The page would scroll sideways, or parts cover each other."""
    size = {"width": width, "height": height}
    check_looks(visit(f"/bag_of_words?{query}", viewport=size, color_scheme=theme))
