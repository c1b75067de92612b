"""Load time and key response of each page, all pages in one run.

One warm server and one browser. The pages alternate, so that other work on the machine affects all
of them. No model of the optional extra is loaded.

- **First paint**: from requesting the address to the frame in which the page's first heading is
  drawn, in a tab that has Streamlit's scripts cached.
- **Complete**: until no script runs and every chart is drawn.
- **Key**: from a keydown in the text field until its rerun is over and its charts are drawn; only
  for pages that use the text.

    python tests/benchmarks/pages.py [--json] [--turns 5]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

from keys.pages import PLAYGROUND
from keys.servers import ROOT, chromium, serving
from keys.visits import PAGE_LIMIT_MS, VIEWPORT
from playwright.sync_api import BrowserContext, Page

# Address, and whether the page uses the text.
PAGES = {
    "playground": ("/", True),
    "bag_of_words": ("/bag_of_words", False),
    "training": ("/training", True),
    "limits": ("/limits", False),
    "context": ("/context", True),
    "timing": ("/timing", False),
}
WARM_S = 8.0  # the server imports what panels need 4 s after its start
KEYS = 6
QUIET_MS = 60  # without a message from the server: then the rerun is over
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
  // A rerun may start and end between two frames, so the websocket is observed too.
  const Native = WebSocket;
  window.WebSocket = class extends Native {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", () => { bench.heard = performance.now(); });
    }
  };
  bench.key = (quiet) => { // resolves with the milliseconds from the next keydown
    bench.done = new Promise((resolve) => {
      let pressed;
      let [heard, drawnAt] = [0, 0];
      document.addEventListener("keydown", (event) => { pressed = event.timeStamp; },
        { capture: true, once: true });
      const wait = () => {
        const now = performance.now();
        if (pressed !== undefined && bench.heard > pressed) {
          if (bench.heard !== heard) [heard, drawnAt] = [bench.heard, 0];
          if (!drawnAt && state() === "notRunning" && drawn()) drawnAt = now;
          if (drawnAt && now - heard > quiet) { resolve(drawnAt - pressed); return; }
        }
        requestAnimationFrame(wait);
      };
      wait();
    });
  };
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


def key_ms(page: Page) -> list[float]:
    """Type letters at the end of the text, each after the response to the one before."""
    page.locator(PLAYGROUND.field).press("End")
    taken = []
    for letter in "abcdefgh"[:KEYS]:
        page.wait_for_timeout(150)
        page.evaluate("(quiet) => bench.key(quiet)", QUIET_MS)
        page.keyboard.press(letter)
        taken.append(float(page.evaluate("bench.done")))
    return taken


def measure(turns: int, progress: Callable[[str], None] = lambda _: None) -> dict[str, object]:
    """Medians, page by page."""
    found: dict[str, dict[str, list[float]]] = {
        name: {"first_paint_ms": [], "complete_ms": [], "key_ms": []} for name in PAGES
    }
    with serving(ROOT) as server, chromium() as browser:
        time.sleep(WARM_S)
        context = browser.new_context(viewport=VIEWPORT)
        open_page(context, server.address)[0].close()  # fills the cache; not counted
        for turn in range(turns):
            for name, (path, types) in PAGES.items():
                page, claim, complete = open_page(context, server.address + path)
                found[name]["first_paint_ms"].append(claim)
                found[name]["complete_ms"].append(complete)
                if types:
                    found[name]["key_ms"] += key_ms(page)
                page.close()
                progress(f"turn {turn + 1}: {name}")
    return {
        name: {kind: round(statistics.median(ms), 1) for kind, ms in kinds.items() if ms}
        for name, kinds in found.items()
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="First paint and key to answer, page by page.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--turns", type=int, default=5, help="visits of each page (default 5)")
    options = parser.parse_args()
    figures = measure(options.turns)
    if options.json:
        print(json.dumps(figures))
        return
    print(f"{'page':<14}{'first paint':>12}{'complete':>10}{'key':>8}   (ms, medians)")
    for name, kinds in figures.items():
        assert isinstance(kinds, dict)
        cells = [kinds.get(kind, "") for kind in ("first_paint_ms", "complete_ms", "key_ms")]
        print(f"{name:<14}{cells[0]:>12}{cells[1]:>10}{cells[2]:>8}")


if __name__ == "__main__":
    main()
