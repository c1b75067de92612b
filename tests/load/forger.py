"""A forged client: messages that no browser sends, over the protocol that browsers speak.

A `Forger` is a `Session` whose requests can carry any state for any widget, name pages and
fragments that do not exist, and who may send bytes that are no message at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from protocol import Screen
from session import Session
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

DEEP = "[" * 5_000 + "1" + "]" * 5_000
HUGE = 2**63 - 1


def _texts() -> WidgetState:
    state = WidgetState()
    state.string_array_value.data.extend(["<b>", "", "\x00", "nan", "9" * 400])
    return state


def _numbers() -> WidgetState:
    state = WidgetState()
    state.double_array_value.data.extend([float("nan"), float("inf"), -1e308])
    return state


def _whole_numbers() -> WidgetState:
    state = WidgetState()
    state.int_array_value.data.extend([-1, 10**9, 0, HUGE])
    return state


def _files() -> WidgetState:
    state = WidgetState()
    file = state.file_uploader_state_value.uploaded_file_info.add()
    file.name, file.file_id, file.size = "../../etc/passwd", "no-such-file", HUGE
    file.file_urls.upload_url = file.file_urls.delete_url = "file:///etc/passwd"
    return state


def _chat() -> WidgetState:
    state = WidgetState()
    state.chat_input_value.data = "chat"
    return state


# Values that replace the value of a widget, by name.
FORGED: dict[str, WidgetState] = {
    "nothing": WidgetState(),
    "pressed": WidgetState(trigger_value=True),
    "true": WidgetState(bool_value=True),
    "nan": WidgetState(double_value=float("nan")),
    "inf": WidgetState(double_value=float("inf")),
    "-inf": WidgetState(double_value=float("-inf")),
    "1e300": WidgetState(double_value=1e300),
    "2.5": WidgetState(double_value=2.5),
    "largest": WidgetState(int_value=HUGE),
    "least": WidgetState(int_value=-HUGE - 1),
    "0": WidgetState(int_value=0),
    "text": WidgetState(string_value="<script>alert(1)</script>\x00\u202e"),
    "empty": WidgetState(string_value=""),
    "nested": WidgetState(string_value=DEEP),
    "digits": WidgetState(string_value="9" * 5_000),
    "texts": _texts(),
    "numbers": _numbers(),
    "whole numbers": _whole_numbers(),
    "no texts": WidgetState(string_array_value={}),  # type: ignore[arg-type]
    "json": WidgetState(json_value='{"window": [{"token": 1e999}], "text": {"a": [null]}}'),
    "json: a list": WidgetState(json_value="[[], 1]"),
    "json: none": WidgetState(json_value="{{{"),
    "json: deep": WidgetState(json_value=DEEP),
    "json: pressed": WidgetState(json_trigger_value='[{"event": "text", "value": 3}, 7]'),
    "arrow": WidgetState(arrow_value={"data": b"\x00ARROW1"}),  # type: ignore[arg-type]
    "bytes": WidgetState(bytes_value=b"\xff\x00\xfe" * 100),
    "files": _files(),
    "words": WidgetState(string_trigger_value={"data": "x"}),  # type: ignore[arg-type]
    "chat": _chat(),
}


@dataclass
class Forger(Session):
    """One attacker's connection.

    Attributes:
        id: of the session, as the server sends it to the tab.
        alerts: what error boxes said, refusals that are meant included.
    """

    id: str = ""

    async def forge(
        self, states: Mapping[str, WidgetState], fragment: str = "", **fields: str
    ) -> float:
        """Ask for a run with these states instead of the widgets' own; return its seconds."""
        return await self._ask(forged(self.screen, states, fragment, **fields), fragment)

    async def throw(self, raw: bytes | str) -> None:
        """Send bytes without waiting for an answer."""
        assert self._socket is not None
        await self._socket.send(raw)

    def wrong(self) -> list[str]:
        """Exceptions that the page showed since the last call; refusals are not among them."""
        found = [one for one in self.screen.wrong if not one.startswith("error: ")]
        found += [one for one in self.screen.wrong if "Traceback" in one or 'File "' in one]
        self.screen.wrong.clear()
        return found

    def _handle(self, message: ForwardMsg) -> None:
        if message.WhichOneof("type") == "new_session":
            self.id = message.new_session.initialize.session_id or self.id
        super()._handle(message)


def forged(
    screen: Screen, states: Mapping[str, WidgetState], fragment: str = "", **fields: str
) -> BackMsg:
    """A request for a run in which these states, by name or by id, replace the right ones."""
    message = screen.rerun(fragment=fragment)
    request = message.rerun_script
    for name, given in states.items():
        state = WidgetState()
        state.CopyFrom(given)
        state.id = screen.widgets[name].proto.id if name in screen.widgets else name
        kept = [one for one in request.widget_states.widgets if one.id != state.id]
        del request.widget_states.widgets[:]
        request.widget_states.widgets.extend([*kept, state])
    for field, value in fields.items():
        setattr(request, field, value)
    return message
