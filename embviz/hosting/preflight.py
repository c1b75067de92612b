"""Checks at the start: invalid variables and host names, and a hosted server without a host name.

An invalid value keeps the server from starting. `.streamlit/config.toml` has safe values for
all other settings that matter to strangers.
"""

from __future__ import annotations

import os
import re
import sys
from ipaddress import IPv6Address
from secrets import token_urlsafe

import streamlit as st

from embviz.hosting.headers import framing
from embviz.server.incoming import HOSTS
from embviz.system.bounds import BOUNDS, class_word, classes_on, hosted
from embviz.text.refused import Refused
from embviz.text.wording import quote

# What Streamlit compares with the name in a request: a name, an address, `*`, or `*.` and a name.
_HOST = re.compile(r"\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?", re.IGNORECASE)


def refuse_invalid_variables() -> None:
    """End the process with one sentence on stderr if a variable is invalid."""
    st.secrets.load_if_toml_exists()  # a free host sets variables there
    try:
        for bound in BOUNDS:
            bound.value()
        class_word()
        classes_on()
        check_hosts(st.get_option(HOSTS))
        framing()
    except Refused as error:
        sys.exit(f"embviz does not start: {error}")


def check_hosts(hosts: object) -> None:
    """Refuse a host name that no request can have: it would lock everybody out.

    Args:
        hosts: the option `server.allowedHosts`, from a file, a variable or the command line.

    Raises:
        Refused: quotes it, and says what is right.
    """
    given = hosts if isinstance(hosts, list | tuple) else [hosts]  # a file may have a text alone
    for host in given:
        is_name = isinstance(host, str) and (_HOST.fullmatch(host.strip()) or _is_ipv6(host))
        if given is not hosts or not is_name:
            raise Refused(
                f"{HOSTS} has {quote(str(host))}, which is no host name. Write names alone, such "
                "as embviz.example.org, *.example.org or ::1, without scheme, port, path or "
                "bracket. A file has a list of them; in STREAMLIT_SERVER_ALLOWED_HOSTS spaces "
                "separate them, no commas."
            )


def _is_ipv6(host: str) -> bool:
    """Whether a name is an IPv6 address as a browser sends it, without its brackets."""
    try:
        return str(IPv6Address(host.strip())) == host.strip().lower()
    except ValueError:
        return False


def warn() -> None:
    """Say on stderr what a hosted server lacks: host names; a word of classes, which it makes."""
    if hosted() and classes_on() and not class_word():
        os.environ["EMBVIZ_CLASS_WORD"] = token_urlsafe(16)
        print(
            f"embviz: the class word is {class_word()} until the server ends. Set "
            "EMBVIZ_CLASS_WORD to have one of yours.",
            file=sys.stderr,
        )
    if hosted() and not st.get_option(HOSTS):
        print(
            "embviz, not safe to host: server.allowedHosts is []: the server answers to any host "
            "name that points here; name yours, or ['*'] if a proxy checks.",
            file=sys.stderr,
        )
