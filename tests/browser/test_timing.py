"""The timing page in a browser: a question, Stop, own settings, other runs, files."""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from embviz.timing.measure.run import read_run
from embviz.timing.tell.questions import QUESTIONS
from tests.browser.conftest import Visit
from tests.browser.test_looks import check_looks, viewport
from tests.timing import made

QUICK = "/timing?values=16+64&time_dim=4"
MAIN = "[data-testid=stMain]"
ALERT = "[data-testid=stAlert]"
ANSWER = f"{MAIN} h2"
DONE = re.compile(r"Done: \d")
# Top of the answer, the picture, and the fold below it; on a phone it may move.
PLACES = """() => [".st-key-timing_answer", ".st-key-timing_picture", ".stExpander"]
  .slice(0, innerWidth < 640 ? 2 : 3)
  .map((one) => document.querySelector(`.stMain ${one}`).getBoundingClientRect())
  .map(({ top, left }) => `${Math.round(left)} ${Math.round(top + scrollY)}`).join()"""


def loaded(one: Visit) -> None:
    """Wait for the scripts of all widgets: one that comes after a rerun shows its minimum."""
    expect(one.page.locator("[data-testid=stSkeleton]")).to_have_count(0)


def press(one: Visit, name: str) -> None:
    """Press a button."""
    one.page.get_by_role("button", name=name).click()


def upload(one: Visit, name: str, cpu: str, bad: bool = False) -> None:
    """Open the run file of a machine that does not exist."""
    content = made.made_run(made.vocab(rows=[64, 256, 1024]), cpu=cpu).to_bytes()
    content = content.replace(b'"round": 0', b'"round": -1', bad)
    box = one.page.locator(".st-key-run_files input[type=file]")
    box.set_input_files({"name": name, "mimeType": "application/jsonl", "buffer": content})
    one.settle()


def test_nothing_moves_from_question_to_question(visit: Callable[..., Visit]) -> None:
    """Each shows its answer at once, on a wide screen and on a phone; the chart keeps its place."""
    one = visit("/timing")
    loaded(one)
    for size in ((1280, 720), (390, 844)):
        one.page.set_viewport_size(viewport(size))
        places = set()
        for question in QUESTIONS:
            press(one, question.name)
            one.sees(".st-key-questions button[kind=primary]", question.name)
            one.settle()
            one.sees(ANSWER, re.compile(r"\d+ tokens?"))
            one.sees(".st-key-start_row", "Recorded on")
            places.add(one.page.evaluate(PLACES))
        assert len(places) == 1, places
    assert one.page.locator(".st-key-timing_stop_button").count() == 0
    check_looks(one)


def test_a_question_is_measured_and_stopped(visit: Callable[..., Visit]) -> None:
    """Points arrive while it measures, without a statement, and nothing moves.

    Another question shows its answer meanwhile. What was measured survives a reload.
    """
    one = visit("/timing")
    loaded(one)
    press(one, "Backward")  # the slowest, so that it goes on while another one is looked at
    one.sees(".st-key-questions button[kind=primary]", "Backward")
    one.settle().sees(ANSWER, "times as long")
    place = one.page.evaluate(PLACES)
    press(one, "Measure here")
    one.sees(".st-key-start_row", "Stop")
    chart = one.page.locator(".st-key-time_chart")
    one.sees(".st-key-timing_answer", "The answer comes at the end.")
    expect(chart.locator(".point")).not_to_have_count(0)
    expect(one.page.locator(ANSWER)).to_have_count(0)
    assert one.page.evaluate(PLACES) == place
    press(one, "Can matmul win?")
    one.sees(ANSWER, "Yes, if the one-hot stands ready: ")
    one.sees(".st-key-start_row", "Backward")
    press(one, "Backward")
    press(one, "Stop")
    one.sees(".st-key-start_row", "Stopped: ")
    expect(chart.locator(".point")).not_to_have_count(0)
    one.settle()
    assert one.page.evaluate(PLACES) == place
    one.reload()
    one.sees(".st-key-start_row", "Measured before:")
    expect(chart.locator(".point")).not_to_have_count(0)
    assert "mode=backward" in one.search()


def test_own_settings_give_an_answer_and_a_file(visit: Callable[..., Visit]) -> None:
    """The sweep survives a page switch; the run can be read."""
    one = visit(QUICK)
    press(one, "Measure here")
    # Streamlit may lose a press if the request for another page overtakes it.
    one.sees(".st-key-start_row", "rounds")
    one.go("Playground")
    one.go("Timing")
    one.page.locator(".st-key-start_row", has_text=DONE).wait_for(timeout=120_000)
    one.settle()
    one.sees(
        ANSWER,
        re.compile(
            r"4 numbers each, 1.thread, the same ids in each call. "
            r"At 64.rows a lookup takes [\d.]+.[mµn]?s"
        ),
    )
    check_looks(one)
    one.page.get_by_text("All numbers").click()
    expect(one.page.locator(".js-plotly-plot")).to_have_count(1)
    check_looks(one)
    with one.page.expect_download(timeout=30_000) as download:
        press(one, "Run (.jsonl)")
    run = read_run(download.value.path().read_bytes(), "run.jsonl")
    assert {case.method for case in run.measured} == {"lookup", "matmul"}


def test_runs_of_others_on_a_phone(visit: Callable[..., Visit]) -> None:
    """A pressed point tells its numbers; an opened run has its lines, an invalid one a sentence."""
    one = visit("/timing", viewport=viewport((390, 844)))
    one.page.locator(".js-plotly-plot .point").nth(5).click(force=True)
    one.page.get_by_text(re.compile(r"^(lookup|matmul) at [\d,]+ rows: [\d.]+ [mµn]?s")).wait_for()
    one.page.get_by_text("How is it measured?").click()
    one.sees(MAIN, "F.embedding(ids, table)")
    one.page.locator("summary").filter(has_text="All numbers").click()
    upload(one, "old.jsonl", "old")
    upload(one, "new.jsonl", "new")
    one.sees(f"{MAIN} .js-plotly-plot", "old", "new")
    check_looks(one)
    upload(one, "wrong.jsonl", "x", bad=True)
    one.sees(ALERT, "wrong.jsonl", "line 2")
