"""The speed of a key against a bare Streamlit app on the same machine, in one run.

Without it nobody would notice that typing or starting has become slow. Two servers run headless on
free loopback ports: an echo app, which is one live text field and its text below it, and this
project. Chromium types into both.

- **Key to paint**: from a keydown to the first animation frame that shows its result: the echoed
  text, or the text's letters in the picture. The pages alternate, one block of keys each, so that
  other work affects all of them. Each key waits until the one before is painted. A block types
  some letters and deletes them again. `large` is the playground with a million rows.
- **World**: from the press of a world to the first animation frame that shows its table. The first
  change to each world does not count.
- **Start**: from the start of the process to the first painted text or token strip. The browser is
  already running and connects as soon as the server answers. An echo app that imports PyTorch
  before it draws starts in turns with them: no app that computes with PyTorch is quicker.

    python -m tests.benchmarks.keystroke [--blocks 6] [--starts 3] [--worlds 6]
"""

import sys
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import sync_playwright

from tests.browser.chromium import FLAGS, MISSING, find
from tests.load.figures import options, show, spread, watch
from tests.load.server import TEXT, start, start_echo

PROBE = Path(__file__).with_name("probe.js").read_text("utf-8")
KEYS = [*"hjklp", *["Backspace"] * 5]
USUAL = "/?" + urlencode({"text": TEXT})  # the bare address is the small example
PATHS = {
    "echo": "/",
    "echo with PyTorch": "/",
    "example": "/",
    "playground": USUAL,
    "large": f"{USUAL}&rows=1000000&dim=64",
}
SERVERS = {
    "echo": start_echo,
    "echo with PyTorch": partial(start_echo, "import torch"),
    "playground": start,
}
OURS = ["playground", "large"]
TABLES = {"characters": "100, 10", "words, trained": "2801, 384", "six letters": "6, 3"}
PACE_MS = 100  # from a paint to the next key
REST_MS = 800  # longer than the pause before a rerun


def opened(browser, server, name):
    """A page in a context without a cache, and seconds from the server's start to its paint."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(60_000)
    page.add_init_script(PROBE)
    page.goto(server.address + PATHS[name], wait_until="commit")
    page.wait_for_function("() => bench.paintedAt")
    return page, page.evaluate("bench.paintedAt") / 1000 - server.started_at


def block(page):
    """Type the letters and delete them, then rest; seconds of each key."""
    page.bring_to_front()
    field = page.locator(".st-key-text input")
    field.press("End")
    text, taken = field.input_value(), []
    for key in KEYS:
        text = text + key if len(key) == 1 else text[:-1]
        page.evaluate("(text) => bench.expect(text)", text)
        page.keyboard.press(key)
        taken.append(page.evaluate("bench.painted") / 1000)
        page.wait_for_timeout(PACE_MS)
    page.wait_for_timeout(REST_MS)  # so that no rerun falls into another page's keys
    page.wait_for_function(
        "() => document.querySelector('.stApp').dataset.testScriptState === 'notRunning'"
    )
    return taken


def start_s(browser, name):
    """Seconds from the start of the server to the first paint."""
    with SERVERS[name]() as server:
        page, seconds = opened(browser, server, name)
        page.close()
        return seconds


def keys(browser, blocks, names):
    """Seconds of each key, page by page; the first block of a page does not count."""
    with start_echo() as echo, start() as app:
        app.wait_for("ready")
        pages = {one: opened(browser, echo if one == "echo" else app, one)[0] for one in names}
        for page in pages.values():
            # Streamlit fills the field after it has drawn it.
            page.wait_for_function("() => document.querySelector('.st-key-text input')?.value")
        turns = [{name: block(page) for name, page in pages.items()} for _ in range(blocks + 1)]
    return {name: [one for turn in turns[1:] for one in turn[name]] for name in pages}


def worlds(browser, changes):
    """Seconds of each change to a world, by its name."""
    with start() as app:
        app.wait_for("ready")
        page, _ = opened(browser, app, "example")
        taken = {name: [] for name in TABLES}
        for _ in range(changes + 1):
            for name, sizes in TABLES.items():
                page.evaluate("(sizes) => bench.expectTable(sizes)", sizes)
                page.get_by_role("radio", name=name).click()
                taken[name].append(page.evaluate("bench.painted") / 1000)
                page.wait_for_timeout(REST_MS)
        page.close()
    return {f"world: {name}": spread(seconds[1:]) for name, seconds in taken.items()}


def main():
    """Measure and print."""
    parser = options(
        "Key to paint, and the start, against an echo.",
        blocks=(6, "of 10 keys, for each page"),
        starts=(3, "of each server"),
        worlds=(6, "changes to each world"),
    )
    parser.add_argument("--pages", nargs="+", choices=OURS, default=OURS, help="beside the echo")
    given = parser.parse_args()
    path = find() or sys.exit(MISSING)
    others = watch()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        starts = [[start_s(browser, name) for name in SERVERS] for _ in range(given.starts)]
        taken = keys(browser, given.blocks, ["echo", *given.pages])
        found = {name: spread(seconds) for name, seconds in taken.items()}
        changes = worlds(browser, given.worlds) if given.worlds else {}
        browser.close()
    for figures in found.values():
        figures["x echo"] = figures["p50"] / found["echo"]["p50"]
    if starts:
        *echoes, own = 1000 * np.median(starts, axis=0)
        found["start"] = dict(zip(SERVERS, (*echoes, own), strict=True))
        for name, echo in zip(SERVERS, echoes, strict=False):
            found["start"][f"x {name}"] = own / echo
    show({**found, **changes, "others_cores": others()})


if __name__ == "__main__":
    main()
