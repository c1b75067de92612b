"""Numbers as people write them: one spelling of digits and signs for every reader.

Each script has its digits; keyboards of East Asia type full-width ones; pages and books print minus
signs that are not the ASCII hyphen. Each reader of a typed number calls a function of this file.
Superscripts are no digits here.
"""

import re
import unicodedata
from decimal import Decimal, InvalidOperation

from embviz.text.refused import Refused
from embviz.text.wording import quote

_SIGNS = "0123456789+-.,:;[]()eE_"
_WIDE = {  # small and full-width forms
    chr(code): unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFE50, 0xFE70), *range(0xFF01, 0xFF5F))
}
_PLAIN = {wide: plain for wide, plain in _WIDE.items() if plain in _SIGNS}
_PLAIN |= {"\u2212": "-", "\u3001": ",", "\u3002": "."}  # minus sign; comma and full stop of Japan
_PLAIN |= {"\u066b": ".", "\u060c": ",", "\u061b": ";"}  # decimal point, comma, semicolon of Arabic
_PLAIN |= dict.fromkeys("\u200e\u200f\u061c", " ")  # marks of the direction, which have no ink
_TABLE = str.maketrans(_PLAIN)
# Hyphens, dashes, and the long vowel of kana, which Japanese keyboards have on the minus key.
_DASH = re.compile("[\u2010-\u2015\u30fc\ufe58](?=\\.?[0-9])")
# Thousands as Python writes them, at the start of a number.
_GROUPED = re.compile("[+-]?[1-9][0-9]{0,2}(?:_[0-9]{3})+(?![0-9_])")
MOST_DIGITS = 4_000  # Digits of a whole number: Python writes at most 4,300.


def plain_digits(text: str) -> str:
    """The text with digits, signs, commas, points and brackets in ASCII.

    It has as many characters as before, each in its place, so that a refusal can quote what was
    typed.

    >>> plain_digits("［１，−２］"), plain_digits("–3 – x²")
    ('[1,-2]', '-3 – x²')
    >>> plain_digits("٣٫٥ ३")
    '3.5 3'
    """
    if text.isascii():
        return text
    digits = {ord(sign): f"{unicodedata.decimal(sign)}" for sign in {*text} if sign.isdecimal()}
    return _DASH.sub("-", text.translate(_TABLE | digits))


def read_number(word: str) -> float:
    """One number, in any spelling that `plain_digits` knows; also `inf`, `nan` and `5_700`.

    Raises:
        ValueError: it is none.

    >>> read_number("−１．５"), read_number("4e0"), read_number("5_700")
    (-1.5, 4.0, 5700.0)
    """
    return float(_checked(word))


def whole_number(text: str) -> int:
    """A whole number, also written as `1e4`, `8.0` or `5_700`.

    Raises:
        Refused: it is none.

    >>> whole_number("1e4"), whole_number("６４"), whole_number("8.0"), whole_number("5_700")
    (10000, 64, 8, 5700)
    """
    try:
        number = Decimal(_checked(text.strip()))  # a float has 16 digits
        is_short = number.is_finite() and number.adjusted() < MOST_DIGITS
        if is_short and number == number.to_integral_value():
            return int(number)
    except (ValueError, InvalidOperation):
        pass
    plain = text.strip().replace(",", "")
    better = f": write {plain}" if "," in text and plain.isdecimal() else ""
    raise Refused(f"{quote(text)} is not a whole number{better}.")


def _checked(word: str) -> str:
    """A word in ASCII; Python would also read 1_0, where a digit may be missing.

    Raises:
        ValueError: it has other signs, or underscores that are not between thousands.
    """
    plain = plain_digits(word)
    if not plain.isascii() or "_" in _GROUPED.sub("", plain, count=1):
        raise ValueError(word)
    return plain
