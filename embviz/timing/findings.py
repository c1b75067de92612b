"""What a run says: noise, verdicts, exponents, and sentences for a reader. Nothing is hard-coded.

Two methods are told apart only if they differ by more than the same method does
when measured twice, and if the uncertainties of their medians do not overlap.
The sentences are plain text and may hold what a stranger's file says (the reason
of a failure): whoever shows them as markdown or HTML escapes them first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from statistics import linear_regression, median
from typing import Any, Literal

from embviz.timing.cases import DEVICES, ITEMSIZE, METHODS, PASSES, SKEWS, VARY, Case
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.runs import Run
from embviz.wording import format_bytes

MIN_NOISE = 1.02  # a ratio within it is nobody's finding, however quiet the machine
NOTCH = 1.57  # times IQR / sqrt(blocks): McGill, Tukey & Larsen 1978, about 95 % confidence
FEWEST_POINTS = 3  # of a slope
AXES = tuple(name for name, _ in VARY.values())
NUMBERS = ("num_embeddings", "embedding_dim", "tokens")  # those of AXES that are sizes

Verdict = Literal["slower", "faster", "not distinguishable"]
Setting = tuple[tuple[str, Any], ...]  # fields of a case with their values
Noises = dict[tuple[Case, str], float]  # of each point, by Case.group

_ORDER = {"ids": list(SKEWS), "dtype": list(ITEMSIZE), "device": list(DEVICES)}
_AT = {"ids": "with", "dtype": "in"}  # else "at"
# What a sentence calls a method whose label is a legend's; sentences use the label else.
_NAMES = {"matmul": "matmul", "lookup_sparse": "lookup with sparse gradients"}
_WHY = {
    "overhead": "the fixed cost of a call",
    "bandwidth": "moving bytes through memory",
    "compute": "arithmetic",
}


@dataclass(frozen=True, eq=False)
class Line:
    """One line of a chart: one method in one setting, along the axis.

    Attributes:
        setting: every other field of the case, with its value.
        method: a key of METHODS.
        output: `fresh` or `reused`.
        measured: by value on the axis, in its order; repeats are pooled.
        failed: by value on the axis.
    """

    setting: Setting
    method: str
    output: str
    measured: dict[Any, Measurement] = field(default_factory=dict)
    failed: dict[Any, Failure] = field(default_factory=dict)

    @property
    def route(self) -> str:
        """`lookup` or `matmul`."""
        return METHODS[self.method].route

    @property
    def name(self) -> str:
        """What a sentence calls it."""
        results: list[Result] = [*self.measured.values(), *self.failed.values()]
        return _name(results[0].case)


@dataclass(frozen=True)
class Growth:
    """Time grows as the value to the power `exponent`, by least squares from `start` on."""

    exponent: float
    start: int
    points: int


# --- statistics


def noise(results: Iterable[Result]) -> float | None:
    """How far the same method is from itself at one point: the larger median by the smaller.

    Args:
        results: of one point, the A/A control among them.

    Returns:
        1 or more, or None where the control or what it repeats is missing.
    """
    pair = _twins(results)
    return None if pair is None else max(ratio(*pair), ratio(*reversed(pair)))


def noises(results: Iterable[Result]) -> Noises:
    """The noise of every point that has a control, by `Case.group`."""
    grouped: dict[tuple[Case, str], list[Result]] = {}
    for one in results:
        grouped.setdefault(one.case.group, []).append(one)
    found = {group: noise(those) for group, those in grouped.items()}
    return {group: value for group, value in found.items() if value is not None}


def control_indistinguishable(results: Iterable[Result]) -> bool | None:
    """Whether the A/A pair itself is called "not distinguishable".

    Judged by MIN_NOISE and the notches alone: by its own ratio it could never fail.
    """
    pair = _twins(results)
    return None if pair is None else verdict(*pair, MIN_NOISE) == "not distinguishable"


def ratio(a: Measurement, b: Measurement) -> float:
    """The median of `a` by that of `b`: above 1 where `a` is the slower."""
    return a.median_s / b.median_s


def notch(one: Measurement) -> tuple[float, float]:
    """The median's own uncertainty, in seconds; unbounded for a single block."""
    blocks = len(one.times_s)
    half = math.inf if blocks < 2 else NOTCH * one.iqr_s / math.sqrt(blocks)
    return one.median_s - half, one.median_s + half


def known_noise(noises: Noises, *measurements: Measurement) -> float | None:
    """The largest noise of the points that these belong to."""
    return max(
        (noises[one.case.group] for one in measurements if one.case.group in noises), default=None
    )


def verdict(a: Measurement, b: Measurement, noise: float | None) -> Verdict:
    """What `a` is beside `b`, if they can be told apart at all.

    They can where the ratio of their medians lies outside the noise (never taken for less
    than MIN_NOISE), and their notches do not overlap.
    """
    within = max(noise or 1.0, MIN_NOISE)
    (low_a, high_a), (low_b, high_b) = notch(a), notch(b)
    if ratio(a, b) > within and low_a > high_b:
        return "slower"
    if ratio(b, a) > within and low_b > high_a:
        return "faster"
    return "not distinguishable"


def verdicts(line: Line, base: Line, noises: Noises) -> list[tuple[Any, Verdict]]:
    """What `line` is beside `base`, wherever both were measured."""
    pairs = [(value, line.measured[value], base.measured[value]) for value in _shared(line, base)]
    return [(value, verdict(a, b, known_noise(noises, a, b))) for value, a, b in pairs]


def exponent(
    results: Iterable[Result],
    method: str,
    pass_: str,
    device: str,
    field: str,
    start: int | None = None,
) -> Growth | None:
    """How a method's time grows with a size; see `growth`.

    Where further fields vary, in the setting that came first.
    """
    those = [
        one for one in results
        if (one.case.method, one.case.pass_, one.case.device) == (method, pass_, device)
    ]  # fmt: skip
    found = lines(those, field)
    return growth(found[0], field, start) if found else None


def growth(line: Line, field: str, start: int | None = None) -> Growth | None:
    """The slope of log(median time) against log(value).

    Args:
        line: the measurements.
        field: the axis; only sizes have a slope.
        start: smallest value that counts. By default the upper half of the values in log
            scale, or the largest three where that holds fewer.

    Returns:
        None with fewer than FEWEST_POINTS values.
    """
    values = sorted(line.measured) if field in NUMBERS else []
    start = _start(values) if start is None else start
    values = [value for value in values if start is not None and value >= start]
    if len(values) < FEWEST_POINTS:
        return None
    times = [math.log(line.measured[value].median_s) for value in values]
    slope = linear_regression([math.log(value) for value in values], times).slope
    return Growth(slope, values[0], len(values))


# --- results as lines over what varies


def varying(cases: Iterable[Case]) -> str:
    """The field for the axis: the one with the most different values; rows if none differs."""
    cases = list(cases)
    return max(AXES, key=lambda name: len({getattr(case, name) for case in cases}))


def ordered(field: str, values: Iterable[Any]) -> list[Any]:
    """Different values in the order of the axis."""
    return sorted(set(values), key=_ORDER[field].index if field in _ORDER else None)


def setting_of(case: Case, field: str) -> Setting:
    """Every field of the case but the axis and what belongs to the method."""
    own = (field, "method", "output")
    return tuple((name, value) for name, value in case.to_dict().items() if name not in own)


def lines(results: Iterable[Result], field: str) -> list[Line]:
    """The results as lines over `field`, controls left out: by setting, then as in METHODS."""
    found: dict[tuple[Setting, str, str], Line] = {}
    for one in results:
        key = (setting_of(one.case, field), one.case.method, one.case.output)
        line = found.setdefault(key, Line(*key))
        value = getattr(one.case, field)
        if isinstance(one, Failure):
            line.failed.setdefault(value, one)
        elif not one.control:
            line.measured[value] = _pooled(line.measured.get(value), one)
    settings = list(dict.fromkeys(setting for setting, _, _ in found))
    settings.sort(key=lambda setting: _ORDER["device"].index(dict(setting)["device"]))
    order = {method: index for index, method in enumerate(METHODS)}
    return [
        replace(line, measured={v: line.measured[v] for v in ordered(field, line.measured)})
        for setting in settings
        for line in sorted(found.values(), key=lambda one: order[one.method])
        if line.setting == setting
    ]


def reference(lines: Iterable[Line]) -> Line | None:
    """What the others of one setting are compared with: lookup, or what is closest to it.

    Lines in the order of METHODS, which begins each route with its plainest method.
    """
    measured = [line for line in lines if line.measured]
    return min(measured, key=lambda line: line.route != "lookup", default=None)


def rival(lines: Iterable[Line], base: Line | None) -> Line | None:
    """What stands for the other route in a headline: matmul, or what is closest to it."""
    others = [line for line in lines if base and line is not base and _shared(line, base)]
    return min(others, key=lambda line: line.route != "matmul", default=None)


def setting_words(setting: Setting, settings: Iterable[Setting]) -> list[str]:
    """What tells this setting from the others; a GPU and a backward pass are always named."""
    mine, others = dict(setting), [dict(one) for one in settings]
    words = []
    for name in ("device", "pass", *AXES, "threads"):
        if name not in mine:  # the axis
            continue
        usual = {"device": "cpu", "pass": "forward"}.get(name, mine[name])
        if mine[name] != usual or any(one[name] != mine[name] for one in others):
            words.append(describe(name, mine[name]))
    return words


# --- words


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
    given = _and([f"{value:,}" if isinstance(value, int) else str(value) for value in values])
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


def headline(lines: Sequence[Line], field: str, noise: Noises) -> str:
    """The finding at the largest value that reference and rival share, without a full stop.

    Args:
        lines: of one setting.
        field: the axis.
        noise: see `noises`.
    """
    story = _Story(lines, field, noise)
    return story.headline(story.values[-1]) if story.base else ""


def sentences(run: Run) -> list[str]:
    """What the run found, in plain words, the most important first.

    With several devices, passes or sizes beside the axis, one paragraph for each.
    """
    measured = [one for one in run.results if isinstance(one, Measurement) and not one.control]
    failed = any(isinstance(one, Failure) for one in run.results)
    if not measured and not failed:
        return ["Nothing has been measured yet."]
    axis = varying(one.case for one in run.results)
    noise = noises(run.results)
    found = [line for line in lines(run.results, axis) if line.measured]
    settings = list(dict.fromkeys(line.setting for line in found))
    said: list[str] = []
    for setting in settings:
        story = _Story([line for line in found if line.setting == setting], axis, noise)
        said += _paragraph(setting, settings, list(story.tell()))
    if axis in NUMBERS and any(growth(line, axis) for line in found):
        thing = {"num_embeddings": "rows", "embedding_dim": "numbers in a row"}.get(axis, axis)
        said.append(
            f"An exponent of 1 means twice the time for twice the {thing}; "
            "0 means that their number does not matter."
        )
    said += _devices(found, axis, noise)
    if measured:
        said.append(_noise_sentence(noise, axis))
    return [*said, *_model_sentence(measured, axis), *_failure_sentence(run.results, axis)]


# --- the sentences, without capital and full stop where other words may come before


@dataclass(frozen=True)
class _Story:
    """The measured lines of one setting, and what is needed to speak of them."""

    lines: Sequence[Line]
    axis: str
    noise: Noises

    @property
    def base(self) -> Line | None:
        return reference(self.lines)

    @property
    def other(self) -> Line | None:
        return rival(self.lines, self.base)

    @property
    def values(self) -> list[Any]:
        """Where reference and rival can be compared; the last is the headline's."""
        base, other = self.base, self.other
        return [] if base is None else _shared(other, base) if other else list(base.measured)

    def tell(self) -> Iterator[str]:
        if self.axis in NUMBERS:
            yield self.headline(self.values[-1])
            yield from self.others(self.values[-1])
            yield from self.growths()
        else:
            yield from map(self.headline, self.values)
            yield from self.spreads()
        yield from self.crossings()
        yield from self.reasons(self.values[-1])

    def headline(self, value: Any) -> str:
        base, other = self.base, self.other
        assert base is not None
        first = base.measured[value]
        text = f"{at(self.axis, value)} {base.name} takes {format_time(first.median_s)}"
        if other is None:
            return text
        second = other.measured[value]
        found = self.compare(second, first, f"of {base.name}'s time")
        return f"{text}, {other.name} {format_time(second.median_s)}: {found}"

    def compare(self, a: Measurement, b: Measurement, of: str) -> str:
        """`690x`, `0.74x of lookup's time`, or `not distinguishable`."""
        found = verdict(a, b, known_noise(self.noise, a, b))
        if found == "not distinguishable":
            return found
        return times(ratio(a, b)) + ("" if found == "slower" else f" {of}")

    def others(self, value: Any) -> Iterator[str]:
        """The methods that the headline does not name."""
        base, other, parts = self.base, self.other, list[str]()
        for line in self.lines:
            if base is None or line in (base, other) or value not in line.measured:
                continue
            one = line.measured[value]
            found = self.compare(one, base.measured[value], f"of {base.name}'s time")
            found += f" from {base.name}" if found == "not distinguishable" else ""
            takes = "" if parts else "takes "
            parts.append(f"{line.name} {takes}{format_time(one.median_s)} ({found})")
        if parts:
            yield f"there {', '.join(parts)}"

    def growths(self) -> Iterator[str]:
        first = [line for line in (self.other, self.base) if line]
        # From one value on for all methods, where each has enough of them.
        start = _start(self.values)
        by_start: dict[int, list[str]] = {}
        for line in [*first, *(line for line in self.lines if line not in first)]:
            found = growth(line, self.axis, start) or growth(line, self.axis)
            if found is None:
                continue
            said = by_start.setdefault(found.start, [])
            value = f"{found.exponent:.2f}".replace("-0.00", "0.00")
            # Not "one-hot built + matmul's time": whose would that be?
            several = " " in line.name
            whose = f"that of {line.name}" if several else f"{line.name}'s"
            if not said:
                whose = f"the time of {line.name} grows" if several else f"{whose} time grows"
            said.append(f"{whose} with {'' if said else 'exponent '}{value}")
        for start, said in by_start.items():
            yield f"{', '.join(said)} (from {describe(self.axis, start)})"

    def spreads(self) -> Iterator[str]:
        """For kinds instead of sizes: which is the fastest and which the slowest."""
        for line in self.lines:
            if len(line.measured) < 2:
                continue
            kinds = sorted(line.measured, key=lambda value: line.measured[value].median_s)
            low, high = line.measured[kinds[0]], line.measured[kinds[-1]]
            if verdict(high, low, known_noise(self.noise, high, low)) == "slower":
                yield (
                    f"{line.name} is fastest {at(self.axis, kinds[0])} "
                    f"({format_time(low.median_s)}) and slowest {at(self.axis, kinds[-1])} "
                    f"({format_time(high.median_s)}): {times(ratio(high, low))}"
                )
            else:
                same = f"takes the same time {_everywhere(self.axis, len(kinds))}"
                yield f"{line.name} {same} ({format_time(low.median_s)}): not distinguishable"

    def crossings(self) -> Iterator[str]:
        """Where each method is faster or slower than the reference; alike ones in one sentence."""
        base, alike = self.base, dict[str, list[str]]()
        for line in self.lines:
            if base and line is not base and len(found := verdicts(line, base, self.noise)) > 1:
                alike.setdefault(_pattern(found, self.axis, base.name), []).append(line.name)
        for pattern, names in alike.items():
            yield f"{_and(names)} {'is' if len(names) == 1 else 'are'} {pattern}"

    def reasons(self, value: Any) -> Iterator[str]:
        """What the model says that each method spends its time on."""
        spent: dict[str, list[Measurement]] = {}
        for line in self.lines:
            if value in line.measured:
                spent.setdefault(line.measured[value].dominant, []).append(line.measured[value])
        parts = list[str]()
        for term, text in _WHY.items():
            those = spent.get(term, [])
            amounts = list(dict.fromkeys(_amount(one) for one in those))
            names = _and([_name(one.case) for one in those])
            spend = "spends its time" if len(those) == 1 else "spend their time"
            each = " each" if len(those) > 1 and len(amounts) == 1 else ""
            how_much = f" ({', '.join(amounts)}{each})" if any(amounts) else ""
            if those:
                parts.append(f"{names} {'' if parts else f'{spend} '}mostly on {text}{how_much}")
        if parts:
            yield f"why, by the model: {at(self.axis, value)} {'; '.join(parts)}"


def _devices(found: Sequence[Line], axis: str, noise: Noises) -> list[str]:
    """Each method on a further device, beside itself on the first."""
    places: dict[Setting, list[Line]] = {}
    for line in found:
        place = tuple(pair for pair in line.setting if pair[0] not in ("device", "threads"))
        places.setdefault(place, []).append(line)
    said: list[str] = []
    for place, those in places.items():
        firsts: dict[tuple[str, str], Line] = {}
        told: list[str] = []
        for line in those:
            told += _device(line, firsts.setdefault((line.method, line.output), line), axis, noise)
        said += _paragraph(place, list(places), told)
    return said


def _device(line: Line, base: Line, axis: str, noise: Noises) -> Iterator[str]:
    here, there = (dict(one.setting)["device"] for one in (line, base))
    judged = verdicts(line, base, noise)
    if here == there or not judged:
        return
    value, kind = judged[-1]
    mine, other = line.measured[value], base.measured[value]
    says: str = kind
    if kind != "not distinguishable":
        factor = max(ratio(mine, other), ratio(other, mine))
        says = f"{here if kind == 'faster' else there} is {times(factor)} faster"
    both = f"{format_time(other.median_s)} on {there}, {format_time(mine.median_s)} on {here}"
    yield f"{at(axis, value)} {line.name} takes {both}: {says}"
    if len({kind for _, kind in judged}) > 1:
        yield f"{line.name} on {here} is {_pattern(judged, axis, f'that on {there}')}"


def _paragraph(setting: Setting, settings: Sequence[Setting], told: list[str]) -> list[str]:
    """Sentences with their setting named first: one by one, or as one text beside others."""
    if not told:
        return []
    words = ", ".join(setting_words(setting, settings))
    finished = [_sentence(f"{words}: {told[0]}" if words else told[0]), *map(_sentence, told[1:])]
    return finished if len(settings) == 1 else [" ".join(finished)]


def _pattern(found: Sequence[tuple[Any, Verdict]], axis: str, base: str) -> str:
    """`slower than lookup up to 128 rows, faster from 256 rows` and the like."""
    kinds = [kind for _, kind in found]
    parts: list[tuple[Verdict, str]] = []
    stretches = [
        (kind, [v for v, _ in those]) for kind, those in groupby(found, lambda one: one[1])
    ]
    if len(stretches) == 1:
        parts = [(kinds[0], _everywhere(axis, len(found)))]
    elif axis in NUMBERS and len(stretches) == len(set(kinds)):
        for kind, values in stretches:
            where = f"from {describe(axis, values[0])} to {describe(axis, values[-1])}"
            if len(values) == 1:
                where = at(axis, values[0])
            elif values[0] == found[0][0]:
                where = f"up to {describe(axis, values[-1])}"
            elif values[-1] == found[-1][0]:
                where = f"from {describe(axis, values[0])}"
            parts.append((kind, where))
    else:
        for kind in sorted(set(kinds), key=lambda kind: (kinds.count(kind), kind)):
            values = [value for value, one in found if one == kind]
            where = at(axis, *values)
            if len(values) > 3:
                counted = any(" of " in before for _, before in parts)
                where = f"at {len(values)}" + (
                    "" if counted else f" of {len(found)} {_sizes(axis)}"
                )
            parts.append((kind, where))
    than = "from" if parts[0][0] == "not distinguishable" else "than"
    (kind, where), *rest = parts
    return ", ".join(
        [f"{kind} {than} {base} {where}", *(f"{kind} {where}" for kind, where in rest)]
    )


def _noise_sentence(noise: Noises, axis: str) -> str:
    least = f"{100 * (MIN_NOISE - 1):.0f} %"
    if not noise:
        return (
            "No method was measured twice, so the noise is not known; "
            f"differences under {least} are not told apart."
        )
    (worst, _), most = max(noise.items(), key=lambda item: item[1])
    if most <= MIN_NOISE:
        return (
            f"The same method measured twice differs by at most {percent(most)}; "
            f"differences under {least} are not told apart."
        )
    where = (
        f" ({at(axis, getattr(worst, axis))}), by {percent(median(noise.values()))} at the median"
    )
    return (
        f"The same method measured twice differs by up to {percent(most)}"
        f"{where if len(noise) > 1 else ''}; at each point, "
        f"what differs less than that, or less than {least}, is not told apart."
    )


def _model_sentence(measured: Sequence[Measurement], axis: str) -> Iterator[str]:
    """How far the model was from what was measured."""
    off = [(one.median_s / one.predicted_s, one.case) for one in measured if one.predicted_s]
    if off:
        worst, case = max(off, key=lambda one: max(one[0], 1 / one[0]))
        yield (
            f"The model was within {times(median(max(one, 1 / one) for one, _ in off))} of the "
            f"measured time at the median, and {times(max(worst, 1 / worst))} too "
            f"{'low' if worst > 1 else 'high'} at worst ({_case_words(case, axis)})."
        )


def _failure_sentence(results: Sequence[Result], axis: str) -> Iterator[str]:
    failures = [one for one in results if isinstance(one, Failure)]
    if failures:
        cases, failed = ({one.case for one in those} for those in (results, failures))
        yield (
            f"{len(failed):,} of {len(cases):,} {'case' if len(cases) == 1 else 'cases'} gave no "
            f"time. {'It was' if len(failed) == 1 else 'The first,'} "
            f"{_case_words(failures[0].case, axis)}: "
            f"{failures[0].reason.rstrip('. ') or 'no reason given'}."
        )


# --- helpers


def _twins(results: Iterable[Result]) -> tuple[Measurement, Measurement] | None:
    """The control and what it repeats."""
    control: Measurement | None = None
    twins: dict[Case, Measurement] = {}
    for one in results:
        if isinstance(one, Measurement) and one.control:
            control = _pooled(control, one)
        elif isinstance(one, Measurement):
            twins[one.case] = _pooled(twins.get(one.case), one)
    return None if control is None or control.case not in twins else (control, twins[control.case])


def _pooled(before: Measurement | None, one: Measurement) -> Measurement:
    """Repeats of one case as one measurement: all the raw times together."""
    return one if before is None else replace(before, times_s=before.times_s + one.times_s)


def _shared(line: Line, base: Line) -> list[Any]:
    return [value for value in base.measured if value in line.measured]


def _start(values: Sequence[int]) -> int | None:
    """Where the upper half begins in log scale, but so that FEWEST_POINTS values are left."""
    if len(values) < FEWEST_POINTS:
        return None
    middle = next(value for value in values if value * value >= values[0] * values[-1])
    return min(middle, values[-FEWEST_POINTS])


def _name(case: Case) -> str:
    reused = " (output reused)" if case.output == "reused" else ""
    return _NAMES.get(case.method, METHODS[case.method].label) + reused


def _case_words(case: Case, axis: str) -> str:
    on = "" if case.device == "cpu" else f" on {case.device}"
    return f"{_name(case)}{on} {at(axis, getattr(case, axis))}"


def _amount(one: Measurement) -> str:
    """What the dominant term counts: bytes moved or operations done."""
    if one.dominant == "bandwidth":
        return format_bytes(one.case.bytes)
    if one.dominant != "compute":
        return ""
    for unit, size in (("TFLOP", 1e12), ("GFLOP", 1e9), ("MFLOP", 1e6), ("kFLOP", 1e3)):
        if one.case.flops >= size:
            return f"{one.case.flops / size:,.1f} {unit}"
    return f"{one.case.flops} FLOP"


def _everywhere(axis: str, count: int) -> str:
    return f"{_AT.get(axis, 'at')} {'both' if count == 2 else f'all {count}'} {_sizes(axis)}"


def _sizes(axis: str) -> str:
    return {"ids": "kinds of ids", "dtype": "dtypes"}.get(axis, "sizes")


def _digits(value: float, digits: int) -> str:
    if 0 < value < 0.095:
        return f"{value:.2g}"
    before = 1 + (value >= 10 - 0.5 * 10 ** (1 - digits)) + (value >= 99.5)
    return f"{value:,.{max(0, digits - before)}f}"


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _sentence(text: str) -> str:
    """With a capital, unless it begins with an identifier, and a full stop."""
    identifier = "_" in text.split(" ", 1)[0]
    return f"{text if identifier else text[0].upper() + text[1:]}."
