"""Forged messages to a hosted server: no page shows an exception, and the server serves on.

They go over the protocol that browsers speak. `browser/test_hostile.py` tests hostile *text*.
"""

import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from urllib.parse import parse_qs

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.server.alone import run

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "load"))

from forger import DEEP, FORGED, Forger, forged  # noqa: E402 - the folder is found just above
from server import start  # noqa: E402
from session import NoAnswerError  # noqa: E402

LIMIT_S = 120.0  # for a run
# Pages and settings that together draw nearly every widget; these are forged.
PLACES = [
    ("", "init=own&vocab=custom&panel=weights"),
    ("", "input=ids"),
    ("bag_of_words", "bag=matrix"),
    ("bag_of_words", "bag=documents&linear="),
    ("training", "optimizer=adam"),
    ("training", "lesson=write"),
    ("limits", ""),
    ("context", "chapter=sentences"),
    ("timing", ""),
    ("labs", "lab=row&numbers=7"),
]
GIANTS = {
    "text": "\\n" * 2_000_000,
    "ids": "7 " * 1_000_000,
    "weights": DEEP,
    "x": "1 " * 2_000_000,
}


class Attack:
    """What pages of a server showed that no page may show."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.wrong: list[str] = []

    @asynccontextmanager
    async def visit(self, page: str = "", query: str = "") -> AsyncIterator[Forger]:
        """A visitor who has opened a page; at the end what was wrong is noted."""
        visitor = Forger(self.address, lambda _: None, LIMIT_S)
        visitor.screen.query = parse_qs(query)
        try:
            await visitor.open(page)
            yield visitor
            self.wrong += [one for one in visitor.wrong() if "page not found" not in one]
        finally:
            await visitor.close()

    async def everything(self) -> None:
        """One attack after the other, and a visit at the end."""
        done = set[str]()
        for place in PLACES:
            while await self.widgets(place, done):  # a forged value may have removed widgets
                pass
        assert done.issuperset(GIANTS)
        assert len(done) > len(FORGED)
        await self.names()
        await self.messages()
        async with self.visit():
            pass

    async def widgets(self, place: tuple[str, str], done: set[str]) -> bool:
        """Send each widget a value of a kind, or of a size, that it never holds."""
        kinds = list(FORGED)
        async with self.visit(*place) as visitor:
            shown = visitor.screen.widgets
            assert "file_uploader" not in {one.kind for one in shown.values()}, place
            new = [one for one in shown if one not in done and "Your own" not in one]
            for name in (one for one in new if one in shown):
                done.add(name)
                # 5 is coprime to the number of kinds, so that every kind is used
                states = {name: FORGED[kinds[5 * len(done) % len(kinds)]]}
                await visitor.forge(states, shown[name].fragment)
                if name in GIANTS:
                    await visitor.forge({name: WidgetState(string_value=GIANTS[name])})
            for kind in ("inf", "least"):
                await visitor.forge(dict.fromkeys(shown, FORGED[kind]))
        return not done.issuperset(new)

    async def names(self) -> None:
        """Name widgets, pages and fragments that do not exist; an address that is odd or long."""
        async with self.visit() as visitor:
            await visitor.forge({f"$$ID-{0:032x}-None": FORGED["text"], "": FORGED["json"]})
            for end in ("text=" + "x" * 100_000, "dim=inf&" + "a=b&" * 25_000, "%" * 9_000):
                await visitor.forge({}, query_string=end)
            for wrong in ("f" * 32, "../../etc/passwd", "x" * 100_000):
                with suppress(NoAnswerError):
                    await visitor.forge({}, page_script_hash=wrong)
                await visitor.throw(forged(visitor.screen, {}, fragment=wrong).SerializeToString())

    async def messages(self) -> None:
        """Send bytes that are no message, half messages, large ones and those of developers."""
        chance = Random(9)  # noqa: S311 - to repeat, not to hide
        async with self.visit("training", "lesson=write") as visitor:
            good = visitor.screen.rerun().SerializeToString()
            await visitor.throw(BackMsg(clear_cache=True).SerializeToString())
            await visitor.forge({})  # the session is still served
        noise = bytes(one ^ (chance.random() < 0.02) for one in good)
        for thrown in (b"", "text", good[:-1], noise, b"\xff" * 6_000_000):
            async with self.visit() as visitor:
                with suppress(Exception):  # the server may close at once
                    await visitor.throw(thrown)


def own_failures(log: str) -> list[str]:
    """The tracebacks whose last file is one of embviz, and not of a library."""
    ours = rf'(?s).*File "{re.escape(str(ROOT))}/(embviz|pages)/(?!.*File ")'
    return [block for block in log.split("Traceback (most") if re.match(ours, block)]


@pytest.mark.skipif(sys.platform == "win32", reason="ends processes")
def test_a_server_that_gets_forged_messages_serves_on(tmp_path: Path) -> None:
    """No page shows an exception, embviz itself does not fail, and the server ends in time."""
    limits = {"EMBVIZ_SWEEP_SECONDS": "2", "STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost"}
    with start(tmp_path, True, limits | {"PYTHONFAULTHANDLER": "1"}) as server:
        attack = Attack(server.address)
        try:
            run(attack.everything())
        except NoAnswerError as error:
            server.process.send_signal(signal.SIGABRT)  # Python writes where each thread stands
            server.process.wait(LIMIT_S)
            pytest.fail(f"{error}\n{server.log.read_text(encoding='utf-8')[-20_000:]}")
        stop_s, stayed = server.stop()
        assert (stop_s is not None, stayed) == (True, [])
        assert own_failures(server.log.read_text(encoding="utf-8")) == []
    assert attack.wrong == []
