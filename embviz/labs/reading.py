"""The readings of a typed text as numbers, the likeliest first.

A comma stands between thousands, between numbers or before decimals. Which is likelier follows from
whether the question asks for whole numbers. Blanks, semicolons and brackets separate; fractions
are understood, and all that `bare_numbers` leaves out. Each character of a reading stands at its
place in the text, so that a refusal quotes what was typed.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from embviz.text.printed import bare_numbers

_FILL = "\u2060"  # The character in the place of one that is skipped; it has no ink itself.
_SIGNS = str.maketrans(
    dict.fromkeys("‐‑‒–—―−⁃˗➖ー﹘﹣－", "-")
    | dict.fromkeys("’‘ʼ′´＇\u066c", "'")  # U+066C is the Arabic mark between thousands.
    | dict.fromkeys("⁄∕／", "/")
    | {"`": " "}
)
_BRACKET = re.compile(r"(?<![0-9.])[(\[{]|[)\]}](?![0-9.])")
_GAP = rf"[\s{_FILL}]"
_NEXT = "(?=[.,]?[0-9¼-¾⅐-⅞])"  # A number after a sign.
_SIGN_APART = re.compile(rf"((?:\A|[,;]){_GAP}*[+-])({_GAP}+){_NEXT}")
_MINUS_APART = re.compile(rf"((?:\A|[,;]){_GAP}*[+-]|\s-)({_GAP}+){_NEXT}")
_SLASH_APART = re.compile(r"()(\s+(?=/)|(?<=/)\s+)")
_MARKS = "'\u00a0\u2007\u2008\u2009\u200a\u202f"  # They stand between thousands, as a blank may.
_THOUSANDS = r"(?<![0-9.,_'])[1-9][0-9]{{0,2}}(?:[{}][0-9]{{3}})+(?![0-9'])"
_COMMAS = re.compile(_THOUSANDS.format(",") + "(?!,[0-9])")
_POINTS = re.compile(_THOUSANDS.format(".") + "(?![.])")
_WORD = re.compile(r"\A,[^\s;,]*|[^\s;,]+")
_PLAIN = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,3})?"
_GROUPED = r"[+-]?[1-9][0-9]{0,2}(?:_[0-9]{3})+(?:\.[0-9]*)?"
_NUMBER = re.compile(f"{_PLAIN}|{_GROUPED}", re.IGNORECASE)
_RATIO = re.compile(f"({_PLAIN})/([0-9]+)", re.IGNORECASE)
_MIXED = re.compile("([+-]?)([0-9]*)([¼-¾⅐-⅞])")
_APART = re.compile(r"[0-9]+(?:[-/.:_][0-9]+)+")


class Reading(NamedTuple):
    """A text, cut into numbers.

    Attributes:
        words: as they were typed.
        plain: the same in ASCII, without what is skipped; only fractions such as ½ stay.
        numbers: NaN for a word that is none.
    """

    words: tuple[str, ...]
    plain: tuple[str, ...]
    numbers: tuple[float, ...]


def apart(plain: str) -> str:
    """The whole numbers of a word that has a sign between them, with blanks instead, or `""`.

    >>> apart("5-3-8"), apart("5*3"), apart("-5")
    ('5 3 8', '', '')
    """
    return " ".join(re.findall(r"[0-9]+", plain)) if _APART.fullmatch(plain) else ""


def readings(text: str, whole: bool, blanks: bool, minus_between: bool) -> Iterator[Reading]:
    """The readings of a text, the likeliest first.

    Args:
        text: what was typed.
        whole: whether whole numbers are asked for, which may well have thousands.
        blanks: whether ordinary blanks may stand between thousands, as narrow ones may.
        minus_between: whether a minus with a blank on each side may be the sign of a number.

    Raises:
        Refused: a print that was shortened, or one of several keys.
    """
    plain = _plain(text, _MINUS_APART if minus_between else _SIGN_APART)
    marks = re.compile(_THOUSANDS.format(f"{_MARKS} " if blanks else _MARKS))
    starts = (marks.sub(_grouped, plain), plain)
    ways = (_comma_decimal, _comma_cuts, _comma_thousands, _point_thousands)
    if whole:
        ways = (_comma_thousands, _comma_cuts, _comma_decimal, _point_thousands)
    for way, start in product(ways, starts):
        yield _reading(text, plain, way(start))


def _grouped(found: re.Match[str]) -> str:
    """The number with Python's mark between its thousands, which `float` reads."""
    return re.sub("[^0-9]", "_", found[0])


def _comma_thousands(plain: str) -> str:
    """Another comma within digits is left as a sign that no number has."""
    return re.sub("(?<=[0-9]),(?=[0-9])", "'", _COMMAS.sub(_grouped, plain))


def _comma_decimal(plain: str) -> str:
    """The text as it is, if it has points."""
    return plain if "." in plain else re.sub(",(?=[0-9])", ".", plain)


def _comma_cuts(plain: str) -> str:
    return plain  # `_WORD` ends at a comma


def _point_thousands(plain: str) -> str:
    return _comma_decimal(_POINTS.sub(_grouped, plain))


def _reading(text: str, plain: str, spelled: str) -> Reading:
    """The words of a text that is spelled in a way, and their numbers."""
    spans = [found.span() for found in _WORD.finditer(spelled) if found[0].strip(_FILL)]
    return Reading(
        tuple(text[slice(*span)] for span in spans),
        tuple(plain[slice(*span)].replace(_FILL, "") for span in spans),
        tuple(_number(spelled[slice(*span)].replace(_FILL, "")) for span in spans),
    )


def _number(word: str) -> float:
    """The number of a word, NaN if it is none: also `5/2`, `½` and `-2½`."""
    if ratio := _RATIO.fullmatch(word):
        divisor = float(ratio[2])
        return float(ratio[1]) / divisor if divisor else math.nan
    if found := _MIXED.fullmatch(word):
        size = float(found[2] or 0) + unicodedata.numeric(found[3])
        return -size if found[1] == "-" else size
    return float(word) if _NUMBER.fullmatch(word) else math.nan


def _plain(text: str, apart: re.Pattern[str]) -> str:
    """The text in ASCII without what stands around numbers, each character in its place."""
    visible = "".join(_FILL if unicodedata.category(sign) == "Cf" else sign for sign in text)
    plain = _BRACKET.sub(";", bare_numbers(visible.translate(_SIGNS)))
    for pattern in (_SLASH_APART, apart):
        plain = pattern.sub(lambda found: found[1] + _FILL * len(found[2]), plain)
    return plain
