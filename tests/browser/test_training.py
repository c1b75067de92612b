"""The training page in a browser: the strips, many steps, the map and the writing."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks

LEARN_ROW = ".st-key-learn_row"
MAIN = "[data-testid=stMain]"
SUM = re.compile(r"^weight\[10, (\d)\]: \(?([\d.-]+)\)? − 0.5 × \(?([\d.-]+)\)? = (.+)$")
TINTS = "cells => cells.map(cell => cell.style.background)"


def button(page: Page, name: str) -> Locator:
    """A button of the strips."""
    return page.locator(".walk").first.get_by_role("button", name=name, exact=True)


def row(page: Page, strip: int, panel: int = 0) -> list[str]:
    """The texts of a strip's cells; a strip is a row of the grid, from 0."""
    cells = page.locator(".panel").nth(panel).locator(".cell")
    found: list[str] = cells.evaluate_all(
        "(cells, row) => cells.filter(c => c.style.gridRowStart === row).map(c => c.textContent)",
        str(strip + 1),
    )
    return found


def test_step_moves_one_row_in_both_layers(visit: Callable[..., Visit]) -> None:
    """It opens before the first step. Step shows the new row; the next one begins with it.

    The other rows keep their colours, both layers show the same, and the arithmetic adds up.
    """
    one = visit("/training?text=ab", color_scheme="dark", reduced_motion="reduce")
    page, panels = one.page, one.page.locator(".panel")
    one.sees(".verdict", "numbers off their target have a gradient.")
    expect(page.locator(".count")).to_have_text("0 of 10 steps")
    assert row(page, 3) == [""] * 10
    expect(panels.first.locator(".cell.blank")).to_have_count(10)
    expect(panels.first.locator(".note", has_text="gradient 0")).to_have_count(6)
    others = panels.first.locator(".cell.small")
    before = others.evaluate_all(TINTS)
    looked = panels.first.locator(".cell.looked").evaluate_all(TINTS)
    start = row(page, 1)
    said = panels.locator(".sum")
    expect(said.first).to_have_text(re.compile(r" = …$"))
    button(page, "Step").click()
    expect(page.locator(".count")).to_have_text("1 of 10 steps")
    new = row(page, 3)
    assert row(page, 1) == start != new
    expect(panels.first.locator(".cell.blank")).to_have_count(0)
    assert panels.first.locator(".cell.looked").evaluate_all(TINTS) != looked
    one.sees(".verdict", "All 10 new numbers are the same in both", "99 of 99 other rows stand")
    button(page, "Step").click()
    assert row(page, 1) == new
    for strip in range(4):
        assert row(page, strip) == row(page, strip, 1)
    assert len(before) == 60
    assert others.evaluate_all(TINTS) == before
    numbers = SUM.match(said.first.text_content() or "")
    assert numbers
    column, begun, gradient, end = numbers.groups()
    assert column == "0"
    assert abs(float(begun) - 0.5 * float(gradient) - float(end.strip("()"))) < 2e-4
    assert f"{float(begun):.2f}" == row(page, 1)[0]
    expect(said.nth(1)).to_contain_text("weight[0, 10]: ")


def test_pointing_marks_a_number_wherever_it_plays_a_part(visit: Callable[..., Visit]) -> None:
    """The pointer and the arrow keys choose it, in both layers; another row has its own value."""
    one = visit("/training?text=ab", reduced_motion="reduce")
    page, panels = one.page, one.page.locator(".panel")
    said, marked = panels.locator(".sum"), panels.locator(".cell.lit")
    panels.first.locator(".cell:not(.small, .looked)").nth(13).hover()
    expect(said.first).to_contain_text("weight[10, 3]: ")
    expect(said.nth(1)).to_contain_text("weight[3, 10]: ")
    expect(marked).to_have_count(10)  # target, row, gradient, new row and the table, twice
    keys = page.locator(".panels")
    keys.press("ArrowRight")
    expect(said.first).to_contain_text("weight[10, 4]: ")
    keys.press("ArrowDown")
    expect(said.first).to_have_text(re.compile(r"^weight\[7, 4\]: \(?-?[\d.]+\)?$"))
    expect(marked).to_have_count(2)
    for _ in range(9):
        keys.press("ArrowLeft")
    keys.press("ArrowUp")
    expect(said.first).to_contain_text("weight[10, 0]: ")
    for _ in range(12):
        keys.press("ArrowRight")
    expect(said.first).to_contain_text("weight[10, 9]: ")


def test_play_goes_to_the_end_pauses_and_starts_over(visit: Callable[..., Visit]) -> None:
    """Play takes step after step; a press pauses it; at the end it begins anew."""
    one = visit("/training?text=ab")
    page, count = one.page, one.page.locator(".count")
    button(page, "Play").click()
    expect(count).to_have_text("2 of 10 steps")
    button(page, "Pause").click()
    stopped = count.text_content()
    page.wait_for_timeout(1000)
    expect(count).to_have_text(stopped or "")
    button(page, "Step").click()
    expect(count).to_have_text("3 of 10 steps")
    button(page, "Play").click()
    expect(count).to_have_text("4 of 10 steps")
    expect(count).to_have_text("10 of 10 steps")
    expect(button(page, "Play")).to_be_visible()
    expect(button(page, "Step")).to_be_disabled()
    button(page, "Play").click()
    expect(count).to_have_text("1 of 10 steps")
    button(page, "Start over").click()
    expect(count).to_have_text("0 of 10 steps")
    expect(button(page, "Start over")).to_be_disabled()
    page.wait_for_timeout(1000)
    expect(count).to_have_text("0 of 10 steps")


def test_the_letters_are_one_stop_of_the_tab_key(visit: Callable[..., Visit]) -> None:
    """A press or an arrow key chooses one, for the address too; typing brings new ones."""
    one = visit("/training?text=ab", reduced_motion="reduce")
    page, chips = one.page, one.page.locator(".walk .strip > div")
    button(page, "Step").click()
    page.get_by_role("option", name="b", exact=True).click()
    one.sees(".panel", "row 'b' 11")
    expect(page.locator(".count")).to_have_text("0 of 10 steps")
    one.linked("text=ab", "token=1")
    chips.nth(1).press("ArrowLeft")
    one.sees(".panel", "row 'a' 10")
    expect(chips.first).to_be_focused()
    chips.first.press("ArrowLeft")
    assert chips.evaluate_all("chips => chips.map(chip => chip.tabIndex)") == [0, -1]
    expect(chips.first).to_have_attribute("aria-selected", "true")
    chips.first.press("ArrowRight")
    one.linked("text=ab", "token=1")
    one.type("xyz")
    one.sees(".panel", "row 'y' 34")
    expect(chips).to_have_text(["x", "y", "z"])
    one.linked("text=xyz", "token=1")
    one.type("")
    one.sees("[data-testid=stAlert]", "There is no token to train on")


def test_the_whole_text_adds_up_the_places_of_a_token(visit: Callable[..., Visit]) -> None:
    """Folded: the gradient of a repeated token's row is the sum over its places."""
    one = visit("/training?text=abca")
    one.page.get_by_text("And the whole text?").click()
    whole = one.page.locator(".walk").nth(1)
    expect(whole.locator(".verdict")).to_contain_text("3 of 100 rows are looked up")
    expect(whole.locator(".bar")).to_be_hidden()
    said = whole.locator(".sum").first
    sums = re.compile(r"^gradient, 0: \(?([\d.-]+)\)? \+ \(?([\d.-]+)\)? = \(?([\d.-]+)\)?$")
    expect(said).to_have_text(sums)
    found = sums.match(said.text_content() or "")
    assert found
    first, second, total = map(float, found.groups())
    assert abs(first + second - total) < 2e-4
    assert first == second != 0


def test_rows_nobody_looks_up_move_before_ones_eyes(visit: Callable[..., Visit]) -> None:
    """The choice shows titles, the address the lesson; the last row's tint changes under decay.

    A phone shows it whole.
    """
    one = visit("/training?text=abcab", viewport={"width": 390, "height": 844})
    page = one.page
    page.get_by_role("radio", name="Rows nobody looks up").click()
    one.linked("text=abcab", "lesson=unseen")
    panels = page.locator(".panel")
    expect(panels.locator("h6")).to_have_text(
        ["SGD", "SGD, momentum 0.9", "SGD, weight decay 0.01"]
    )

    def tints(panel: int, strip: int) -> list[str]:
        cells = panels.nth(panel).locator(".cell")
        found: list[str] = cells.evaluate_all(TINTS)
        return found[10 * strip : 10 * strip + 10]

    before = [[tints(panel, strip) for strip in range(3)] for panel in range(3)]
    button(page, "Play").click()
    one.sees(".verdict", "Moved after its last lookup: SGD, momentum 0.9; SGD, weight decay 0.01.")
    expect(page.locator(".count")).to_have_text("40 of 40 steps")
    after = [[tints(panel, strip) for strip in range(3)] for panel in range(3)]
    same = [
        [x == y for x, y in zip(*pair, strict=True)] for pair in zip(before, after, strict=True)
    ]
    assert same == [[False, False, True], [False, False, True], [False, False, False]]
    expect(panels.nth(1).locator(".note")).to_have_text(["moves", "moves", "still"])
    check_looks(one)
    page.get_by_text("5 more optimizers").click()
    expect(panels).to_have_count(8)


def test_many_steps_go_on_after_another_page_and_start_over(visit: Callable[..., Visit]) -> None:
    """They play when a link with an optimizer opens them, and wait after a reset."""
    size = {"width": 1280, "height": 720}
    one = visit("/training?optimizer=adamw&text=abcab", viewport=size)
    page = one.page
    page.get_by_text("100 steps", exact=True).nth(1).wait_for()
    one.sees(MAIN, "97 rows were never looked up: they moved, by up to 0.")
    one.go("Playground")
    page.locator(".stage").wait_for()
    one.go("Training")
    page.get_by_text("100 steps", exact=True).nth(1).wait_for()
    one.settle()
    check_looks(one)
    page.get_by_role("button", name="Reset", exact=True).click()
    page.get_by_text("0 steps. A reload begins here").wait_for()
    page.get_by_role("link", name="Rows nobody looks up").wait_for(state="detached")


@pytest.fixture
def learn(visit: Callable[..., Visit]) -> Callable[[], Visit]:
    """Opens *Learn to write* and waits for its first steps."""

    def opened() -> Visit:
        one = visit("/training?lesson=write&char_dim=4&seed=5", reduced_motion="reduce")
        expect(one.page.locator(LEARN_ROW)).to_contain_text("300 steps on 59,804 characters")
        expect(one.page.locator(".js-plotly-plot .gtitle")).to_contain_text("Step 300")
        return one.settle()

    return opened


def test_one_link_gives_one_map_to_the_pixel(learn: Callable[[], Visit]) -> None:
    """Two visits draw the same map and write the same."""
    maps = []
    for _ in range(2):
        one = learn()
        one.page.mouse.move(0, 0)
        chart = one.page.locator(".js-plotly-plot")
        maps.append((chart.screenshot(), one.page.locator("[data-testid=stCode]").text_content()))
    assert maps[0] == maps[1]


def test_learning_pauses_goes_on_and_loses_nothing(learn: Callable[[], Visit]) -> None:
    """A progress bar runs; Pause stops it; a rerun and another lesson lose no step."""
    one = learn()
    page, go = one.page, one.page.get_by_role("button", name="Learn 2,000")

    def steps() -> int:
        found = re.findall(r"([\d,]+) steps", page.locator(LEARN_ROW).inner_text())
        return int(found[-1].replace(",", "")) if found else 0

    go.click()
    page.get_by_role("progressbar").wait_for()
    one.until(lambda: steps() > 300, True)
    page.get_by_role("button", name="Pause").click()
    go.wait_for()
    one.settle()
    stopped = steps()
    assert 300 < stopped < 2_300
    page.get_by_role("radio", name="0.5").click()
    one.settle()
    assert steps() == stopped
    page.get_by_role("radio", name="One step").click()
    page.locator(".walk").wait_for()
    page.get_by_role("radio", name="Learn to write").click()
    go.wait_for()
    one.settle()
    assert steps() == stopped
