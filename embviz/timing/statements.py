"""The findings of one setting, sentence by sentence, from its lines.

The sentences have neither capital nor full stop, because other words may come before them.
Lines of different settings are not compared here (see `findings`). No finding is hard-coded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from embviz.timing.chart_lines import Line, reference, rival, shared
from embviz.timing.growth import growth, upper_start
from embviz.timing.phrases import (
    amount,
    at,
    describe,
    everywhere,
    format_time,
    listed,
    method_name,
    times,
)
from embviz.timing.results import TERMS, Measurement
from embviz.timing.settings import AXES
from embviz.timing.verdicts import Noises, Verdict, known_noise, ratio, verdict, verdicts


@dataclass(frozen=True)
class OneSetting:
    """The measured lines of one setting, their axis and the noise of every point."""

    lines: Sequence[Line]
    axis: str
    noise: Noises

    @property
    def base(self) -> Line | None:
        """The line that the others are compared with."""
        return reference(self.lines)

    @property
    def other(self) -> Line | None:
        """The line that stands for the other route."""
        return rival(self.lines, self.base)

    @property
    def values(self) -> list[Any]:
        """The values at which reference and rival can be compared; the headline has the last."""
        base, other = self.base, self.other
        return [] if base is None else shared(other, base) if other else list(base.measured)

    def sentences(self) -> Iterator[str]:
        """All sentences, the most important first."""
        if AXES[self.axis].size:
            yield self.headline(self.values[-1])
            yield from self.others(self.values[-1])
            yield from self.growths()
        else:
            yield from map(self.headline, self.values)
            yield from self.spreads()
        yield from self.crossings()
        yield from self.reasons(self.values[-1])

    def headline(self, value: Any) -> str:
        """Reference and rival at one value."""
        base, other = self.base, self.other
        assert base is not None
        first = base.measured[value]
        text = f"{at(self.axis, value)} {base.name} takes {format_time(first.median_s)}"
        if other is None:
            return text
        second = other.measured[value]
        found = self.compare(second, first, base)
        return f"{text}, {other.name} {format_time(second.median_s)}: {found}"

    def compare(self, a: Measurement, b: Measurement, base: Line) -> str:
        """`690x`, `0.74x of lookup's time`, or `not distinguishable`."""
        found = verdict(a, b, known_noise(self.noise, a, b))
        if found == "not distinguishable":
            return found
        return times(ratio(a, b)) + ("" if found == "slower" else f" of {base.name}'s time")

    def others(self, value: Any) -> Iterator[str]:
        """The methods that are missing in the headline."""
        base, other, parts = self.base, self.other, list[str]()
        for line in self.lines:
            if base is None or line in (base, other) or value not in line.measured:
                continue
            one = line.measured[value]
            found = self.compare(one, base.measured[value], base)
            found += f" from {base.name}" if found == "not distinguishable" else ""
            takes = "" if parts else "takes "
            parts.append(f"{line.name} {takes}{format_time(one.median_s)} ({found})")
        if parts:
            yield f"there {', '.join(parts)}"

    def growths(self) -> Iterator[str]:
        """The exponents with which times grow; one sentence for each start of the fit."""
        first = [line for line in (self.other, self.base) if line]
        # All methods are fitted from the same value on, where each has enough values.
        start = upper_start(self.values)
        by_start: dict[int, list[str]] = {}
        for line in [*first, *(line for line in self.lines if line not in first)]:
            found = growth(line, self.axis, start) or growth(line, self.axis)
            if found is None:
                continue
            parts = by_start.setdefault(found.start, [])
            value = f"{found.exponent:.2f}".replace("-0.00", "0.00")
            # Not "one-hot built + matmul's time", which is hard to read.
            several = " " in line.name
            whose = f"that of {line.name}" if several else f"{line.name}'s"
            if not parts:
                whose = f"the time of {line.name} grows" if several else f"{whose} time grows"
            parts.append(f"{whose} with {'' if parts else 'exponent '}{value}")
        for start, parts in by_start.items():
            yield f"{', '.join(parts)} (from {describe(self.axis, start)})"

    def spreads(self) -> Iterator[str]:
        """For kinds instead of sizes: which is the fastest and which the slowest."""
        for line in self.lines:
            if len(line.measured) < 2:
                continue
            kinds = sorted(line.measured, key=lambda value: line.measured[value].median_s)
            low, high = line.measured[kinds[0]], line.measured[kinds[-1]]
            # Not measured interleaved: their quartiles must be apart as well.
            apart = low.quartiles_s[1] < high.quartiles_s[0]
            if apart and verdict(high, low, known_noise(self.noise, high, low)) == "slower":
                yield (
                    f"{line.name} is fastest {at(self.axis, kinds[0])} "
                    f"({format_time(low.median_s)}) and slowest {at(self.axis, kinds[-1])} "
                    f"({format_time(high.median_s)}): {times(ratio(high, low))}"
                )
            else:
                ends = dict.fromkeys((format_time(low.median_s), format_time(high.median_s)))
                where = everywhere(self.axis, len(kinds))
                yield f"{line.name} takes {' to '.join(ends)} {where}: not distinguishable"

    def crossings(self) -> Iterator[str]:
        """Where each method is faster or slower than the reference; alike ones in one sentence."""
        base, alike = self.base, dict[str, list[str]]()
        for line in self.lines:
            if base and line is not base and len(found := verdicts(line, base, self.noise)) > 1:
                alike.setdefault(pattern_words(found, self.axis, base.name), []).append(line.name)
        for pattern, names in alike.items():
            yield f"{listed(names)} {'is' if len(names) == 1 else 'are'} {pattern}"

    def reasons(self, value: Any) -> Iterator[str]:
        """The model's largest term for each method."""
        spent: dict[str, list[Measurement]] = {}
        for line in self.lines:
            if value in line.measured:
                spent.setdefault(line.measured[value].dominant, []).append(line.measured[value])
        parts = list[str]()
        for term, text in TERMS.items():
            those = spent.get(term, [])
            amounts = list(dict.fromkeys(amount(one) for one in those))
            names = listed([method_name(one.case) for one in those])
            spend = "spends its time" if len(those) == 1 else "spend their time"
            each = " each" if len(those) > 1 and len(amounts) == 1 else ""
            how_much = f" ({', '.join(amounts)}{each})" if any(amounts) else ""
            if those:
                parts.append(f"{names} {'' if parts else f'{spend} '}mostly on {text}{how_much}")
        if parts:
            yield f"by the model, {at(self.axis, value)} {'; '.join(parts)}"


def pattern_words(found: Sequence[tuple[Any, Verdict]], axis: str, base: str) -> str:
    """`slower than lookup up to 128 rows, faster from 256 rows` and the like."""
    kinds = [kind for _, kind in found]
    parts: list[tuple[Verdict, str]] = []
    stretches = [
        (kind, [v for v, _ in those]) for kind, those in groupby(found, lambda one: one[1])
    ]
    if len(stretches) == 1:
        parts = [(kinds[0], everywhere(axis, len(found)))]
    elif AXES[axis].size and len(stretches) == len(set(kinds)):
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
            if len(values) > 5:
                counted = any(" of " in before for _, before in parts)
                where = f"at {len(values)}"
                where += "" if counted else f" of {len(found)} {AXES[axis].values_word}"
            parts.append((kind, where))
    than = "from" if parts[0][0] == "not distinguishable" else "than"
    (kind, where), *rest = parts
    return ", ".join(
        [f"{kind} {than} {base} {where}", *(f"{kind} {where}" for kind, where in rest)]
    )
