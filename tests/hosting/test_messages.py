"""Only the messages that a browser needs pass, and none that is too long is read."""

import asyncio
from typing import Any

import pytest
from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from embviz.hosting import messages

FIELDS = BackMsg.DESCRIPTOR.fields_by_name
PAYLOADS = FIELDS["backend_operation_request"].message_type.oneofs_by_name["payload"].fields


def request(field: FieldDescriptor) -> BackMsg:
    """A request of this kind, empty."""
    made = BackMsg()
    if field.message_type is None:
        setattr(made, field.name, field.cpp_type == FieldDescriptor.CPPTYPE_BOOL)
    else:
        getattr(made, field.name).SetInParent()
    return made


def operation(name: str) -> BackMsg:
    """A backend operation with this payload, empty."""
    made = BackMsg()
    getattr(made.backend_operation_request, name).SetInParent()
    return made


def sent(*contents: bytes | str) -> tuple[list[bytes], list[int]]:
    """What an app hears of the messages of a connection, and the codes that close it."""
    waiting = [{"type": "websocket.connect"}]
    for one in contents:
        waiting.append(
            {"type": "websocket.receive", "text" if isinstance(one, str) else "bytes": one}
        )
    waiting.append({"type": "websocket.disconnect", "code": 1000})
    codes: list[int] = []

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        codes.append(message["code"])

    async def hear() -> list[bytes]:
        one, heard = messages.Connection(receive, send), []
        while (message := await one.receive())["type"] != "websocket.disconnect":
            if message["type"] == "websocket.receive":
                heard.append(message["bytes"])
        return heard

    return asyncio.run(hear()), codes


def test_only_what_a_browser_needs_passes(hosted: pytest.MonkeyPatch) -> None:
    """All kinds of requests that the installed Streamlit knows, and those it does not know."""
    every = [request(field) for field in FIELDS.values()]
    every += [operation(one.name) for one in PAYLOADS]
    assert len(every) >= 14
    for is_hosted in (True, False):
        passed = {
            one.WhichOneof("type")
            + "."
            + (one.backend_operation_request.WhichOneof("payload") or "")
            for one in every
            if sent(one.SerializeToString()) == ([one.SerializeToString()], [])
        }
        needed = {"rerun_script.", "stop_script.", "app_heartbeat."}
        needed |= {f"backend_operation_request.{name}" for name in messages.OPERATIONS}
        assert passed == needed if is_hosted else passed == needed | {"file_urls_request."}
        assert sent(b"", b"\xc2\x3e\x01\x31") == ([], [])  # a field that no version has yet
        hosted.delenv("EMBVIZ_HOSTED", raising=False)


def test_an_upload_names_few_files() -> None:
    """The server makes an id and two addresses for each name."""
    names = [str(one) for one in range(messages.MOST_FILES + 1)]
    few, many = BackMsg(), BackMsg()
    few.file_urls_request.file_names.extend(names[1:])
    many.file_urls_request.file_names.extend(names)
    assert sent(few.SerializeToString(), many.SerializeToString())[0] == [few.SerializeToString()]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("text", messages.NO_BYTES),
        (b"\xff\xff", messages.NO_MESSAGE),
        (BackMsg(rerun_script={"query_string": "x" * 200_000}), messages.TOO_MUCH),
        (BackMsg(rerun_script={"cached_message_hashes": ["x"] * 90_000}), messages.TOO_MUCH),
        (
            BackMsg(rerun_script={"widget_states": {"widgets": [{"id": "x"}] * 2_000}}),
            messages.TOO_MUCH,
        ),
    ],
    ids=["text", "noise", "query", "hashes", "widgets"],
)
def test_what_no_browser_sends_ends_the_connection(content: Any, code: int) -> None:
    """Streamlit never sees it, nor what follows; what came before it is heard."""
    if isinstance(content, BackMsg):
        content = content.SerializeToString()
    stop = BackMsg(stop_script=True).SerializeToString()
    assert sent(stop, content, stop) == ([stop], [code])


def test_a_message_that_is_too_long_is_not_read(
    hosted: pytest.MonkeyPatch,
) -> None:
    """Where hosted 1 MB; elsewhere what Streamlit's option says."""
    unread: Any = None
    hosted.setattr(messages, "BackMsg", unread)
    assert messages.most_bytes() == 1_000_000
    assert sent(b" " * 1_000_001) == ([], [messages.TOO_MUCH])
    hosted.delenv("EMBVIZ_HOSTED", raising=False)
    assert messages.most_bytes() == 5_000_000
    assert sent(b" " * 5_000_001) == ([], [messages.TOO_MUCH])


@pytest.mark.parametrize(
    "value",
    [
        "chat_input_value { file_uploader_state { %s } }" % ("uploaded_file_info {} " * 30_000),
        "string_array_value { %s }" % ("data: '' " * 30_000),
    ],
    ids=lambda value: value.split()[0],
)
def test_a_message_has_few_entries(value: str) -> None:
    """Streamlit holds the last message of a connection, with each entry as an object."""
    made = BackMsg()
    states = made.rerun_script.widget_states.widgets
    states.append(text_format.Parse(value, WidgetState()))
    assert sent(made.SerializeToString()) == ([], [messages.TOO_MUCH])
    states[0].Clear()
    states[0].string_value = "a" * 995_000  # a long text in a field
    states.append(WidgetState(string_array_value={"data": ["lookup"] * 99}))
    assert sent(made.SerializeToString()) == ([made.SerializeToString()], [])


def test_what_was_sent_before_the_browser_went_is_dropped() -> None:
    """Streamlit would fail at it, and the log would name a forged value."""

    async def receive() -> Any:
        return {"type": "websocket.receive", "bytes": BackMsg(rerun_script={}).SerializeToString()}

    async def send(_message: Any) -> None:
        raise OSError("it has gone")

    async def hear() -> list[str]:
        one = messages.Connection(receive, send)
        heard = [(await one.receive())["type"]]
        with pytest.raises(OSError, match="has gone"):
            await one.send({"type": "websocket.send", "bytes": b""})
        return [*heard, (await one.receive())["type"]]

    assert asyncio.run(hear()) == ["websocket.receive", "websocket.disconnect"]
