"""The bag of words in a browser: pressed counts, typing, uploading, both sums and the routes."""

import io
import re
from collections.abc import Callable

import scipy.sparse
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks

LINEAR = "linear=1+0+2+0%0A0+1+0+3"  # of "and", "cats", "dogs", "like"


def counts(one: Visit, numbers: str) -> Locator:
    """The presses of the row of counts, which become these; the picture follows."""
    shown = [re.compile(f"^{number}[a-z]*$") for number in numbers.split()]
    presses = one.page.locator(".counts button")
    expect(presses).to_have_text(shown)
    stored = [number for number in numbers.split() if number != "0"]
    expect(one.page.locator(".bag .factor")).to_have_text(stored)
    return presses


def test_a_pressed_count_changes_everything(moves: Callable[..., Visit]) -> None:
    """A press adds one, and after 3 comes 0; sums, verdict, address and focus follow.

    All presses before an answer count, that to 0 too. Back takes one press back. Another row, or a
    press on this one, shows the row's own counts.
    """
    one = moves(f"/bag_of_words?{LINEAR}")
    press = counts(one, "1 2 1 1").nth
    press(1).click()
    counts(one, "1 3 1 1")
    one.linked("bag_edit=1%3A3", LINEAR)
    expect(press(1)).to_be_focused()
    expect(press(1)).to_have_attribute("aria-pressed", "true")
    expect(one.page.locator(".answer.right")).to_have_text(["3", "6"])
    one.sees(".bag .verdict", "without the counts, 1 of 2 are wrong")
    one.page.keyboard.press("Enter")
    counts(one, "1 0 1 1")
    one.sees(".bag .verdict", "0 of 2 are wrong")
    one.settle()
    one.page.evaluate(
        """() => { const all = document.querySelectorAll("*");
        const root = [...all].map((x) => x.shadowRoot).find((x) => x?.querySelector(".counts"));
        for (const k of [0, 3, 0, 0, 0, 0]) root.querySelectorAll(".counts button")[k].click(); }"""
    )
    counts(one, "2 0 1 2")
    one.settle()
    one.page.go_back()
    counts(one, "1 0 1 1")
    for row, own in ((0, "1 2 1 1"), (1, "0 1 1 1")):
        one.settle()
        one.page.locator(".documents button").nth(row).click()
        counts(one, own)
        one.linked(*[f"row={row}"] * row, LINEAR)
        press(0).click()
        counts(one, f"{int(own[0]) + 1}{own[1:]}")


def test_documents_are_typed_in_the_body(moves: Callable[..., Visit]) -> None:
    """New documents give new counts in one entry of the history; dropped words have a reason."""
    one = moves("/bag_of_words?bag_edit=1:3", viewport={"width": 390, "height": 844})
    counts(one, "1 3 1 1")
    before = one.page.evaluate("history.length")
    field = one.page.get_by_test_id("stMain").locator("textarea")
    field.fill("I like my cat, cat")
    field.press("Control+Enter")
    expect(one.page.locator(".counts button")).to_have_text(["2cat", "1like", "1my"])
    one.sees(".bag .note", "Left out: i (one letter), ',' (no letter or digit).")
    one.until(lambda: "bag_edit" in one.search(), False)
    assert one.page.evaluate("history.length") == before + 1
    check_looks(one)
    one.page.go_back()
    counts(one, "1 3 1 1")


def test_a_large_matrix_opens_and_stays_sparse(visit: Callable[..., Visit]) -> None:
    """A matrix of 100,000 x 50,000 opens without becoming dense, after a file that is refused."""
    file = io.BytesIO()
    scipy.sparse.save_npz(file, scipy.sparse.eye_array(100_000, 50_000, format="csr"))
    one = visit("/bag_of_words?bag=file&row=49999")
    for content, part, words in (
        (b"PK\x03\x04 nonsense", "[data-testid=stAlert]", "large.npz"),
        (file.getvalue(), ".bag .note", "Row 49,999 of 100,000. 1 of 50,000 columns."),
    ):
        one.page.locator(".st-key-bag_file input").set_input_files(
            [{"name": "large.npz", "mimeType": "application/octet-stream", "buffer": content}]
        )
        one.sees(part, words)
        one.settle()
    one.page.get_by_text("lines that ran").click()
    one.page.get_by_text("100,000 rows x 50,000 columns: in float64 dense 37.3 GiB").wait_for()


def test_both_sums_play_and_point(moves: Callable[..., Visit]) -> None:
    """A pointed number writes its sum at a place that stays; Play adds the words one by one."""
    one = moves(f"/bag_of_words?{LINEAR}", reduced_motion="reduce")
    bag = one.page.locator(".bag")
    said, verdict, ways, lit = (
        bag.locator(f".{part}") for part in ["said", "verdict", "ways", "lit"]
    )

    def answers(left: str, right: str, differs: str = "") -> None:
        """Assert the numbers of both sums, and those marked as wrong."""
        expect(bag.locator(".answer.left")).to_have_text(left.split())
        expect(bag.locator(".answer.right")).to_have_text(right.split())
        expect(bag.locator(".differs")).to_have_text(differs.split())

    def press(keys: str, marked: str) -> None:
        """Press keys in the picture; a word, or two answers, are marked then."""
        for key in keys.split():
            ways.press(key)
        expect(bag.locator(":is(.answer, .label).lit")).to_have_text(marked.split())

    answers("3 4", "3 5", "4")
    before = verdict.bounding_box()
    bag.locator(".answer.right").nth(1).hover()
    expect(said).to_have_text("output[1] = 1 × 0 + 2 × 1 + 1 × 0 + 1 × 3 = 5; without counts: 4")
    press("", "4 5")
    assert verdict.bounding_box() == before
    one.page.mouse.move(0, 0)
    expect(lit).to_have_count(0)
    press("ArrowDown ArrowDown", "cats")
    expect(said).to_have_text("cats: 1 × on the left, 2 × on the right.")
    press("Escape", "")
    press("ArrowRight ArrowRight ArrowRight ArrowLeft", "3 3")
    for words, left, right in ("and", "1 0", "1 0"), ("and cats", "1 1", "1 2"):
        bag.locator(".play").click()
        answers(left, right)
        expect(bag.locator(".label.picked")).to_have_text(words.split())
        expect(verdict).to_have_text("")
    bag.get_by_role("button", name="dogs like cats").click()
    expect(bag.locator(".label")).to_have_text(["cats", "dogs", "like"])
    expect(bag.locator(".documents [aria-pressed=true]")).to_be_focused()
    one.sees(".bag .verdict", "0 of 2 are wrong")
