"""The training page: a step opened up, play, pause, come back, drift, characters that learn."""

import re
from collections.abc import Callable

import pytest
from conftest import Visit
from playwright.sync_api import expect
from test_looks import check_looks

STEPS = re.compile(r"([1-9]\d*) steps")


def steps(one: Visit) -> int:
    """Steps taken, as the row of buttons says."""
    found = re.search(
        r"([\d,]+) steps(?: of [\d,]+)?$", one.page.locator(".st-key-train_row").inner_text()
    )
    assert found
    return int(found.group(1).replace(",", ""))


def test_one_step_shows_the_same_gradient_three_times(visit: Callable[..., Visit]) -> None:
    """The page would not show that both routes learn the same, or how repeats add up."""
    one = visit("/training?text=abca")
    expect(one.page.locator(".js-plotly-plot")).to_have_count(3)
    said = one.page.get_by_test_id("stMain").inner_text()
    assert "3 of 100 rows are looked up; the largest |gradient| of all others is 0." in said
    assert said.count("bitwise equal, 1,000 of 1,000 values") == 2
    assert "'a' (id 10) stands at places 0, 3" in said


def test_step_play_pause_reset(visit: Callable[..., Visit]) -> None:
    """A student could not go step by step, or not stop."""
    one = visit("/training?lesson=lockstep&optimizer=adam")
    page = one.page
    assert steps(one) == 0
    page.get_by_role("button", name="Step", exact=True).click()
    page.get_by_text("1 steps").wait_for()
    page.get_by_role("button", name=re.compile("Play 200")).click()
    page.get_by_text("201 steps", exact=True).wait_for(timeout=60_000)
    one.settle()
    assert "stays under the 1e-05 promised" in page.get_by_test_id("stMain").inner_text()
    page.get_by_role("button", name="Reset", exact=True).click()
    page.get_by_text("0 steps", exact=True).wait_for()


def test_training_survives_a_page_switch(visit: Callable[..., Visit]) -> None:
    """Looking something up elsewhere would throw the training away."""
    one = visit("/training?lesson=lockstep&batches=minibatch&optimizer=sparse_adam")
    one.page.get_by_role("button", name=re.compile("Play 200")).click()
    one.page.get_by_text(STEPS).first.wait_for()
    one.page.get_by_test_id("stTopNavLink").get_by_text("Playground").click()
    one.page.locator(".stage").wait_for()
    one.settle()
    one.page.get_by_test_id("stTopNavLink").get_by_text("Training").click()
    one.page.get_by_text("200 steps", exact=True).wait_for(timeout=60_000)
    one.settle()
    assert "A different algorithm" in one.page.get_by_test_id("stMain").inner_text()


def test_every_drift_claim_holds_on_the_page(visit: Callable[..., Visit]) -> None:
    """A claim would be drawn and not tried out, or be wrong on this PyTorch."""
    one = visit("/training?lesson=drift&text=abcab")
    expect(one.page.locator(".js-plotly-plot")).to_have_count(8, timeout=60_000)
    one.settle()
    said = one.page.get_by_test_id("stMain").inner_text()
    assert said.count("holds:") == 8
    assert "does NOT hold" not in said


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("target=one", "The target 'one' is not one or more finite numbers"),
        ("target=1 2 3", "A target of 3 numbers does not fit rows of 10"),
        ("text=a&loss=next", "at least 2 in a line"),
        ("lesson=lockstep&rows=1000000&dim=64", "training side by side takes up to 2,000,000"),
        ("text=h%C3%A9llo", "is not among the 100 characters"),
        ("lesson=drift&rows=100000", "more than the 100,000 that every claim"),
        ("lesson=drift&dtype=bfloat16", "float32 or float64"),
        ("lesson=drift&text=aaa", "at least 2 different ones"),
        ("lesson=lockstep&dtype=float16", "float32 or float64"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_words(
    visit: Callable[..., Visit], query: str, words: str
) -> None:
    """Bad input would end in a traceback, or in a chart of nothing."""
    one = visit(f"/training?{query}")
    assert words in one.page.get_by_test_id("stAlert").first.inner_text()


@pytest.mark.parametrize(
    ("query", "width", "height", "theme"),
    [("", 1440, 900, "dark"), ("lesson=tying", 390, 844, "light"),
     ("lesson=lockstep", 1280, 720, "light")],
)  # fmt: skip
def test_looks(
    visit: Callable[..., Visit], query: str, width: int, height: int, theme: str
) -> None:
    """The page would scroll sideways, or parts cover each other."""
    size = {"width": width, "height": height}
    check_looks(visit(f"/training?{query}", viewport=size, color_scheme=theme))


def test_pause_stops_at_once_and_keeps_what_was_learnt(visit: Callable[..., Visit]) -> None:
    """Training could not be stopped, or stopping would throw it away."""
    one = visit("/training?lesson=characters&char_dim=64")
    one.page.get_by_role("button", name="Learn 2,000 steps").click()
    one.page.get_by_role("button", name="Pause").click()
    row = one.page.locator(".st-key-learn_row")
    expect(row).to_contain_text("steps on 200,000 characters")
    one.settle()
    taken = re.search(r"([\d,]+) steps on", row.inner_text())
    assert taken
    assert 0 < int(taken.group(1).replace(",", "")) < 2000
    one.page.wait_for_timeout(700)
    assert taken.group(0) in row.inner_text()


def test_characters_learn_and_can_be_taken_along(visit: Callable[..., Visit]) -> None:
    """Nothing would be learnt on the page, or the routes part, or the downloads be empty."""
    one = visit("/training?lesson=characters&char_dim=8")
    one.page.get_by_role("button", name="Learn 2,000 steps").click()
    one.page.get_by_text("2,000 steps on 200,000 characters").wait_for(timeout=120_000)
    one.settle()
    title = one.page.locator(".js-plotly-plot .gtitle").first.text_content() or ""
    found = re.search(r"Loss ([\d.]+) → ([\d.]+)", title)
    assert found
    assert float(found.group(2)) < 2.75 < 4 < float(found.group(1))
    with one.page.expect_download() as download:
        one.page.get_by_role("button", name="Projector vectors (.tsv)").click()
    assert len(download.value.path().read_text("utf-8").splitlines()) == 100


@pytest.mark.parametrize(
    ("query", "words"),
    [("corpus=own&text=aaa", "there is nothing to learn"), ("corpus=own&text=%20", "one")],
)
def test_a_text_without_a_lesson_is_refused(
    visit: Callable[..., Visit], query: str, words: str
) -> None:
    """Training on nothing would crash, or pretend to learn."""
    one = visit(f"/training?lesson=characters&{query}")
    assert words in one.page.get_by_test_id("stAlert").first.inner_text()
