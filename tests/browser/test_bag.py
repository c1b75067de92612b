"""The bag of words in a browser: pressed counts, typing, uploading, both sums and the routes."""

import io
import re
from collections.abc import Callable

import scipy.sparse
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks

ALERT = "[data-testid=stAlert]"


def counts(one: Visit, *numbers: str) -> None:
    """Assert that the row of counts becomes these, and that the picture follows."""
    shown = [re.compile(f"^{number}[a-z]*$") for number in numbers]
    expect(one.page.locator(".counts button")).to_have_text(shown)
    stored = [number for number in numbers if number != "0"]
    expect(one.page.locator(".bag .factor")).to_have_text(stored)


def test_a_pressed_count_changes_everything(visit: Callable[..., Visit]) -> None:
    """A press adds one, and after 3 comes 0; sums, verdict, address and focus follow.

    All presses before an answer count, that to 0 too. Back takes one press back. Another row, or a
    press on this one, shows the row's own counts.
    """
    one = visit("/bag_of_words")
    press = one.page.locator(".counts button").nth
    counts(one, "1", "2", "1", "1")
    press(1).click()
    counts(one, "1", "3", "1", "1")
    one.linked("bag_edit=1%3A3")
    expect(press(1)).to_be_focused()
    expect(press(1)).to_have_attribute("aria-pressed", "true")
    expect(one.page.locator(".answer.right").first).to_have_text("-1.087")
    one.sees(".bag .whole", "without the counts, 3 of 3 numbers are wrong")
    one.page.keyboard.press("Enter")
    counts(one, "1", "0", "1", "1")
    one.sees(".bag .whole", "no count is above 1")
    expect(one.page.locator(".bag .label")).to_have_text(["and", "dogs", "like"])
    one.settle()
    one.page.evaluate(
        """() => { const all = document.querySelectorAll("*");
        const root = [...all].map((x) => x.shadowRoot).find((x) => x?.querySelector(".counts"));
        for (const k of [0, 3, 0, 0, 0, 0]) root.querySelectorAll(".counts button")[k].click(); }"""
    )
    counts(one, "2", "0", "1", "2")
    one.settle()
    one.page.go_back()
    counts(one, "1", "0", "1", "1")
    one.settle()
    one.page.locator(".documents button").first.click()
    counts(one, "1", "2", "1", "1")
    one.until(lambda: "bag_edit" in one.search(), False)
    press(0).click()
    counts(one, "2", "2", "1", "1")
    one.settle()
    one.page.locator(".documents button").nth(1).click()
    counts(one, "0", "1", "1", "1")
    one.linked("row=1")
    one.until(lambda: "bag_edit" in one.search(), False)


def test_documents_are_typed_in_the_body(visit: Callable[..., Visit]) -> None:
    """New documents give new counts in one entry of the history; dropped words have a reason."""
    one = visit("/bag_of_words?bag_edit=1:3", viewport={"width": 390, "height": 844})
    counts(one, "1", "3", "1", "1")
    before = one.page.evaluate("history.length")
    field = one.page.get_by_test_id("stMain").locator("textarea")
    field.fill("I like my cat, cat")
    field.press("Control+Enter")
    expect(one.page.locator(".counts button")).to_have_text(["2cat", "1like", "1my"])
    one.sees(".bag .note", "Left out: i (one letter).")
    one.until(lambda: "bag_edit" in one.search(), False)
    assert one.page.evaluate("history.length") == before + 1
    check_looks(one)
    one.page.go_back()
    counts(one, "1", "3", "1", "1")


def test_tfidf_counts_and_a_negative_one_can_be_pressed(visit: Callable[..., Visit]) -> None:
    """A count with a fraction becomes the next whole number, a negative one becomes 1."""
    one = visit("/bag_of_words?bag=matrix&x=0.5 -2.5 7")
    for k, text in enumerate(("1", "1", "0")):
        one.page.locator(".counts button").nth(k).click()
        expect(one.page.locator(".counts button").nth(k)).to_have_text(f"{text}{k}")
        one.settle()
    one.until(lambda: "bag_edit=0%3A1+1%3A1+2%3A0" in one.search(), True)


def test_a_large_matrix_opens_and_stays_sparse(visit: Callable[..., Visit]) -> None:
    """A matrix of 100,000 x 50,000 opens without becoming dense, after a file that is refused."""
    file = io.BytesIO()
    scipy.sparse.save_npz(file, scipy.sparse.eye_array(100_000, 50_000, format="csr"))
    one = visit("/bag_of_words?bag=file&linear=")
    for name, content in (("x.npz", b"PK\x03\x04 nonsense"), ("large.npz", file.getvalue())):
        one.page.locator(".st-key-bag_file input").set_input_files(
            [{"name": name, "mimeType": "application/octet-stream", "buffer": content}]
        )
        if name == "x.npz":
            one.sees(ALERT, "x.npz")
            one.settle()
    one.sees(".bag .note", "Row 0 of 100,000. 1 of 50,000 columns.")
    one.settle()
    one.page.locator(".st-key-bag_routes summary").click()
    one.page.get_by_text("100,000 rows x 50,000 columns: dense 37.3 GiB").wait_for()
    one.page.get_by_test_id("stSidebar").get_by_text("More", exact=True).click()
    row = one.page.get_by_role("spinbutton", name=re.compile("Row"))
    row.fill("49999")
    row.press("Enter")
    one.page.get_by_text("Row 49,999 has the columns indices[49999:50000] = [").wait_for()


def test_both_sums_play_and_point(visit: Callable[..., Visit]) -> None:
    """A pointed number writes its sum at a place that stays; Play adds the words one by one.

    A press on a document shows its words and keeps the focus.
    """
    one = visit("/bag_of_words", reduced_motion="reduce")
    bag = one.page.locator(".bag")
    said, verdict = bag.locator(".said"), bag.locator(".whole")
    left, right = bag.locator(".answer.left"), bag.locator(".answer.right")
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
    for _ in range(3):  # past the first word
        one.page.keyboard.press("ArrowUp")
    expect(bag.locator(".label.lit")).to_have_text("and")
    one.page.keyboard.press("Escape")
    expect(bag.locator(".lit")).to_have_count(0)
    for _ in range(4):  # past the last column
        one.page.keyboard.press("ArrowRight")
    expect(bag.locator(".answer.lit")).to_have_text(["-0.575", "-0.323"])
    play = bag.locator(".play")
    words = ["and", "cats"]
    for k, numbers in enumerate((["-0.098", "0.298", "-0.379"], ["-0.385", "0.600", "-0.126"])):
        play.click()
        expect(left).to_have_text(numbers)
        expect(bag.locator(".label.picked")).to_have_text(words[: k + 1])
        right.nth(1).hover()
        expect(bag.locator(".lit")).to_have_count(0)
        expect(verdict).to_have_text("")
    expect(right).to_have_text(["-0.672", "0.902", "0.127"])
    expect(bag.locator(".differs")).to_have_count(0)
    for _ in range(4):
        play.click()
    expect(left.first).to_have_text("-0.513")
    play.click()
    bag.get_by_role("button", name="dogs like cats").click()
    expect(bag.locator(".label")).to_have_text(["cats", "dogs", "like"])
    expect(bag.locator(".documents [aria-pressed=true]")).to_be_focused()
    expect(bag.locator(".differs")).to_have_count(0)
    one.sees(".bag .whole", "no count is above 1")
    one.linked("row=1")
    one.open("/bag_of_words?docs=" + "+".join(f"w{k}" for k in range(9)))
    for _ in range(9):  # the line of the other words is none
        bag.locator(".ways").press("ArrowDown")
    expect(said).to_contain_text("w6: 1 ×")


def test_the_routes_in_the_dark(visit: Callable[..., Visit]) -> None:
    """The link opens the table of routes; all folds are drawn without an overlap."""
    one = visit(
        "/bag_of_words?counts=tfidf&routed=all+rows",
        viewport={"width": 1280, "height": 720},
        color_scheme="dark",
    )
    for fold in ("traps", "batches"):
        one.page.locator(f".st-key-bag_{fold} summary").click()
        one.settle()
    one.page.get_by_text("It freezes by default").first.wait_for()
    expect(one.page.get_by_test_id("stTable").locator("tbody tr")).to_have_count(9)
    check_looks(one)
