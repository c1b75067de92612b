"""The link that students open, its QR code, and the cookies of this browser.

The page of a teacher often has the address `localhost`, which is another machine for each student.
Then the link has this machine's address in its network. No packet is sent to find it.
"""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlsplit, urlunsplit

import segno
import streamlit as st

from embviz.server.class_routes import is_cookie

_ELSEWHERE = ("192.0.2.1", 9)  # reserved for documents: no machine has it


@lru_cache(maxsize=32)
def qr(url: str) -> str:
    """The QR code of an address, as the address of a picture."""
    return segno.make_qr(url, error="m").svg_data_uri(light="#fff", omitsize=True)


def link(code: str, address: str | None) -> tuple[str, str]:
    """The link for the members of a class, and what a teacher must know about it, or `""`.

    Args:
        code: the class's code, perhaps with more of a path.
        address: of the board's page; None where there is no browser.
    """
    page = urlsplit(address or "http://localhost/labs")
    path = f"{page.path.rstrip('/').rpartition('/')[0]}/class/{code}"
    here = f"{page.scheme}://{page.netloc}{path}"
    if not is_loopback(page.hostname or ""):
        return here, ""
    only = f"The address {page.hostname} works on this machine alone."
    if is_loopback(str(st.get_option("server.address") or "")):
        return here, f"{only} So does the server: start it without server.address."
    if not (network := _network_address()):
        return here, f"{only} It is in no network by which students could reach it."
    there = page._replace(netloc=page.netloc.replace(page.hostname or "", network), path=path)
    return urlunsplit(there._replace(query="")), f"{only} The link works in your network."


def cookie(name: str) -> str:
    """A cookie that the routes of classes have set in this browser, or `""`."""
    found = st.context.cookies.get(name, "")
    return found if is_cookie(found) else ""


def is_loopback(host: str) -> bool:
    """Whether a host is the machine that asks.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("192.168.1.5")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _network_address() -> str:
    """The address of the server's machine in its network, or `""`."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(_ELSEWHERE)  # of UDP: chooses the network card and sends nothing
        here = ipaddress.ip_address(asked.getsockname()[0])
        return "" if here.is_loopback or here.is_unspecified else str(here)
    return ""
