"""Forged messages to a hosted server: no page shows an exception, and the server serves on.

They go over the protocol that browsers speak. `browser/test_hostile.py` tests hostile *text*.
"""

import signal
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.load import odd
from tests.load.client import LIMIT_S
from tests.load.odd import FORGED, HOSTED, PLACES, own_failures
from tests.load.server import start
from tests.server.alone import run


class Attack(odd.Attack):
    """What pages of a server showed that no page may show."""

    async def everything(self) -> None:
        """One attack after the other, and a visit at the end."""
        chance = Random(9)  # noqa: S311 - to repeat, not to hide
        await self.addresses(10, chance)
        await self.widgets()
        await self.messages(chance)
        async with self.visit():
            pass

    async def widgets(self) -> None:
        """Send each widget a value of a kind that it never holds."""
        count = 0
        for place in PLACES:
            async with self.visit(*place) as visitor:
                for name in [one for one in visitor.widgets if "Your own" not in one]:
                    if name in visitor.widgets:  # a forged value may remove others
                        count += 5  # coprime to the number of kinds, so that every kind is used
                        await visitor.ask({name: FORGED[count % len(FORGED)]})
        assert count > 5 * len(FORGED)

    async def messages(self, chance: Random) -> None:
        """Send bytes that are no message, half messages, large ones and those of developers."""
        async with self.visit("training", "lesson=write") as visitor:
            good = visitor.request().SerializeToString()
            await visitor.send(BackMsg(clear_cache=True).SerializeToString())
            await visitor.ask()  # the session is still served
        noise = bytes(one ^ (chance.random() < 0.02) for one in good)
        for thrown in (b"", "text", good[:-1], noise, b"\xff" * 6_000_000):
            async with self.visit() as visitor:
                with suppress(Exception):  # the server may close at once
                    await visitor.send(thrown)
                    await visitor.ask({"dim": WidgetState(double_value=3)})


@pytest.mark.skipif(sys.platform == "win32", reason="ends processes")
def test_a_server_that_gets_forged_messages_serves_on(tmp_path: Path) -> None:
    """No page shows an exception, embviz itself does not fail, and the server ends in time."""
    with start(folder=tmp_path, PYTHONFAULTHANDLER="1", **HOSTED) as server:
        attack = Attack(server.address)
        try:
            run(attack.everything())
        except TimeoutError as error:
            server.process.send_signal(signal.SIGABRT)  # Python writes where each thread stands
            server.process.wait(LIMIT_S)
            pytest.fail(f"{error}\n{server.log.read_text(encoding='utf-8')[-20_000:]}")
        assert server.stop(LIMIT_S) == []
        assert own_failures(server.log.read_text(encoding="utf-8")) == []
    assert attack.wrong == []
