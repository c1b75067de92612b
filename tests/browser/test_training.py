"""The training page in a browser: the strips, many steps, the map and the writing."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visits

SUM = re.compile(r"^weight\[10, 0\]: \(?([\d.−]+)\)? − 0.5 × \(?([\d.−]+)\)? = \(?([\d.−]+)\)?$")


def button(page: Page, name: str) -> Locator:
    """A button of the strips."""
    return page.locator(".film").first.get_by_role("button", name=name, exact=True)


def strips(page: Page, panel: int = 0) -> list[list[list[str]]]:
    """Text and tint of each cell of a panel, strip by strip."""
    found: list[list[str]] = (
        page.locator(".panel")
        .nth(panel)
        .locator(".cell")
        .evaluate_all(
            "cells => cells.map(c => [c.style.gridRowStart, c.textContent, c.style.background])"
        )
    )
    rows = dict.fromkeys(row for row, *_ in found)
    return [[one for at, *one in found if at == row] for row in rows]


# Plays, and presses a button at a step: no slow test can miss it.
PLAY_TO = """(film, [words, name]) => new Promise((done) => {
  const count = film.querySelector(".count");
  const seen = new MutationObserver(() => {
    if (count.textContent !== words) return;
    seen.disconnect();
    film.querySelector(name).click();
    done();
  });
  seen.observe(count, { childList: true, characterData: true, subtree: true });
  film.querySelector(".play").click();
})"""


def play_to(page: Page, words: str, name: str) -> None:
    """Press Play, and another button when the count has these words."""
    page.locator(".film").first.evaluate(PLAY_TO, [words, name])


def test_step_moves_one_row_in_both_layers(moves: Visits) -> None:
    """It opens before the first step. Step shows the new row; the next one begins with it.

    The other rows keep their colours, both layers show the same, and the arithmetic adds up.
    """
    one = moves("/training?text=ab", color_scheme="dark", reduced_motion="reduce")
    page, panels, count = one.page, one.page.locator(".panel"), one.page.locator(".count")
    said = panels.locator(".sum")
    one.sees(".verdict", "numbers off their target have a gradient.")
    expect(count).to_have_text("0 of 10 steps")
    expect(said.first).to_have_text(re.compile(r" = …$"))
    expect(panels.first.locator(".note", has_text="gradient 0")).to_have_count(6)
    before = strips(page)
    assert [text for text, _ in before[3]] == [""] * 10
    button(page, "Step").click()
    expect(count).to_have_text("1 of 10 steps")
    first = strips(page)
    assert first[1] == before[1] != first[3]
    expect(panels.first.locator(".cell.blank")).to_have_count(0)
    one.sees(".verdict", "All 10 new numbers are the same in both", "99 of 99 other rows stand")
    button(page, "Step").click()
    second = strips(page)
    assert second[1] == first[3]
    moved = [row for row in range(4, 11) if before[row] != second[row]]
    assert moved == [7]
    assert strips(page, 1)[:4] == second[:4]
    numbers = SUM.match(said.first.text_content() or "")
    assert numbers
    begun, gradient, end = (float(one.replace("−", "-")) for one in numbers.groups())
    assert abs(begun - 0.5 * gradient - end) < 2e-4
    assert f"{begun:.2f}".replace("-", "−") == second[1][0][0]


def test_numbers_have_two_decimals_in_narrow_cells(moves: Visits) -> None:
    """A step shows in them, none is cut off, and a zero has no sign."""
    one = moves(None)
    for width, lesson in ((1280, "step"), (1280, "unseen"), (390, "step")):
        one.page.set_viewport_size({"width": width, "height": 720})
        one.move(f"/training?lesson={lesson}")
        cells = one.page.locator(".panel .cell:not(.small, .looked, .blank)")
        expect(cells.first).to_have_text(re.compile(r"^\d\.\d\d$"))
        texts = cells.all_text_contents()
        assert all(re.fullmatch(r"−?\d\.\d\d", text) for text in texts)
        assert "−0.00" not in texts
        assert cells.evaluate_all("all => all.every(c => c.scrollWidth <= c.offsetWidth)")


def test_pointing_marks_a_number_wherever_it_plays_a_part(moves: Visits) -> None:
    """The pointer and the arrow keys choose it, in both layers; another row has its own value."""
    one = moves("/training?text=ab", reduced_motion="reduce")
    panels, keys = one.page.locator(".panel"), one.page.locator(".panels")
    said, marked = panels.locator(".sum"), panels.locator(".cell.lit")
    panels.first.locator(".cell:not(.small, .looked)").nth(13).hover()
    expect(said).to_have_text([re.compile(r"weight\[10, 3\]: "), re.compile(r"weight\[3, 10\]: ")])
    expect(marked).to_have_count(10)  # target, row, gradient, new row and the table, twice
    for pressed, words in (
        ("ArrowRight ArrowDown", r"^weight\[7, 4\]: \(?−?[\d.]+\)?$"),
        ("ArrowLeft " * 9, r"weight\[7, 0\]: "),
        ("ArrowUp " * 2 + "ArrowRight " * 12, r"weight\[10, 9\]: "),
        ("ArrowDown " * 9, r"weight\[13, 9\]: "),
    ):
        for key in pressed.split():
            keys.press(key)
        expect(said.first).to_have_text(re.compile(words))
    expect(marked).to_have_count(2)


def test_play_and_the_letters(moves: Visits) -> None:
    """Play takes step after step, a press pauses it, and at the end it begins anew.

    A press or an arrow key chooses a letter, for the address too; typing brings new ones.
    """
    one = moves("/training?text=ab")
    page, count = one.page, one.page.locator(".count")
    chips = page.locator(".film .strip > div")
    play_to(page, "2 of 10 steps", ".play")
    page.wait_for_timeout(1000)
    expect(count).to_have_text("2 of 10 steps")
    button(page, "Play").click()
    expect(count).to_have_text("10 of 10 steps")
    button(page, "Play").wait_for()  # it has ended
    play_to(page, "1 of 10 steps", ".again")
    page.wait_for_timeout(1000)
    expect(count).to_have_text("0 of 10 steps")
    button(page, "Step").click()
    page.get_by_role("option", name="b", exact=True).click()
    one.sees(".panel", "row 'b' 11")
    expect(count).to_have_text("0 of 10 steps")
    one.linked("text=ab", "token=1")
    page.locator(".film [aria-selected=true]").press("ArrowLeft")
    one.sees(".panel", "row 'a' 10")
    expect(chips.first).to_be_focused()
    chips.first.press("ArrowRight")
    one.linked("text=ab", "token=1")
    one.type("xyz")
    one.sees(".panel", "row 'y' 34")
    expect(chips).to_have_text(["x", "y", "z"])
    one.type("")
    one.sees(".refusal", "There is no token to train on")


def test_many_steps_go_on_after_another_page(visit: Visits) -> None:
    """They play when a link with an optimizer opens them, and are there on the way back."""
    one = visit("/training?optimizer=adamw&text=abcab")
    hundred = one.page.locator(".st-key-steps_row").get_by_text("100 steps", exact=True)
    hundred.nth(1).wait_for()
    one.go("Playground")
    one.go("Training")
    hundred.nth(1).wait_for()
    one.sees("[data-testid=stMain]", "rows were never looked up: they moved, by up to 0.")


def test_what_is_learnt_is_there_after_a_reload(visit: Visits) -> None:
    """A press writes its steps into the address, Pause stops them, and a reload trains as far."""
    one = visit("/training?lesson=write&char_dim=4&text=ab&learn_steps=100")
    row = one.page.locator(".st-key-learn_steps_row")
    text = one.page.locator("[data-testid=stCode]")
    row.get_by_role("button", name="2,000 steps").click()
    one.page.get_by_role("progressbar").wait_for()
    row.get_by_role("button", name="Pause").click()
    row.get_by_role("button", name="2,000 steps").wait_for()
    one.settle()
    steps = int((row.locator("p").last.text_content() or "").split()[0].replace(",", ""))
    assert 100 <= steps < 2_100
    one.linked("lesson=write", "char_dim=4", "text=ab", f"learn_steps={steps}")
    written = text.text_content()
    one.reload()
    one.sees(".st-key-learn_steps_row", f"{steps:,} steps")
    row.get_by_role("button", name="2,000 steps").wait_for()
    one.until(text.text_content, written)
