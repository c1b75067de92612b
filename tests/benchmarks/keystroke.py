"""The speed of a key against a bare Streamlit app on the same machine, in one run.

Two servers run headless on free loopback ports: an echo app, which is one live text field and its
text below it, and this project. Chromium types into the echo, the playground, the playground with
an open panel, and the playground with a million rows ("large"). With `--page`, it types into the
echo and another page. `keys/` has the parts.

- **Key to paint**: from a keydown to the first animation frame that shows its result: the echoed
  text, the text's ids in the token strip and the shape of the result, or its ids above the strips.
  Other pages have no such sign: there it is the last change of the page's main part. The pages
  alternate, one block of keys each, so that other work on the machine affects all of them. Each key
  waits until the one before is painted. A block types some letters and deletes them again. A slow
  typist presses each key while the rerun of the one before goes on.
- **Burst**: 40 keys, one every 30 ms: from the last key to its paint. A lost key is an error.
- **Settled**: keys with a rest after each. From a key until verdict, panel and address have it, no
  script runs and nothing changes any more. It should take no longer than the field's pause and 2.5
  times the echo. These keys also give messages and bytes of the websocket.
- **Server**: processor time of the server process. That of the route is measured by sending a
  request of the page again, with other texts; that of the rerun is the rest of a settled key's.
- **Playing, pointing, scrubbing**: a script in the page starts Play, points at another number, or
  presses another token, once per animation frame. Measured: frames per second, the longest frame,
  and messages meanwhile.
- **Start**: from the start of the process to the first painted text or token strip. The browser is
  already running and connects as soon as the server answers.

`--fallback` hides the route `live` from the browser, as a proxy does that passes only websockets.

    python tests/benchmarks/keystroke.py [--json] [--quick] [--fallback] [--no-start]
    python tests/benchmarks/keystroke.py --page training|context [--json]
    python tests/benchmarks/keystroke.py --vocab bpe --vocab o200k [--json]
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import sys
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

from keys.figures import Figures, of_visit, table, tidy
from keys.pages import ECHO, LETTERS, PAGES, PLAYGROUND, Kind, pieces
from keys.servers import ROOT, chromium, echo_app, serving
from keys.visits import Visit, first_paint, hide_route, new_context, visit
from machine import Others
from playwright.sync_api import Browser, BrowserContext

from embviz.core.tokenizers import VOCABULARIES
from tests.load.server import Server

SLOW_PACE_MS = 670  # the rerun of a key begins 600 ms after it


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        keys: at most so many of a block's keys; half of them type, half of them delete.
        blocks: blocks of each page.
        warm_up: further blocks of each page before these, not counted.
        slow: blocks of a slow typist.
        settled: blocks with a rest after each key.
        bursts: bursts of `burst` keys.
        replays: requests that are sent again.
        starts: starts of each server.
        frames_ms: how long each of playing, pointing and scrubbing lasts.
        variants: whether the playground is measured with a panel and with a million rows too.
        warm: whether the server has imported everything before the first key.
        limit_s: time limit of the run.
    """

    keys: int = 10
    blocks: int = 6
    warm_up: int = 1
    slow: int = 1
    settled: int = 2
    bursts: int = 2
    burst: int = 40
    replays: int = 200
    starts: int = 3
    frames_ms: int = 2000
    variants: bool = True
    warm: bool = True
    limit_s: int = 300

    def of(self, block: tuple[str, ...]) -> tuple[str, ...]:
        """The keys of a block."""
        half = min(self.keys, len(block)) // 2
        return block[:half] + block[len(block) - half :]


QUICK = Effort(
    keys=4,
    blocks=1,
    warm_up=0,
    slow=0,
    settled=1,
    bursts=1,
    burst=8,
    replays=5,
    starts=1,
    frames_ms=200,
    variants=False,
    warm=False,
    limit_s=250,
)


def type_everywhere(visits: list[Visit], effort: Effort) -> None:
    """Type into all pages, block by block, then with rests, then in bursts."""
    for number in range(effort.warm_up + effort.blocks):
        for one in visits:
            taken = one.block(effort.of(one.kind.block))
            if number >= effort.warm_up:
                one.key_ms += taken
    painted = [one for one in visits if one.kind.painted]
    for one in painted * effort.slow:
        one.slow_ms += one.block(effort.of(one.kind.block), SLOW_PACE_MS)
    for one in visits:
        one.settle(effort.of(one.kind.block) * effort.settled)
    for one in painted * effort.bursts:
        one.burst("".join(islice(cycle(LETTERS), effort.burst)))


class Starts:
    """Seconds from the start of each server to its first paint."""

    def __init__(self, browser: Browser, wanted: bool) -> None:
        self.browser, self.wanted = browser, wanted
        self.seconds: dict[str, list[float]] = {ECHO.name: [], PLAYGROUND.name: []}

    def add(self, server: Server, kind: Kind) -> BrowserContext:
        """Visit a server that has just started, in a new context without a cache."""
        context = new_context(self.browser)
        if self.wanted:
            self.seconds[kind.name].append(first_paint(context, server, kind))
        return context

    def figures(self) -> dict[str, Figures]:
        """Medians, and how much longer the project takes."""
        medians = {name: statistics.median(one) for name, one in self.seconds.items() if one}
        return {
            name: {"start_s": value, "start_ratio": value / medians[ECHO.name]}
            for name, value in medians.items()
        }


def measure_keys(
    starts: Starts, echo_folder: Path, kinds: list[Kind], effort: Effort, fallback: bool
) -> dict[str, Figures]:
    """Type into the echo and these pages."""
    with serving(echo_folder) as echo_server:
        echoes = starts.add(echo_server, ECHO)
        with serving(ROOT) as server:
            context = starts.add(server, PLAYGROUND)
            if effort.warm:
                server.wait_until_warm()
            if fallback:
                hide_route(context)
            echo = visit(echoes, echo_server, ECHO)
            visits = [echo, *(visit(context, server, kind) for kind in kinds)]
            type_everywhere(visits, effort)
            figures = {one.kind.name: of_visit(one, visits, effort.replays) for one in visits}
            for one in visits:
                if one.kind is PLAYGROUND:
                    figures[one.kind.name] |= one.frames(effort.frames_ms)
    return figures


def measure(page: str, vocabs: list[str], effort: Effort, fallback: bool) -> dict[str, Figures]:
    """Everything, by page; with `vocabs`, of the playground as it is and in these."""
    with echo_app() as echo_folder, chromium() as browser:
        kinds = [*PAGES[page]] if effort.variants else [PAGES[page][0]]
        if vocabs:
            kinds = [PLAYGROUND, *map(pieces, vocabs)]
        starts = Starts(browser, page == PLAYGROUND.name and effort.starts > 0)
        for _ in range(effort.starts - 1 if starts.wanted else 0):
            for folder, kind in ((echo_folder, ECHO), (ROOT, PLAYGROUND)):
                with serving(folder) as server:
                    starts.add(server, kind).close()
        figures = measure_keys(starts, echo_folder, kinds, effort, fallback)
        started = starts.figures()
    return {name: found | started.get(name, {}) for name, found in figures.items()}


def give_up(number: int, _frame: object) -> None:
    """Exit through every `finally`, so that no server keeps running."""
    sys.exit(f"keystroke: ended by {signal.Signals(number).name}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Keys, frames and start, measured.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--quick", action="store_true", help="few keys, one start: does it work?")
    parser.add_argument("--page", choices=PAGES, default=PLAYGROUND.name)
    parser.add_argument("--vocab", choices=VOCABULARIES, action="append", default=[])
    parser.add_argument("--fallback", action="store_true", help="without the route")
    parser.add_argument("--no-start", action="store_true", help="without the starts")
    arguments = parser.parse_args()
    effort = QUICK if arguments.quick else Effort()
    if arguments.no_start:
        effort = replace(effort, starts=0)
    signal.signal(signal.SIGTERM, give_up)
    if hasattr(signal, "SIGALRM"):  # not on Windows
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(effort.limit_s)
    others = Others()
    pages = measure(arguments.page, arguments.vocab, effort, arguments.fallback)
    pages = {
        name: {kind: tidy(kind, value) for kind, value in figures.items()}
        for name, figures in pages.items()
    }
    if arguments.json:
        print(json.dumps(pages | {"other_cores": round(others.cores(), 2)}))
        return
    print(table(pages))
    print(f"other processes used {others.cores():.2f} cores")


if __name__ == "__main__":
    main()
