"""Mistakes and failures on a page: a sentence stands in their place; the rest stays.

`Refused` is a person's mistake: its sentence is shown, with a button for each fix. Any other
exception is a defect: its traceback goes to the server's log, not to the page. A forged number such
as NaN may fail inside Streamlit before a script of this project runs, and keeps failing in that
session: hence "reload".
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from embviz.text.refused import Refused
from embviz.ui.elements.refusal import refuse

SENTENCE = (
    "Something on this page failed, and the server's log says what. "
    "Reload to go on: what you chose is in the address."
)
_LOGGER = logging.getLogger("embviz")


@contextmanager
def contained(part: str) -> Iterator[None]:
    """Draw a part of a page; if that fails, the sentence stands in its place.

    Streamlit's own ways to stop or rerun a script are no failures and pass through.

    Args:
        part: its name in the log, and where it stands.
    """
    try:
        yield
    except Refused as refused:
        refuse(refused, part)
    except Exception:
        _LOGGER.exception("%s failed", part)
        show_failure()


def show_failure(_error: Exception | None = None) -> bool:
    """Show the sentence in place of Streamlit's own; for `st.App(on_script_error=)`."""
    st.error(SENTENCE, icon=":material/error:")
    return True
