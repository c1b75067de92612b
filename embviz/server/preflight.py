"""Checks at the start: limits that are no numbers, and settings that are unsafe for strangers.

An invalid limit keeps the server from starting. An unsafe setting of Streamlit is one line on
stderr, where hosted. `.streamlit/config.toml` has safe values for all of them but the host names,
which only the host knows; an option or a variable may have changed them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit import config

from embviz.core.bounds import BOUNDS, UPLOAD, BoundError, hosted

MAX_MESSAGE_MB = 20  # a page with every field full sends half of it
# Option of Streamlit, whether a value of it is safe, and why another one is not.
_RULES: list[tuple[str, Callable[[Any], bool], str]] = [
    (
        "client.showErrorDetails",
        lambda value: value == "none",
        "visitors see how the server works; set it to 'none'",
    ),
    (
        "client.toolbarMode",
        lambda value: value in ("minimal", "viewer"),
        "visitors may get a developer's menu; set it to 'minimal'",
    ),
    ("server.enableCORS", bool, "any website may use this server; set it to true"),
    ("server.enableXsrfProtection", bool, "any website may upload here; set it to true"),
    (
        "server.corsAllowedOrigins",
        lambda value: "*" not in value,
        "any website may use this server; name yours",
    ),
    (
        "server.allowedHosts",
        bool,
        "the server answers to any host name that points here; "
        "name yours, or ['*'] if a proxy checks",
    ),
    (
        "server.maxMessageSize",
        lambda value: value <= MAX_MESSAGE_MB,
        f"one message may take so much memory; set it to {MAX_MESSAGE_MB} or less",
    ),
    (
        "server.enableStaticServing",
        lambda value: not value,
        "files beside the app are served; set it to false",
    ),
    (
        "server.enableAgentApi",
        lambda value: not value,
        "programs may drive sessions; set it to false",
    ),
    (
        "server.unsafeMetricsUserAttributes",
        lambda value: not value,
        "metrics name the visitors; leave it empty",
    ),
    (
        "global.developmentMode",
        lambda value: not value,
        "it is for Streamlit's own developers; set it to false",
    ),
]


def refuse_invalid_limits() -> None:
    """End the process with one sentence on stderr if a variable of a limit is invalid."""
    st.secrets.load_if_toml_exists()  # a free host sets variables there
    try:
        for bound in BOUNDS:
            bound.value()
    except BoundError as error:
        sys.exit(f"embviz does not start: {error}")


def lower_upload_size() -> None:
    """Where hosted, show the hosted limit at uploaders, unless an option or variable is set."""
    name = "server.maxUploadSize"
    by_file = config.get_where_defined(name).endswith("config.toml")
    if hosted() and by_file and UPLOAD.value() < config.get_option(name):
        config.set_option(name, UPLOAD.value())


def warnings() -> list[str]:
    """A sentence for each setting that is unsafe for strangers; none where not hosted."""
    if not hosted():
        return []
    found = [
        f"{name} is {value!r}: {why}."
        for name, safe, why in _RULES
        if not safe(value := config.get_option(name))
    ]
    size, allowed = config.get_option("server.maxUploadSize"), UPLOAD.value()
    if size > allowed:
        found.append(
            f"server.maxUploadSize is {size}: more than the {allowed} MB that "
            f"{UPLOAD.variable} allows; set it to {allowed}."
        )
    return found


def warn() -> None:
    """Print the warnings, one a line."""
    for one in warnings():
        print(f"embviz, not safe to host: {one}", file=sys.stderr, flush=True)
