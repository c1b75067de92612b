"""Text as Streamlit's Markdown shows it."""

import re

from embviz.text.wording import isolated

# A coloured nothing. Streamlit makes a link of `http://x`, `www.x` and `a@x` after all escapes are
# read, but only within one run of text, and this ends a run. It adds nothing to a copied text.
NO_LINK = ":gray[]"
# Where a link would begin, in a text with its escapes.
_LINKED = re.compile(r"(https?(?=\\:)|www(?=\\\.)|(?<=[\w.+-])(?=@[\w\\]))", re.IGNORECASE)


def plain(text: str) -> str:
    """Text without the marks of weight and code, for where nothing draws Markdown.

    >>> plain("in each **row**: `w * w` is *not* 2 * w * 2")
    'in each row: w * w is not 2 * w * 2'
    """
    parts = text.split("`")  # every second one is code
    parts[::2] = [re.sub(r"(\*{1,2})(?=\S)(.+?)(?<=\S)\1", r"\2", part) for part in parts[::2]]
    return "".join(parts)


def literal(text: str) -> str:
    r"""Text that Markdown shows as it is: no markup, no maths, no colours, no links.

    >>> print(literal("a*b"), literal("www.a.example"))
    a\*b www:gray[]\.a\.example
    """
    shown = re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=\"'])", r"\\\1", isolated(text))
    shown = re.sub(_LINKED, rf"\1{NO_LINK}", shown)
    return shown.replace("\x00", "\\x00")
