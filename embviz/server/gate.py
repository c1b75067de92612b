"""The gate of a server: how many may be connected, and what strangers may not ask for.

Streamlit takes every connection, and each costs memory as long as it stays. From
`EMBVIZ_MAX_SESSIONS` connections on, a page is answered with 503 and a sentence that reloads by
itself. A tenth more connections are reserved for pages that were served just before; further ones
are closed, and the browser tries again. Visitors are not told apart: 200 tabs of one browser fill
the server. How long a message may be is an option of Streamlit, `server.maxWidgetStateSize`.
"""

from __future__ import annotations

import streamlit as st
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from embviz.core.bounds import SESSIONS, hosted
from embviz.core.wording import quote
from embviz.server.addresses import PAGES, under_base
from embviz.server.incoming import is_allowed

RETRY_S = 5  # until the page reloads
# What a hosted server answers with 404: uploads, which cost memory until their session ends, and
# the number of visitors.
_CLOSED = ("/_stcore/upload_file", "/_stcore/metrics")
# What it drops. The first empties all visitors' caches and ends their sweeps.
_RESERVED = ("clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime")
_FULL = """<!doctype html><html lang="en"><meta charset="utf-8"><title>embviz is full</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="{retry}">
<style>:root {{ color-scheme: light dark }}
body {{ font: 1.1rem/1.5 system-ui, sans-serif;
  max-width: 34rem; margin: 18vh auto; padding: 0 1rem }}
</style><h1>This server is full</h1>
<p>{limit:,} visitors are connected, as many as it takes at once. This page tries again by itself
every {retry} seconds; leave it open.</p>
<p>To use embviz at once, run it on your own machine: <code>streamlit run app.py</code>.</p>
</html>"""


class Gate:
    """ASGI middleware that refuses what is above, and passes everything else on.

    Attributes:
        connected: open connections; each tab of a browser has one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.connected = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one connection from its start to its end."""
        limit = SESSIONS.value()
        if scope["type"] == "websocket":
            if self.connected >= limit + max(1, limit // 10):
                await receive()  # the request to connect
                await send({"type": "websocket.close"})
                return
            self.connected += 1
            try:
                await self._app(scope, _without_reserved(receive) if hosted() else receive, send)
            finally:
                self.connected -= 1
        elif scope["type"] == "http" and hosted() and any(one in scope["path"] for one in _CLOSED):
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
        elif _is_page(scope) and not is_allowed(name := Request(scope).url.hostname or ""):
            # Streamlit would send the page and refuse its connection: grey bars for ever.
            named = ", ".join(st.get_option("server.allowedHosts"))
            sentence = (
                f"This server does not answer to {quote(name)}. server.allowedHosts: {named}."
            )
            await PlainTextResponse(sentence, 403)(scope, receive, send)
        elif self.connected >= limit and _is_page(scope):
            page = _FULL.format(limit=limit, retry=RETRY_S)
            headers = {"Retry-After": str(RETRY_S), "Cache-Control": "no-store"}
            await HTMLResponse(page, 503, headers)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _without_reserved(receive: Receive) -> Receive:
    """The messages of a connection but those for developers, whoever sends them."""

    async def receive_other() -> Message:
        while True:
            message = await receive()
            if not _is_reserved(message.get("bytes") or b""):
                return message

    return receive_other


def _is_reserved(content: bytes) -> bool:
    request = BackMsg()
    try:
        request.ParseFromString(content)
    except DecodeError:  # Streamlit ends this connection
        return False
    return request.WhichOneof("type") in _RESERVED


def _is_page(scope: Scope) -> bool:
    """Whether the request is for a page, and not for a file of one."""
    page = scope.get("path", "").removeprefix(under_base("")).strip("/")
    return scope.get("method") in ("GET", "HEAD") and (not page or page in PAGES)
