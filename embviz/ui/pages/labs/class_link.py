"""The link that students open, and its QR code.

The page of a teacher often has the address `localhost`, which is another machine for each student.
Then the link has this machine's address in its network. No packet is sent to find it.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

_ELSEWHERE = ("192.0.2.1", 9)  # reserved for documents: no machine has it
_QUIET = 4  # modules of white around the code, as its standard asks for


@dataclass(frozen=True)
class ClassLink:
    """The link to a class.

    Attributes:
        url: what students open.
        remark: what a teacher must know about it, or `""`.
    """

    url: str
    remark: str

    def qr(self) -> dict[str, Any]:
        """The QR code: its width in modules, and the dark ones as a path of an SVG."""
        return _qr(self.url)


def class_link(code: str, address: str | None) -> ClassLink:
    """The link for the members of a class.

    Args:
        code: the class's code.
        address: of the board's page; None where there is no browser.
    """
    page = urlsplit(address or "http://localhost/labs")
    query = urlencode({"class": code})
    here = f"{page.scheme}://{page.netloc}{page.path}?{query}"
    if not is_loopback(page.hostname or ""):
        return ClassLink(here, "")
    only = f"The address {page.hostname} works on this machine alone."
    if is_loopback(str(st.get_option("server.address") or "")):
        more = "So does the server: start it without server.address."
        return ClassLink(here, f"{only} {more}")
    if not (network := _network_address()):
        return ClassLink(here, f"{only} It is in no network by which students could reach it.")
    port = f":{page.port}" if page.port else ""
    there = f"{page.scheme}://{network}{port}{page.path}?{query}"
    return ClassLink(there, f"{only} The link works in your network.")


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


@lru_cache(maxsize=32)
def _qr(url: str) -> dict[str, Any]:
    matrix = segno.make_qr(url, error="m").matrix
    dark = []
    for y, row in enumerate(matrix):
        x = _QUIET
        for is_dark, run in groupby(row):
            width = len([*run])
            if is_dark:
                dark.append(f"M{x} {y + _QUIET}h{width}v1h-{width}z")
            x += width
    return {"size": len(matrix) + 2 * _QUIET, "path": "".join(dark)}
