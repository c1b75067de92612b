"""Strangers' tabs, each with all that it can make a session keep: MiB of one, open and closed.

Without it nobody would know what an open tab costs a hosted server, and what a closed one leaves.

    python -m tests.load.tabs --tabs 4
    python -m tests.load.tabs --tabs 2 --app ../before --message 4700000 --only texts lists

A tab sends messages of `--message` bytes over the protocol that browsers speak. Each kind is opened
once before, so that what visitors share is there. Then each is opened `--tabs` times, and at the
end all tabs are closed. glibc's variables are set, so that freed memory goes back at once. The exit
code is 1 if a tab costs more than `OPEN_MIB`, or a closed one more than `CLOSED_MIB`.
"""

import asyncio
import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from urllib.parse import parse_qs

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.load.client import ENDED, Tab
from tests.load.figures import options, show, watch
from tests.load.odd import HOSTED, PLACES
from tests.load.server import ROOT, start
from tests.load.strangers import LETTERS, MALLOC

OPEN_MIB, CLOSED_MIB = 10, 1  # of a tab, at most
MIB = 1 << 20
ENVELOPE = 5_000  # bytes of a message beside the value that it carries
STILL_S = 2.5  # in which the memory has to stay as it is
SETTLED_S = 40.0  # for that, at most
GONE_S = 60.0  # from the end of the tabs until their memory is back
TRAINED_S = 120.0  # for trainings, at most
KEPT = "docs x linear weights ids text edit chars values target find sentences word"


class Stranger(Tab):
    """A tab that sends as much as a message may hold.

    Attributes:
        size: bytes of a value.
        chance: other numbers in each tab, the same in each run.
    """

    def __init__(self, address, size, place):
        super().__init__(address)
        self.size, self.chance = size, Random(place)  # noqa: S311 - to repeat, not to hide

    async def visit(self, page, query=""):
        """Open a page with these settings, in the same session if there is one."""
        self.query = parse_qs(query)
        if self._socket and page in self._pages:
            await self.turn(page)
        else:
            await self.open(page)

    async def send_value(self, name, **value):
        """Change a widget to a forged value; the server may close the connection for it."""
        with suppress(*ENDED):
            await self.ask({name: WidgetState(**value)})

    def wide(self, unit):
        """A text of this unit again and again; its one emoji makes each character four bytes."""
        return (unit * (self.size // len(unit.encode()) + 1))[: self.size - 4] + "🙂"

    def numbers(self, count, width):
        """Lines of random numbers."""
        row = [f"{self.chance.uniform(-1, 1):.3f}" for _ in range(width)]
        return "\n".join(" ".join(self.chance.sample(row, width)) for _ in range(count))

    def words(self):
        """As many different words as fit."""
        letters = "abcdefghijklmnopqrstuvwxyz"
        made = ("".join(self.chance.choices(letters, k=6)) for _ in range(self.size // 7))
        return " ".join(made)

    async def rest(self):
        """A tab that stays has no timers, or they would be the server's work."""
        self._stop(*self.timers)

    async def trained(self):
        """Wait until the training on the page has ended."""
        end = time.monotonic() + TRAINED_S
        while self.timers and time.monotonic() < end:
            await asyncio.sleep(0.2)


async def plain(tab):
    """The playground, and nothing else."""
    await tab.visit("", "text=hello")


async def texts(tab):
    """A long text in each field of text, on all pages."""
    for page, query in PLACES:
        await tab.visit(page, query)
        for name in {*KEPT.split()} & {*tab.widgets}:
            await tab.send_value(name, string_value=tab.wide(f"{name} 1 "))


async def history(tab):
    """Many long texts in one field, one after another."""
    await tab.visit("bag_of_words")
    for number in range(12):
        await tab.send_value("docs", string_value=tab.wide(f"a{number} bb\n"))


async def forged(tab, **value):
    """Such a value in each widget of a page, and of the one with most of them."""
    for page, query in (("timing", ""), PLACES[0]):
        await tab.visit(page, query)
        for name in [*tab.widgets]:
            if name in tab.widgets:
                await tab.send_value(name, **value)


async def strings(tab):
    """A long text in each widget, whatever it holds."""
    await forged(tab, string_value=tab.wide("ab"))


async def lists(tab):
    """JSON of empty lists, which is read into many times its length."""
    await forged(tab, json_value=json.dumps({"window": [[]] * (tab.size // 4)}))


async def triggers(tab):
    """The same as what components call a trigger."""
    await forged(tab, json_trigger_value=json.dumps([{}] * (tab.size // 4)))


async def arrays(tab):
    """Many short texts."""
    await forged(tab, string_array_value={"data": [f"{one:03}" for one in range(tab.size // 9)]})


async def entries(tab):
    """Many empty entries of an upload, each of which is an object."""
    await forged(tab, file_uploader_state_value={"uploaded_file_info": [{}] * (tab.size // 2)})


async def labs(tab):
    """A long answer in each of 40 labs with other numbers."""
    for number in range(40):
        await tab.visit("labs", f"lab=row&numbers={number + 1}")
        for name in [one for one in tab.widgets if one.startswith("answer")]:
            await tab.send_value(name, string_value=tab.wide("12 "))


async def refusals(tab):
    """Texts that are refused with another fix each."""
    await tab.visit("", "text=a&vocab=custom&init=own&unknown=error")
    for number in range(150):
        await tab.send_value("text", string_value=chr(0x4E00 + number) * 3 + "b")


async def browser(tab):
    """What a message says of its browser."""
    await tab.visit("")
    for field in ("url", "locale", "timezone"):
        with suppress(*ENDED):
            await tab.ask(context_info={field: tab.wide("a")})
    with suppress(*ENDED):
        await tab.ask(page_name=tab.wide("a"))
    with suppress(*ENDED):
        await tab.ask(query_string=f"text={tab.wide('a')[-500_000:]}")


async def writes(tab):
    """A training of its own that learns to write."""
    seed = tab.chance.randrange(2**32)
    await tab.visit("training", f"lesson=write&char_dim=64&seed={seed}")
    await tab.send_value("learn_steps_play", trigger_value=True)
    await tab.trained()


async def trains(tab):
    """Both layers side by side, on as large a table as the server takes."""
    for rows in (1_100, 110):
        seed = tab.chance.randrange(2**32)
        query = f"rows={rows}&dim=100&optimizer=adam&batches=minibatch&steps=60&seed={seed}"
        await tab.visit("training", f"world=characters&{query}")
        await tab.send_value("fold And after 100 steps?", bool_value=True)
        await tab.trained()


async def both(tab):
    """Each training of the page, and long texts in its fields."""
    await trains(tab)
    await writes(tab)
    for name in {*KEPT.split()} & {*tab.widgets}:
        await tab.send_value(name, string_value=tab.wide(f"{name} 1 "))


async def documents(tab):
    """Documents of different words, with all routes of all rows."""
    await tab.visit("bag_of_words", "routed=all rows&counts=tfidf&outputs=64")
    await tab.send_value("docs", string_value=tab.words())
    await tab.send_value("docs", string_value="\n".join(["ab cd"] * min(9_000, tab.size // 6)))
    for name in [one for one in tab.widgets if one.startswith("fold")]:
        await tab.send_value(name, bool_value=True)
    await tab.send_value("docs", string_value=tab.words())


async def linear(tab):
    """A weight of numbers for a bag."""
    await tab.visit("bag_of_words", "bag=matrix&routed=all rows")
    await tab.send_value("x", string_value="1 " * 200)
    await tab.send_value("linear", string_value=tab.numbers(tab.size // 1_400, 200))
    await tab.send_value("x", string_value=tab.numbers(tab.size // 1_400, 200))


async def own(tab):
    """A table of numbers."""
    await tab.visit("", "init=own&input=ids&ids=0 1&panel=weights")
    await tab.send_value("weights", string_value=tab.numbers(tab.size // 700, 100))


async def histograms(tab):
    """The numbers of a large table as a histogram."""
    seed = tab.chance.randrange(2**32)
    await tab.visit("", f"rows=8000&dim=1000&text=ab&panel=weights&seed={seed}")


async def wide(tab):
    """A Transformer layer on rows of 1,024 numbers, or fewer where that is refused."""
    for dim in (512, 1_024):
        seed = tab.chance.randrange(2**32)
        await tab.visit("context", f"chapter=contextual&text={LETTERS}&dim={dim}&seed={seed}")
        for name in [one for one in tab.widgets if one.startswith("fold")]:
            await tab.send_value(name, bool_value=True)


async def unseen(tab):
    """Rows that nobody looks up, under all optimizers."""
    seed = tab.chance.randrange(2**32)
    await tab.visit("training", f"lesson=unseen&text={LETTERS * 20}&dim=128&seed={seed}")
    for name in [one for one in tab.widgets if one.startswith("fold")]:
        await tab.send_value(name, bool_value=True)


async def sweeps(tab):
    """Two runs of many cases, with all their numbers."""
    await tab.visit("timing")
    for _ in range(2):
        values = " ".join(map(str, range(64, 464)))
        await tab.send_value("own_settings", bool_value=True)
        await tab.send_value("values", string_value=values)
        await tab.send_value("timing_start_button", trigger_value=True)
        await tab.trained()
    await tab.send_value("All numbers", bool_value=True)


async def files(tab):
    """Files that are made when they are asked for."""
    seed = tab.chance.randrange(2**32)
    await tab.visit("", f"panel=all tokens&rows=4000&dim=300&seed={seed}")
    await tab.send_value("text", string_value=LETTERS * 150)
    for widget in [*tab.widgets.values()]:
        if widget.kind == "download_button" and widget.proto.deferred_file_id:
            asked = BackMsg()
            asked.backend_operation_request.request_id = widget.proto.id
            asked.backend_operation_request.session_id = tab.session
            asked.backend_operation_request.deferred_file.file_id = widget.proto.deferred_file_id
            await tab.send(asked.SerializeToString())
    await asyncio.sleep(3)


KINDS = {
    one.__name__: one
    for one in (
        plain, texts, history, strings, lists, triggers, arrays, entries, labs, refusals, browser,
        writes, trains, both, documents, linear, own, histograms, wide, unseen, sweeps, files,
    )
}  # fmt: skip


def rss_mib(server):
    """MiB of the server, without its children, once they stay as they are.

    The tables that visitors share are the same ones each time, as many as the server keeps.
    """
    for seed in (1, 2):
        table = f"text=ab&rows=4000&dim=990&seed={seed}"
        requests.get(f"{server.address}/live?{table}", timeout=60).raise_for_status()
    end, before, since = time.monotonic() + SETTLED_S, 0.0, time.monotonic()
    while time.monotonic() < min(end, since + STILL_S):
        now = server.process.memory_info().rss / MIB
        if abs(now - before) > 0.5:
            before, since = now, time.monotonic()
        time.sleep(0.25)
    return before


async def one_more(server, size):
    """A tab comes and goes: Streamlit keeps the session that it has served last."""
    tab = Stranger(server.address, size, 0)
    await plain(tab)
    await tab.close()


async def measured(server, kinds, count, size):
    """MiB of the server before and after, and of each tab of each kind while it is open."""
    for kind in kinds:
        tab = Stranger(server.address, size, kind)
        with suppress(*ENDED):
            await KINDS[kind](tab)
        await tab.close()
    await asyncio.sleep(GONE_S)
    await one_more(server, size)
    warm = before = await asyncio.to_thread(rss_mib, server)
    tabs, found = [], {}
    for kind in kinds:
        for place in range(count):
            tabs.append(Stranger(server.address, size, f"{kind} {place}"))
            with suppress(*ENDED):  # its message was too much
                await KINDS[kind](tabs[-1])
            await tabs[-1].rest()
        now = await asyncio.to_thread(rss_mib, server)
        found[kind] = {"open_mib": (now - before) / count}
        print(kind, found[kind], file=sys.stderr, flush=True)
        before = now
    ended = sum(tab.reader.done() for tab in tabs)
    for tab in tabs:
        await tab.close()
    await asyncio.sleep(GONE_S)
    await one_more(server, size)
    after = await asyncio.to_thread(rss_mib, server)
    totals = {"warm_mib": warm, "full_mib": before, "after_mib": after}
    return found | totals | {"closed_mib": (after - warm) / len(tabs), "ended": ended}


def main():
    """Measure and print."""
    parser = options(
        "Strangers' tabs on a hosted server.",
        tabs=(4, "of each kind"),
        message=(1_000_000, "bytes of a message"),
    )
    parser.add_argument("--app", type=Path, default=ROOT, help="another version, to compare two")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=[*KINDS], help="these kinds")
    given = parser.parse_args()
    with start(given.app, **HOSTED, **MALLOC) as server:
        server.wait_for("ready")
        others = watch()
        work = measured(server, given.only, given.tabs, given.message - ENVELOPE)
        found = asyncio.run(work) | {"others_cores": others()}
        server.stop()
    wrong = [f"a tab: {kind}" for kind in given.only if found[kind]["open_mib"] > OPEN_MIB]
    wrong += ["a closed tab"] * (found["closed_mib"] > CLOSED_MIB)
    show(found | {"wrong": wrong})
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
