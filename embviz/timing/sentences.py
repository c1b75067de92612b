"""The sentences of a run: both times, and their ratio where they are told apart.

The ratio is that of the two times shown: a reader divides. Text is plain and may quote a
stranger's file (the reason of a failure): escape it before it is shown as markdown or HTML.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from embviz.timing.axes import AXES, CACHES, MODES
from embviz.timing.methods import ROUTES
from embviz.timing.run import Run
from embviz.timing.statistics import LEVEL, MARGIN, noise, pairs, verdicts
from embviz.timing.timed import KINDS, Timed

MOST = 4  # Comparisons in an answer, at most.
UNSURE = "not told apart"
UNITS = (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))


def format_time(seconds: float, digits: int = 2) -> str:
    """Seconds with so many significant digits.

    >>> [format_time(s) for s in (1.93e-6, 12.34e-6, 1.3e-3, 0.9996, 3e-10, 4000)]
    ['1.9 µs', '12 µs', '1.3 ms', '1 s', '0.3 ns', '4,000 s']
    """
    unit, size = next((one for one in UNITS if seconds < 999.5 * one[1]), UNITS[-1])
    return f"{_rounded(seconds / size, digits):,.10g} {unit}"


def times(ratio: float) -> str:
    """A ratio with two significant digits, and near 1 with two decimals.

    >>> [times(r) for r in (684.2, 9.96, 1.037, 0.74, 12345, 0.0123)]
    ['680', '10', '1.04', '0.74', '12,000', '0.012']
    """
    return f"{ratio:.2f}" if 0.995 <= ratio < 1.995 else f"{_rounded(ratio, 2):,.10g}"


def longer(ratio: float) -> str:
    """How long something takes, by the time of something else.

    >>> longer(3400), longer(1 / 280)
    ('3,400 times as long', '280 times as fast')
    """
    return f"{times(ratio)} times as long" if ratio >= 1 else f"{times(1 / ratio)} times as fast"


def listed(words: Sequence[str]) -> str:
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
    ('in float16', 'on cuda', 'with new ids in each call', 'with TF32')
    """
    words = {name: one.label for name, one in MODES.items()}
    words |= {name: one.words for name, one in CACHES.items()}
    words |= {"highest": "full precision", "high": "TF32"}
    given = [f"{one:,}" if isinstance(one, int) else words.get(one, one) for one in values]
    if field in AXES:
        axis = AXES[field]
        return f"{axis.before} {axis.one if values == (1,) else axis.many}".format(listed(given))
    return f"{'on' if field == 'device' else 'with'} {listed(given)}"


def case_words(case: Timed, axis: str) -> str:
    """A case by its method, its place on the axis, and what is unusual.

    >>> case_words(Timed("lookup", 64, 8, 4, device="cuda", cache="new"), "num_embeddings")
    'lookup at 64 rows on cuda with new ids in each call'
    """
    return f"{case.record.label} {_where(case, axis)}"


def answer(run: Run, can_win: bool = False) -> list[str]:
    """The answer of a run, the main sentence first; empty where nothing was measured.

    Args:
        run: what was measured.
        can_win: whether it says first if a matmul can be faster, yes or no.
    """
    if not run.measured:
        return []
    told = _Told(run)
    wins = [*told.wins(can_win)]
    said = [*wins, *told.last()] if can_win else [*told.last(), *wins]
    if any(UNSURE in one for one in said):
        said.append(f"{as_sentence(UNSURE)[:-1]}: the difference may be chance.")
    return said


def details(run: Run) -> list[str]:
    """The sentences beside a run's answer: failures, and the noise."""
    noisy = _noise(run) if run.measured else ()
    return [*failures(run), *noisy] or ["Nothing has been measured yet."]


def failures(run: Run) -> Iterator[str]:
    """A sentence for each case that gave no more times, and why."""
    for case, reason in sorted(run.failures.items()):
        yield as_sentence(f"{case_words(case, run.axis)}: {reason.rstrip('. ')}")


class _Told:
    """The times of a run, and which of its cases are told apart."""

    def __init__(self, run: Run) -> None:
        self.axis = run.axis
        found = run.points.dropna(subset="seconds")
        self.seconds: dict[Timed, float] = found.set_index("case")["seconds"].to_dict()
        self.told: dict[Any, bool] = verdicts(run.times).set_index(["a", "b"])["told"].to_dict()
        self.pairs = list(pairs(self.seconds))

    def last(self) -> Iterator[str]:
        """The comparisons that come first, as sentences.

        If the axis is a kind: all of its own, the largest difference first. If it is a size: those
        at the largest size, by urgency.
        """
        kinds = [one for _, *one in self.pairs if _ == self.axis and AXES[self.axis].compared]
        for a, b in sorted(kinds, key=self._certain, reverse=True):
            yield from self._compared(self.axis, b, a)
        if kinds:
            return
        last = max(getattr(case, self.axis) for case in self.seconds)
        those = [one for one in self.pairs if getattr(one[2], self.axis) == last]
        more = {one.method for one in self.seconds} - {*ROUTES}
        those.sort(key=lambda pair: _urgency(pair[1], pair[2], len(more) == 1))
        for (field, b), same in groupby(those[:MOST], itemgetter(0, 2)):
            yield from self._compared(field, b, *(one[1] for one in same))
        if not those:
            yield from self._compared("method", max(self.seconds))

    def _certain(self, pair: Sequence[Timed]) -> tuple[bool, float]:
        """Whether two are told apart, and how far apart they are."""
        return self.told.get((*pair,), False), abs(math.log(self._ratio(*pair)))

    def wins(self, asked: bool) -> Iterator[str]:
        """Where a matmul is told to be faster than the first lookup; yes or no, if asked."""
        won, unsure = dict[str, dict[Any, None]](), dict[Any, None]()
        for field, a, b in self.pairs:
            if field == "method" and a.record.route != b.record.route:
                if not self.told.get((a, b)):
                    unsure[getattr(a, self.axis)] = None
                elif self._ratio(a, b) < 1:
                    won.setdefault(_a(a), {})[getattr(a, self.axis)] = None
        if won:
            said = [f"{name} is faster {at(self.axis, *won[name])}" for name in won]
            rest = unsure.keys() - {one for places in won.values() for one in places}
            if asked and rest:
                said.append(f"{UNSURE} {at(self.axis, *filter(rest.__contains__, unsure))}")
            first = "yes: " if asked else ""
            yield as_sentence(first + "; ".join(said))
        elif asked and unsure:
            yield f"Not certain: {UNSURE} {at(self.axis, *unsure)}."
        elif asked:
            yield "No, not at these sizes."

    def _ratio(self, a: Timed, b: Timed) -> float:
        """The time of a by that of b."""
        return self.seconds[a] / self.seconds[b]

    def _compared(self, field: str, b: Timed, *others: Timed) -> list[str]:
        """At 64 rows a lookup takes 10 µs, a matmul 34 ms: 3,400 times as long.

        A sentence for each of the others; the time of `b` is in the first.
        """
        digits = 2 + any(0.8 < self._ratio(a, b) < 1.25 for a in others)
        where = _where(b, self.axis, field)
        said = [f"{where} {_a(b)} takes {self._time(b, field, digits)}".strip()]
        for a in others:
            told = self.told.get((a, b))
            found = "too few placements to compare" if told is None else UNSURE
            if told:
                first, second = (_rounded(self.seconds[one], digits) for one in (a, b))
                found = longer(first / second)
            name = f"{_a(a)} {'takes ' if said[1:] else ''}" if field == "method" else ""
            said.append(f"{name}{self._time(a, field, digits)}: {found}")
        return [*map(as_sentence, [", ".join(said[:2]), *said[2:]])]

    def _time(self, case: Timed, field: str = "method", digits: int = 2) -> str:
        place = "" if field == "method" else f" {at(field, getattr(case, field))}"
        return format_time(self.seconds[case], digits) + place


def _noise(run: Run) -> Iterator[str]:
    if run.environment.get("remade"):
        yield "Memory did not hold all tensors: each round made them anew; so rounds are fewer."
    if (ratio := noise(run.times)) >= 1:
        yield f"The same method measured twice differs by up to {100 * (ratio - 1):.1f} %."
    yield (
        f"Two times are told apart beyond {100 * math.expm1(MARGIN):.0f} % alone. If rounds are "
        "independent, the chance that any comparison of this run is false is at most "
        f"{100 * LEVEL:g} %."
    )


def _where(case: Timed, axis: str, without: str = "") -> str:
    """The place on the axis, if any, and what is unusual about a case."""
    usual = {name: next(iter(KINDS[name])) for name in ("device", "cache", "mode", "precision")}
    fields = [axis, *(one for one, value in usual.items() if getattr(case, one) != value)]
    return " ".join(at(one, getattr(case, one)) for one in fields if one != without)


def _urgency(a: Timed, b: Timed, asked: bool) -> int:
    """0: a built one-hot and a ready one, if asked; 1: a matmul and a lookup; 2: others."""
    return 1 if a.record.route != b.record.route else 2 - 2 * (asked and a.record.builds)


def _a(case: Timed) -> str:
    name = case.record.label
    return f"a {name}" if name in ROUTES else name


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
