"""The training page in a browser: the strips, many steps, the map and the writing."""

import re

from playwright.sync_api import Locator, Page, expect

from embviz.settings.pages import SETTINGS
from tests.browser.conftest import Visits
from tests.browser.test_axe import CONTROLS, COUNT, MOST_CONTROLS

SUM = re.compile(r"^weight\[10, 0\]: \(?([\d.−]+)\)? − 0.5 × \(?([\d.−]+)\)? = \(?([\d.−]+)\)?$")


def button(page: Page, name: str) -> Locator:
    """A button of the strips."""
    return page.locator(".film").first.get_by_role("button", name=name, exact=True)


def strips(page: Page, panel: int = 0) -> list[list[list[str]]]:
    """Text and tint of each cell of a panel, strip by strip; the second panel has columns."""
    axis = ["Row", "Column"][panel]
    found: list[list[str]] = (
        page.locator(".panel")
        .nth(panel)
        .locator(".cell")
        .evaluate_all(
            "(cells, axis) => cells.map((cell) => [cell.style[`grid${axis}Start`], "
            "cell.textContent, cell.style.background])",
            axis,
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
    one.sees(".verdict", "Random at first. The loss is")
    expect(count).to_have_text("0 of 20 steps")
    expect(said.first).to_have_text(re.compile(r" = …$"))
    gradients = panels.first.locator(".note.beside")
    assert sorted(gradients.all_text_contents())[:6] == ["0"] * 6
    expect(panels.first.locator(".note.moved")).not_to_have_text("0")
    before = strips(page)
    assert [text for text, _ in before[3]] == [""] * 10
    button(page, "Step").click()
    expect(count).to_have_text("1 of 20 steps")
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


def test_numbers_have_two_decimals_in_narrow_cells(moves: Visits) -> None:
    """A step shows in them, none is cut off, and a zero has no sign."""
    one = moves(None)
    for width, lesson in ((1280, "unseen"), (390, "step")):
        one.page.set_viewport_size({"width": width, "height": 844})
        one.move(f"/training?lesson={lesson}&text=hello+embeddings")
        cells = one.page.locator(".panel .cell:not(.small, .looked, .blank)")
        expect(cells.first).to_have_text(re.compile(r"^\d\.\d\d$"))
        texts = cells.all_text_contents()
        assert all(re.fullmatch(r"−?\d\.\d\d", text) for text in texts)
        assert "−0.00" not in texts
        assert cells.evaluate_all("all => all.every(c => c.scrollWidth <= c.offsetWidth)")
    panels = one.page.locator(".panels").bounding_box()
    assert panels is not None
    assert panels["height"] < 500  # both layers on a phone's screen, with room for a bar
    one.move(
        "/training?lesson=step&text=hello+embeddings&rate=100x"
    )  # It diverges: its last numbers have no room for a decimal.
    panel = one.page.locator(".panel").first
    expect(panel.locator(".cell.target").first).to_have_text("2.00")
    step = one.page.get_by_role("button", name="Step", exact=True)
    for _ in range(2):
        step.click()
    expect(panel.locator(".cell", has_text=re.compile(r"^−?\d{3}$"))).not_to_have_count(0)


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
    play_to(page, "2 of 20 steps", ".play")
    button(page, "Play").wait_for()  # it pauses
    expect(count).to_have_text("2 of 20 steps")
    for _ in range(16):
        button(page, "Step").click()
    button(page, "Play").click()
    expect(count).to_have_text("20 of 20 steps")
    button(page, "Play").wait_for()  # it has ended
    play_to(page, "1 of 20 steps", ".again")
    expect(count).to_have_text("0 of 20 steps")
    button(page, "Play").wait_for()  # it has ended
    button(page, "Step").click()
    page.get_by_role("option", name="b", exact=True).click()
    one.sees(".panel", "weight, row 11")
    expect(count).to_have_text("0 of 20 steps")
    one.linked("text=ab", "token=1")
    page.locator(".film [aria-selected=true]").press("ArrowLeft")
    one.sees(".panel", "weight, row 10")
    expect(chips.first).to_be_focused()
    chips.first.press("ArrowRight")
    one.linked("text=ab", "token=1")
    one.type("xyz")
    one.sees(".panel", "weight, row 34")
    expect(chips).to_have_text(["x", "y", "z"])
    one.type("")
    one.sees(".refusal", "There is no token to train on")


def test_the_target_is_pressed_with_a_pointer_and_with_keys(moves: Visits) -> None:
    """Its number becomes the next of -2, 0 and 2, in both layers and in the address."""
    one = moves("/training?text=ab", reduced_motion="reduce")
    numbers = one.page.locator(".panel").first.locator(".cell.target")
    typed = ["2", "1.62", "0.62", "-0.62", "-1.62", "-2", "-1.62", "-0.62", "0.62", "1.62"]
    expect(numbers).to_have_text([f"{float(number):.2f}".replace("-", "−") for number in typed])
    button(one.page, "Step").click()
    numbers.nth(5).click()
    expect(numbers.nth(5)).to_have_text("0.00")
    expect(one.page.locator(".panel").nth(1).locator(".cell.target").nth(5)).to_have_text("0.00")
    expect(one.page.locator(".count")).to_have_text("0 of 20 steps")
    one.page.locator(".panels").press("ArrowLeft")
    one.page.locator(".panels").press("Enter")
    expect(numbers.nth(4)).to_have_text("0.00")
    one.page.locator(".panels").press("Enter")
    expect(numbers.nth(4)).to_have_text("2.00")
    typed[4:6] = ["2", "0"]
    one.linked("text=ab", f"target={'+'.join(typed)}")
    one.reload()
    expect(numbers.nth(4)).to_have_text("2.00")
    expect(one.page.get_by_label("Target", exact=True)).to_be_hidden()  # its fold stays closed


def test_a_phone_covers_no_title(visit: Visits) -> None:
    """Lessons stand two by two, a legend below its title."""
    one = visit("/training?lesson=write&char_dim=4", viewport={"width": 390, "height": 844})
    one.sees(".st-key-written", "step 300")
    lessons = one.page.locator(".st-key-lesson [role=radio]")
    tops = lessons.evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    first, second, third, fourth, fifth = tops
    assert first == second < third == fourth < fifth
    one.page.get_by_text("How low can the loss be?").click()
    chart = one.page.locator(".st-key-learn_loss")
    title, legend = (chart.locator(part).bounding_box() for part in (".gtitle", ".legend"))
    assert title is not None
    assert legend is not None
    assert title["y"] + title["height"] <= legend["y"] + 1


def test_a_training_moves_nothing_below_it(visit: Visits) -> None:
    """The chart and the folds stay where they are, from the first step to a pause."""
    one, top = visit(None), "one => Math.round(one.getBoundingClientRect().y)"
    for query, key in (
        ("lesson=size&size_steps=0", "size_steps"),
        ("lesson=write&char_dim=4&learn_steps=0", "learn_steps"),
    ):
        one.move(f"/training?{query}&corpus=own&text=the+cat+sat")
        play = one.page.locator(f".st-key-{key}_play button")
        play.wait_for()
        folds = one.page.locator("[data-testid=stExpander]").first
        one.page.locator(".main-svg").first.wait_for()
        one.settle()
        before, moved = folds.evaluate(top), set[int]()
        play.click()
        one.page.get_by_role("progressbar").wait_for()
        for _ in range(20):
            moved.add(folds.evaluate(top))
        if (pause := one.page.locator(f".st-key-{key}_pause button")).count():
            pause.click()
        play.wait_for()
        one.settle()
        moved.add(folds.evaluate(top))
        assert {abs(y - before) <= 1 for y in moved} == {True}


def test_chapters_have_few_words_and_controls(visit: Visits) -> None:
    """Each of them, at the start and after its steps."""
    one = visit(None)
    for lesson in SETTINGS["lesson"].options():
        one.move(f"/training?lesson={lesson}")
        one.page.locator(".learning .verdict, .film .verdict, .main-svg").first.wait_for()
        if lesson in ("write", "size"):
            one.page.locator("[class*=st-key-]:is([class*=_steps_play])").wait_for()
        one.settle()
        words, controls = one.page.evaluate(COUNT)[1], one.page.evaluate(CONTROLS)
        assert (lesson, 5 < words <= 80) == (lesson, True), words
        assert (lesson, 5 < controls <= MOST_CONTROLS) == (lesson, True), controls


def test_many_steps_go_on_after_another_page(visit: Visits) -> None:
    """They play when a link with an optimizer opens them, and are there on the way back."""
    one = visit("/training?optimizer=adamw&text=abcab")
    hundred = one.page.locator(".st-key-steps_row").get_by_text("100 steps", exact=True)
    hundred.first.wait_for()
    one.go("Playground")
    one.go("Training")
    hundred.first.wait_for()
    one.sees("[data-testid=stMain]", "rows never looked up: a number moved by up to 0.")


def test_what_is_learnt_is_there_after_a_reload(visit: Visits) -> None:
    """A press writes its steps into the address, Pause stops them, and a reload trains as far."""
    one = visit("/training?lesson=write&char_dim=4&text=ab&learn_steps=100")
    row = one.page.locator(".st-key-learn_steps_row")
    text = one.page.locator(".st-key-written")
    row.get_by_role("button", name="Train to step 2,100").click()
    one.page.get_by_role("progressbar").wait_for()
    row.get_by_role("button", name="Pause").click()
    again = row.get_by_role("button", name="Train to step")
    again.wait_for()
    one.settle()
    steps = int((row.locator("p").last.text_content() or "").split()[0].replace(",", ""))
    assert 100 <= steps < 2_100
    one.linked("lesson=write", "char_dim=4", "text=ab", f"learn_steps={steps}")
    written = text.text_content()
    one.reload()
    one.sees(".st-key-learn_steps_row", f"{steps:,} steps")
    again.wait_for()
    one.until(text.text_content, written)
