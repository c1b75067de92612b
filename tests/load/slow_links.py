"""The most expensive links of each page: processor seconds of a rerun on a hosted server.

Without it nobody would know for how long one link stops everybody else.

    python -m tests.load.slow_links
    python -m tests.load.slow_links --app ../before --only unseen wide

A link has the largest settings that it may have, or larger ones, which the page has to refuse at
once. What is too long for an address is sent as the page's field sends it. Then each fold of the
page is opened, once what trains has ended. The parts of pages are asked through the route `live`
too. Each figure is the most processor time of one rerun, or request, with other numbers each time.
The exit code is 1 if one took more than `MOST_S`, or a page failed.
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, urlencode

import requests

from embviz.settings.pages import SETTINGS
from embviz.system import bounds
from tests.load.client import ENDED, Tab
from tests.load.figures import options, show, watch
from tests.load.server import HOSTED, ROOT, start

MOST_S = 0.5  # seconds of a processor for one rerun
TRAINED_S = 60.0  # for a training on a page, at most
LETTERS = "abcdefghij klmnopqrst uvwxyz ABCDEFGHIJ KLMNOPQRST UVWXYZ"
CHANCE = Random(7)  # noqa: S311 - to repeat, not to hide
TEXT, PASTED = bounds.TOKENS.hosted, bounds.PASTED.hosted
MUCH = 950_000  # characters, as many as a message takes


def letters(count):
    """A text of random letters."""
    return "".join(CHANCE.choices(LETTERS, k=count))


def words(count, end=" "):
    """Different words of six letters."""
    every = ("".join(CHANCE.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(count // 7))
    return end.join(every)


def rows(count, width):
    """Lines of random digits."""
    digits = [CHANCE.choices("0123456789", k=width) for _ in range(100)]
    return "\n".join(" ".join(CHANCE.choice(digits)) for _ in range(count // (2 * width)))


def fractions(count, width):
    """Lines of random fractions."""
    some = [[f"{CHANCE.uniform(-1, 1):.3f}" for _ in range(width)] for _ in range(50)]
    return "\n".join(" ".join(CHANCE.choice(some)) for _ in range(count // (6 * width)))


def ids(count, below):
    """Different ids."""
    return " ".join(map(str, CHANCE.sample(range(below), count)))


OWN = {"input": "ids", "init": "own", "ids": ids(100, 100)}
COLUMN = "input=ids&rows=1000000&dim=1"
LABS = "row", "bag", "learns", "cost"
# By name: the page, its query, and what its fields send.
LINKS = {
    "quiet": ("", "text=abc", {}),
    "letters": ("", "", {"text": letters(TEXT)}),
    "pieces": ("", "vocab=bpe", {"text": letters(TEXT)}),
    **{
        f"panel {one}": ("", f"rows=4000&dim=240&panel={one}", {"text": letters(TEXT)})
        for one in SETTINGS["panel"].options()[1:]  # all but none
    },
    "large": ("", "text=ab&rows=8000&dim=1000", {}),
    "long": ("", "text=ab&rows=1000000&dim=7", {}),
    "many ids": ("", "input=ids&rows=1000000&dim=3", {"ids": ids(TEXT, 1_000_000)[:89_000]}),
    "many ids, half": ("", f"{COLUMN}&dtype=bfloat16", {"ids": ids(1_000, 10**6)}),
    "characters": (
        "",
        "vocab=custom&panel=tokenizers",
        {"chars": "".join(map(chr, range(0x4E00, 0x4E00 + TEXT))), "text": letters(TEXT)},
    ),
    "own weights": ("", "init=own&input=ids&ids=0", {"weights": fractions(PASTED, 100)}),
    "own weights, much": ("", "init=own&input=ids&ids=0", {"weights": fractions(MUCH, 100)}),
    "documents": ("bag_of_words", "outputs=64&routed=all rows", {"docs": words(PASTED)}),
    "lines": ("bag_of_words", "outputs=9&routed=all rows", {"docs": words(PASTED, "\n")}),
    "tf-idf": ("bag_of_words", "counts=tfidf&stop=true&outputs=64", {"docs": words(PASTED)}),
    "matrix": ("bag_of_words", "bag=matrix&routed=all rows", {"x": rows(PASTED, 100)}),
    "linear": (
        "bag_of_words",
        "bag=matrix&routed=all rows",
        {"x": rows(PASTED, 100), "linear": fractions(PASTED, 100)},
    ),
    "step": ("training", "rows=7800&dim=64", {"text": letters(TEXT)}),
    "step, next": ("training", "rows=7800&dim=64&loss=next", {"text": letters(TEXT)}),
    "step, double": ("training", "rows=488&dim=1024&dtype=float64", {"text": letters(TEXT)}),
    "steps": ("training", "rows=640&dim=100&optimizer=adam&steps=40", {"text": letters(3_000)}),
    "many steps": ("training", "rows=100&dim=10&steps=2000", {"text": letters(20)}),
    "target": ("training", "dim=1024", {"target": "0.123456789012345 " * 1_024}),
    "unseen": ("training", "lesson=unseen&dim=64", {"text": letters(TEXT)}),
    "unseen, two letters": ("training", "lesson=unseen&dim=66", {"text": "ab" * (TEXT // 2)}),
    "writes": ("training", "lesson=write&learn_steps=300", {}),
    "sizes": ("training", "lesson=size&size_steps=300", {}),
    "writes own": ("training", "lesson=write&corpus=own&learn_steps=100", {"text": letters(TEXT)}),
    "static": ("context", "dim=200", {"text": letters(TEXT), "edit": letters(TEXT)}),
    "wide": ("context", f"chapter=contextual&dim=512&text={LETTERS}", {}),
    "values": ("timing", "", {"values": " ".join(map(str, range(64, 264)))}),
    "find": ("limits", urlencode({"find": words(19_000)}), {}),
    "find error": ("limits", urlencode({"find": "index out of range in self " * 740}), {}),
    **{f"lab {one}": ("labs", f"lab={one}&numbers=7", {}) for one in LABS},
    "lab answers": ("labs", "lab=row&numbers=7&done=" + "1~2_" * 900, {}),
}
# By name: the part of a page, and its settings.
PARTS = {
    "live": ("", {"text": letters(TEXT), "rows": 4_000, "dim": 240}),
    "live many ids": ("", {"input": "ids", "rows": 1_000_000, "dim": 3, "ids": ids(9_000, 10**6)}),
    "live own": ("", OWN | {"weights": fractions(PASTED, 100)}),
    "live one step": ("one_step", {"text": LETTERS, "rows": 7_800, "dim": 64}),
    "live unseen": ("unseen", {"text": "ab" * (TEXT // 2), "dim": 450}),
    "live static": ("static", {"text": letters(TEXT), "edit": letters(TEXT), "dim": 200}),
    "live context": ("contextual", {"text": LETTERS, "dim": 512, "dtype": "float64"}),
}


class Seconds:
    """The processor time of a server, from its start or from the last look on."""

    def __init__(self, server):
        self._times, self._before = server.process.cpu_times, 0.0
        self()

    def __call__(self):
        """Seconds since the last look."""
        before, self._before = self._before, sum(self._times()[:2])
        return self._before - before


async def opened(server, page, query, typed):
    """Seconds of each rerun of a link, and what the page says of a failure."""
    seconds, tab, found = Seconds(server), Tab(server.address), {}
    tab.query = parse_qs(f"{query}&seed={CHANCE.randrange(2**32)}", keep_blank_values=True)
    await tab.open(page)
    found["open"] = seconds()
    for name, text in typed.items():
        if name in tab.widgets:
            seconds()
            try:
                await tab.ask({name: text})
            except ENDED:  # the message was too long
                return found | {name: seconds()}, []
            found[name] = seconds()
    end = time.monotonic() + TRAINED_S
    while tab.timers and time.monotonic() < end:
        await asyncio.sleep(0.2)
    for fold in [one for one in tab.widgets if one.startswith("fold") or one == "All numbers"]:
        seconds()
        await tab.ask({fold: True})
        found[fold] = seconds()
    wrong = [one for one in tab.wrong if "server's log" in one or "exception" in one]
    await tab.close()
    return found, wrong


def asked(server, part, settings):
    """Seconds of a request."""
    seconds = Seconds(server)
    body = {"part": part, "settings": settings | {"seed": CHANCE.randrange(2**32)}}
    got = requests.post(f"{server.address}/live", json.dumps(body).encode(), timeout=100)
    wrong = [f"{got.status_code}: {got.text[:200]}"] if got.status_code >= 500 else []
    return {"request": seconds()}, wrong


def measured(server, names):
    """The slowest rerun of each link, in seconds, and what is wrong."""
    for page in ("", "bag_of_words", "training", "context", "timing", "limits", "labs"):
        asyncio.run(opened(server, page, "text=warm", {}))
    found, wrong = {}, []
    for name in names:
        if name in LINKS:
            each, said = asyncio.run(opened(server, *LINKS[name]))
        else:
            each, said = asked(server, *PARTS[name])
        slowest = max(each, key=each.__getitem__)
        found[name] = {"seconds": each[slowest], "of": slowest}
        wrong += [f"{name}: {one}" for one in said]
        if each[slowest] > MOST_S:
            wrong.append(f"{name}: {each[slowest]:.2f} s")
    return found | {"wrong": wrong}


def main():
    """Measure and print."""
    parser = options("The most expensive links on a hosted server.")
    every = [*LINKS, *PARTS]
    parser.add_argument("--app", type=Path, default=ROOT, help="another version, to compare two")
    parser.add_argument("--only", nargs="+", choices=every, default=every, help="these links")
    given = parser.parse_args()
    with start(given.app, **HOSTED) as server:
        server.wait_for("ready")
        others = watch()
        found = measured(server, given.only) | {"others_cores": others()}
        server.stop()
    show(found)
    return bool(found["wrong"])


if __name__ == "__main__":
    sys.exit(main())
