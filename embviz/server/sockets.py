"""The server's sockets send each message at once.

TCP holds back a small packet until the one before is acknowledged, and a browser may delay that by
40 ms. asyncio turns this off only for sockets that name their protocol, and Streamlit's listening
socket does not. Each accepted connection inherits the option from it.
"""

from __future__ import annotations

import contextlib
import os
import socket

import psutil


def send_at_once() -> None:
    """Set TCP_NODELAY on the listening sockets of this process, where the system names them."""
    with contextlib.suppress(psutil.Error, OSError):
        for connection in psutil.Process().net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN:
                with socket.socket(fileno=os.dup(connection.fd)) as listening:
                    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
