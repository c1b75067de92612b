"""Bounds of the uploads that a server keeps, in number and in bytes together.

Streamlit holds each upload in memory until its session ends, and takes any number of them. What is
over a bound is refused here before its content is read. A hosted server takes no upload: see
`gate.py`. What one file may have is an option of Streamlit, `server.maxUploadSize`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from embviz.server.incoming import CLOSE, claimed_bytes
from embviz.system.bounds import MIB
from embviz.text.wording import format_bytes

SESSION_FILES, SERVER_FILES = 16, 256  # uploads of one session, and of all together
SESSION_BYTES, SERVER_BYTES = 128 * MIB, 512 * MIB  # bytes of them
ARRIVE_S = 300.0  # seconds in which an upload must have arrived
_PATH = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)$")


def is_held(session: str, file: str) -> bool:
    """Whether Streamlit still holds an upload: a session that ends gives its uploads back."""
    if not runtime.exists():
        return False
    return bool(runtime.get_instance().uploaded_file_mgr.get_files(session, [file]))


class Bounded:
    """ASGI middleware that refuses uploads over a bound, and passes everything else on.

    Args:
        app: what answers.
        held: whether an upload that was taken is still held, by its session and its id.
    """

    def __init__(self, app: ASGIApp, held: Callable[[str, str], bool] = is_held) -> None:
        self._app, self._held = app, held
        # Bytes of each upload that was taken, by its session and its id, and of those under way.
        self._kept: dict[tuple[str, ...], int] = {}
        self._arriving = list[tuple[tuple[str, ...], int]]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one connection."""
        found = _PATH.search(scope.get("path", "")) if scope.get("method") == "PUT" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        upload = found.groups()
        most = int(st.get_option("server.maxUploadSize")) * MIB
        size = claimed_bytes(Headers(scope=scope), most)
        if why := self._refusal(upload[0], size):
            await PlainTextResponse(why, 413, CLOSE)(scope, receive, send)
            return
        self._arriving.append((upload, size))
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            async with asyncio.timeout(ARRIVE_S):
                await self._app(scope, receive, watched)
        except TimeoutError:
            if not status:
                await PlainTextResponse("The upload took too long.", 408, CLOSE)(
                    scope, receive, send
                )
        finally:
            self._arriving.remove((upload, size))
            if 200 <= status < 300:
                self._kept[upload] = size

    def _refusal(self, session: str, size: int) -> str:
        """Why an upload of so many bytes is not taken; empty if it is."""
        self._kept = {key: kept for key, kept in self._kept.items() if self._held(*key)}
        every = [*self._arriving, *self._kept.items()]
        own = [taken for (owner, _), taken in every if owner == session]
        if len(own) >= SESSION_FILES or sum(own) + size > SESSION_BYTES:
            return (
                f"One session may upload {SESSION_FILES} files with {format_bytes(SESSION_BYTES)} "
                "together. Remove one, or reload the page."
            )
        if len(every) >= SERVER_FILES or sum(taken for _, taken in every) + size > SERVER_BYTES:
            return (
                f"This server holds {SERVER_FILES} uploads with {format_bytes(SERVER_BYTES)} at "
                "most, and others have as many open. Try again later."
            )
        return ""
