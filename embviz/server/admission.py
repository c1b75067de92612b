"""Admission: the number of visitors connected at once is bounded.

Streamlit takes every connection, and each costs memory as long as it stays. From
`EMBVIZ_MAX_SESSIONS` connections on, a page is answered with 503 and a sentence that reloads by
itself. A tenth more connections are reserved: for pages that were served just before, and for
reloads, whose old connection is still open. Further connections are closed, and the browser tries
again. Other paths (`/ready`, a host's probes, Streamlit's own files) are always answered. Visitors
are not told apart: 200 tabs of one browser fill the server.
"""

from __future__ import annotations

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from embviz.core.bounds import SESSIONS
from embviz.request.pages import PAGES

RETRY_S = 5  # until the page reloads
_STREAM = "/_stcore/stream"
_VISITED = b"_streamlit_xsrf="  # Streamlit sets this cookie with the first page
_PAGES = {"", *PAGES}
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


class Admission:
    """ASGI middleware that counts connections.

    Attributes:
        connected: open connections; each tab of a browser has one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.connected = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one connection from its start to its end."""
        limit = SESSIONS.value()
        with_reserve = limit + max(1, limit // 10)
        if scope["type"] == "websocket" and scope["path"].endswith(_STREAM):
            if self.connected >= with_reserve:
                await receive()  # the request to connect
                await send({"type": "websocket.close"})
            else:
                await self._connect(scope, receive, send)
        elif _is_page(scope) and self.connected >= (with_reserve if _has_visited(scope) else limit):
            page = _FULL.format(limit=limit, retry=RETRY_S)
            headers = {"Retry-After": str(RETRY_S), "Cache-Control": "no-store"}
            await HTMLResponse(page, 503, headers)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.connected += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self.connected -= 1


def _is_page(scope: Scope) -> bool:
    """Whether the request is for a page, and not for a file of one."""
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return False
    path: str = scope["path"]
    return path.rstrip("/").rpartition("/")[2] in _PAGES


def _has_visited(scope: Scope) -> bool:
    """Whether the browser has loaded a page before, and may be reloading."""
    return any(name == b"cookie" and _VISITED in value for name, value in scope["headers"])
