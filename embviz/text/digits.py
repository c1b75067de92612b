"""Numbers as people write them: one spelling of digits and signs for every reader.

Keyboards of East Asia type full-width digits; pages and books print minus signs that are not the
ASCII hyphen. Each reader of a typed number calls a function of this file. Digits of other scripts
and superscripts are no digits here.
"""

import re
import unicodedata

from embviz.text.refused import Refused
from embviz.text.wording import quote

_SIGNS = "0123456789+-.,:;[]()eE"
_WIDE = {  # small and full-width forms
    chr(code): unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFE50, 0xFE70), *range(0xFF01, 0xFF5F))
}
_PLAIN = {wide: plain for wide, plain in _WIDE.items() if plain in _SIGNS}
_PLAIN |= {"\u2212": "-", "\u3001": ",", "\u3002": "."}  # minus sign; comma and full stop of Japan
_TABLE = str.maketrans(_PLAIN)
# Hyphens, dashes, and the long vowel of kana, which Japanese keyboards have on the minus key.
_DASH = re.compile("[\u2010-\u2015\u30fc\ufe58](?=\\.?[0-9])")


def plain_digits(text: str) -> str:
    """The text with digits, signs, commas, points and brackets in ASCII.

    It has as many characters as before, each in its place, so that a refusal can quote what was
    typed.

    >>> plain_digits("［１，−２］"), plain_digits("–3 – x²")
    ('[1,-2]', '-3 – x²')
    """
    if text.isascii():
        return text
    return _DASH.sub("-", text.translate(_TABLE))


def read_number(word: str) -> float:
    """One number, in any spelling that `plain_digits` knows; also `inf` and `nan`.

    Raises:
        ValueError: it is none.

    >>> read_number("−１．５"), read_number("4e0")
    (-1.5, 4.0)
    """
    plain = plain_digits(word)
    if not plain.isascii() or "_" in plain:  # Python alone reads 1_000
        raise ValueError(word)
    return float(plain)


def whole_number(text: str) -> int:
    """A whole number, also written as `1e4`.

    Raises:
        Refused: it is none.

    >>> whole_number("64"), whole_number("1e4"), whole_number("６４")
    (64, 10000, 64)
    """
    plain = plain_digits(text).strip()
    if re.fullmatch("[+-]?[0-9]{1,4000}", plain):  # a float has 16 digits
        return int(plain)
    try:
        number = read_number(plain)
    except ValueError:
        number = float("nan")
    if number.is_integer():
        return int(number)
    raise Refused(f"{quote(text)} is not a whole number.")
