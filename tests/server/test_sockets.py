"""Small packets are sent at once."""

import socket

from embviz.server import sockets


def test_accepted_connections_send_at_once() -> None:
    """A socket without a named protocol, as Streamlit's, passes the option to its connections."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        sockets.send_at_once()
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
