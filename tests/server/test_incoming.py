"""The names by which a server is asked: its own, those of its host, and no other."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import pytest
from starlette.requests import HTTPConnection

from embviz.server import incoming
from embviz.server.incoming import (
    host_of,
    is_allowed,
    is_at_server,
    learn_names,
    page_at_server,
    refused_host,
)

OWN = [
    *("localhost", "localhost.", "a.localhost", "127.0.0.1", "192.168.1.5", "::1", "2001:db8::2"),
    *("lab-pc-07", "lab-pc-07.local", "lab-pc-07.cs.example.org"),
]
# Names that another site may give this machine's address; one only begins as its own name.
OTHERS = [
    *("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost.example", ""),
    *("lab-pc-07.evil.example", "xlocalhost", "a_b.example", "local", "lab-pc-07.localx"),
]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine of this name, with no option of Streamlit set; not hosted."""
    monkeypatch.delenv("EMBVIZ_HOSTED", raising=False)
    monkeypatch.setattr(socket, "gethostname", lambda: "Lab-PC-07")
    monkeypatch.setattr(socket, "getfqdn", lambda: "lab-pc-07.cs.example.org.")
    monkeypatch.setattr(incoming, "_learned", {"localhost"})
    monkeypatch.setattr("streamlit.get_option", {}.get)
    return monkeypatch


def test_a_server_answers_to_its_machines_own_names(machine: pytest.MonkeyPatch) -> None:
    """And to addresses: other names are another site's, whose page would read what it gives."""
    assert not is_allowed("lab-pc-07.cs.example.org")  # until it has been found
    learn_names()
    assert [name for name in OWN if not is_allowed(name)] == []
    assert [name for name in OTHERS if is_allowed(name)] == []
    said = refused_host("evil.example")
    assert "'evil.example'" in said
    assert "STREAMLIT_SERVER_ALLOWED_HOSTS" in said


def test_a_full_name_of_another_machine_is_not_taken(machine: pytest.MonkeyPatch) -> None:
    """The network's server of names may tell any."""
    machine.setattr(socket, "getfqdn", lambda: "evil.example")
    learn_names()
    assert not is_allowed("evil.example")


@pytest.mark.parametrize("option", ["server.address", "browser.serverAddress"])
def test_a_name_that_the_server_was_started_with(option: str, machine: pytest.MonkeyPatch) -> None:
    """It is its own too."""
    machine.setattr("streamlit.get_option", {option: "Embviz.example."}.get)
    assert is_allowed("embviz.example")
    assert not is_allowed("evil.example")


def test_names_that_are_set_are_the_only_ones(machine: pytest.MonkeyPatch) -> None:
    """Hosted or not; without them a hosted server answers to all, as its start warns."""
    machine.setattr("streamlit.get_option", {"server.allowedHosts": ["*.example.org"]}.get)
    for hosts in ("0", "1"):
        machine.setenv("EMBVIZ_HOSTED", hosts)
        assert [is_allowed(one) for one in ("a.example.org", "localhost")] == [True, False]
    assert "server.allowedHosts: *.example.org." in refused_host("localhost")
    machine.setattr("streamlit.get_option", {}.get)
    assert is_allowed("evil.example")


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        (b"LOCALHOST:8501", "localhost"),
        (b"[::1]:8501", "::1"),
        (b"my_evil.example.", "my_evil.example"),
        (b"[", "127.0.0.1"),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_the_name_of_a_request(asked: bytes, name: str, kind: str) -> None:
    """Of a websocket too; what no browser sends counts as the address that was reached."""
    scope = {"type": kind, "path": "/", "headers": [(b"host", asked)], "scheme": "http"}
    assert host_of(HTTPConnection(scope | {"server": ("127.0.0.1", 80)})) == name


@pytest.mark.parametrize(
    ("peer", "headers", "here"),
    [
        ("127.0.0.1", {"Host": "localhost"}, True),
        ("::ffff:127.0.0.1", {}, True),
        ("192.168.1.5", {}, False),
        ("127.0.0.1", {"X-FORWARDED-HOST": "a"}, False),
        ("::1", {"host": "[::1]:8501"}, True),
        ("127.0.0.1", {"Host": "192.0.2.2:8501"}, False),  # a proxy that says nothing
        ("", {}, False),
    ],
)
def test_who_asks_at_the_machine(peer: str, headers: dict[str, str], here: bool) -> None:
    """A proxy that says so stands between; an address that is not known is another machine's."""
    assert is_at_server(peer, headers) == here


@pytest.mark.parametrize(
    ("address", "headers", "listens", "here"),
    [
        (None, {}, None, True),  # Streamlit's word for the machine itself
        (None, {"X-Forwarded-For": "127.0.0.1"}, None, False),
        (None, {}, "unix:///run/embviz.sock", False),  # only a proxy comes that way
    ],
)
def test_a_page_knows_whether_its_browser_is_at_the_machine(
    address: str | None,
    headers: dict[str, str],
    listens: str | None,
    here: bool,
    machine: pytest.MonkeyPatch,
) -> None:
    """As a route does, also where Streamlit gives no address."""
    machine.setattr("streamlit.get_option", {"server.address": listens}.get)
    machine.setattr("streamlit.context", SimpleNamespace(ip_address=address, headers=headers))
    assert page_at_server() == here
