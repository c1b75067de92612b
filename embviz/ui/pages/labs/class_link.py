"""The link that students open, its QR code, and the cookies of this browser.

The page of a teacher often has the address `localhost`, which is another machine for each student.
Then the link has this machine's address in its network. No packet is sent to find it.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import segno
import streamlit as st

from embviz.server.class_routes import is_cookie

_ELSEWHERE = ("192.0.2.1", 9)  # reserved for documents: no machine has it


@lru_cache(maxsize=32)
def qr(url: str) -> str:
    """The QR code of an address, as the address of a picture."""
    return segno.make_qr(url, error="m").svg_data_uri(light="#fff", omitsize=True)


@dataclass(frozen=True)
class ClassLink:
    """The link to a class.

    Attributes:
        url: what students open.
        remark: what a teacher must know about it, or `""`.
    """

    url: str
    remark: str


def link(code: str, address: str | None) -> ClassLink:
    """The link for the members of a class.

    Args:
        code: the class's code, perhaps with more of a path.
        address: of the board's page; None where there is no browser.
    """
    page = urlsplit(address or "http://localhost/labs")
    path = f"{page.path.rstrip('/').rpartition('/')[0]}/class/{code}"
    here = f"{page.scheme}://{page.netloc}{path}"
    if not is_loopback(page.hostname or ""):
        return ClassLink(here, "")
    only = f"The address {page.hostname} works on this machine alone."
    if is_loopback(str(st.get_option("server.address") or "")):
        more = "So does the server: start it without server.address."
        return ClassLink(here, f"{only} {more}")
    if not (network := _network_address()):
        return ClassLink(here, f"{only} It is in no network by which students could reach it.")
    port = f":{page.port}" if page.port else ""
    there = f"{page.scheme}://{network}{port}{path}"
    return ClassLink(there, f"{only} The link works in your network.")


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
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            asked.connect(_ELSEWHERE)  # of UDP: chooses the network card and sends nothing
            found = str(asked.getsockname()[0])
    except OSError:
        return ""
    here = ipaddress.ip_address(found)
    return "" if here.is_loopback or here.is_unspecified else found
