"""Checks at the start: a variable that is invalid, and a hosted server without a host name.

An invalid variable keeps the server from starting. `.streamlit/config.toml` has safe values for
all other settings that matter to strangers.
"""

from __future__ import annotations

import sys

import streamlit as st

from embviz.core.bounds import BOUNDS, class_word, classes_on, hosted
from embviz.core.refused import Refused


def refuse_invalid_variables() -> None:
    """End the process with one sentence on stderr if a variable is invalid."""
    st.secrets.load_if_toml_exists()  # a free host sets variables there
    try:
        for bound in BOUNDS:
            bound.value()
        class_word()
        classes_on()
    except Refused as error:
        sys.exit(f"embviz does not start: {error}")


def warn() -> None:
    """Where hosted, say on stderr that any host name is answered, if none is set."""
    if hosted() and not st.get_option("server.allowedHosts"):
        print(
            "embviz, not safe to host: server.allowedHosts is []: the server answers to any host "
            "name that points here; name yours, or ['*'] if a proxy checks.",
            file=sys.stderr,
        )
