"""The timing page in a browser: start, watch, stop, return, compare, download."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from embviz.timing.runs import Run, read_run
from tests.browser.conftest import Contexts, Visit
from tests.browser.test_looks import check_looks, viewport
from tests.timing.made_results import flat_and_growing, vocab

QUICK = "/timing?methods=lookup&methods=matmul&span=16&span=64"
MAIN = "[data-testid=stMain]"
ALERT = "[data-testid=stAlert]"
DONE = re.compile(r"cases in \d")


def start(one: Visit) -> None:
    """Press Start and wait until the sweep has started; a short one may be done by then."""
    one.page.get_by_role("button", name="Start", exact=True).click()
    stop = one.page.get_by_role("button", name="Stop", exact=True)
    stop.or_(one.page.get_by_text(DONE)).first.wait_for()


def measuring(one: Visit, cases: int) -> None:
    """Wait until a sweep of so many cases has measured some."""
    under_way = re.compile(rf"Round \d+ of \d+ through {cases} cases")
    one.page.get_by_text(under_way).wait_for(timeout=120_000)


def stop(one: Visit, cases: int) -> None:
    """Stop a sweep of so many cases while it measures, and wait until it has ended."""
    measuring(one, cases)
    one.page.get_by_role("button", name="Stop", exact=True).click()
    stopped = re.compile(rf"Stopped after \d+ of \d+ rounds through {cases} cases")
    one.page.get_by_text(stopped).wait_for()
    one.settle()


def finish(one: Visit) -> None:
    """Wait until the sweep is done and everything is drawn."""
    one.page.get_by_text(DONE).wait_for(timeout=120_000)
    one.page.get_by_role("button", name="Run (.jsonl)").wait_for()
    one.settle()


def made_run(name: str, slower: float) -> bytes:
    """A run file of a machine that does not exist."""
    methods, rows = ["lookup", "matmul"], [64, 256, 1024]
    results = vocab(methods, lambda case: slower * flat_and_growing(case), rows)
    header = {"type": "environment", "cpu": name, "date": "2026-01-02T03:04:05+00:00"}
    return Run(name, header, tuple(results), {"type": "end", "status": "done"}).to_bytes()


def test_one_press_measures_and_says_what_was_found(
    visit: Callable[..., Visit], contexts: Contexts, tmp_path: Path
) -> None:
    """One press gives charts that look right, findings, a readable run and an offline report.

    The sweep and its settings survive a page switch.
    """
    one = visit(QUICK, viewport=viewport((1280, 720)))
    expect(one.page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
    start(one)
    one.go("Playground")
    one.page.locator(".stage").wait_for()
    one.settle()
    one.go("Timing")
    finish(one)
    one.until(lambda: "methods=lookup&methods=matmul" in one.search(), True)
    one.sees(".st-key-start_row", "6 cases in")
    expect(one.page.locator(".js-plotly-plot")).to_have_count(1)
    one.page.get_by_text("How many times longer, and in how much memory?").click()
    expect(one.page.locator(".js-plotly-plot")).to_have_count(3)
    found = re.compile(r"At 64 rows lookup takes [\d.]+ [mµn]?s")
    one.sees(".st-key-findings", found, "measured twice")
    check_looks(one)
    saved = {}
    for label, name in (("Run (.jsonl)", "run.jsonl"), ("Report (.html)", "report.html")):
        with one.page.expect_download(timeout=30_000) as download:
            one.page.get_by_role("button", name=label).click()
        saved[name] = tmp_path / name
        download.value.save_as(saved[name])
    run = read_run(saved["run.jsonl"].read_bytes(), "run.jsonl")
    assert {result.case.method for result in run.results} == {"lookup", "matmul"}
    page = contexts(True).new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(saved["report.html"].as_uri())
    expect(page.locator(".js-plotly-plot .point")).not_to_have_count(0)
    expect(page.locator(".js-plotly-plot")).to_have_count(5)
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    page.close()


def test_points_arrive_while_it_measures_and_what_a_question_set_stays(
    visit: Callable[..., Visit],
) -> None:
    """One press on a question measures; Stop keeps the points, and a reload the settings."""
    one = visit("/timing")
    one.page.get_by_text("Other questions, one press each").click()
    one.page.get_by_role("button", name="Can matmul win?").click()
    measuring(one, 48)
    own = one.page.locator(".st-key-time_chart").filter(has_text="index_select")
    own.wait_for()  # the recorded run has no such curve
    expect(own.locator(".point")).not_to_have_count(0)
    stop(one, 48)
    expect(own.locator(".point")).not_to_have_count(0)
    one.page.get_by_role("button", name="Start", exact=True).wait_for()
    span = one.page.get_by_role("group", name=re.compile("from and to")).get_by_role("slider")
    read = "all => all.map((one) => one.getAttribute('aria-valuetext'))"
    one.until(lambda: span.evaluate_all(read), ["2", "4096"])
    one.reload()
    one.until(lambda: span.evaluate_all(read), ["2", "4096"])
    one.until(lambda: "time_tokens=1" in one.search(), True)
    span.first.press("ArrowRight")
    one.until(lambda: "span=4&span=4096" in one.search(), True)
    one.until(lambda: span.evaluate_all(read), ["4", "4096"])


def test_charts_of_others_on_a_phone(visit: Callable[..., Visit]) -> None:
    """The page opens on the recorded run; chart tools hide no title, a press writes numbers.

    Two uploaded runs share one chart, named in its title; an invalid one is refused.
    """
    one = visit("/timing", viewport=viewport((390, 844)))
    point = one.page.locator(".js-plotly-plot .point").nth(5)
    point.wait_for()
    one.sees(MAIN, "Press a point.")
    hidden = """(bar) => {
      const [a, b] = [bar, document.querySelector(".gtitle")].map((e) => e.getBoundingClientRect());
      return a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right;
    }"""
    assert not one.page.locator(".modebar").first.evaluate(hidden)
    said = one.page.get_by_text(re.compile(r"^(lookup|matmul.*); .* rows; [\d.]+ [mµn]?s"))
    point.click(force=True)
    said.wait_for()
    check_looks(one)
    one.page.get_by_text("Compare with other runs").click()
    one.page.locator("[data-testid=stFileUploader] input").set_input_files(
        [
            {
                "name": f"{name}.jsonl",
                "mimeType": "application/jsonl",
                "buffer": made_run(name, slower),
            }
            for name, slower in (("old", 2.0), ("new", 1.0))
        ]
    )
    one.settle()
    chart = one.page.locator(".js-plotly-plot").first
    one.until(lambda: chart.locator(".scatterlayer .points").count() >= 4, True)
    title = chart.locator(".gtitle, .gtitle-subtitle")
    for name in ("old", "new"):
        expect(title.filter(has_text=f"{name}, 2026-01-02")).not_to_have_count(0)
    wrong = made_run("x", 1.0).replace(b'"round": 0', b'"round": -1', 1)
    one.page.locator("[data-testid=stFileUploader] input").set_input_files(
        [{"name": "wrong.jsonl", "mimeType": "application/jsonl", "buffer": wrong}]
    )
    fold = "[data-testid=stExpander]:has([data-testid=stFileUploader])"
    one.sees(f"{fold} {ALERT}", "wrong.jsonl", "line 2")
    expect(one.page.locator(ALERT)).to_have_count(1)
