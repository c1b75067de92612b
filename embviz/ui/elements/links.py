"""The begin and the end of every page: title and headline, and links to try."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from embviz.settings.given import filled
from embviz.settings.pages import PAGES
from embviz.settings.worlds import KEPT, LETTERS
from embviz.text.glossary import explained
from embviz.ui.elements.widgets import fold
from embviz.ui.state.address import address_of, settings, usual
from embviz.ui.state.session import session

Try = tuple[str, str, Mapping[str, Any]]  # a sentence, a page, the settings that show it there


def titled(page: str, opened: str = "") -> str:
    """The title of a page in a browser; before it the name of what is opened there, if anything.

    >>> titled("Where it breaks", "Ids that are no integers")
    'Ids that are no integers · Where it breaks · embviz'
    """
    return " · ".join(filter(None, (opened, page, "embviz")))


def browser_title(opened: str = "") -> None:
    """Give this page and what is opened there as the title to the browser."""
    st.set_page_config(titled(PAGES[session().page].title, opened))


def headline(markdown: str, *terms: str) -> None:
    """Draw what the page shows, in one sentence, in the same place on every page.

    A tooltip explains the words of the glossary in it, and these, which stand in what follows.
    """
    session().head.markdown(f"# {markdown}", help=explained(markdown, *terms) or None)


def link(page: str, changes: Mapping[str, Any] | None = None, **more: Any) -> dict[str, list[str]]:
    """Draw a link to a page with its settings as they are, but for the changes.

    Returns:
        Its query.
    """
    query, label = address_of(page, changes), {"label": PAGES[page].title}
    st.page_link(session().pages[page], query_params=query, **label | more)
    return query


def answer_link(page: str, changes: Mapping[str, Any], **more: Any) -> None:
    """Draw a link to a page that answers a question, whatever was chosen there before.

    All settings are as usual in the world of six letters, or in that of the changes; but for the
    changes, and for those that stay in another world.
    """
    changes = {"world": LETTERS.name, **changes}
    names = [name for name in PAGES[page].reads if name not in (*KEPT, "projector")]
    link(page, filled(changes, names, PAGES[page].example), **more)


def anchor(name: str, *of: str) -> Any:
    """A container with what an address opens: a link to it brings it into the window.

    `ui/frame/arrive.js` scrolls to the last one of a page.

    Args:
        name: of this one, unique on its page.
        of: settings; while all are as usual, it is a plain container.
    """
    is_plain = bool(of) and settings(of) == usual(of)
    return st.container(key=None if is_plain else f"anchor_{name}", gap="xsmall")


def try_this(*lines: Try) -> None:
    """Draw these links, folded."""
    fold("Try this", _links, lines)


def _links(lines: Iterable[Try]) -> None:
    for sentence, page, changes in lines:
        link(page, changes, label=sentence, icon=":material/arrow_forward:")


def typed(text: str, **more: Any) -> dict[str, Any]:
    """Settings that show a text, whatever was typed or chosen before."""
    world = {"world": "characters", "vocab": "printable", "init": "normal", "token": 0, "column": 0}
    return {"input": "text", "text": text, **world, **more}
