"""How many visitors are connected at once: who opens a page of a full server is told so.

Streamlit takes every connection, and each costs memory for as long as it stays, whether anybody
sits there or not. From `EMBVIZ_MAX_SESSIONS` on a page is answered with a sentence that tries again
by itself. A tenth more is for those whose page was on its way, and for those who reload: their old
connection still stands when they ask. Further connections are turned away, and the browser asks
again. What is no page (`/ready`, a host's probes, Streamlit's own files) is answered as ever.
It does not tell visitors apart: who opens 200 tabs has filled the server.
"""

from __future__ import annotations

from contextlib import suppress

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from embviz.core.bounds import SESSIONS, BoundError
from embviz.request.pages import PAGES

AGAIN_S = 5  # until the page tries again
_STREAM = "/_stcore/stream"
_KNOWN = b"_streamlit_xsrf="  # a cookie that Streamlit gives to whom it has shown a page
_PAGES = {"", *PAGES}
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>embviz is full</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="{again}">
<style>:root {{ color-scheme: light dark }}
body {{ font: 1.1rem/1.5 system-ui, sans-serif;
  max-width: 34rem; margin: 18vh auto; padding: 0 1rem }}
</style><h1>This server is full</h1>
<p>{most:,} visitors are connected, as many as it takes at once. This page tries again by itself
every {again} seconds; leave it open.</p>
<p>To wait for nobody, run embviz on your own machine: <code>streamlit run app.py</code>.</p>
</html>"""


class Crowd:
    """Stands before the server and counts who is connected.

    Attributes:
        connected: how many, each tab of a browser being one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._told = False  # whether the log has it that the server is full
        self.connected = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one visit from its beginning to its end."""
        most = _most()
        with_reserve = most + max(1, most // 10)
        if scope["type"] == "websocket" and scope["path"].endswith(_STREAM):
            if self._is_full(with_reserve):
                await receive()  # the wish to connect, which is answered with a no
                await send({"type": "websocket.close"})
            else:
                await self._visit(scope, receive, send)
        elif _is_page(scope) and self._is_full(with_reserve if _is_known(scope) else most):
            page = _PAGE.format(most=most, again=AGAIN_S)
            headers = {"Retry-After": str(AGAIN_S), "Cache-Control": "no-store"}
            await HTMLResponse(page, 503, headers)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.connected += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self.connected -= 1

    def _is_full(self, most: int) -> bool:
        if self.connected < most:
            self._told = False
            return False
        if not self._told:  # once, for all who try again
            self._told = True
            with suppress(BoundError):
                SESSIONS.refused()
        return True


def _most() -> int:
    try:
        return SESSIONS.value()
    except BoundError:  # a hosted server says so at its start; no visitor can mend it
        return SESSIONS.default


def _is_page(scope: Scope) -> bool:
    """Whether somebody opens a page, and not a file of one."""
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return False
    path: str = scope["path"]
    return path.rstrip("/").rpartition("/")[2] in _PAGES


def _is_known(scope: Scope) -> bool:
    """Whether the browser has been here before, and may be reloading."""
    return any(name == b"cookie" and _KNOWN in value for name, value in scope["headers"])
