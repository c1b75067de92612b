"""The bag of words in a browser: pressed counts, typing, uploading, both sums and the routes."""

import io
from collections.abc import Callable

import scipy.sparse
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks

LINEAR = "linear=1+0+2+0%0A0+1+0+3"  # of "and", "cats", "dogs", "like"


# Lines that a text takes.
TEXT_LINES = """one => {
  const range = document.createRange();
  range.selectNodeContents(one);
  return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
}"""


def counts(one: Visit, numbers: str) -> Locator:
    """The fields of the row of counts, which become these; the picture follows."""
    fields = one.page.locator(".count input")
    for field, number in zip(range(len(numbers.split())), numbers.split(), strict=True):
        expect(fields.nth(field)).to_have_value(number)
    expect(one.page.locator(".bag .factor")).to_have_text(numbers.split())
    return fields


def test_counts_go_up_and_down_and_can_be_forgotten(moves: Callable[..., Visit]) -> None:
    """Presses, arrow keys and typing change a count; sums, sentence, address and focus follow.

    All presses before an answer count. Back takes one back. Undo and another row show the row's own
    counts. *Forget the counts* is one press, kept by Back and reload, and undone by another.
    Nothing below moves meanwhile.
    """
    one = moves(f"/bag_of_words?{LINEAR}")
    field = counts(one, "1 2 1 1").nth
    bag = one.page.locator(".bag")
    place = "all => all.map((one) => Math.round(one.getBoundingClientRect().top))"
    places = bag.locator(".ways, .legend, .verdict, .said")
    before = places.evaluate_all(place)
    field(1).press("ArrowUp")
    counts(one, "1 3 1 1")
    one.linked("bag_edit=1%3A3", LINEAR)
    expect(field(1)).to_be_focused()
    expect(bag.locator(".answer.left")).to_have_text(["3", "6"])
    expect(bag.locator(".equal")).to_have_text("=")
    one.sees(".bag .verdict", "Without the counts, 1 of 2 numbers would be wrong.")
    field(1).press("ArrowDown")
    counts(one, "1 2 1 1")
    field(1).fill("12")
    field(1).press("Enter")
    counts(one, "1 12 1 1")
    one.settle()
    bag.get_by_role("button", name="Forget the counts").click()
    one.linked("forget=true", "bag_edit=1%3A12", LINEAR)
    expect(bag.locator(".answer")).to_have_text(["3", "3", "4", "15"])
    expect(bag.locator(".differs")).to_have_text(["4"])
    expect(bag.locator(".equal")).to_have_text("≠")
    one.sees(".bag .verdict", "1 of 2 numbers is wrong: cats has the count 12")
    one.sees("h1", "Without the counts")
    one.settle()
    one.page.go_back()
    expect(bag.locator(".equal")).to_have_text("=")
    one.settle()
    one.page.go_forward()
    expect(bag.locator(".equal")).to_have_text("≠")
    one.settle()
    one.page.reload()
    undo = bag.get_by_role("button", name="Undo")
    undo.click()  # what was pressed last
    expect(bag.locator(".equal")).to_have_text("=")
    one.sees("h1", "A row of counts")
    one.linked("bag_edit=1%3A12", LINEAR)
    one.settle()
    bag.get_by_role("button", name="Forget the counts").click()
    one.linked("forget=true", "bag_edit=1%3A12", LINEAR)
    one.settle()
    bag.get_by_role("button", name="Use the counts").click()
    expect(bag.locator(".equal")).to_have_text("=")
    one.settle()
    undo.click()
    counts(one, "1 2 1 1")
    expect(bag.locator(".undo")).to_be_disabled()
    one.settle()
    one.page.evaluate(
        """() => { const all = document.querySelectorAll("*");
        const root = [...all].map((x) => x.shadowRoot).find((x) => x?.querySelector(".counts"));
        const press = (k, by) => root.querySelectorAll(`.count [data-by="${by}"]`)[k].click();
        press(0, 1); press(3, 1); press(1, -1); press(1, -1); press(1, -1); press(0, 1); }"""
    )
    counts(one, "3 0 1 2")
    bag.locator(".count [data-by='1']").nth(2).evaluate(
        """async (more) => { for (let k = 0; k < 20; k += 1) {
        more.click(); await new Promise((resolve) => setTimeout(resolve, 20)); } }"""
    )  # answers arrive between the presses
    counts(one, "3 0 21 2")
    one.settle()
    bag.locator(".documents button").nth(1).click()
    counts(one, "0 1 1 1")
    one.sees(".bag .verdict", "Each count is 0 or 1")
    one.linked("row=1", LINEAR)
    one.settle()
    assert places.evaluate_all(place) == before


def test_documents_are_typed_in_the_body(moves: Callable[..., Visit]) -> None:
    """New documents give new counts in one entry of the history; dropped words have a reason."""
    one = moves("/bag_of_words?bag_edit=1:3", viewport={"width": 390, "height": 844})
    counts(one, "1 3 1 1")
    code = one.page.locator(".bag .code")
    assert max(code.nth(k).evaluate(TEXT_LINES) for k in range(2)) <= 2
    before = one.page.evaluate("history.length")
    field = one.page.get_by_test_id("stMain").locator("textarea")
    field.fill("I like my cat, cat")
    counts(one, "2 1 1")  # after a pause: nothing is pressed
    expect(one.page.locator(".count small")).to_have_text(["cat", "like", "my"])
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
        (file.getvalue(), ".bag .note", "Row 49,999 of 100,000. 12 of 50,000 columns."),
    ):
        one.page.locator(".st-key-bag_file input").set_input_files(
            [{"name": "large.npz", "mimeType": "application/octet-stream", "buffer": content}]
        )
        one.sees(part, words)
        one.settle()
    one.page.get_by_text("lines that ran").click()
    one.page.get_by_text("100,000 rows × 50,000 columns need 37.3 GiB as a dense").wait_for()


def test_both_sums_play_and_point(moves: Callable[..., Visit]) -> None:
    """A pointed number writes its sum at a place that stays; Play adds the words one by one."""
    one = moves(f"/bag_of_words?{LINEAR}&forget=true", reduced_motion="reduce")
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
    expect(said).to_have_text("output[1] = 1 × 0 + 2 × 1 + 1 × 0 + 1 × 3 = 5")
    press("", "4 5")
    assert verdict.bounding_box() == before
    bag.locator(".answer.left").nth(1).hover()
    expect(said).to_have_text("embedding(indices).sum(0)[1] = 0 + 1 + 0 + 3 = 4")
    press("", "4")
    assert verdict.bounding_box() == before
    one.page.mouse.move(0, 0)
    expect(lit).to_have_count(0)
    press("ArrowDown ArrowDown", "cats")
    expect(said).to_have_text("cats: the row once on the left, × 2 on the right.")
    press("Escape", "")
    expect(said).to_have_text("Point at a number to see where it comes from.")
    press("ArrowRight ArrowRight ArrowRight ArrowLeft", "3 3")
    for words, left, right in ("and", "1 0", "1 0"), ("and cats", "1 1", "1 2"):
        bag.locator(".play").click()
        answers(left, right)
        expect(bag.locator(".label.picked")).to_have_text(words.split())
        expect(verdict).to_have_text("")
    bag.locator(".answer.right").nth(1).click()  # a number ends Play, and shows its sum
    expect(said).to_contain_text("output[1] = ")
    expect(verdict).not_to_have_text("")
    bag.get_by_role("button", name="dogs like cats").click()
    expect(bag.locator(".label")).to_have_text(["and", "cats", "dogs", "like"])
    expect(bag.locator(".label.picked")).to_have_text(["cats", "dogs", "like"])
    expect(bag.locator(".documents [aria-pressed=true]")).to_be_focused()
    one.sees(".bag .verdict", "Each count is 0 or 1")
