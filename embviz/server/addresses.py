"""The server's own addresses, below `server.baseUrlPath`.

A proxy that passes on one path of a site sets that option. Streamlit does not add it to the routes
of an app, so each route of ours asks here for its path.
"""

from __future__ import annotations

import streamlit as st


def under_base(path: str) -> str:
    """The path as the server registers it and a browser asks for it: `live` -> `/base/live`."""
    base = str(st.get_option("server.baseUrlPath") or "")
    return "/" + "/".join(part for part in (base.strip("/"), path.strip("/")) if part)
