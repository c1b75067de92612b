"""The server's own addresses, below `server.baseUrlPath`, and the answer to an unknown one.

A proxy that passes on one path of a site sets that option. Streamlit does not add it to the routes
of an app, so each route of ours asks here for its path.

Streamlit answers every unknown address with its one page. The browser then shows the first page of
the app, or for an address such as `limits/abc` nothing, because it asks for scripts below `limits`.
`Unknown` leads to a page instead: `where-it-breaks` to `limits`, the name of no page to the
playground, whose query then has that name. The frame says so.
"""

from __future__ import annotations

import re
from urllib.parse import urlencode

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from embviz.system.child import ROOT
from embviz.system.machine import is_loopback

# Pages are found by their files: their records are not imported yet when the server starts.
PAGES = {path.stem for path in (ROOT / "pages").glob("*.py")}
# The parameter that has an address which no page has.
NO_PAGE = "no_page"
# The page with the bare address.
FIRST = "playground"
# Titles of pages that have another name.
TITLES = {"where_it_breaks": "limits"}
_LONGEST = 100  # Characters of an unknown address that the query has.


def under_base(path: str) -> str:
    """The path as the server registers it and a browser asks for it: `live` -> `/base/live`."""
    base = str(st.get_option("server.baseUrlPath") or "")
    return "/" + "/".join(part for part in (base.strip("/"), path.strip("/")) if part)


def listens_to_itself() -> bool:
    """Whether `server.address` lets nobody reach the server but its own machine."""
    return is_loopback(str(st.get_option("server.address") or ""))


class Unknown:
    """ASGI middleware: an address that no route and no page has leads to a page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one connection."""
        path = str(scope.get("path", "")).removeprefix(under_base("")).lstrip("/")
        is_visit = scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")
        if not is_visit or not path or path in PAGES - {FIRST}:
            await self._app(scope, receive, send)
            return
        is_led = False

        async def lead(message: Message) -> None:
            nonlocal is_led
            if message["type"] == "http.response.start" and _is_one_page(message):
                is_led = True
                query = str(scope["query_string"], "latin-1")
                await RedirectResponse(way(path, query))(scope, receive, send)
            elif not is_led:
                await send(message)

        await self._app(scope, receive, lead)


def way(path: str, query: str) -> str:
    """The page that an unknown path leads to, relative, because a proxy may show another path.

    >>> way("Where it breaks", "find=nan"), way("limits/abc", ""), way("playground/", "")
    ('./limits?find=nan', '../?no_page=limits%2Fabc', '../')
    """
    asked = path.rstrip("/")
    name = re.sub(r"[\W_]+", "_", asked).strip("_").lower() if "/" not in asked else ""
    page = TITLES.get(name, name)
    if page not in PAGES:
        page = FIRST
        query = "&".join(filter(None, (urlencode({NO_PAGE: asked[:_LONGEST]}), query)))
    up = "../" * path.count("/") or "./"
    return up + ("" if page == FIRST else page) + (f"?{query}" if query else "")


def _is_one_page(start: Message) -> bool:
    """Whether the answer is a page that was found: all of ours have routes that lead elsewhere."""
    kind = Headers(raw=start["headers"]).get("content-type", "")
    return start["status"] == 200 and kind.startswith("text/html")
