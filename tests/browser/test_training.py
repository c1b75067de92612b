"""The training page in a browser: one step, play, pause, return, drift, the character model."""

import re
from collections.abc import Callable

import pytest
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


def test_one_step_shows_the_same_gradient_three_times(visit: Callable[..., Visit]) -> None:
    """The page shows that both routes have the same gradient, and how repeats add up.

    A download's address stays valid after the click.
    """
    one = visit("/training?text=abca", color_scheme="dark")
    expect(one.page.locator(".grids .grid")).to_have_count(3)
    one.sees(
        MAIN,
        "3 of 100 rows are looked up; the largest |gradient| of all others is 0.",
        "'a' (id 10) stands at places 0, 3",
    )
    said = one.page.locator(".words.above")
    one.until(lambda: said.inner_text().count("bitwise equal, 1,000 of 1,000 values"), 2)
    check_looks(one)
    one.page.locator(".grids canvas").first.press("ArrowDown")
    number = one.page.locator(".grids .said")
    expect(number).to_have_text([re.compile(r"^row 'a' \(id 10\), dimension 0: -?0\.\d{5}$")] * 3)
    assert len(shown := set(number.all_text_contents())) == 1
    one.page.evaluate(KEEP_REVOKED)
    with one.page.expect_download() as download:
        one.page.locator(".grids .csv").first.click()
    assert one.page.evaluate("revoked") == 0
    one.page.evaluate("late.forEach((run) => run())")
    assert one.page.evaluate("revoked") == 1
    head, first = download.value.path().read_text("utf-8").splitlines()[:2]
    assert head.startswith('"","0","1",')
    assert shown == {f"row 'a' (id 10), dimension 0: {float(first.split(',')[1]):.5f}"}
    one.page.get_by_text("The same gradient with sparse=True").click()
    one.sees(MAIN, "A COO tensor: 4 entries", "3 rows after")
    with one.page.expect_download() as download:
        one.page.get_by_role("button", name="Gradients of touched rows").click()
    assert len(download.value.path().read_text("utf-8").splitlines()) == 4


def test_step_play_pause_reset(visit: Callable[..., Visit]) -> None:
    """The training goes step by step, plays, and starts over."""
    size = {"width": 1280, "height": 720}
    one = visit("/training?lesson=lockstep&optimizer=adam", viewport=size)
    page = one.page
    page.get_by_text("0 steps", exact=True).wait_for()
    check_looks(one)
    page.get_by_role("button", name="Step", exact=True).click()
    page.get_by_text("1 steps", exact=True).wait_for()
    page.get_by_role("button", name=re.compile("Play 200")).click()
    page.get_by_text("201 steps", exact=True).wait_for(timeout=120_000)
    one.sees(MAIN, "Largest difference of the weights so far: ")
    page.get_by_role("button", name="Add float64").click()
    one.sees(MAIN, re.compile("; in float64: .* 201( steps)?[.]"))
    page.get_by_role("button", name="Reset", exact=True).click()
    page.get_by_text("0 steps", exact=True).wait_for()


def test_training_survives_a_page_switch(visit: Callable[..., Visit]) -> None:
    """The training continues after a visit to another page."""
    one = visit("/training?lesson=lockstep&batches=minibatch&optimizer=sparse_adam")
    one.page.get_by_role("button", name=re.compile("Play 200")).click()
    one.page.get_by_text(STEPS).first.wait_for()
    one.page.get_by_test_id("stTopNavLink").get_by_text("Playground").click()
    one.page.locator(".stage").wait_for()
    one.settle()
    one.page.get_by_test_id("stTopNavLink").get_by_text("Training").click()
    one.page.get_by_text("200 steps", exact=True).wait_for(timeout=120_000)
    one.sees(MAIN, "A different algorithm")


def test_every_drift_claim_holds_on_the_page(visit: Callable[..., Visit]) -> None:
    """Every claim about drifting rows is tried out and holds."""
    one = visit("/training?lesson=drift&text=abcab")
    expect(one.page.locator(".js-plotly-plot")).to_have_count(8, timeout=120_000)
    said = one.page.locator(MAIN)
    one.until(lambda: said.inner_text().count("holds:"), 8)
    assert "does NOT hold" not in said.inner_text()


@pytest.mark.parametrize(
    ("query", "width", "height", "theme"),
    [
        ("lesson=tying", 390, 844, "light"),
        ("lesson=inputs", 390, 844, "dark"),
    ],
)
def test_looks(
    visit: Callable[..., Visit], query: str, width: int, height: int, theme: str
) -> None:
    """The page does not scroll sideways, and no parts overlap."""
    size = {"width": width, "height": height}
    check_looks(visit(f"/training?{query}", viewport=size, color_scheme=theme))


def test_characters_learn_and_can_be_taken_along(visit: Callable[..., Visit]) -> None:
    """Training pauses and continues, lowers the loss, and its files can be downloaded."""
    one = visit("/training?lesson=characters&char_dim=16")
    learn, row = one.page.get_by_role("button", name="Learn 2,000"), one.page.locator(LEARN_ROW)
    pause = one.page.get_by_role("button", name="Pause")

    def steps() -> int:
        found = re.search(r"([1-9][\d,]*) steps(?:,| on)", row.inner_text())
        return int(found.group(1).replace(",", "")) if found else 0

    learn.click()
    one.until(lambda: steps() > 0, True)
    pause.click()
    learn.wait_for()
    expect(row).to_contain_text(" steps on 200,000 characters")
    one.settle()
    before = steps()
    assert 0 < before < 2000
    one.page.wait_for_timeout(700)  # two intervals of redrawing
    assert steps() == before
    learn.click()
    one.until(lambda: steps() > before + 50, True)
    pause.click()
    learn.wait_for()
    one.settle()
    title = one.page.locator(".js-plotly-plot .gtitle").first
    loss = re.compile(r"Loss ([\d.]+) → ([\d.]+)")
    expect(title).to_have_text(loss)
    found = loss.search(title.text_content() or "")
    assert found
    assert float(found.group(2)) < float(found.group(1))
    with one.page.expect_download() as download:
        one.page.get_by_role("button", name="Projector vectors (.tsv)").click()
    assert len(download.value.path().read_text("utf-8").splitlines()) == 100
