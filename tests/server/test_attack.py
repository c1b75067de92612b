"""Forged messages to a hosted server: no page shows an exception, and the server serves on.

They go over the protocol that browsers speak. `browser/test_hostile.py` tests hostile *text*.
"""

import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.server.alone import run

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "load"))

from forger import DEEP, FORGED, Forger, forged  # noqa: E402 - the folder is found just above
from server import Server, start  # noqa: E402
from session import NoAnswerError  # noqa: E402

LIMIT_S = 120.0  # for a run
GROWN_MB = 100
AT_REST_S = 120.0  # for sweeps of closed tabs to end (10 s) and for memory to be given back
FIRST = "playground"
# Pages and settings that together draw nearly every widget; these are forged.
PLACES: list[tuple[str, dict[str, list[str]]]] = [
    ("playground", {"init": ["own"], "vocab": ["custom"], "panel": ["weights"]}),
    ("playground", {"input": ["ids"]}),
    ("bag_of_words", {"bag": ["matrix"]}),
    ("bag_of_words", {"bag": ["documents"], "start": ["random"]}),
    ("training", {"lesson": ["lockstep"]}),
    ("training", {"lesson": ["characters"]}),
    ("limits", {}),
    ("context", {"chapter": ["contextual"]}),
    ("context", {"chapter": ["sentences"]}),
    ("timing", {}),
    ("labs", {"lab": ["row"], "student": ["Ada"]}),
]


class Attack:
    """The server, and how often each thing was seen that no page may show."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.wrong: Counter[str] = Counter()

    async def visit(self, page: str, query: dict[str, list[str]] | None = None) -> Forger:
        """A new visitor who has opened a page."""
        visitor = Forger(self.server.address, lambda _: None, LIMIT_S)
        visitor.screen.query = dict(query or {})
        await visitor.open("" if page == FIRST else page)
        self.look(visitor, f"opening {page}")
        return visitor

    def look(self, visitor: Forger, where: str) -> None:
        """Count what no page may show."""
        self.wrong.update(f"{where}: {one[:300]}" for one in visitor.wrong())


def text(value: str) -> WidgetState:
    """The state of a field of text."""
    return WidgetState(string_value=value)


async def wrong_types(attack: Attack) -> None:
    """Send each widget of each page a value of a kind that it never holds; no page has files."""
    kinds, place, sent, done = list(FORGED), 0, set[str](), set[str]()
    for page, query in PLACES:
        visitor = await attack.visit(page, query)
        assert "file_uploader" not in {one.kind for one in visitor.screen.widgets.values()}, page
        for name in [one for one in visitor.screen.widgets if one not in done]:
            done.add(name)
            place += 5  # coprime to the number of kinds, so that every kind is used
            kind = kinds[place % len(kinds)]
            if name not in visitor.screen.widgets:  # an earlier forged value has removed it
                await visitor.close()
                visitor = await attack.visit(page, query)
            if name not in visitor.screen.widgets or "Load it" in name:
                continue
            await visitor.forge({name: FORGED[kind]}, visitor.screen.widgets[name].fragment)
            sent.add(kind)
            attack.look(visitor, f"{page}, {name}, {kind}")
        await visitor.close()
    assert sent == {*kinds}
    for kind in [*kinds[::5], "inf", "least"]:  # all widgets of a page at once
        visitor = await attack.visit(*PLACES[0])
        await visitor.forge(dict.fromkeys(visitor.screen.widgets, FORGED[kind]))
        attack.look(visitor, f"all widgets, {kind}")
        await visitor.close()


async def wrong_names(attack: Attack) -> None:
    """Name widgets, pages and fragments that do not exist; an address that is odd or long."""
    visitor = await attack.visit(FIRST)
    unknown = {f"$$ID-{k:032x}-{name}": text("x") for k, name in enumerate(["text", "None", "é"])}
    await visitor.forge(unknown | {"": text("x"), "stage": FORGED["json"]})
    for wrong in ("f" * 32, "../../etc/passwd", "\x00", "x" * 100_000):
        with suppress(NoAnswerError):
            await visitor.forge({}, page_script_hash=wrong)
        await visitor.throw(forged(visitor.screen, {}, fragment=wrong).SerializeToString())
        await visitor.throw(forged(visitor.screen, {}, page_name=wrong).SerializeToString())
    attack.wrong.update(one for one in visitor.wrong() if "page not found" not in one)
    await visitor.close()
    visitor = await attack.visit(FIRST)
    for address in ("text=" + "x" * 100_000, "dim=inf&rows=nan&" + "a=b&" * 25_000, "%" * 100_000):
        await visitor.forge({}, query_string=address)
        attack.look(visitor, f"address {address[:20]}")
    await visitor.close()


async def wrong_messages(attack: Attack) -> None:
    """Send bytes that are no message, half messages, large ones and those of developers."""
    chance = Random(9)  # noqa: S311 - to repeat, not to hide
    visitor = await attack.visit(FIRST)
    good = visitor.screen.rerun().SerializeToString()
    await visitor.close()
    throws: list[bytes | str] = [b"", "text", good[:-1], chance.randbytes(4_000)]
    throws += [bytes(one ^ (chance.random() < 0.02) for one in good), b"\xff" * (6_000_000)]
    for thrown in throws:
        visitor = await attack.visit(FIRST)
        with suppress(Exception):  # the server may close at once
            await visitor.throw(thrown)
            await visitor.forge({"dim": WidgetState(double_value=3)})
        attack.look(visitor, f"{thrown[:20]!r}")
        await visitor.close()
    visitor = await attack.visit("training", {"lesson": ["lockstep"]})
    for reserved in (BackMsg(clear_cache=True), BackMsg(debug_shutdown_runtime=True)):
        await visitor.throw(reserved.SerializeToString())
    await visitor.press("train_step")  # the session is still served
    attack.look(visitor, "messages for developers")
    await visitor.close()


async def giants(attack: Attack) -> None:
    """Send megabytes of text, a million ids and lists 5,000 deep to the fields."""
    for page, query, name, value in (
        ("playground", {"escapes": ["true"]}, "text", "\\n" * 2_000_000),
        ("playground", {"input": ["ids"]}, "ids", "7 " * 1_000_000),
        ("playground", {"input": ["ids"]}, "ids", DEEP),
        ("playground", {"init": ["own"]}, "weights", DEEP),
        ("bag_of_words", {"bag": ["matrix"]}, "x", "1 " * 2_000_000),
        ("bag_of_words", {"bag": ["documents"]}, "docs", "word " * 800_000),
    ):
        visitor = await attack.visit(page, query)
        assert name in visitor.screen.widgets, (page, name)
        await visitor.forge({name: text(value)})
        attack.look(visitor, f"{page}, much in {name}")
        await visitor.close()


async def all_attacks(attack: Attack) -> None:
    """One attack after the other."""
    for one in (wrong_types, wrong_names, wrong_messages, giants):
        await one(attack)


async def opened(attack: Attack) -> None:
    """Each page once; nothing is wrong before an attack or after it."""
    for page, query in PLACES:
        await (await attack.visit(page, query)).close()


def until(true: Callable[[], Any], limit_s: float) -> None:
    """Wait until it is true, at most `limit_s` seconds."""
    end = time.monotonic() + limit_s
    while not true() and time.monotonic() < end:
        time.sleep(0.5)


def own_failures(log: str) -> list[str]:
    """The last lines of tracebacks that end in a file of embviz, and not of a library."""
    found = []
    for block in log.split("Traceback (most recent call last):")[1:]:
        files = re.findall(r'File "([^"]+)", line', block)
        if files and files[-1].startswith((str(ROOT / "embviz"), str(ROOT / "pages"))):
            found.append(block[-500:])
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="reads memory and ends processes")
def test_a_server_that_gets_forged_messages_serves_on(tmp_path: Path) -> None:
    """No page shows an exception, embviz itself does not fail, and memory is given back."""
    limits = {
        "EMBVIZ_WORKER_IDLE_S": "1",
        "EMBVIZ_SWEEP_SECONDS": "2",
        "STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost",
        "MALLOC_ARENA_MAX": "2",  # as embviz/server/README.md starts a hosted server
        "MALLOC_MMAP_THRESHOLD_": "1048576",
    }
    with start(tmp_path, True, limits) as server:
        attack = Attack(server)
        server.wait_until_warm()
        run(opened(attack))  # so that no import counts as memory of an attack
        before = server.rss_mb()
        run(all_attacks(attack))
        # Streamlit drops an expired session when the next visitor comes.
        until(lambda: run(opened(attack)) or server.rss_mb() <= before + GROWN_MB, AT_REST_S)
        after = server.rss_mb()
        stop_s, stayed = server.stop()
        printed = server.log.read_text(encoding="utf-8")
    assert attack.wrong == Counter()
    assert own_failures(printed) == []
    assert after <= before + GROWN_MB
    assert (stop_s is not None, stayed) == (True, [])
