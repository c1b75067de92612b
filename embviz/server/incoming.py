"""Checks of a request before a route reads it: where it comes from, and how long it is.

It knows no sessions and no cookies.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Mapping
from fnmatch import fnmatchcase
from ipaddress import ip_address

import streamlit as st
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request

from embviz.system.bounds import hosted
from embviz.system.machine import is_loopback
from embviz.text.wording import quote

BODY_S = 10.0  # a request must arrive within this time
CLOSE = {"Connection": "close"}  # The rest of a request is not read.
# A proxy adds one of them. Then the peer is the proxy, and not who asks.
FORWARDED = ("forwarded", "via", "x-real-ip", "x-client-ip", "cf-connecting-ip", "true-client-ip")
HOSTS = "server.allowedHosts"
_learned = {"localhost"}  # names of this machine, with the one that `learn_names` finds


def host_of(connection: HTTPConnection) -> str:
    """The name or the address by which a request or a websocket asks; `""` for none."""
    try:
        return (connection.url.hostname or "").rstrip(".")
    except ValueError:  # such as a bracket that is not closed
        return ""


def is_allowed(name: str) -> bool:
    """Whether the server answers to this name of a host.

    With `server.allowedHosts` it answers to those alone. Without it a hosted server answers to all
    names, and another one to addresses and the names of its own machine: a web page somewhere may
    give its own name this machine's address, and would then read here what its visitor may read.
    """
    name = name.rstrip(".")
    if allowed := _options(HOSTS):
        return any(fnmatchcase(name, pattern) for pattern in allowed)
    return hosted() or is_address(name) or name.endswith(".localhost") or name in _own_names()


def refused_host(name: str) -> str:
    """The sentence that refuses a name of a host."""
    said = f"This server does not answer to {quote(name)}."
    if allowed := _options(HOSTS):
        return f"{said} {HOSTS}: {', '.join(allowed)}."
    return (
        f"{said} Open it by an address such as http://127.0.0.1 or by its machine's name, or start "
        "it with that name in STREAMLIT_SERVER_ALLOWED_HOSTS, as behind a proxy or a tunnel."
    )


def is_address(name: str) -> bool:
    """Whether a name is an IP address.

    >>> is_address("192.168.1.5"), is_address("fe80::1"), is_address("1.evil.example")
    (True, True, False)
    """
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def learn_names() -> None:
    """Find the full name of this machine, such as `lab7.cs.example.org`.

    The names' server is asked, which takes long where the network is silent: not for a request.
    """
    full = socket.getfqdn().lower().rstrip(".")
    if full.partition(".")[0] == _short_name():
        _learned.add(full)


def _own_names() -> set[str]:
    """The names of this machine, and those that the server was started with."""
    started = {*_options("server.address"), *_options("browser.serverAddress")}
    short, name = _short_name(), socket.gethostname().lower()
    return {name, short, f"{short}.local", *_learned, *started}


def _short_name() -> str:
    return socket.gethostname().lower().partition(".")[0]


def _options(name: str) -> list[str]:
    """The names in an option of Streamlit, a text or a list, as a request has them."""
    given = st.get_option(name) or []
    many = [given] if isinstance(given, str) else given
    return [name.strip().lower().rstrip(".") for name in many]


def is_at_server(peer: str, headers: Mapping[str, str]) -> bool:
    """Whether somebody at this very machine asks, by a name of it and with no proxy between.

    A proxy says so, or asks by the name that its visitors use.

    Args:
        peer: the address that asks; `""` where it is not known.
        headers: of the request.
    """
    values = {name.lower(): value for name, value in headers.items()}
    is_proxied = any(name in FORWARDED or name.startswith("x-forwarded") for name in values)
    asked = values.get("host", "localhost").lower()
    without_port = re.sub(r":\d*$", "", asked).strip("[]")
    return not is_proxied and is_loopback(without_port) and is_loopback(peer)


def page_at_server() -> bool:
    """Whether the browser of this session runs on the server's own machine, as `is_at_server`."""
    # Streamlit gives no address for the usual two of the machine itself, and none for a proxy
    # that comes through a file, whoever asks it.
    if str(st.get_option("server.address") or "").startswith("unix:"):
        return False
    return is_at_server(st.context.ip_address or "localhost", st.context.headers)


def from_here(connection: HTTPConnection) -> bool:
    """Whether a page of this server asks, a page of `server.corsAllowedOrigins`, or a program.

    The name of the host that it asks for is checked by `is_allowed`.
    """
    # Browsers send it, also where a proxy changes hosts.
    site = connection.headers.get("sec-fetch-site")
    origin = connection.headers.get("origin")
    if site in ("same-origin", "none"):
        return True
    if origin is None:
        return site is None
    return (
        origin.partition("://")[2] == connection.headers.get("host")
        or origin in st.get_option("server.corsAllowedOrigins")
        or not st.get_option("server.enableCORS")
    )


def claimed_bytes(headers: Headers, most: int) -> int:
    """Bytes that a request has, as it says, or may have where it does not; at most `most`."""
    told = headers.get("content-length", "")
    return min(int(told), most) if re.fullmatch("[0-9]{1,15}", told) else most


async def received(request: Request, most_bytes: int) -> bytes:
    """The bytes of a request, counted while they arrive, whatever length the request claims.

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
