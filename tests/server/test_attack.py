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
from typing import Any
from urllib.parse import parse_qs

import pytest
from google.protobuf import text_format
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.load.client import LIMIT_S, Tab
from tests.load.server import HOSTED, ROOT, start
from tests.server.alone import run

DEEP = "[" * 5_000 + "1" + "]" * 5_000
# Pages and settings that together draw nearly every widget.
PLACES = [
    ("", "init=own&vocab=custom&panel=weights"),
    ("", "input=ids"),
    ("bag_of_words", "bag=matrix"),
    ("bag_of_words", "bag=documents&linear="),
    ("training", "lesson=step&optimizer=adam"),
    ("training", "lesson=write"),
    ("limits", ""),
    ("context", "chapter=sentences"),
    ("timing", ""),
    ("labs", "lab=row&numbers=7"),
]
# Values that replace the value of a widget, as protobuf writes them.
FORGED = [
    text_format.Parse(one, WidgetState())
    for one in (
        "",
        "trigger_value: true",
        "double_value: nan",
        "double_value: inf",
        "int_value: 9223372036854775807",
        "string_value: '<script>alert(1)</script>\\x00\\u202e'",
        f"string_value: '{DEEP}'",
        f"string_value: '{'9' * 5_000}'",
        "string_array_value { data: ['<b>', '', '\\x00', 'nan'] }",
        "double_array_value { data: [nan, inf, -1e308] }",
        "int_array_value { data: [-1, 1000000000, 9223372036854775807] }",
        """json_value: '{"window": [{"token": 1e999}], "text": {"a": [null]}}'""",
        f"json_value: '{DEEP}'",
        """json_trigger_value: '[{"event": "text", "value": 3}, 7]'""",
        "arrow_value { data: '\\x00ARROW1' }",
        "bytes_value: '\\xff\\x00\\xfe'",
        "file_uploader_state_value { uploaded_file_info { name: '../../etc/passwd' file_id: 'no' "
        "size: 9223372036854775807 file_urls { upload_url: 'file:///etc/passwd' } } }",
    )
]


class Attack:
    """Visits of one server, and what pages showed that no page may show."""

    def __init__(self, address: str) -> None:
        self.address, self.wrong = address, list[str]()

    @asynccontextmanager
    async def visit(self, page: str = "", query: str = "") -> AsyncIterator[Any]:
        """A visitor who has opened a page; refusals are not wrong, nor pages that do not exist."""
        visitor = Tab(self.address, **parse_qs(query))
        try:
            await visitor.open(page)
            yield visitor
            failed = re.compile(r'exception:|a run ended|Traceback|File "').search
            self.wrong += filter(failed, visitor.wrong)
        finally:
            await visitor.close()

    async def everything(self) -> None:
        """One attack after the other, and a visit at the end."""
        await self.widgets()
        await self.messages(Random(9))  # noqa: S311 - to repeat, not to hide
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


def own_failures(log: str) -> list[str]:
    """The tracebacks whose last file is one of embviz, and not of a library."""
    ours = rf'(?s).*File "{re.escape(str(ROOT))}/(embviz|pages)/(?!.*File ")'
    return [block for block in log.split("Traceback (most") if re.match(ours, block)]


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
