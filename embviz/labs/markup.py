"""The markup of prompts as HTML: paragraphs, `code`, **bold**, *slanted*.

A block between lines of three backquotes stays as it is. Everything is escaped first, so no text
becomes a tag. Lists, links, pictures and tables are not supported; prompts have none.
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
            continue
        for paragraph in re.split(r"\n\s*\n", part):
            if words := paragraph.split():
                plain = html.escape(" ".join(words), quote=False)
                parts.append(f"<p>{_INLINE.sub(_tag, plain)}</p>")
    return "\n".join(parts)


def _tag(found: re.Match[str]) -> str:
    code, bold, slanted = found.groups()
    if code:
        return f"<code>{code[1:-1]}</code>"
    return f"<strong>{bold}</strong>" if bold else f"<em>{slanted}</em>"
