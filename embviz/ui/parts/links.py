"""Links to the pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from embviz.ui.state.session import address_of, state


def link(page: str, changes: Mapping[str, Any] | None = None, **more: Any) -> None:
    """A link to a page with its settings as they are, but for the changes."""
    st.page_link(state()["pages"][page], query_params=address_of(page, changes), **more)
