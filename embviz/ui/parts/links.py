"""What every page begins and ends with: its headline, and links to what to try."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from embviz.ui.parts.widgets import fold
from embviz.ui.state.session import address_of, state

Try = tuple[str, str, Mapping[str, Any]]  # a sentence, a page, the settings that show it there


def headline(markdown: str) -> None:
    """Draw what the page shows, in one sentence, in the same place on every page."""
    state()["head"].markdown(f"##### {markdown}")


def link(page: str, changes: Mapping[str, Any] | None = None, **more: Any) -> dict[str, list[str]]:
    """Draw a link to a page with its settings as they are, but for the changes.

    Returns:
        Its query.
    """
    query = address_of(page, changes)
    st.page_link(state()["pages"][page], query_params=query, **more)
    return query


def try_this(*lines: Try) -> None:
    """Draw these links, folded."""
    fold("Try this", _links, lines)


def _links(lines: Iterable[Try]) -> None:
    for sentence, page, changes in lines:
        link(page, changes, label=sentence, icon=":material/arrow_forward:")


def typed(text: str, **more: Any) -> dict[str, Any]:
    """Settings that show a text, whatever was typed or chosen before."""
    return {"input": "text", "text": text, "vocab": "printable", "init": "normal", **more}
