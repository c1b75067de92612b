r"""Typed escapes for characters that no keyboard types: `\n`, `\t`, `\x0b`, `\u00e9`.

An unknown escape is refused with its position, because `\d` is a typing mistake.
"""

from __future__ import annotations

import re

from embviz.core.refused import Refused
from embviz.core.wording import quote

_ESCAPE = re.compile(
    r"""\\(?:(?P<known>[\\ntrabfv'"]|0(?!\d)|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})|.?)""",
    re.DOTALL | re.ASCII,
)


def unescape(typed: str) -> str:
    r"""The text with each escape replaced by its character.

    Raises:
        Refused: names the escape and its position, from 0.

    >>> unescape(r"a\tb\x0b")
    'a\tb\x0b'
    """
    return _ESCAPE.sub(_character, typed)


def _character(match: re.Match[str]) -> str:
    if match["known"]:
        try:
            character = match.group().encode().decode("unicode_escape")
            character.encode()  # a lone surrogate has no bytes
            return character
        except UnicodeError:
            pass
    raise Refused(
        f"{quote(match.group())} at position {match.start():,} is not an escape. Allowed are "
        r"\n \t \r \0 \a \b \f \v \\ \' \" and \x0b, \u00e9, \U0001f600 with hex digits.",
        {"Take backslashes as they are": {"escapes": False}},
    )
