"""Words that a newcomer sees on each first screen before any press.

    python tests/benchmarks/words.py [--json] [--app FOLDER] [--width 1440 --height 900]

It prints, for each page, the words on the whole page and those on its first screen. A word has at
least two letters; what is folded or hidden is not counted. `--app` counts another version.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from keys.pages import USUAL
from keys.servers import ROOT, chromium, serving
from keys.visits import PAGE_LIMIT_MS
from playwright.sync_api import Page

PAGES = {
    "playground": "",
    "playground, a text": USUAL.lstrip("/"),
    "bag of words": "bag_of_words",
    **{
        f"training, {lesson}": f"training?lesson={lesson}" for lesson in ("step", "unseen", "write")
    },
    "where it breaks": "limits",
    **{
        f"context, {chapter}": f"context?chapter={chapter}"
        for chapter in ("static", "contextual", "sentences")
    },
    "timing": "timing",
    "labs": "labs",
}
COUNT = (ROOT / "tests" / "browser" / "words.js").read_text(encoding="utf-8")
AT_REST = """() => {
  const drawn = [...document.querySelectorAll(".stPlotlyChart")]
    .every((chart) => chart.querySelector(".main-svg"));
  return drawn && document.querySelector("h5, [data-testid=stAlert]")
    && document.querySelector(".stApp")?.dataset.testScriptState === "notRunning"
    && !document.querySelector("[data-testid=stSkeleton]");
}"""
PAUSE_MS = 1500  # between two equal counts
MOST_COUNTS = 10  # of a page that goes on moving


def words(page: Page, url: str) -> tuple[int, int]:
    """Words on the whole page, and on its first screen."""
    page.goto(url)
    page.wait_for_function(AT_REST)
    before, found = None, page.evaluate(COUNT)
    for _ in range(MOST_COUNTS):
        if before == found:
            break
        page.wait_for_timeout(PAUSE_MS)
        before, found = found, page.evaluate(COUNT)
    return found[0], found[1]


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description="Visible words, page by page.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--app", type=Path, default=ROOT, help="the folder of another version")
    parser.add_argument("--width", type=int, default=1440, help="px of the window (default 1440)")
    parser.add_argument("--height", type=int, default=900, help="px of the window (default 900)")
    options = parser.parse_args()
    found = {}
    with serving(options.app) as server, chromium() as browser:
        server.wait_until_warm()
        for name, path in PAGES.items():
            page = browser.new_page(viewport={"width": options.width, "height": options.height})
            page.set_default_timeout(PAGE_LIMIT_MS)
            found[name] = words(page, f"{server.address}/{path}")
            page.close()
    if options.json:
        print(json.dumps(found))
        return
    print(f"{'page':<22}{'whole page':>12}{'first screen':>14}   (words)")
    for name, (whole, first) in found.items():
        print(f"{name:<22}{whole:>12}{first:>14}")


if __name__ == "__main__":
    main()
