"""The guard of a hosted server: no uploads, no metrics, bounded messages, none for developers.

Streamlit bounds the size of an uploaded file, but not the number of files that a session holds. It
keeps whatever a browser says its fields hold. `/_stcore/metrics` tells anybody how many sessions
there are. And it obeys messages that are meant for the developer's browser, whoever sends them.
The guard does not limit how often somebody asks; the scheduler and the admission bound the cost.
"""

from __future__ import annotations

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from embviz.core import bounds
from embviz.core.bounds import hosted

MB = 1024 * 1024  # as Streamlit counts
# The first empties all visitors' caches and ends their sweeps, the second names server files.
_RESERVED = (
    "clear_cache",
    "load_git_info",
    "set_run_on_save",
    "debug_disconnect_websocket",
    "debug_shutdown_runtime",
)
# Uploads cost memory until their session ends, however many a visitor sends.
_CLOSED = ("/_stcore/upload_file", "/_stcore/metrics")


class Guard:
    """ASGI middleware that refuses what strangers may not do and passes everything else on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one connection."""
        if not hosted():
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._app(scope, _bounded(receive), send)
        else:
            closed = scope["type"] == "http" and _is_closed(scope["path"])
            await (PlainTextResponse("Not Found", 404) if closed else self._app)(
                scope, receive, send
            )


def _bounded(receive: Receive) -> Receive:
    """Messages up to the limit; a larger one, or one of text, ends the connection."""

    async def receive_bounded() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            content = message.get("bytes") or message.get("text") or b""
            if len(content) > bounds.MESSAGE.value() * MB:
                return {"type": "websocket.disconnect", "code": 1009}  # message too big
            if isinstance(content, str):  # Streamlit's browser side sends bytes only
                return {"type": "websocket.disconnect", "code": 1003}  # unsupported data
            if not _reserved(content):
                return message

    return receive_bounded


def _reserved(content: bytes) -> bool:
    """Whether a message is one for developers, which the guard drops."""
    request = BackMsg()
    try:
        request.ParseFromString(content)
    except DecodeError:  # Streamlit ends this connection
        return False
    return request.WhichOneof("type") in _RESERVED


def _is_closed(path: str) -> bool:
    return any(path.rstrip("/").endswith(one) or f"{one}/" in path for one in _CLOSED)
