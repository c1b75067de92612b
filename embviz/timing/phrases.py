"""Times, ratios, percentages, values, methods and cases as pieces of sentences.

The text is plain: to show it as markdown or HTML, escape it first. Nothing is compared here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from embviz.timing.cases import Case
from embviz.timing.settings import AXES, CACHES, DEVICES, PASSES


def format_time(seconds: float, digits: int = 2) -> str:
    """Seconds with at least two significant digits, or more for a table.

    >>> [format_time(s) for s in (1.93e-6, 12.34e-6, 1.3e-3, 2.5, 3e-10, 4000)]
    ['1.9 µs', '12 µs', '1.3 ms', '2.5 s', '0.3 ns', '4,000 s']
    >>> format_time(12.34e-6, 3)
    '12.3 µs'
    """
    for unit, size in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * size:
            return f"{_digits(seconds / size, digits)} {unit}"
    return f"{_digits(seconds, digits)} s"


def times(factor: float) -> str:
    """A ratio with two significant digits, and near 1 with two decimals.

    >>> [times(f) for f in (684.2, 9.96, 1.037, 0.74, 12345)]
    ['680x', '10x', '1.04x', '0.74x', '12,000x']
    """
    if 0.1 <= factor < 1.995:
        return f"{factor:.2f}x"
    shown = float(f"{factor:.2g}")
    return f"{shown:,.0f}x" if shown >= 10 else f"{shown:.1f}x" if shown > 1 else f"{shown:g}x"


def exponent(value: float) -> str:
    """A power with two decimals.

    >>> exponent(0.983), exponent(-0.001)
    ('0.98', '0.00')
    """
    return f"{value:.2f}".replace("-0.00", "0.00")


def spanned(words: Callable[[float], str], value: float, low: float, high: float) -> str:
    """A value with its interval, or alone where no digit that is shown differs.

    >>> spanned(times, 1.31, 1.27, 1.36), spanned(times, 663.0, 659.0, 664.0)
    ('1.31x (1.27x to 1.36x)', '660x')
    """
    shown = words(value)
    if math.isinf(high) or {words(low), words(high)} == {shown}:
        return shown
    return f"{shown} ({words(low)} to {words(high)})"


def percent(noise: float) -> str:
    """A noise, which is a ratio, as its distance from 1.

    >>> percent(1.0132), percent(1.00021)
    ('1.3 %', '0.02 %')
    """
    share = 100 * (noise - 1)
    return f"{share:.1f} %" if share >= 0.1 else f"{share:.1g} %"


def describe(field: str, *values: Any) -> str:
    """One or several values of a field, in words.

    >>> describe("num_embeddings", 64, 65536), describe("tokens", 1), describe("ids", "zipf")
    ('64 and 65,536 rows', '1 token', 'zipf ids')
    >>> describe("cache", "new")
    'new ids in each call'
    """
    given = listed([f"{value:,}" if isinstance(value, int) else str(value) for value in values])
    if field == "pass":
        return PASSES[values[0]].label
    if field == "cache":
        return listed([CACHES[value].one for value in values])
    one, many = (AXES[field].one, AXES[field].many) if field in AXES else ("on {}", "on {}")
    return (one if values == (1,) else many).format(given)


def at(field: str, *values: Any) -> str:
    """A place on the axis.

    >>> at("num_embeddings", 64), at("ids", "zipf", "equal"), at("dtype", "float16")
    ('at 64 rows', 'with zipf and equal ids', 'in float16')
    """
    return f"{AXES[field].before} {describe(field, *values)}"


def everywhere(axis: str, count: int) -> str:
    """All `count` values of the axis; two at least."""
    number = "both" if count == 2 else f"all {count}"
    return f"{AXES[axis].before} {number} {AXES[axis].values_word}"


def case_words(case: Case, axis: str) -> str:
    """A case by its method, a device other than the CPU, and its place on the axis."""
    on = "" if case.device == DEVICES[0] else f" on {case.device}"
    return f"{case.record.name_in_sentence}{on} {at(axis, getattr(case, axis))}"


def listed(words: Sequence[str]) -> str:
    """Words in a row, with commas and a last `and`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def capitalized(text: str) -> str:
    """The text with a capital; an identifier at its start keeps its case."""
    identifier = any(mark in text.split(" ", 1)[0] for mark in "_.[")
    return text if identifier else text[0].upper() + text[1:]


def as_sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return f"{capitalized(text)}."


def _digits(value: float, digits: int) -> str:
    if 0 < value < 0.095:
        return f"{value:.2g}"
    before = 1 + (value >= 10 - 0.5 * 10 ** (1 - digits)) + (value >= 99.5)
    return f"{value:,.{max(0, digits - before)}f}"
