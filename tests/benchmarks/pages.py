"""Load time of each page, all pages in one run. `keystroke.py` measures keys.

One warm server and one browser. The pages alternate, so that other work on the machine affects all
of them. No model of the optional extra is loaded.

- **First paint**: from requesting the address to the frame in which the page's first heading is
  drawn, in a tab that has Streamlit's scripts cached.
- **Complete**: until no script runs and every Plotly chart is drawn.

    python tests/benchmarks/pages.py [--json] [--turns 5]
"""

from __future__ import annotations

import argparse
import json
import statistics

from keys.pages import USUAL
from keys.servers import ROOT, chromium, serving
from keys.visits import PAGE_LIMIT_MS, VIEWPORT
from playwright.sync_api import BrowserContext, Page

PAGES = {
    "playground": USUAL,
    **{
        name: f"/{name}"
        for name in ("bag_of_words", "training", "limits", "context", "timing", "labs")
    },
}
PROBE = """(() => {
  const bench = (window.bench = { claim: 0, complete: 0 });
  const state = () => document.querySelector(".stApp")?.dataset.testScriptState;
  const drawn = () => [...document.querySelectorAll(".stPlotlyChart")]
    .every((chart) => chart.querySelector(".main-svg"));
  const look = () => {
    if (!bench.claim && document.querySelector("h5")) bench.claim = performance.now();
    if (bench.claim && state() === "notRunning" && drawn()) bench.complete = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""


def open_page(context: BrowserContext, url: str) -> tuple[Page, float, float]:
    """A page, and its milliseconds until the first paint and until it is complete."""
    page = context.new_page()
    page.set_viewport_size(VIEWPORT)
    page.set_default_timeout(PAGE_LIMIT_MS)
    page.add_init_script(PROBE)
    page.goto(url, wait_until="commit")
    page.wait_for_function("window.bench?.complete")
    return page, float(page.evaluate("bench.claim")), float(page.evaluate("bench.complete"))


def measure(turns: int) -> dict[str, dict[str, float]]:
    """Medians, page by page."""
    found: dict[str, dict[str, list[float]]] = {
        name: {"first_paint_ms": [], "complete_ms": []} for name in PAGES
    }
    with serving(ROOT) as server, chromium() as browser:
        server.wait_until_warm()
        context = browser.new_context(viewport=VIEWPORT)
        open_page(context, server.address)[0].close()  # fills the cache; not counted
        for _ in range(turns):
            for name, path in PAGES.items():
                page, claim, complete = open_page(context, server.address + path)
                found[name]["first_paint_ms"].append(claim)
                found[name]["complete_ms"].append(complete)
                page.close()
    return {
        name: {kind: round(statistics.median(ms), 1) for kind, ms in kinds.items()}
        for name, kinds in found.items()
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="First paint, page by page.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--turns", type=int, default=5, help="visits of each page (default 5)")
    options = parser.parse_args()
    figures = measure(options.turns)
    if options.json:
        print(json.dumps(figures))
        return
    print(f"{'page':<14}{'first paint':>12}{'complete':>10}   (ms, medians)")
    for name, kinds in figures.items():
        print(f"{name:<14}{kinds['first_paint_ms']:>12}{kinds['complete_ms']:>10}")


if __name__ == "__main__":
    main()
