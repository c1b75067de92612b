"""Odd addresses, and sessions that send forged values, on a hosted server: it must serve on.

Without it nobody would know what a stranger can break.

    python -m tests.load.odd --addresses 600 --sessions 70

An address is a page with some settings at odd values. A session opens a page and sends its widgets
values of kinds and sizes that they never hold, over the protocol that browsers speak. The exit code
is 1 if a page showed an exception, a run did not end in time, or embviz itself failed.
"""

import asyncio
import re
import sys
from contextlib import asynccontextmanager
from random import Random
from urllib.parse import parse_qs

from google.protobuf import text_format
from streamlit.proto.WidgetStates_pb2 import WidgetState

from embviz.settings.pages import SETTINGS
from tests.load.client import Tab
from tests.load.figures import options
from tests.load.server import ROOT, start
from tests.load.student import ACTIONS

HOSTED = {
    "EMBVIZ_HOSTED": "1",
    "EMBVIZ_SWEEP_SECONDS": "2",
    "STREAMLIT_SERVER_ALLOWED_HOSTS": "localhost",
}
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
ODD = ["", "nan", "inf", "0", "1e999", "9" * 400, "\x00\u202e", "<b>$x", DEEP, "[[1,[2]]]"]
# Values that replace the value of a widget, as protobuf writes them.
FORGED = [
    text_format.Parse(one, WidgetState())
    for one in (
        "",
        "trigger_value: true",
        "bool_value: true",
        "double_value: nan",
        "double_value: inf",
        "double_value: 2.5",
        "int_value: 9223372036854775807",
        "int_value: -9223372036854775808",
        "int_value: 0",
        "string_value: '<script>alert(1)</script>\\x00\\u202e'",
        f"string_value: '{DEEP}'",
        f"string_value: '{'9' * 5_000}'",
        "string_array_value {}",
        "string_array_value { data: ['<b>', '', '\\x00', 'nan'] }",
        "double_array_value { data: [nan, inf, -1e308] }",
        "int_array_value { data: [-1, 1000000000, 9223372036854775807] }",
        """json_value: '{"window": [{"token": 1e999}], "text": {"a": [null]}}'""",
        "json_value: '[[], 1]'",
        f"json_value: '{DEEP}'",
        """json_trigger_value: '[{"event": "text", "value": 3}, 7]'""",
        "arrow_value { data: '\\x00ARROW1' }",
        "bytes_value: '\\xff\\x00\\xfe'",
        "string_trigger_value { data: 'x' }",
        "chat_input_value { data: 'chat' }",
        "file_uploader_state_value { uploaded_file_info { name: '../../etc/passwd' file_id: 'no' "
        "size: 9223372036854775807 file_urls { upload_url: 'file:///etc/passwd' } } }",
    )
]


class Attack:
    """Visits of one server, and what pages showed that no page may show."""

    def __init__(self, address):
        self.address, self.wrong = address, []

    @asynccontextmanager
    async def visit(self, page="", query="", **also):
        """A visitor who has opened a page; refusals are not wrong, nor pages that do not exist."""
        visitor = Tab(self.address, **parse_qs(query), **also)
        try:
            await visitor.open(page)
            yield visitor
            failed = re.compile(r'exception:|a run ended|Traceback|File "').search
            self.wrong += filter(failed, visitor.wrong)
        finally:
            await visitor.close()

    async def addresses(self, count, chance):
        """Open pages with odd settings, ten at a time."""

        async def look():
            odd = {name: [chance.choice(ODD)] for name in chance.sample([*SETTINGS], 5)}
            async with self.visit(chance.choice([*ACTIONS]), **odd):
                pass

        for _ in range(0, count, 10):
            await asyncio.gather(*(look() for _ in range(10)))

    async def sessions(self, count, chance):
        """Send the widgets of a page forged values, some at a time."""
        for _ in range(count):
            async with self.visit(*chance.choice(PLACES)) as visitor:
                for _ in range(10):
                    if visitor.widgets:  # else Streamlit failed, and the page says so
                        names = chance.choices([*visitor.widgets], k=3)
                        await visitor.ask({name: chance.choice(FORGED) for name in names})


def own_failures(log):
    """The tracebacks whose last file is one of embviz, and not of a library."""
    ours = rf'(?s).*File "{re.escape(str(ROOT))}/(embviz|pages)/(?!.*File ")'
    return [block for block in log.split("Traceback (most") if re.match(ours, block)]


def main():
    """Attack, and print what was wrong."""
    given = options(
        "Odd addresses and forged sessions.",
        addresses=(600, "that are visited"),
        sessions=(70, "that send forged values"),
    ).parse_args()
    chance = Random(9)  # noqa: S311 - to repeat, not to hide
    with start(**HOSTED) as server:
        attack = Attack(server.address)
        asyncio.run(attack.addresses(given.addresses, chance))
        asyncio.run(attack.sessions(given.sessions, chance))
        server.stop()
        attack.wrong += own_failures(server.log.read_text("utf-8"))
    print("\n".join([f"{len(attack.wrong)} wrong", *attack.wrong]))
    return bool(attack.wrong)


if __name__ == "__main__":
    sys.exit(main())
