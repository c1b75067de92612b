"""What a route asks of a request before it reads it: where it comes from, and how long it is.

It knows no sessions and no cookies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import streamlit as st
from starlette.exceptions import HTTPException
from starlette.requests import Request
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

BODY_S = 10.0  # a request must arrive within this time
CLOSE = {"Connection": "close"}  # so that the rest of a request is not read


def from_here(request: Request) -> bool:
    """Whether a page of this server asks, or a program, and for an allowed host."""
    host, origin = request.headers.get("host"), request.headers.get("origin")
    if not is_host_allowed(host):
        return False
    site = request.headers.get("sec-fetch-site")  # of a browser, also where a proxy changes hosts
    if site in ("same-origin", "none"):
        return True
    if origin is None:
        return site is None
    return (
        origin.partition("://")[2] == host
        or origin in st.get_option("server.corsAllowedOrigins")
        or not st.get_option("server.enableCORS")
    )


async def body(request: Request, check_length: Callable[[int], None]) -> bytes:
    """The body, which is counted while it arrives, whatever length the request claims.

    Args:
        request: the request.
        check_length: raises for a number of bytes that is too large; the rest is then not read.

    Raises:
        HTTPException: the body took over `BODY_S`.
        ClientDisconnect: the client has gone.
    """
    claimed = request.headers.get("content-length", "")
    check_length(int(claimed) if claimed.isdigit() else 0)
    arrived = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                arrived += part
                check_length(len(arrived))
    except TimeoutError:
        sentence = f"The request did not arrive within {BODY_S:g} s."
        raise HTTPException(408, sentence, CLOSE) from None
    return bytes(arrived)
