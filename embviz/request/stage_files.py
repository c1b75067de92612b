"""Scripts, markup and styles of the components that follow typing, as files of `ui`."""

from __future__ import annotations

import json
from pathlib import Path

from embviz.request.glossary import TERMS

STAGE = Path(__file__).parents[1] / "ui" / "stage"
_TERMS = STAGE.parent / "parts" / "terms.js"
# Scripts in one module scope, in reading order; stage.js has the entry point.
_PARTS = (
    "payload colours write size strip picture flow pointing outputs verdict link select keys ask "
    "stage"
)


def terms() -> str:
    """The script of the glossary's terms, after the glossary itself."""
    glossary = f"const GLOSSARY = {json.dumps(TERMS, ensure_ascii=False)};"
    return f"{glossary}\n{_TERMS.read_text(encoding='utf-8')}"


def scripts() -> list[str | Path]:
    """The scripts of the stage; joined in this order they are one module."""
    return [terms(), *(STAGE / f"{name}.js" for name in _PARTS.split())]


def looks(path: Path) -> dict[str, str]:
    """Markup and style of a component that follows typing: its own, and those of the refusal."""
    html, css, refusal_html, refusal_css = (
        one.with_suffix(end).read_text(encoding="utf-8")
        for one in (path, STAGE / "refusal")
        for end in (".html", ".css")
    )
    return {"html": html.replace("<!-- refusal -->", refusal_html), "css": css + refusal_css}
