r"""Typed escapes for characters that no keyboard types: `\n`, `\t`, `\x0b`, `\u00e9`.

An unknown escape is refused with its position, because `\d` is a typing mistake.
"""

from __future__ import annotations

import re

from embviz.core.wording import quote

_SIMPLE = {
    "\\": "\\",
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "'": "'",
    '"': '"',
}
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.|$)", re.DOTALL)


class EscapeError(ValueError):
    """A backslash that begins no known escape."""


def unescape(typed: str) -> str:
    r"""The text with each escape replaced by its character.

    Raises:
        EscapeError: names the escape and its position, from 0.

    >>> unescape(r"a\tb\x0b")
    'a\tb\x0b'
    """
    return _ESCAPE.sub(_character, typed)


def _character(match: re.Match[str]) -> str:
    body = match.group()[1:]
    octal = body == "0" and match.string[match.end() : match.end() + 1].isdigit()
    if body in _SIMPLE and not octal:
        return _SIMPLE[body]
    if len(body) > 1:
        code = int(body[1:], 16)
        if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
            return chr(code)
    raise EscapeError(
        f"{quote(match.group())} at position {match.start():,} is not an escape. Allowed are "
        r"\n \t \r \0 \a \b \f \v \\ \' \" and \x0b, \u00e9, \U0001f600 with hex digits."
    )
