"""Text as Streamlit's Markdown shows it."""

import re


def literal(text: str) -> str:
    r"""Text that Markdown shows as it is: no markup, no maths, no colours.

    >>> print(literal("a*b"))
    a\*b
    """
    shown = re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=\"'])", r"\\\1", text)
    return shown.replace("\x00", "\\x00")
