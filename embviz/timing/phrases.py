"""How a reader says it: times, ratios, percentages, values of an axis, methods and cases.

Pieces of sentences as plain text. Nothing is judged or compared here, and nothing is
escaped: whoever shows the text as markdown or HTML does that first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from embviz.core.wording import format_bytes
from embviz.timing.cases import METHODS, PASSES, Case
from embviz.timing.results import Measurement

_AT = {"ids": "with", "dtype": "in"}  # else "at"
# What a sentence calls a method whose label is a legend's; sentences use the label else.
_NAMES = {"matmul": "matmul", "lookup_sparse": "lookup with sparse gradients"}


def format_time(seconds: float, digits: int = 2) -> str:
    """Seconds with at least two digits that count, or more for a table.

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
    """A ratio with two digits that count, and near 1 with two decimals.

    >>> [times(f) for f in (684.2, 9.96, 1.037, 0.74, 12345)]
    ['680x', '10x', '1.04x', '0.74x', '12,000x']
    """
    if 0.1 <= factor < 1.995:
        return f"{factor:.2f}x"
    shown = float(f"{factor:.2g}")
    return f"{shown:,.0f}x" if shown >= 10 else f"{shown:.1f}x" if shown > 1 else f"{shown:g}x"


def percent(noise: float) -> str:
    """How far a noise is from 1.

    >>> percent(1.0132), percent(1.00021)
    ('1.3 %', '0.02 %')
    """
    share = 100 * (noise - 1)
    return f"{share:.1f} %" if share >= 0.1 else f"{share:.1g} %"


def describe(field: str, *values: Any) -> str:
    """A field's value, or values, as a reader says it.

    >>> describe("num_embeddings", 64, 65536), describe("tokens", 1), describe("ids", "zipf")
    ('64 and 65,536 rows', '1 token', 'zipf ids')
    """
    given = listed([f"{value:,}" if isinstance(value, int) else str(value) for value in values])
    nouns = {"num_embeddings": "row", "tokens": "token", "threads": "thread"}
    if field in nouns:
        return f"{given} {nouns[field]}{'' if values == (1,) else 's'}"
    if field == "pass":
        return PASSES[values[0]]
    before, after = {"embedding_dim": ("dim ", ""), "device": ("on ", ""), "ids": ("", " ids")}.get(
        field, ("", "")
    )
    return f"{before}{given}{after}"


def at(field: str, *values: Any) -> str:
    """Where on the axis.

    >>> at("num_embeddings", 64), at("ids", "zipf", "equal"), at("dtype", "float16")
    ('at 64 rows', 'with zipf and equal ids', 'in float16')
    """
    return f"{_AT.get(field, 'at')} {describe(field, *values)}"


def everywhere(axis: str, count: int) -> str:
    """At all values of the axis, of which there are `count`, two at least."""
    return f"{_AT.get(axis, 'at')} {'both' if count == 2 else f'all {count}'} {noun(axis)}"


def noun(axis: str) -> str:
    """What the values of an axis are, in the plural."""
    return {"ids": "kinds of ids", "dtype": "dtypes"}.get(axis, "sizes")


def method_name(case: Case) -> str:
    """What a sentence calls the method of a case."""
    reused = " (output reused)" if case.output == "reused" else ""
    return _NAMES.get(case.method, METHODS[case.method].label) + reused


def case_words(case: Case, axis: str) -> str:
    """A case by its method, a device other than the CPU, and its place on the axis."""
    on = "" if case.device == "cpu" else f" on {case.device}"
    return f"{method_name(case)}{on} {at(axis, getattr(case, axis))}"


def amount(one: Measurement) -> str:
    """What the dominant term counts: bytes moved or operations done."""
    if one.dominant == "bandwidth":
        return format_bytes(one.case.bytes)
    if one.dominant != "compute":
        return ""
    for unit, size in (("TFLOP", 1e12), ("GFLOP", 1e9), ("MFLOP", 1e6), ("kFLOP", 1e3)):
        if one.case.flops >= size:
            return f"{one.case.flops / size:,.1f} {unit}"
    return f"{one.case.flops} FLOP"


def listed(words: Sequence[str]) -> str:
    """With commas, and `and` before the last."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def as_sentence(text: str) -> str:
    """With a capital, unless it begins with an identifier, and a full stop."""
    identifier = "_" in text.split(" ", 1)[0]
    return f"{text if identifier else text[0].upper() + text[1:]}."


def _digits(value: float, digits: int) -> str:
    if 0 < value < 0.095:
        return f"{value:.2g}"
    before = 1 + (value >= 10 - 0.5 * 10 ** (1 - digits)) + (value >= 99.5)
    return f"{value:,.{max(0, digits - before)}f}"
