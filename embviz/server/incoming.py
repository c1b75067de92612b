"""What a route asks of a request before it reads it: where it comes from, and how long it is.

It knows no sessions and no cookies.
"""

from __future__ import annotations

import asyncio
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

import streamlit as st
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request

BODY_S = 10.0  # a request must arrive within this time
# Hosts of origins that every server takes, as Streamlit does.
THIS_MACHINE = ("localhost", "127.0.0.1", "0.0.0.0")  # noqa: S104 - compared, not listened to
CLOSE = {"Connection": "close"}  # so that the rest of a request is not read


def is_allowed(name: str) -> bool:
    """Whether `server.allowedHosts` has this host, or is empty."""
    allowed = [one.strip().lower().rstrip(".") for one in st.get_option("server.allowedHosts")]
    return not allowed or any(fnmatchcase(name.rstrip("."), one) for one in allowed)


def from_here(request: Request) -> bool:
    """Whether a page of this server asks, or a program, and for a host of `server.allowedHosts`."""
    if not is_allowed(request.url.hostname or ""):
        return False
    site = request.headers.get("sec-fetch-site")  # of a browser, also where a proxy changes hosts
    origin = request.headers.get("origin")
    if site in ("same-origin", "none"):
        return True
    if origin is None:
        return site is None
    return (
        origin.partition("://")[2] == request.headers.get("host")
        or origin in st.get_option("server.corsAllowedOrigins")
        or not st.get_option("server.enableCORS")
    )


def may_connect(connection: HTTPConnection) -> bool:
    """Whether a websocket comes from a page of this server, from this machine, or from a program.

    Streamlit asks the same, but for a foreign origin it first asks another server for the address
    of this one, on the event loop: everybody would wait for seconds.
    """
    if not is_allowed(connection.url.hostname or ""):
        return False
    origin = connection.headers.get("origin")
    if origin is None or not st.get_option("server.enableCORS"):
        return True
    try:
        asked = urlsplit(origin)
        named, _ = asked.hostname, asked.port  # a port that is no number raises
    except ValueError:
        return False
    known = (*THIS_MACHINE, st.get_option("browser.serverAddress"))
    is_here = asked.netloc == connection.headers.get("host") or named in known
    return is_here or is_named(connection)


def is_named(connection: HTTPConnection) -> bool:
    """Whether the origin of a websocket is one of `server.corsAllowedOrigins`."""
    return connection.headers.get("origin") in st.get_option("server.corsAllowedOrigins")


async def body(request: Request, most_bytes: int) -> bytes:
    """The body, which is counted while it arrives, whatever length the request claims.

    Raises:
        HTTPException: it is longer than `most_bytes`, or took over `BODY_S`.
        ClientDisconnect: the client has gone.
    """
    arrived = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                arrived += part
                if len(arrived) > most_bytes:
                    raise HTTPException(413, f"It is longer than {most_bytes:,} bytes.", CLOSE)
    except TimeoutError:
        sentence = f"The request did not arrive within {BODY_S:g} s."
        raise HTTPException(408, sentence, CLOSE) from None
    return bytes(arrived)
