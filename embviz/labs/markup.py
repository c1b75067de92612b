"""The few marks that prompts are written in, as HTML: paragraphs, `code`, **bold**, *slanted*.

A block between lines of three backquotes stays as it is. Everything is escaped first, so that
no text becomes a tag. It knows no lists, links, pictures or tables, and prompts have none.
"""

from __future__ import annotations

import html
import re

_INLINE = re.compile(r"(`[^`\n]+`)|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*")


def to_html(text: str) -> str:
    """A prompt as HTML.

    >>> to_html("**Two** `<b>` here.")
    '<p><strong>Two</strong> <code>&lt;b&gt;</code> here.</p>'
    """
    parts = []
    for place, part in enumerate(text.split("```")):
        if place % 2:
            parts.append(f"<pre>{html.escape(part.strip(chr(10)))}</pre>")
        else:
            for paragraph in re.split(r"\n\s*\n", part.strip()):
                if paragraph.strip():
                    parts.append(f"<p>{_line(' '.join(paragraph.split()))}</p>")
    return "\n".join(parts)


def _line(text: str) -> str:
    return _INLINE.sub(_mark, html.escape(text, quote=False))


def _mark(found: re.Match[str]) -> str:
    code, bold, slanted = found.groups()
    if code:
        return f"<code>{code[1:-1]}</code>"
    return f"<strong>{bold}</strong>" if bold else f"<em>{slanted}</em>"
