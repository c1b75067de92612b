"""The link that students open, its QR code, wrong codes, and the cookies of this browser.

The page of a teacher often has the address `localhost`, which is another machine for each student.
Then the link has this machine's address in its network. No packet is sent to find it.
"""

import socket
import time
from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlsplit

import segno
import streamlit as st

from embviz.classes.pace import BusyError, Tries, codes
from embviz.classes.room import ClassError
from embviz.server.addresses import listens_to_itself
from embviz.server.scheduler import run_queue
from embviz.system.machine import is_loopback

_ELSEWHERE = ("192.0.2.1", 9)  # reserved for documents: no machine has it


@lru_cache(maxsize=32)
def qr(url: str) -> str:
    """The QR code of an address, as HTML; as wide as its place."""
    code = segno.make_qr(url, error="m").svg_data_uri(light="#fff", omitsize=True)
    return f"<img src='{code}' alt='QR code of the link'>"


def link(code: str, address: str | None) -> str:
    """The link for the members of a class.

    Args:
        code: the class's code, perhaps with more of a path.
        address: of the board's page; None where there is no browser.
    """
    page = urlsplit(address or "http://localhost/labs")
    place, host = page.netloc, page.hostname or ""
    if is_loopback(host) and not listens_to_itself():
        place = place.replace(host, _network() or host)
    return f"{page.scheme}://{place}{page.path.rpartition('/labs')[0]}/class/{code}"


def is_alone(address: str | None) -> bool:
    """Whether no other device can open a link that `link` gives for the page of this address."""
    host = urlsplit(address or "").hostname or ""
    return listens_to_itself() and is_loopback(host)  # a proxy on this machine has another host


def alone(address: str | None) -> str:
    """A sentence for a board whose link no other device can open; else `""`."""
    if not is_alone(address):
        return ""
    return (
        "No other device can open this link: the server listens to this machine alone "
        f"(`server.address` is `{st.get_option('server.address')}`): start it without that option."
    )


def address() -> str:
    """The address that this browser comes from, or `""`."""
    return st.context.ip_address or ""


def turn(tries: Tries) -> None:
    """Wait until a word or a code may be compared.

    Raises:
        BusyError: too many wait.
    """
    for wait_s in tries.waits(address()):
        with run_queue.released():
            time.sleep(wait_s)


def after_turn(error: ClassError) -> ClassError:
    """Wait for the turn of a wrong code; the refusal to show.

    A right one is not asked to wait: pages are few, and students reload them.
    """
    try:
        turn(codes)
    except BusyError as busy:
        return busy
    return error


def cookie(name: str) -> str:
    """A cookie of this browser, or `""`."""
    return str(st.context.cookies.get(name, ""))


def _network() -> str:
    """The address of the server's machine in its network, or `""`."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(_ELSEWHERE)  # UDP: it chooses the network card and sends nothing.
        return str(asked.getsockname()[0])
    return ""
