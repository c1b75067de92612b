"""Sentences with terms whose meaning is one hover, focus or tap away, and links to what to try.

It takes static sentences only: a typed text with `{{` in it is no term.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from embviz.request.glossary import TERMS
from embviz.ui.parts.links import link
from embviz.ui.state.session import state

Try = tuple[str, str, Mapping[str, Any]]  # a sentence, a page, the settings that show it there

_MARK = re.compile(r"\{\{([^{}|]+)(?:\|([^{}|]+))?\}\}")


def script() -> str:
    """The script of the glossary's terms, after the glossary itself."""
    own = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    return f"const GLOSSARY = {json.dumps(TERMS, ensure_ascii=False)};\n{own}"


def say(markdown: str) -> None:
    """Draw Markdown; `{{ulp}}` or `{{shown words|ulp}}` is a term of the glossary.

    Raises:
        KeyError: a term is not in the glossary.
    """
    st.markdown(with_terms(markdown), unsafe_allow_html=True)


def headline(markdown: str) -> None:
    """Draw what the page shows, in one sentence, in the same place on every page."""
    with state()["head"]:
        say(f"##### {markdown}")


def with_terms(markdown: str) -> str:
    """The Markdown with an element for each term, for `unsafe_allow_html=True`."""
    return _MARK.sub(_element, markdown)


def try_this(*lines: Try, title: str = "Try this") -> None:
    """Draw these links, folded; drawn only while open, and then each change draws all again."""
    fold = st.expander(title, key=f"fold {title}", on_change="rerun")
    for sentence, page, changes in lines if fold.open else ():
        state()["whole"] = True
        with fold:
            link(page, changes, label=sentence, icon=":material/arrow_forward:")


def typed(text: str, **more: Any) -> dict[str, Any]:
    """Settings that show a text, whatever was typed or chosen before."""
    return {"input": "text", "text": text, "vocab": "printable", "init": "normal", **more}


def _element(found: re.Match[str]) -> str:
    words, name = found[1], found[2] or found[1]
    return (
        f'<span class="term" tabindex="0" role="button" data-term="{escape(name)}" '
        f'aria-label="{escape(f"{words}: {TERMS[name]}")}">{escape(words)}</span>'
    )
