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
from starlette.websockets import WebSocketClose

from embviz.hosting import messages
from embviz.hosting.capacity import most_sessions
from embviz.hosting.connections import asking
from embviz.server.addresses import PAGES, under_base
from embviz.server.incoming import from_here, host_of, is_allowed, refused_host
from embviz.system.bounds import hosted

RETRY_S = 5  # until the page reloads
# Answered whatever name is asked for: who looks after a server knows its address alone.
HEALTH = ("ready", "_stcore/health")
# Answered with 404: a way to run pages without a browser, which is off.
_UNUSED = ("/_stcore/agent",)
# Where hosted also uploads, which cost memory until their session ends, and how many visit.
_CLOSED = (*_UNUSED, "/_stcore/upload_file", "/_stcore/metrics")
# A page's websocket could not be opened with more: it would show grey bars for ever.
MOST_HEADER_BYTES = 8_000
TOO_LONG = (
    "Your browser sends a header of {size:,} bytes to this host, and at most {most:,} are taken. "
    "Mostly these are cookies of other pages under its name: delete the cookies of this host, "
    "and open the page again."
)
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
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        with asking(is_websocket := scope["type"] == "websocket"):
            if is_websocket:
                await self._connect(scope, receive, send)
            else:
                answer = self._refusal(scope) or self._app
                await answer(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is not passed on."""
        if scope["path"] in map(under_base, HEALTH):
            return None
        closed = _CLOSED if hosted() else _UNUSED
        if any(path in scope["path"] for path in closed):
            return PlainTextResponse("Not Found", 404)
        # Streamlit would send the page and refuse its connection: grey bars for ever.
        if not is_allowed(name := host_of(HTTPConnection(scope))):
            return PlainTextResponse(refused_host(name), 403)
        if _is_page(scope) and (size := longest_header(scope)) > MOST_HEADER_BYTES:
            return PlainTextResponse(TOO_LONG.format(size=size, most=MOST_HEADER_BYTES), 431)
        if self.connected >= (limit := most_sessions()) and _is_page(scope):
            page = _FULL.format(limit=limit, retry=RETRY_S)
            headers = {"Retry-After": str(RETRY_S), "Cache-Control": "no-store"}
            return HTMLResponse(page, 503, headers)
        return None

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A websocket, unless too many are open, or another site's page asks for it."""
        asked, limit = HTTPConnection(scope), most_sessions()
        if not is_allowed(host_of(asked)) or not from_here(asked):
            await WebSocketClose(1008)(scope, receive, send)
            return
        if self.connected >= limit + max(1, limit // 10):
            await WebSocketClose()(scope, receive, send)
            return
        if "origin" in asked.headers:
            # Streamlit would ask another server for the address of this one before it takes an
            # origin with another name: everybody would wait for seconds.
            MutableHeaders(scope=scope)["origin"] = f"http://{asked.headers.get('host')}"
        self.connected += 1
        try:
            connection = messages.Connection(receive, send)
            await self._app(scope, connection.receive, connection.send)
        finally:
            self.connected -= 1


def longest_header(scope: Scope) -> int:
    """Bytes of the longest header of a request."""
    return max((len(name) + len(value) for name, value in scope["headers"]), default=0)


def _is_page(scope: Scope) -> bool:
    """Whether the request is for a page, and not for a file of one."""
    page = scope["path"].removeprefix(under_base("")).strip("/")
    return scope["method"] in ("GET", "HEAD") and (not page or page in PAGES)
