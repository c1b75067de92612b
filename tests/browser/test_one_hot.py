"""The panel *one_hot* in a browser: numbers of the row are pressed by mouse and by keyboard."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks

PANEL = "panel=one_hot"
# What stands above and below the row, and its parts.
PLACES = """() => {
  const inside = [...document.querySelectorAll("*")].map((one) => one.shadowRoot)
    .find((root) => root?.querySelector(".one-hot"));
  const parts = [...inside.querySelectorAll(".hotRow button, p, .hotNumbers, .hotAgain"),
    ...document.querySelectorAll("[data-testid=stMain] [data-testid=stElementContainer]")];
  const top = document.querySelector("h1").getBoundingClientRect().y; // a press may scroll
  return parts.map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 1)
    .map((box) => [box.x, box.y - top, box.width, box.height].map(Math.round).join(" "));
}"""


def test_a_press_changes_the_row_and_moves_nothing(moves: Callable[..., Visit]) -> None:
    """By mouse and by keyboard, on a phone too; the address has it, and Back takes it back."""
    one = moves("/?panel=one_hot", viewport={"width": 320, "height": 700})
    said, row = one.page.locator(".hotSaid"), one.page.locator(".hotRow button")
    expect(said).to_have_text("That is row 2.")
    check_looks(one)
    before = one.page.evaluate(PLACES)
    one.page.get_by_role("button", name="id 5, f: 0").click()
    expect(said).to_have_text("row 2 + row 5: a sum of rows.")
    expect(one.page.locator(".hotVerdict")).to_have_text("= The same 3 numbers, bit for bit.")
    expect(one.page.locator(".hotNumbers").last.locator("div")).to_have_text(["15", "11", "10"])
    one.linked(PANEL, "one_hot=2%3A1+5%3A1")
    one.settle()
    assert one.page.evaluate(PLACES) == before
    expect(row.nth(5)).to_be_focused()
    one.page.keyboard.press("Enter")
    expect(said).to_have_text("row 2 + half of row 5: a sum of rows.")
    expect(one.page.get_by_role("button", name="id 5, f: 0.5")).to_be_focused()
    for k in (1, 0):
        row.nth(k).press("Space")
    expect(said).to_have_text("row 0 + row 1 + row 2 + half of row 5: a sum of rows.")  # 2 lines
    one.linked(PANEL, "one_hot=0%3A1+1%3A1+2%3A1+5%3A0.5")
    one.settle()
    assert one.page.evaluate(PLACES) == before
    one.page.go_back()
    one.until(lambda: "one_hot=0" in one.search(), False)
    one.settle()
    one.page.get_by_role("button", name="Start again").click()
    expect(said).to_have_text("That is row 2.")
    one.linked(PANEL)
    one.settle()
    for _ in range(2):  # the two presses before the answer both count
        row.nth(2).click(no_wait_after=True)
    expect(said).to_have_text("All 0: the sum of no rows.")
    one.linked(PANEL, "one_hot=2%3A0")
    one.settle()
    one.page.locator(".chip").nth(1).click()  # another token has its own row
    expect(said).to_have_text("That is row 0.")
