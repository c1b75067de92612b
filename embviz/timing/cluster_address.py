"""Which cluster may be used: its address, and the certificates that it needs.

Dask runs code for whoever reaches it. So plain TCP is for loopback addresses only; any other one
needs TLS with certificates of both sides, or the word that the network is safe.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from embviz.core.refused import Refused
from embviz.core.wording import quote

if TYPE_CHECKING:
    from distributed.security import Security

INSTALL = "pip install distributed==2026.8.0"
GUIDE = "embviz/timing/README.md"
DASHBOARD = "--dashboard-address 127.0.0.1:0"  # by default it listens on all networks
EXAMPLE = "tcp://127.0.0.1:8786"


class ClusterError(Refused):
    """The sentence that says why a cluster, or a machine of it, cannot be used.

    Args:
        sentence: ends with a colon before a command.
        command: that helps, for a shell.

    Attributes:
        sentence: as given.
        command: as given.
    """

    def __init__(self, sentence: str, command: str = "") -> None:
        super().__init__(f"{sentence} {command}".strip())
        self.sentence, self.command = sentence, command


@dataclass(frozen=True)
class Certificates:
    """Files in PEM format, named as Dask's own options are; empty ones come from Dask's settings.

    Attributes:
        tls_ca_file: of the authority that signed all certificates.
        tls_cert: this client's own.
        tls_key: the key to it.
    """

    tls_ca_file: str = ""
    tls_cert: str = ""
    tls_key: str = ""


def checked(address: str, insecure: bool = False) -> str:
    """The address with its protocol.

    Raises:
        ClusterError: it cannot be read, or may not be used so.

    >>> checked("localhost:8786")
    'tcp://localhost:8786'
    """
    whole = address.strip() if "://" in address else f"tcp://{address.strip()}"
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not (host and port and host.isprintable()) or parts.path.strip("/"):
        raise ClusterError(
            f"cluster {quote(address)} is no address of a Dask scheduler, such as {EXAMPLE}."
        )
    if parts.scheme not in ("tcp", "tls"):
        raise ClusterError(f"cluster {quote(address)} has another protocol than tcp:// and tls://.")
    if parts.scheme == "tcp" and not insecure and not _is_loopback(host):
        raise ClusterError(
            f"cluster {quote(address)} is on another machine, and Dask runs code for whoever "
            f"reaches it. Use tls:// with certificates of both sides; {GUIDE} shows how."
        )
    return f"{parts.scheme}://{parts.netloc}"


def scheduler_command(address: str) -> str:
    """Starts the scheduler of a plain address.

    >>> scheduler_command("tcp://127.0.0.1:8786")
    'dask scheduler --host 127.0.0.1 --port 8786 --dashboard-address 127.0.0.1:0'
    """
    parts = urlsplit(address)
    return f"dask scheduler --host {parts.hostname} --port {parts.port} {DASHBOARD}"


def worker_command(address: str, options: str) -> str:
    """Starts a worker for this scheduler; one on loopback listens on loopback alone.

    Without `--host` a worker takes code from the whole network, also where its scheduler does not.

    >>> worker_command("tcp://127.0.0.1:8786", "--name one")
    'dask worker tcp://127.0.0.1:8786 --name one --host 127.0.0.1 --dashboard-address 127.0.0.1:0'
    """
    host = urlsplit(address).hostname or ""
    listen = f" --host {host}" if _is_loopback(host) else ""
    return f"dask worker {address} {options}{listen} {DASHBOARD}"


def security(address: str, given: Certificates) -> Security | None:
    """What the client needs for TLS, from these files or Dask's own settings; None without TLS.

    Raises:
        ClusterError: a file is missing or cannot be used.
    """
    if not address.startswith("tls:"):
        return None
    from distributed.security import Security

    fields = {"tls_ca_file": given.tls_ca_file, "tls_client_cert": given.tls_cert}
    fields["tls_client_key"] = given.tls_key
    found = Security(require_encryption=True, **{k: path for k, path in fields.items() if path})
    options = {"--tls-ca-file": found.tls_ca_file, "--tls-cert": found.tls_client_cert}
    key = {"--tls-key": found.tls_client_key}
    if any(not path for path in options.values()):
        lacking = [name for name, path in (options | key).items() if not path]
        raise ClusterError(
            f"a cluster at {address} needs certificates of both sides: give {' and '.join(lacking)}"
            ", or set them in Dask's configuration."
        )
    for name, path in (options | key).items():
        if path and not Path(path).is_file():
            raise ClusterError(f"{name} {quote(path)} is not a file that can be read.")
    try:
        found.get_connection_args("client")
    except OSError as error:  # ssl.SSLError is one
        reason = getattr(error, "reason", None) or error.strerror or error
        if not found.tls_client_key:
            reason = "--tls-key is not given, and the file of --tls-cert has no key"
        raise ClusterError(f"the certificates cannot be used: {reason}.") from None
    return found


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
