"""The ways in which a typed text may be read as numbers; `answer.read` chooses among them.

People write numbers in three ways, and one text may be possible in several:

    comma between thousands   `1,200.5`          as the page prints numbers
    decimal comma             `1.200,5; 3`
    comma between numbers     `3,1,4`

In each way blanks, semicolons and brackets separate numbers, and apostrophes and narrow blanks may
stand between thousands. Fractions, digits of other scripts and what PyTorch and numpy print around
numbers are understood. Nothing here knows a question.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise, product
from typing import NamedTuple

from embviz.text.digits import plain_digits

NOTHING = "\0"  # The character in the place of one that is skipped.
EDGE = "|"  # The character in the place of a bracket, and of the words around numbers.

_PLAIN = dict.fromkeys("‐‑‒–—―−⁃˗➖ー﹘﹣－", "-")
_PLAIN |= dict.fromkeys("’‘ʼ′´＇\u066c", "'")
_PLAIN |= dict.fromkeys("⁄∕／", "/")
_PLAIN |= {"\u066b": ".", "\u060c": ",", "\u061b": ";"}  # The signs of Arabic.
_FRACTIONS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_NARROW = "\u00a0\u2007\u2008\u2009\u200a\u202f"  # The blanks that stand between thousands.

# What is printed before a bracket, and after the numbers.
_NAME = re.compile(
    r"(?:parameter containing:\s*)?\b(?:(?:torch|np|numpy)\.)?"
    r"(?:tensor|\w{0,9}array|parameter|size|float\d{0,3}|int\d{0,3})\s*(?=[(\[])",
    re.ASCII | re.I,
)
_OPTION = re.compile(
    r",?\s*\b(?:dtype|device|requires_grad|grad_fn|size)\s*=\s*(?:\([^()]*\)|[^,()\[\]]*)",
    re.ASCII | re.I,
)
_BRACKET = re.compile(r"(?<![0-9.])[(\[{]|[)\]}](?![0-9.])|`")
_SPACED_SIGN = re.compile(rf"([+-])(\s+)(?=[.,]?[0-9{_FRACTIONS}])")
_SPACED_SLASH = re.compile(r"\s+(?=/)|(?<=/)\s+")
_EXPONENT = r"(?:e[+-]?[0-9]{1,3})?"


class Way(NamedTuple):
    """A text, cut into numbers.

    Attributes:
        words: as they were typed.
        plain: the same in ASCII, without what is skipped; only fractions such as ½ stay.
        numbers: NaN for a word that is none.
        is_grouped: whether a comma or a point stands between thousands.
    """

    words: tuple[str, ...]
    plain: tuple[str, ...]
    numbers: tuple[float, ...]
    is_grouped: bool


class _Style(NamedTuple):
    """Where a text is cut, and the patterns of its numbers."""

    cut: str
    decimal: str
    simple: re.Pattern[str]
    grouped: re.Pattern[str]


def _style(cut: str, decimal: str, group: str = "") -> _Style:
    point = re.escape(decimal)
    simple = rf"[+-]?(?:[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+){_EXPONENT}"
    grouped = (
        rf"[+-]?[1-9][0-9]{{0,2}}(['{group}])[0-9]{{3}}(?:\1[0-9]{{3}})*"
        rf"(?:{point}[0-9]*)?"
    )
    return _Style(cut, decimal, re.compile(simple, re.I), re.compile(grouped, re.I))


_STYLES = (
    _style(rf",(?![0-9])|(?<={re.escape(EDGE)}),", ".", ","),  # As the page prints numbers: first.
    _style(r",(?![0-9])", ",", "."),
    _style(r"(?<!\A),", "."),
)


_APART = re.compile(r"[0-9]+(?:[-/.:_][0-9]+)+")


def apart(plain: str) -> str:
    """The whole numbers of a word that has a sign between them, with blanks instead, or `""`.

    >>> apart("5-3-8"), apart("5*3"), apart("-5")
    ('5 3 8', '', '')
    """
    return " ".join(re.findall(r"[0-9]+", plain)) if _APART.fullmatch(plain) else ""


def ways(text: str, minus_between: bool, blanks: bool) -> Iterator[Way]:
    """The ways to cut a text into numbers, first that of the page; some may be alike.

    Args:
        text: what was typed.
        minus_between: whether a minus with a blank on each side may be the sign of a number.
        blanks: whether ordinary blanks may stand between thousands, as narrow ones may.
    """
    plain = _skipped(_plain(text), minus_between)
    marks = f"{_NARROW} " if blanks else _NARROW
    inside = rf"(?<![0-9]{{4}})(?<=[0-9])[{marks}](?=[0-9]{{3}}(?![0-9]))"
    blank = [rf"(?!{inside})\s", r"\s"] if re.search(inside, plain) else [r"\s"]
    styles = _STYLES if "," in plain or "." in plain else _STYLES[:1]
    for style, cut in product(styles, blank):
        cuts = re.compile(rf"{cut}|[;{re.escape(EDGE)}]|{style.cut}")
        yield _way(text, plain, cuts, style)


def _way(text: str, plain: str, cuts: re.Pattern[str], style: _Style) -> Way:
    ends = [(0, 0), *(cut.span() for cut in cuts.finditer(plain)), (len(plain), len(plain))]
    spans = [(before[1], after[0]) for before, after in pairwise(ends)]
    found = [(text[slice(*span)], plain[slice(*span)].replace(NOTHING, "")) for span in spans]
    words = [(typed.strip(), word) for typed, word in found if word]
    read = [_number(word, style) for _, word in words]
    return Way(
        tuple(typed for typed, _ in words),
        tuple(word for _, word in words),
        tuple(number for number, _ in read),
        any(is_grouped for _, is_grouped in read),
    )


def _number(word: str, style: _Style) -> tuple[float, bool]:
    """The number, or NaN; and whether a comma or a point stands between its thousands."""
    word = re.sub(r"\s", "'", word)
    if word[-1] in _FRACTIONS:
        return _mixed(word), False
    if "/" in word:
        return _ratio(word, style), False
    if style.simple.fullmatch(word):
        return float(word.replace(style.decimal, ".")), False
    if found := style.grouped.fullmatch(word):
        mark = found.group(1)
        return float(word.replace(mark, "").replace(style.decimal, ".")), mark != "'"
    return math.nan, False


def _mixed(word: str) -> float:
    """`½` or `-2½`."""
    whole = word[:-1]
    if not re.fullmatch(r"[+-]?[0-9]*", whole):
        return math.nan
    size = float(whole.lstrip("+-") or 0) + unicodedata.numeric(word[-1])
    return -size if whole.startswith("-") else size


def _ratio(word: str, style: _Style) -> float:
    """`5/2` or `-1/8`."""
    above, _, below = word.partition("/")
    if not (style.simple.fullmatch(above) and re.fullmatch(r"[0-9]+", below)):
        return math.nan
    divisor = float(below)
    return float(above.replace(style.decimal, ".")) / divisor if divisor else math.nan


def _plain(text: str) -> str:
    """The text with ASCII digits and signs, each character in its place."""
    return plain_digits("".join(map(_plain_character, text)))


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if unicodedata.category(character) == "Cf":  # has no ink, as a right-to-left mark
        return NOTHING
    if unicodedata.decomposition(character).startswith(("<wide>", "<small>")):
        character = unicodedata.normalize("NFKC", character)
    return _PLAIN.get(character, character)


def _skipped(plain: str, minus_between: bool) -> str:
    """The text without brackets and what stands around numbers, each character in its place."""

    def sign(found: re.Match[str]) -> str:
        before = plain[: found.start()].rstrip(f"{NOTHING} \t")
        is_first = not before or before[-1] in f",;{EDGE}"
        is_apart = plain[found.start() - 1].isspace()
        if is_first or (is_apart and minus_between and found.group(1) == "-"):
            return found.group(1) + NOTHING * len(found.group(2))
        return found.group()

    for pattern in (_OPTION, _NAME, _BRACKET):
        plain = pattern.sub(lambda found: EDGE * len(found.group()), plain)
    plain = _SPACED_SLASH.sub(lambda found: NOTHING * len(found.group()), plain)
    return _SPACED_SIGN.sub(sign, plain)
