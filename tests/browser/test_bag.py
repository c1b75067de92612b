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


PRESSES = """async () => {
  const root = [...document.querySelectorAll("*")].map((one) => one.shadowRoot)
    .find((one) => one?.querySelector(".counts"));
  const press = (k, by) => root.querySelectorAll(`.count [data-by="${by}"]`)[k].click();
  for (const [k, by] of [[0, 1], [3, 1], [1, -1], [1, -1], [1, -1], [0, 1]]) press(k, by);
  for (let k = 0; k < 20; k += 1) {
    press(2, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}"""


def test_counts_go_up_and_down_and_can_be_forgotten(moves: Callable[..., Visit]) -> None:
    """Presses, arrow keys and typing change a count; sums, sentence, address and focus follow.

    All presses before an answer count. Undo takes back what was pressed last, and another row shows
    its own counts. *Forget the counts* is kept by Back and reload. Nothing below moves meanwhile.
    """
    one = moves(f"/bag_of_words?{LINEAR}")
    field, bag = counts(one, "1 2 1 1").nth, one.page.locator(".bag")
    equal, undo = bag.locator(".equal"), bag.get_by_role("button", name="Undo")
    place = "all => all.map((one) => Math.round(one.getBoundingClientRect().top))"
    places = bag.locator(".ways, .legend, .verdict, .said")
    before = places.evaluate_all(place)
    field(1).press("ArrowUp")
    counts(one, "1 3 1 1")
    one.linked("bag_edit=1%3A3", LINEAR)
    expect(field(1)).to_be_focused()
    expect(bag.locator(".answer.left")).to_have_text(["3", "6"])
    expect(equal).to_have_text("=")
    field(1).fill("12")
    field(1).press("Enter")
    counts(one, "1 12 1 1")
    one.settle()
    bag.get_by_role("button", name="Forget the counts").click()
    one.linked("forget=true", "bag_edit=1%3A12", LINEAR)
    expect(bag.locator(".answer")).to_have_text(["3", "3", "4", "15"])
    expect(bag.locator(".differs")).to_have_text(["4"])
    expect(equal).to_have_text("≠")
    one.sees(".bag .verdict", "1 of 2 numbers is wrong: cats has the count 12")
    one.settle().page.go_back()
    expect(equal).to_have_text("=")
    one.settle().page.go_forward()
    expect(equal).to_have_text("≠")
    one.settle().page.reload()
    undo.click()  # what was pressed last
    expect(equal).to_have_text("=")
    one.linked("bag_edit=1%3A12", LINEAR)
    one.settle()
    undo.click()
    counts(one, "1 2 1 1")
    expect(undo).to_be_disabled()
    one.settle().page.evaluate(PRESSES)  # answers arrive between the presses
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
    said, verdict, ways, answers = (
        bag.locator(f".{part}") for part in ["said", "verdict", "ways", "answer"]
    )

    def press(keys: str, marked: str) -> None:
        """Press keys in the picture; a word, or two answers, are marked then."""
        for key in keys.split():
            ways.press(key)
        expect(bag.locator(":is(.answer, .label).lit")).to_have_text(marked.split())

    expect(answers).to_have_text(["3", "3", "4", "5"])
    expect(bag.locator(".differs")).to_have_text(["4"])
    before = verdict.bounding_box()
    for side, words, marked in (
        ("right", "output[1] = 1 × 0 + 2 × 1 + 1 × 0 + 1 × 3 = 5", "4 5"),
        ("left", "embedding(indices).sum(0)[1] = 0 + 1 + 0 + 3 = 4", "4"),
    ):
        bag.locator(f".answer.{side}").nth(1).hover()
        expect(said).to_have_text(words)
        press("", marked)
        assert verdict.bounding_box() == before
    one.page.mouse.move(0, 0)
    press("ArrowDown ArrowDown", "cats")
    expect(said).to_have_text("cats: the row once on the left, × 2 on the right.")
    press("Escape", "")
    expect(said).to_have_text("Point at a number to see where it comes from.")
    press("ArrowRight ArrowRight ArrowRight ArrowLeft", "3 3")
    for words, numbers in ("and", "1 1 0 0"), ("and cats", "1 1 1 2"):
        bag.locator(".play").click()
        expect(answers).to_have_text(numbers.split())
        expect(bag.locator(".label.picked")).to_have_text(words.split())
        expect(verdict).to_have_text("")
    bag.locator(".answer.right").nth(1).click()  # a number ends Play, and shows its sum
    expect(said).to_contain_text("output[1] = ")
    expect(verdict).not_to_have_text("")
    bag.get_by_role("button", name="dogs like cats").click()
    expect(bag.locator(".label.picked")).to_have_text(["cats", "dogs", "like"])
    expect(bag.locator(".documents [aria-pressed=true]")).to_be_focused()


def test_the_focus_stays_with_its_document_while_others_come_and_go(
    visit: Callable[..., Visit],
) -> None:
    """Six are drawn around the chosen one; Enter chooses the one that has the focus."""
    words = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay"]
    one = visit("/bag_of_words?docs=" + "%0A".join(words))
    shown = one.page.locator(".bag .documents button")
    expect(shown).to_have_text(words[:6])
    shown.filter(has_text="fox").press("Enter")
    expect(shown).to_have_text(words[2:8])
    chosen = one.page.locator(".bag .documents [aria-pressed=true]")
    expect(chosen).to_have_text("fox")
    expect(chosen).to_be_focused()
