"""What reaches a hosted server at all: bounded uploads and messages, and no metrics.

And what stays of those who left: few sessions.

Streamlit holds every file that came with a session's id, for as long as the session lives,
and bounds each file but not their number. It keeps whatever a browser says its fields hold.
And it answers `/_stcore/metrics`, which tells anybody how many sessions there are, and
messages that are meant for the developer's own browser, whoever sends them.
"""

from __future__ import annotations

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.memory_session_storage import MemorySessionStorage

from embviz.core import bounds
from embviz.core.bounds import hosted

MB = 1024 * 1024  # as Streamlit counts them
KEPT_SESSIONS = 16  # of those whose connection broke, for their return
FRAMING = MB  # what a multipart body is longer than its file, as Streamlit allows it
# The first empties the caches of all visitors and ends their sweeps, the next names server files.
_RESERVED = (
    "clear_cache",
    "load_git_info",
    "set_run_on_save",
    "debug_disconnect_websocket",
    "debug_shutdown_runtime",
)
_UPLOAD, _METRICS = "/_stcore/upload_file/", "/_stcore/metrics"


class Guard:
    """Stands before Streamlit: passes everything on but what strangers may not do."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if not hosted():  # asked each time: Streamlit's secrets may set the variable late
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._app(scope, _bounded(receive), send)
        else:
            refusal = _refusal(scope) if scope["type"] == "http" else None
            await (refusal or self._app)(scope, receive, send)


def _bounded(receive: Receive) -> Receive:
    """Messages up to the limit; the visitor who sends a larger one is taken for gone."""

    async def receive_bounded() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            content = message.get("bytes") or message.get("text") or b""
            if len(content) > bounds.MESSAGE.value() * MB:
                bounds.MESSAGE.refused()
                return {"type": "websocket.disconnect", "code": 1009}  # message too big
            if isinstance(content, str):  # no browser speaks text here
                return {"type": "websocket.disconnect", "code": 1003}
            if not _reserved(content):
                return message

    return receive_bounded


def _reserved(content: bytes) -> bool:
    """Whether a message asks for what is a developer's: it is passed over."""
    request = BackMsg()
    try:
        request.ParseFromString(content)
    except DecodeError:  # Streamlit ends this visit
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
    if not length.isdigit():  # a body of unknown length could not be refused before it is here
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
    """Bytes of all files that each session has sent and not taken back."""
    if not runtime.exists():
        return {}
    stored = getattr(runtime.get_instance().uploaded_file_mgr, "file_storage", {})
    return {
        session: sum(len(file.data) for file in list(files.values()))
        for session, files in list(stored.items())
    }


def keep_few_sessions() -> None:
    """Hold at most KEPT_SESSIONS for visitors who may return; Streamlit holds 128, of any size.

    Whoever opens and drops connections would fill the memory with them. A student whose
    connection broke and whose session is gone gets a new one with all that the page's fields hold.
    """
    manager = getattr(runtime.get_instance(), "_session_mgr", None) if runtime.exists() else None
    if hosted() and hasattr(manager, "_session_storage"):
        manager._session_storage = MemorySessionStorage(maxsize=KEPT_SESSIONS)  # type: ignore[union-attr]
