"""A time, a ratio, a case and a place on an axis in words. Nothing is judged here.

A time has one set of digits everywhere, and a ratio is that of the two times shown: a reader
divides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from embviz.text.wording import counted
from embviz.timing.measure.axes import AXES, CACHES, MODES
from embviz.timing.measure.methods import ROUTES
from embviz.timing.measure.timed import Timed

DIGITS = 3  # Significant digits of a time.
WIDE = 1.5  # Ratio of an interval's ends from which they are told, and not a number between.
UNSURE = "not told apart"
UNJUDGED = "not judged"
UNITS = (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))


def format_time(seconds: float) -> str:
    """Seconds with DIGITS significant digits.

    >>> [format_time(s) for s in (1.934e-6, 12.34e-6, 1.3e-3, 0.9996, 3e-10, 4000)]
    ['1.93 µs', '12.3 µs', '1.3 ms', '1 s', '0.3 ns', '4,000 s']
    """
    unit, size = next((one for one in UNITS if seconds < 999.5 * one[1]), UNITS[-1])
    return f"{_rounded(seconds / size, DIGITS):,.10g} {unit}"


def format_ratio(ratio: float) -> str:
    """A ratio with two significant digits, and near 1 with two decimals.

    >>> [format_ratio(r) for r in (684.2, 9.96, 1.037, 0.74, 12345, 0.0123)]
    ['680', '10', '1.04', '0.74', '12,000', '0.012']
    """
    return f"{ratio:.2f}" if 0.995 <= ratio < 1.995 else f"{_rounded(ratio, 2):,.10g}"


def longer(ratio: float) -> str:
    """How long something takes, by the time of something else.

    >>> longer(3400), longer(1 / 280)
    ('3,400 times as long', '280 times as fast')
    """
    if ratio >= 1:
        return f"{format_ratio(ratio)} times as long"
    return f"{format_ratio(1 / ratio)} times as fast"


def longer_within(ratio: float, low: float, high: float) -> str:
    """How long something takes; by the ends of the interval, where they are far apart.

    >>> longer_within(3507, 3184, 3863)
    '3,500 times as long'
    >>> longer_within(9700, 4074, 23016), longer_within(1 / 4, 1 / 8, 1 / 3)
    ('4,100 to 23,000 times as long', '3 to 8 times as fast')
    """
    if high < WIDE * low:
        return longer(ratio)
    if ratio >= 1:
        return f"{format_ratio(low)} to {format_ratio(high)} times as long"
    return f"{format_ratio(1 / high)} to {format_ratio(1 / low)} times as fast"


def ratio_shown(first: float, second: float) -> float:
    """The ratio of two times as they are shown: a reader divides."""
    return _rounded(first, DIGITS) / _rounded(second, DIGITS)


def joined(words: Sequence[str]) -> str:
    """Words in a row, with commas and a last `and`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def as_sentence(text: str) -> str:
    """The text with a capital and a full stop; an identifier at its start keeps its case.

    >>> as_sentence("two times"), as_sentence("nn.Embedding is fast")
    ('Two times.', 'nn.Embedding is fast.')
    """
    identifier = any(mark in text.split(" ", 1)[0] for mark in "_.[")
    return f"{text if identifier else text[0].upper() + text[1:]}."


def at(field: str, *values: Any) -> str:
    """A place on an axis, a device, a cache or a mode.

    >>> at("num_embeddings", 64, 65536), at("tokens", 1), at("ids", "zipf", "equal")
    ('at 64 and 65,536 rows', 'at 1 token', 'with zipf and equal ids')
    >>> at("dtype", "float16"), at("device", "cuda"), at("cache", "new"), at("precision", "high")
    ('in float16', 'on the GPU', 'with new ids in each call', 'with TF32')
    """
    words = {name: one.label for name, one in MODES.items()}
    words |= {name: one.words for name, one in CACHES.items()}
    words |= {"highest": "full precision", "high": "TF32", "cpu": "the CPU", "cuda": "the GPU"}
    given = [f"{one:,}" if isinstance(one, int) else words.get(one, one) for one in values]
    if field in AXES:
        axis = AXES[field]
        return f"{axis.before} {axis.singular if values == (1,) else axis.plural}".format(
            joined(given)
        )
    return f"{'on' if field == 'device' else 'with'} {joined(given)}"


def case_words(case: Timed, axis: str) -> str:
    """A case by its method, its place on the axis, and what is unusual.

    >>> case_words(Timed("lookup", 64, 8, 4, device="cuda", cache="new"), "num_embeddings")
    'lookup at 64 rows on the GPU with new ids in each call'
    """
    kinds = "device", "cache", "mode", "precision"
    # The defaults of `Timed` are the usual kinds.
    fields = [axis, *(one for one in kinds if getattr(case, one) != getattr(Timed, one))]
    return " ".join([case.record.label, *(at(one, getattr(case, one)) for one in fields)])


def at_places(field: str, places: Sequence[Any], measured: Sequence[Any]) -> str:
    """Several places on an axis; three or more without a gap by the first and the last.

    >>> at_places("num_embeddings", [2, 4, 8], [2, 4, 8, 16])
    'from 2 to 8 rows'
    >>> at_places("num_embeddings", [2, 8, 16], [2, 4, 8, 16])
    'at 2, 8 and 16 rows'
    """
    start = measured.index(places[0])
    is_a_range = [*places] == [*measured[start : start + len(places)]] and len(places) > 2
    if is_a_range and AXES[field].size:
        return "from " + AXES[field].plural.format(f"{places[0]:,} to {places[-1]:,}")
    return at(field, *places)


def named(case: Timed) -> str:
    """A case's method in a sentence: a route has an article.

    >>> named(Timed("lookup", 64, 8, 4)), named(Timed("module", 64, 8, 4))
    ('a lookup', 'nn.Embedding')
    """
    name = case.record.label
    return f"a {name}" if name in ROUTES else name


def sizes(cases: Sequence[Timed], axis: str) -> str:
    """All that the times of these cases depend on and that they share, in one sentence.

    >>> sizes([Timed("lookup", 64, 8, 1, threads=2), Timed("lookup", 128, 8, 1, threads=2)],
    ...       "num_embeddings")
    '1 token, 8 numbers each, 2 threads, the same ids in each call.'
    >>> sizes([Timed("matmul", 64, 8, 4, mode="sgd"), Timed("lookup", 64, 8, 4, mode="sgd")],
    ...       "dtype")
    '64 rows of 8 numbers, 4 tokens, 1 thread, training step (SGD), the same ids in each call.'
    """
    first = cases[0]
    shared = {
        name: getattr(first, name)
        for name in Timed.__dataclass_fields__
        if name not in ("method", axis) and len({getattr(case, name) for case in cases}) == 1
    }
    rows, dim, tokens = (shared.get(name) for name in ("num_embeddings", "embedding_dim", "tokens"))
    said = list[str]()
    if rows:
        said.append(counted(rows, "row") + (f" of {counted(dim, 'number')}" if dim else ""))
    if tokens:
        said.append(counted(tokens, "token"))
    if dim and not rows:
        said.append(f"{counted(dim, 'number')} each")
    on_cpu = any(case.device == "cpu" for case in cases)
    if on_cpu and "threads" in shared:
        said.append(counted(shared["threads"], "thread"))
    for name in ("dtype", "precision", "ids", "mode", "cache", "device"):
        usual = getattr(Timed, name)
        # Most programs have new ids in each call: the usual kind is told too.
        is_told = name in shared and (name == "cache" or shared[name] != usual)
        if is_told:
            said.append(at(name, shared[name]).removeprefix("with ").removeprefix("in "))
    return f"{', '.join(said)}."


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
