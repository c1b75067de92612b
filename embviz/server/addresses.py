"""The server's own addresses, below `server.baseUrlPath`.

A proxy that passes on one path of a site sets that option. Streamlit does not add it to the routes
of an app, so each route of ours asks here for its path.

The playground is the page of the bare address; `/playground` leads there.
"""

from __future__ import annotations

import streamlit as st
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route


def under_base(path: str) -> str:
    """The path as the server registers it and a browser asks for it: `live` -> `/base/live`."""
    base = str(st.get_option("server.baseUrlPath") or "")
    return "/" + "/".join(part for part in (base.strip("/"), path.strip("/")) if part)


async def first_page(request: Request) -> RedirectResponse:
    """The bare address with the same query; relative, because a proxy may show another path."""
    query = request.url.query
    return RedirectResponse(f"./?{query}" if query else "./")


def routes() -> list[Route]:
    """The redirect of `/playground`."""
    return [Route(under_base("playground"), first_page)]
