"""What a run says, in plain sentences: both times, and their ratio where they are told apart.

The ratio is that of the two times shown: a reader divides. Text is plain and may quote a
stranger's file (the reason of a failure): escape it before it is shown as markdown or HTML.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from embviz.timing.case import Case
from embviz.timing.methods import AXES, CACHES, DEVICES, MODES, ROUTES
from embviz.timing.run import Run
from embviz.timing.statistics import LEVEL, MARGIN, noise, verdicts

OTHERS = 3  # methods beside the first two that an answer names
UNITS = (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))


def format_time(seconds: float, digits: int = 2) -> str:
    """Seconds with so many significant digits.

    >>> [format_time(s) for s in (1.93e-6, 12.34e-6, 1.3e-3, 0.9996, 3e-10, 4000)]
    ['1.9 µs', '12 µs', '1.3 ms', '1.0 s', '0.30 ns', '4,000 s']
    """
    rounded = _rounded(seconds, digits)
    unit, size = next((one for one in UNITS if rounded < 999.5 * one[1]), UNITS[-1])
    return f"{_digits(rounded / size, digits)} {unit}"


def times(ratio: float) -> str:
    """A ratio with two significant digits, and near 1 with two decimals.

    >>> [times(r) for r in (684.2, 9.96, 1.037, 0.74, 12345, 0.0123)]
    ['680', '10', '1.04', '0.74', '12,000', '0.012']
    """
    return f"{ratio:.2f}" if 0.995 <= ratio < 1.995 else _digits(_rounded(ratio, 2), 2)


def listed(words: Sequence[str]) -> str:
    """Words in a row, with commas and a last `and`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def as_sentence(text: str) -> str:
    """The text with a capital and a full stop; an identifier at its start keeps its case."""
    identifier = any(mark in text.split(" ", 1)[0] for mark in "_.[")
    return f"{text if identifier else text[0].upper() + text[1:]}."


def describe(field: str, *values: Any) -> str:
    """One or several values of a field, in words.

    >>> describe("num_embeddings", 64, 65536), describe("tokens", 1), describe("ids", "zipf")
    ('64 and 65,536 rows', '1 token', 'zipf ids')
    """
    given = listed([f"{value:,}" if isinstance(value, int) else str(value) for value in values])
    return (AXES[field].one if values == (1,) else AXES[field].many).format(given)


def at(field: str, *values: Any) -> str:
    """A place on an axis, a device or a cache.

    >>> at("num_embeddings", 64), at("ids", "zipf", "equal"), at("dtype", "float16")
    ('at 64 rows', 'with zipf and equal ids', 'in float16')
    >>> at("device", "cuda"), at("cache", "new")
    ('on cuda', 'with new ids in each call')
    """
    if field == "device":
        return f"on {listed(values)}"
    if field == "cache":
        return f"with {listed([CACHES[value].one for value in values])}"
    return f"{AXES[field].before} {describe(field, *values)}"


def case_words(case: Case, axis: str) -> str:
    """A case by its method, what is unusual, and its place on the axis."""
    words = [case.record.label]
    words += [at("device", case.device)] if case.device != DEVICES[0] else []
    words += [at("cache", case.cache)] if case.cache != next(iter(CACHES)) else []
    return " ".join([*words, at(axis, getattr(case, axis))])


def answer(run: Run) -> str:
    """The answer of a run in few sentences; empty where nothing was measured."""
    return " ".join(_Told(run).answer()) if run.cases else ""


def sentences(run: Run) -> list[str]:
    """All that a run says: its answer, how times grow, where one is faster, failures, the noise."""
    failed = list(failures(run))
    if not run.cases:
        return failed or ["Nothing has been measured yet."]
    told = _Told(run)
    return [" ".join(told.answer()), *told.crossings(), *told.growth(), *failed, *_noise(run)]


def failures(run: Run) -> Iterator[str]:
    """A sentence for each case that gave no more times, and why."""
    for case, reason in sorted(run.failures.items()):
        why = reason.rstrip(". ") or "no reason given"
        yield as_sentence(f"{case_words(case, run.axis)}: {why}")


class _Told:
    """The times of a run, and which of its cases are told apart."""

    def __init__(self, run: Run) -> None:
        self.axis = run.axis
        self._sizes = not AXES[run.axis].compared
        found = run.points.dropna(subset="seconds")
        self.seconds: dict[Case, float] = dict(zip(found["case"], found["seconds"], strict=True))
        frame = verdicts(run.times)
        pairs = zip(frame["a"], frame["b"], strict=True)
        self.told: dict[tuple[Case, Case], bool] = dict(zip(pairs, frame["told"], strict=True))

    def answer(self) -> Iterator[str]:
        """What was measured at the last size, or in each kind."""
        if not self._sizes:
            yield from self._kinds()
            return
        last = max(getattr(case, self.axis) for case in self.seconds)
        first = next(case for case in self.seconds if getattr(case, self.axis) == last)
        point = [case for case in self.seconds if case.point == first.point]
        base, *others = sorted(point, key=_route)
        rival = next((case for case in others if _route(case) != _route(base)), None)
        mode = f", {MODES[base.mode].label}," if base.backward else ""
        text = f"{at(self.axis, last)}{mode} {_a(base)} takes {format_time(self.seconds[base])}"
        if rival:
            text = self._both(
                base, rival, f"{at(self.axis, last)}{mode} {_a(base)} takes", _a(rival)
            )
        yield as_sentence(text)
        for case in [one for one in others if one is not rival][:OTHERS]:
            against = rival if (case, rival) in self.told and rival else base
            said = self._ratio(case, against, 2)
            joined = "as" if self.told.get((case, against)) else "from"
            yield as_sentence(
                f"{case.record.label} takes {format_time(self.seconds[case])}, {said} "
                f"{joined} {against.record.label}"
            )
        for a, b in self.told:
            if b in (base, rival) and a.method == b.method and getattr(a, self.axis) == last:
                field = "device" if a.device != b.device else "cache"
                here, there = (at(field, getattr(case, field)) for case in (b, a))
                yield as_sentence(self._both(b, a, f"{here} {_a(b)} takes", there))

    def growth(self) -> Iterator[str]:
        """How the time of each method differs between the smallest and the largest size."""
        for a, b in self.told:
            low, high = (getattr(case, self.axis) for case in (b, a))
            if a.method == b.method and low != high and self._sizes:
                yield as_sentence(
                    self._both(b, a, f"{case_words(b, self.axis)} takes", at(self.axis, high))
                )

    def crossings(self) -> Iterator[str]:
        """Where a matmul is told to be faster than the first lookup."""
        won: dict[str, dict[Any, None]] = {}
        for (a, b), told in self.told.items():
            if told and _route(a) > _route(b) and self.seconds[a] < self.seconds[b]:
                words = f"{a.record.label} is faster than {b.record.label}"
                won.setdefault(words, {})[getattr(a, self.axis)] = None
        for words, values in won.items():
            yield as_sentence(f"{words} {at(self.axis, *values)}")

    def _kinds(self) -> Iterator[str]:
        """One sentence for each method: its time in each kind."""
        for _, group in groupby(
            sorted(self.seconds, key=lambda case: (_route(case), case.method, case)),
            key=lambda case: (case.method, case.device, case.cache),
        ):
            first, *others = group
            shown = [(one, at(self.axis, getattr(one, self.axis))) for one in (first, *others)]
            parts = [f"{format_time(self.seconds[one])} {where}" for one, where in shown]
            alike = [where for one, where in shown[1:] if not self.told.get((one, first))]
            rest = f", not told apart {listed(alike)}" if alike else ""
            yield as_sentence(f"{_a(first)} takes {', '.join(parts)}{rest}")

    def _both(self, a: Case, b: Case, first: str, second: str) -> str:
        """`{first} 10 µs, {second} 34 ms: 3,400 times as long`."""
        digits = 3 if 0.8 < self.seconds[b] / self.seconds[a] < 1.25 else 2
        one, other = (format_time(self.seconds[case], digits) for case in (a, b))
        return f"{first} {one}, {second} {other}: {self._ratio(b, a, digits)}"

    def _ratio(self, a: Case, b: Case, digits: int) -> str:
        told = self.told.get((a, b))
        if not told:
            return "too few rounds to compare" if told is None else "not told apart"
        one, other = (_rounded(self.seconds[case], digits) for case in (a, b))
        return f"{times(one / other)} times as long"


def _noise(run: Run) -> Iterator[str]:
    found = noise(run.times)
    if len(found):
        ratio = 100 * (found["ratio"].max() - 1)
        yield f"The same method measured twice differs by up to {ratio:.1f} %."
    yield (
        f"Two times are told apart beyond {100 * math.expm1(MARGIN):.0f} % alone. If rounds are "
        "independent, the chance that any comparison of this run is false is at most "
        f"{100 * LEVEL:g} %."
    )


def _route(case: Case) -> int:
    return ROUTES.index(case.record.route)


def _a(case: Case) -> str:
    name = case.record.label
    return f"a {name}" if name in ROUTES else name


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def _digits(value: float, digits: int) -> str:
    """A rounded value with its significant digits, never in powers of ten."""
    if value < 1:
        return f"{value:#.{digits}g}" if digits > 2 or value >= 0.1 else f"{value:g}"
    whole = len(str(int(value)))
    return f"{value:,.{max(0, digits - whole)}f}"
