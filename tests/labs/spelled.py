"""The ways in which people, the page and PyTorch write the numbers of an answer, for tests."""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import torch

from embviz.labs.answer import MAX_TYPED
from embviz.labs.asking import fence, listed, plus
from embviz.labs.drawing import short
from embviz.labs.question import typed, written

ARABIC, DEVANAGARI, WIDE = "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "０１２３４５６７８９"
VULGAR = {Fraction(1, 2): "½", Fraction(1, 4): "¼", Fraction(3, 4): "¾", Fraction(1, 8): "⅛"}
VULGAR |= {Fraction(3, 8): "⅜", Fraction(5, 8): "⅝", Fraction(7, 8): "⅞"}
Numbers = tuple[float, ...]
Spelling = Callable[[Numbers, bool], str | None]  # None where it makes no sense


def in_digits(digits: str) -> Spelling:
    """The numbers in the digits of another script."""
    table = str.maketrans("0123456789", digits)
    return lambda numbers, _: typed(numbers).translate(table)


def with_sign(sign: str) -> Spelling:
    """The numbers with another minus sign."""
    return lambda numbers, _: typed(numbers).replace("-", sign) if min(numbers) < 0 else None


def between(mark: str, start: str = "", end: str = "") -> Spelling:
    """The numbers with something between them, and around them."""
    return lambda numbers, _: f"{start}{mark.join(map(one, numbers))}{end}"


def thousands(mark: str, end: str = "") -> Spelling:
    """Whole numbers with a mark between their thousands."""

    def spelled(numbers: Numbers, is_whole: bool) -> str | None:
        if not is_whole or max(map(abs, numbers)) < 1000:
            return None
        return " ".join(f"{number:,.0f}".replace(",", mark) for number in numbers) + end

    return spelled


def decimal_commas(mark: str) -> Spelling:
    """The numbers with decimal commas; three digits behind one are those of a thousand."""

    def spelled(numbers: Numbers, is_whole: bool) -> str | None:
        if is_whole:
            return None
        places = [f"{number:.2f}".replace(".", ",") for number in numbers]
        return mark.join(places) if _round_trip(numbers, 2) else None

    return spelled


def fractions(numbers: Numbers, is_whole: bool) -> str | None:
    """`5/2 -1/8`."""
    if is_whole:
        return None
    exact = [Fraction(number).limit_denominator(64) for number in numbers]
    is_exact = [float(one) for one in exact] == [*numbers]
    return " ".join(f"{one.numerator}/{one.denominator}" for one in exact) if is_exact else None


def vulgar(numbers: Numbers, is_whole: bool) -> str | None:
    """`2½ -¼`."""
    found = []
    for number in numbers:
        whole, part = divmod(abs(Fraction(number)), 1)
        if part and part not in VULGAR:
            return None
        shown = f"{whole or ''}{VULGAR[part]}" if part else f"{whole}"
        found.append(f"-{shown}" if number < 0 else shown)
    return " ".join(found)


def _round_trip(numbers: Numbers, places: int) -> bool:
    return all(round(number, places) == number for number in numbers)


def one(number: float) -> str:
    """A number as the address has it."""
    return typed((number,))


def tensor(*more: int, **how: torch.dtype) -> Spelling:
    """What PyTorch prints."""

    def spelled(numbers: Numbers, is_whole: bool) -> str | None:
        kind = how.get("dtype", torch.float64)
        made = torch.tensor(numbers, dtype=kind).reshape(*more, -1)
        shown = re.sub(r"\s+", " ", repr(made))
        is_exact = _round_trip(numbers, 4) and not re.search(r"\de[+-]", shown)
        return shown if is_exact and (is_whole or kind.is_floating_point) else None

    return spelled


def minus_apart(numbers: Numbers, _: bool) -> str | None:
    """`- 15`."""
    return ", ".join(map(one, numbers)).replace("-", "- ") if min(numbers) < 0 else None


def whole_only(spell: Callable[[Numbers], str]) -> Spelling:
    """A spelling for whole numbers."""
    return lambda numbers, is_whole: spell(numbers) if is_whole else None


SPELLINGS: dict[str, Spelling] = {
    # of the page itself
    "typed": lambda numbers, _: typed(numbers),
    "written": lambda numbers, _: written(numbers),
    "short": lambda numbers, _: " ".join(map(short, numbers)),
    "short parts": lambda numbers, _: ", ".join(map(short, numbers)),
    "listed": lambda numbers, _: listed(torch.tensor(numbers, dtype=torch.float64)),
    "listed, bare": lambda numbers, _: listed(torch.tensor(numbers, dtype=torch.float64)).strip(
        "`"
    ),
    "fence": lambda numbers, _: fence(torch.tensor([numbers], dtype=torch.float64)).split("\n")[1],
    "row as a button": lambda numbers, _: written(numbers).replace(" ", "\u00a0"),
    "parts of a sum": lambda numbers, _: " ".join(
        plus(torch.tensor([number], dtype=torch.float64)) for number in numbers
    ),
    "tensor": tensor(),
    "tensor of two dimensions": tensor(1),
    "tensor of integers": tensor(dtype=torch.int64),
    "torch.tensor": between(", ", "torch.tensor([[", "]], dtype=torch.float64)"),
    "tensor with a gradient": between(", ", "tensor([", "], grad_fn=<SelectBackward0>)"),
    # of Python and numpy
    "array": between(", ", "array([", "])"),
    "np.array": between(", ", "np.array([", "], dtype=np.float32)"),
    "numpy's print": lambda numbers, _: str(np.array(numbers)) if _round_trip(numbers, 6) else None,
    "list": lambda numbers, _: str([*numbers]),
    "scalars": between("), np.float64(", "[np.float64(", ")]"),
    # of people
    "many blanks": between("   ", "  ", " "),
    "wide blanks": between("\u3000"),
    "em spaces": between("\u2003"),
    "narrow blanks": between("\u202f"),
    "commas": between(", "),
    "semicolons": between(";"),
    "lines": between("\n"),
    "comma at the end": between(", ", "", ","),
    "parentheses": between(" ", "(", ")"),
    "braces": between(", ", "{", "}"),
    "brackets each": between("],[", "[[", "]]"),
    "Arabic commas": between("، "),
    "right-to-left marks": between(" ", "\u200f", "\u200e"),
    "Arabic digits": in_digits(ARABIC),
    "Devanagari digits": in_digits(DEVANAGARI),
    "wide digits": in_digits(WIDE),
    "hyphen": with_sign("\u2010"),
    "no-break hyphen": with_sign("\u2011"),
    "en dash": with_sign("\u2013"),
    "em dash": with_sign("\u2014"),
    "minus sign": with_sign("\u2212"),
    "wide minus": with_sign("\uff0d"),
    "minus apart": minus_apart,
    "en dash apart": lambda numbers, _: (minus_apart(numbers, _) or "").replace("-", "–") or None,
    "plus signs": lambda numbers, _: " ".join(f"{number:+.10g}" for number in numbers),
    "point at the end": whole_only(
        lambda numbers: " ".join(f"{number:.0f}." for number in numbers)
    ),
    "one decimal": whole_only(lambda numbers: " ".join(f"{number:.1f}" for number in numbers)),
    "scientific": lambda numbers, _: " ".join(f"{number:.9e}" for number in numbers),
    "decimal commas": decimal_commas(" "),
    "decimal commas and semicolons": decimal_commas("; "),
    "fractions": fractions,
    "printed fractions": vulgar,
    "no-break space": thousands("\u00a0"),
    "thin space": thousands("\u2009"),
    "narrow no-break space": thousands("\u202f"),
    "figure space": thousands("\u2007"),
    "apostrophe": thousands("'"),
    "printed apostrophe": thousands("’"),
    "commas between thousands": thousands(","),
    "commas, and a decimal": thousands(",", ".0"),
}


def spellings(numbers: Numbers) -> Iterator[tuple[str, str]]:
    """The names and the texts of the spellings that an answer can have."""
    is_whole = all(number.is_integer() for number in numbers)
    for name, spell in SPELLINGS.items():
        text = spell(numbers, is_whole)
        if text is not None and len(text) <= MAX_TYPED:
            yield name, text
