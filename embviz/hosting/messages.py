"""The messages that a visitor's browser sends: which kinds pass, how long they may be, how many.

Streamlit also takes messages for developers, for uploads and for its own tools. Some of them make
the server work for seconds, for everybody, before any page is asked. So only what a browser needs
passes, and a message that is too long is refused before it is read.
"""

from __future__ import annotations

import streamlit as st
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.exceptions import WebSocketException
from starlette.types import Message, Receive, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from embviz.hosting.turns import Turns
from embviz.system.bounds import hosted

# Bytes of one message: all that the fields of a page hold. Elsewhere `server.maxWidgetStateSize`.
MOST_BYTES = 1_000_000
# Widgets in one message; a page has fewer than 100.
MOST_WIDGETS = 1_000
# Entries of lists in one message; a page's lists have fewer than 100. Streamlit holds the last
# message of a connection as it was read, and an entry of 2 bytes takes 80 in it.
MOST_ENTRIES = 1_000
# Bytes of a message up to which entries are not counted: they take 4 MB at most.
SHORT_BYTES = 50_000
# Bytes of one message beside its widgets: mostly the address, of which a reload takes 64 KiB.
MOST_OTHER_BYTES = 100_000
KINDS = {"rerun_script", "stop_script", "app_heartbeat"}
# What the backend operations may be: a file that is made when it is downloaded, rows of a table.
OPERATIONS = {"deferred_file", "dataframe_chunk"}
# An upload begins with it. The server makes an id and two addresses for each name in it.
UPLOAD, MOST_FILES = "file_urls_request", 10
# Codes with which a websocket is closed (RFC 6455).
NO_MESSAGE, NO_BYTES, GONE, TOO_MUCH = 1002, 1003, 1006, 1009


class Connection:
    """A connection without the messages that no browser needs.

    A kind that no browser needs is dropped. What is too long, or no request, ends the connection.
    Each message waits for its turn. What was sent before the browser went is dropped.
    """

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self._turns, self._ended = Turns(), 0

    async def receive(self) -> Message:
        """The next message that the app needs."""
        while not self._ended:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            try:
                if is_needed(read(message)):
                    await self._turns.turn()
                    if not self._ended:
                        return message
            except WebSocketException as end:
                self._ended = end.code
                await self._send({"type": "websocket.close", "code": end.code})
        return {"type": "websocket.disconnect", "code": self._ended}

    async def send(self, message: Message) -> None:
        """Send a message of the app.

        Raises:
            OSError: the browser has gone.
        """
        try:
            await self._send(message)
        except OSError:
            self._ended = self._ended or GONE
            raise


def most_bytes() -> int:
    """The bytes of the longest message."""
    usual = int(st.get_option("server.maxWidgetStateSize") * 1e6)
    return min(usual, MOST_BYTES) if hosted() else usual


def read(message: Message) -> BackMsg:
    """The request in a message of a websocket.

    Raises:
        WebSocketException: it is too long, text, or no request.
    """
    content = message.get("bytes")
    if content is None:
        raise WebSocketException(NO_BYTES)
    if len(content) > most_bytes():
        raise WebSocketException(TOO_MUCH)
    request = BackMsg()
    try:
        request.ParseFromString(content)
    except DecodeError:
        raise WebSocketException(NO_MESSAGE) from None
    widgets = request.rerun_script.widget_states
    is_long = request.ByteSize() - widgets.ByteSize() > MOST_OTHER_BYTES
    if is_long or len(widgets.widgets) > MOST_WIDGETS:
        raise WebSocketException(TOO_MUCH)
    if len(content) > SHORT_BYTES and sum(map(_entries, widgets.widgets)) > MOST_ENTRIES:
        raise WebSocketException(TOO_MUCH)
    return request


def _entries(widget: WidgetState) -> int:
    """The number of entries that the lists in a widget's value have, at any depth."""
    rest, count = [widget], 0
    while rest:
        for field, value in rest.pop().ListFields():
            if field.is_repeated:
                count += len(value)
            elif field.message_type is not None:
                rest.append(value)
    return count


def is_needed(request: BackMsg) -> bool:
    """Whether a browser sends such a request on a page of this server."""
    kind = request.WhichOneof("type")
    if kind == UPLOAD:
        return not hosted() and len(request.file_urls_request.file_names) <= MOST_FILES
    if kind == "backend_operation_request":
        return request.backend_operation_request.WhichOneof("payload") in OPERATIONS
    return kind in KINDS
