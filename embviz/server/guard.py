"""The guard of a hosted server: bounded uploads and messages, no metrics, no developer's messages.

Streamlit bounds the size of an uploaded file, but not the number of files that a session holds. It
keeps whatever a browser says its fields hold. `/_stcore/metrics` tells anybody how many sessions
there are. And it obeys messages that are meant for the developer's browser, whoever sends them.
The guard does not limit how often somebody asks; the scheduler and the admission bound the cost.
"""

from __future__ import annotations

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg

from embviz.core import bounds
from embviz.core.bounds import hosted

MB = 1024 * 1024  # as Streamlit counts
FRAMING = MB  # a multipart body may be so much longer than its file, as Streamlit allows
# The first empties all visitors' caches and ends their sweeps, the second names server files.
_RESERVED = (
    "clear_cache",
    "load_git_info",
    "set_run_on_save",
    "debug_disconnect_websocket",
    "debug_shutdown_runtime",
)
_UPLOAD, _METRICS = "/_stcore/upload_file/", "/_stcore/metrics"


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
            refusal = _refusal(scope) if scope["type"] == "http" else None
            await (refusal or self._app)(scope, receive, send)


def _bounded(receive: Receive) -> Receive:
    """Messages up to the limit; a larger one, or one of text, ends the connection."""

    async def receive_bounded() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            content = message.get("bytes") or message.get("text") or b""
            if len(content) > bounds.MESSAGE.value() * MB:
                bounds.MESSAGE.refused()
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


def _refusal(scope: Scope) -> PlainTextResponse | None:
    path: str = scope["path"]
    if path.rstrip("/").endswith(_METRICS):
        return PlainTextResponse("Not Found", 404)
    if _UPLOAD not in path or scope["method"] != "PUT":
        return None
    headers = {name.lower(): value for name, value in scope["headers"]}
    length = headers.get(b"content-length", b"")
    if not length.isdigit():  # a body of unknown length is in memory before it can be refused
        return PlainTextResponse("Length Required", 411)
    session = path.split(_UPLOAD, 1)[1].partition("/")[0]
    held = held_bytes()
    for bound, before in (
        (bounds.UPLOAD, 0),
        (bounds.UPLOADS, held.get(session, 0)),
        (bounds.ALL_UPLOADS, sum(held.values())),
    ):
        if before + int(length) - FRAMING > bound.value() * MB:
            bound.refused()
            return PlainTextResponse(f"More than {bound.value()} MB: {bound.words}.", 413)
    return None


def held_bytes() -> dict[str, int]:
    """Bytes of the uploaded files that each session holds."""
    if not runtime.exists():
        return {}
    stored = runtime.get_instance().uploaded_file_mgr.file_storage  # type: ignore[attr-defined]
    return {
        session: sum(len(file.data) for file in list(files.values()))
        for session, files in list(stored.items())
    }
