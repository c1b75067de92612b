"""A sentence with `code`, **bold** and *slanted* words as HTML; and the pictures of steps.

Everything is escaped first, so no text becomes a tag.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from embviz.labs.picture import Grid, Picture

_INLINE = re.compile(r"(`[^`\n]+`)|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*")


def inline(text: str) -> str:
    """One paragraph without its tag, in one line.

    >>> inline("Count the **rows**.")
    'Count the <strong>rows</strong>.'
    """
    return _INLINE.sub(_tag, html.escape(" ".join(text.split()), quote=False))


def _tag(found: re.Match[str]) -> str:
    code, bold, slanted = found.groups()
    if code:
        return f"<code>{code[1:-1]}</code>"
    return f"<strong>{bold}</strong>" if bold else f"<em>{slanted}</em>"


def picture_html(picture: Picture, captions: bool = True) -> str:
    """A picture as tables beside each other, each with the sign before it."""
    if not picture:
        return ""
    parts, sign = [], ""
    for one in picture:
        if isinstance(one, str):
            sign = f'<span class="between">{html.escape(one)}</span>'
            continue
        parts.append(f'<div class="joined">{sign}{_table(one, captions)}</div>')
        sign = ""
    return f'<div class="lab-picture">{"".join(parts)}</div>'


def _table(grid: Grid, captions: bool) -> str:
    caption = html.escape(grid.caption)
    heads = _cells("th", grid.heads, ' scope="col"') if grid.heads else ""
    lines = [f"<tr>{'<td></td>' * bool(grid.labels)}{heads}</tr>"] if heads else []
    for row, cells in enumerate(grid.cells):
        label = _cells("th", [grid.labels[row]], ' scope="row"') if grid.labels else ""
        numbers = "".join(
            _cells("td", [cell], ' class="marked"' if (row, place) in grid.marked else "")
            for place, cell in enumerate(cells)
        )
        lines.append(f"<tr>{label}{numbers}</tr>")
    if not captions:
        return f'<div class="part"><table>{"".join(lines)}</table></div>'
    return (
        f'<div class="part" tabindex="0" role="region" aria-label="{caption}">'
        f"<table><caption>{caption}</caption>{''.join(lines)}</table></div>"
    )


def _cells(tag: str, texts: Sequence[str], attributes: str) -> str:
    return "".join(f"<{tag}{attributes}>{html.escape(text)}</{tag}>" for text in texts)
