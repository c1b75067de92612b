"""The training page in a browser: one step, play, pause, return, drift, the character model."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks

LEARN_ROW = ".st-key-learn_row"
MAIN = "[data-testid=stMain]"
STEPS = re.compile(r"([1-9]\d*) steps")
# Counts revoked addresses of downloads; timers of over 10 s are kept and do not run.
KEEP_REVOKED = """() => {
  window.revoked = 0;
  window.late = [];
  URL.revokeObjectURL = () => { window.revoked += 1; };
  const native = window.setTimeout;
  window.setTimeout = (run, ms, ...given) =>
    ms > 10_000 ? window.late.push(run) : native(run, ms, ...given);
}"""


def test_a_letter_s_row_moves_and_the_others_stand_still(visit: Callable[..., Visit]) -> None:
    """Step makes the new row the row; the numbers and their sum agree; another letter has its own.

    The part follows typing by the route, and shows the row's sum of the number pointed at.
    """
    one = visit("/training?text=ab", color_scheme="dark", reduced_motion="reduce")
    page, panels = one.page, one.page.locator(".panel")
    lines = panels.first.locator(".sums .line")
    expect(lines.first).to_contain_text("row 'a' 10")
    new, row = lines.nth(2).locator(".cell"), lines.first.locator(".cell")
    after = new.all_text_contents()
    others = panels.first.locator(".rows .line:not(.looked)")
    expect(others.locator(".note")).to_have_text(["gradient 0"] * 6)
    drawn = (
        "lines => lines.map(line => "
        "[...line.querySelectorAll('.cell')].map(cell => cell.style.background))"
    )
    before = others.evaluate_all(drawn)
    page.get_by_role("button", name="Step", exact=True).click()
    expect(row).to_have_text(after)
    assert others.evaluate_all(drawn) == before
    assert (
        panels.nth(1).locator(".sums .cell").all_text_contents()
        == panels.first.locator(".sums .cell").all_text_contents()
    )
    one.sees(
        ".verdict", "Both new rows have the same 10 numbers", "99 of 99 other rows stand still"
    )
    row.nth(3).hover()
    marked = panels.locator(".cell.on")
    expect(marked).to_have_count(8)  # row, gradient, new row and the table, on both sides
    said = panels.locator(".sum")
    numbers = re.compile(r"^weight\[10, 3\]: (\S+) − 0.5 × \(?([^\s)]+)\)? = (\S+)$")
    expect(said.first).to_have_text(numbers)
    found = numbers.match(said.first.text_content() or "")
    assert found
    start, gradient, end = (float(part.replace("−", "-")) for part in found.groups())
    assert abs(start - 0.5 * gradient - end) < 2e-4
    expect(said.nth(1)).to_contain_text("weight[3, 10]: ")
    page.locator(".panels").press("ArrowRight")
    expect(said.first).to_contain_text("weight[10, 4]: ")
    page.get_by_role("button", name="b", exact=True).click()
    expect(lines.first).to_contain_text("row 'b' 11")
    one.linked("text=ab", "token=1")
    one.type("xyz")
    expect(lines.first).to_contain_text("row 'y' 34")
    one.linked("text=xyz", "token=1")


def test_the_whole_text_shows_the_same_gradient_three_times(visit: Callable[..., Visit]) -> None:
    """Folded, the page shows that both routes have the same gradient, and how repeats add up.

    A download's address stays valid after the click.
    """
    one = visit("/training?text=abca")
    one.page.get_by_text("Which rows would the whole text move?").click()
    expect(one.page.locator(".grids .grid")).to_have_count(3)
    one.sees(
        MAIN,
        "3 of 100 rows are looked up; the largest |gradient| of all others is 0.",
        "'a' (id 10) stands at places 0, 3",
        "a COO tensor: 4 entries",
        "3 rows after",
    )
    said = one.page.locator(".words.above")
    one.until(lambda: said.inner_text().count("bitwise equal, 1,000 of 1,000 values"), 2)
    one.page.locator(".grids canvas").first.press("ArrowDown")
    number = one.page.locator(".grids .said")
    expect(number).to_have_text([re.compile(r"^row 'a' \(id 10\), dimension 0: -?0\.\d{5}$")] * 3)
    assert len(shown := set(number.all_text_contents())) == 1
    terms = re.compile(r"^'a' \(id 10\), dimension 0: \(?(\S+?)\)? \+ \(?(\S+?)\)? = (\S+)$")
    added_up = one.page.locator("p.sum", has_text="dimension 0: ")
    expect(added_up).to_have_text(terms)
    added = terms.match(added_up.text_content() or "")
    assert added
    first_place, second_place, total = map(float, added.groups())
    assert abs(first_place + second_place - total) < 2e-5
    one.page.evaluate(KEEP_REVOKED)
    with one.page.expect_download() as download:
        one.page.locator(".grids .csv").first.click()
    assert one.page.evaluate("revoked") == 0
    one.page.evaluate("late.forEach((run) => run())")
    assert one.page.evaluate("revoked") == 1
    head, first = download.value.path().read_text("utf-8").splitlines()[:2]
    assert head.startswith('"","0","1",')
    assert shown == {f"row 'a' (id 10), dimension 0: {float(first.split(',')[1]):.5f}"}
    with one.page.expect_download() as download:
        one.page.get_by_role("button", name="Gradients of touched rows").click()
    assert len(download.value.path().read_text("utf-8").splitlines()) == 4


def test_lockstep_goes_on_after_another_page_steps_and_starts_over(
    visit: Callable[..., Visit],
) -> None:
    """The training plays when opened and over a visit to another page, steps, and starts over."""
    size = {"width": 1280, "height": 720}
    one = visit("/training?lesson=lockstep&optimizer=adam", viewport=size)
    page = one.page
    page.get_by_text(STEPS).first.wait_for()
    one.go("Playground")
    page.locator(".stage").wait_for()
    one.settle()
    one.go("Training")
    page.get_by_text("200 steps", exact=True).wait_for(timeout=120_000)
    check_looks(one)
    page.get_by_role("button", name="Step", exact=True).click()
    page.get_by_text("201 steps", exact=True).wait_for()
    one.sees(MAIN, "Largest difference of the weights so far: ")
    page.get_by_role("button", name="Reset", exact=True).click()
    page.get_by_text("0 steps", exact=True).wait_for()
    one.sees(MAIN, "A reload begins here: the address does not carry what is learnt.")


def test_drift_is_chosen_by_its_title_and_every_claim_holds(visit: Callable[..., Visit]) -> None:
    """The choice shows titles, and a phone shows it whole; the address keeps the lesson's name.

    One chart, then; a press chooses the optimizer, for the address too, and one more shows all
    claims.
    """
    one = visit("/training?text=abcab", viewport={"width": 390, "height": 844})
    one.page.get_by_role("radio", name="Rows nobody looks up").click()
    one.linked("text=abcab", "lesson=drift")
    one.sees(MAIN, "rows travelled exactly 0, in 60 steps.")
    charts = one.page.locator(".js-plotly-plot")
    expect(charts).to_have_count(1)
    one.sees(".js-plotly-plot .gtitle", "Rows never looked up stay")
    one.settle()
    check_looks(one)
    one.page.get_by_role("radio", name="weight_decay").click()
    one.sees(".js-plotly-plot .gtitle", "Rows never looked up move")
    one.linked("lesson=drift", "text=abcab", "drift=weight_decay")
    one.page.get_by_text("All 8 claims side by side").click()
    expect(charts).to_have_count(9, timeout=120_000)
    said = one.page.locator(MAIN)
    one.until(lambda: said.inner_text().count("Holds:"), 9)
    assert "Does not hold" not in said.inner_text()


def test_characters_learn(visit: Callable[..., Visit]) -> None:
    """Charts stand from the start and stay; training pauses and lowers the loss."""
    one = visit("/training?lesson=characters&char_dim=4")
    learn, row = one.page.get_by_role("button", name="Learn 2,000"), one.page.locator(LEARN_ROW)
    pause = one.page.get_by_role("button", name="Pause")

    def steps() -> int:
        found = re.search(r"(?<!Learn )([1-9][\d,]*) steps", row.inner_text())
        return int(found.group(1).replace(",", "")) if found else 0

    # It plays when opened.
    expect(row).to_contain_text("300 steps on 200,000 characters", timeout=120_000)
    expect(one.page.locator(".js-plotly-plot")).to_have_count(2)
    one.settle()
    before = steps()
    one.page.wait_for_timeout(700)  # two intervals of redrawing
    assert steps() == before == 300
    learn.click()
    one.until(lambda: steps() > before, True)
    pause.click()
    learn.wait_for()
    one.settle()
    title = one.page.locator(".js-plotly-plot .gtitle").first
    loss = re.compile(r"Loss ([\d.]+) → ([\d.]+)")
    expect(title).to_have_text(loss)
    found = loss.search(title.text_content() or "")
    assert found
    assert float(found.group(2)) < float(found.group(1))
