"""The gate of a server: how many may be connected, and what strangers may not ask for.

Streamlit takes every connection, and each costs memory as long as it stays. From
`EMBVIZ_MAX_SESSIONS` connections on, a page is answered with 503 and a sentence that reloads by
itself. A tenth more connections are reserved for pages that were served just before; further ones
are closed, and the browser tries again. Visitors are not told apart: 200 tabs of one browser fill
the server. A connection from a page of another site is refused; the messages of the others are
checked in `messages.py`.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from embviz.hosting import messages
from embviz.hosting.connections import most_sessions
from embviz.server.addresses import PAGES, under_base
from embviz.server.incoming import host_of, is_allowed, is_named, may_connect, refused_host
from embviz.system.bounds import hosted

RETRY_S = 5  # until the page reloads
# Answered whatever name is asked for: who looks after a server knows its address alone.
HEALTH = ("ready", "_stcore/health")
# Answered with 404: a way to run pages without a browser, which is off.
_UNUSED = ("/_stcore/agent",)
# Where hosted also uploads, which cost memory until their session ends, and how many visit.
_CLOSED = (*_UNUSED, "/_stcore/upload_file", "/_stcore/metrics")
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
        limit = most_sessions()
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send, limit + max(1, limit // 10))
        elif answer := self._refusal(scope, limit):
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, limit: int) -> Response | None:
        """The answer to a request that is not passed on."""
        if scope["type"] != "http" or scope["path"] in map(under_base, HEALTH):
            return None
        if _is_closed(scope["path"]):
            return PlainTextResponse("Not Found", 404)
        # Streamlit would send the page and refuse its connection: grey bars for ever.
        if not is_allowed(name := host_of(HTTPConnection(scope))):
            return PlainTextResponse(refused_host(name), 403)
        if self.connected >= limit and _is_page(scope):
            page = _FULL.format(limit=limit, retry=RETRY_S)
            headers = {"Retry-After": str(RETRY_S), "Cache-Control": "no-store"}
            return HTMLResponse(page, 503, headers)
        return None

    async def _connect(self, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        """A websocket, unless so many are open, or another site's page asks for it."""
        connection = HTTPConnection(scope)
        if not is_allowed(host_of(connection)) or not may_connect(connection):
            await receive()  # the request to connect
            await send({"type": "websocket.close", "code": 1008})
            return
        if is_named(connection):
            # Streamlit takes these origins too, but would ask elsewhere for its address first.
            MutableHeaders(scope=scope)["origin"] = f"http://{connection.headers.get('host')}"
        if self.connected >= most:
            await receive()
            await send({"type": "websocket.close"})
            return
        self.connected += 1
        try:
            await self._app(scope, messages.checked(receive, send), send)
        finally:
            self.connected -= 1


def _is_closed(path: str) -> bool:
    """Whether nothing is answered at this path."""
    closed = _CLOSED if hosted() else _UNUSED
    return any(address in path for address in closed)


def _is_page(scope: Scope) -> bool:
    """Whether the request is for a page, and not for a file of one."""
    page = scope.get("path", "").removeprefix(under_base("")).strip("/")
    return scope.get("method") in ("GET", "HEAD") and (not page or page in PAGES)
