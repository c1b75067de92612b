"""The findings of one setting, sentence by sentence, from its lines.

The sentences have neither capital nor full stop, because other words may come before them.
Lines of different settings are not compared here (see `findings`). No finding is hard-coded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from embviz.timing.chart_lines import Line, headline, shared
from embviz.timing.phrases import (
    at,
    describe,
    everywhere,
    exponent,
    format_time,
    listed,
    spanned,
)
from embviz.timing.results import Measurement
from embviz.timing.settings import AXES
from embviz.timing.verdicts import NOT_TOLD, Judged, Verdict


@dataclass(frozen=True)
class OneSetting:
    """The measured lines of one setting and the verdicts of its run."""

    judged: Judged
    lines: Sequence[Line]

    @property
    def axis(self) -> str:
        """The field that varies."""
        return self.judged.axis

    @property
    def base(self) -> Line | None:
        """The line that the others are compared with."""
        return headline(self.lines)[0]

    @property
    def other(self) -> Line | None:
        """The line that stands for the other route."""
        return headline(self.lines)[1]

    @property
    def values(self) -> list[Any]:
        """The values at which reference and rival can be compared; the headline has the last."""
        base, other = self.base, self.other
        return [] if base is None else shared(other, base) if other else list(base.measured)

    def sentences(self) -> Iterator[str]:
        """What the definitions let a reader expect, the most important first."""
        if AXES[self.axis].size:
            yield self.headline(self.values[-1])
            yield from self.others(self.values[-1])
            yield from self.growths()
        else:
            yield from map(self.headline, self.values)
        if AXES[self.axis].compared:
            yield from self.kinds()

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
        """`1.31x (1.27x to 1.36x)`, `0.74x (…) of lookup's time`, or `not told apart`."""
        found = self.judged.compared(a, b)
        if found is None or not found.told:
            return NOT_TOLD
        return found.words + ("" if found.verdict == "slower" else f" of {base.name}'s time")

    def others(self, value: Any) -> Iterator[str]:
        """The methods that are missing in the headline."""
        base, other, parts = self.base, self.other, list[str]()
        for line in self.lines:
            if base is None or line in (base, other) or value not in line.measured:
                continue
            one = line.measured[value]
            found = self.compare(one, base.measured[value], base)
            found += f" from {base.name}" if found == NOT_TOLD else ""
            takes = "" if parts else "takes "
            parts.append(f"{line.name} {takes}{format_time(one.median_s)}, {found}")
        if parts:
            yield f"there {'; '.join(parts)}"

    def growths(self) -> Iterator[str]:
        """The exponents with which times grow; one sentence for each start of the fit."""
        first = [line for line in (self.other, self.base) if line]
        by_start: dict[int, list[str]] = {}
        for line in [*first, *(line for line in self.lines if line not in first)]:
            growth, found = self.judged.growths.get(line), self.judged.exponent(line)
            if growth is None or found is None:
                continue
            parts = by_start.setdefault(growth.start, [])
            interval = found.estimate.interval(found.level)
            value = spanned(exponent, found.estimate.mean, *interval)
            # Not "one-hot built + matmul's time", which is hard to read.
            several = " " in line.name
            whose = f"that of {line.name}" if several else f"{line.name}'s"
            if not parts:
                whose = f"the time of {line.name} grows" if several else f"{whose} time grows"
            told = "" if found.told else ", not told apart from 0"
            parts.append(f"{whose} with {'' if parts else 'exponent '}{value}{told}")
        for start, parts in by_start.items():
            yield f"{'; '.join(parts)} (from {describe(self.axis, start)})"

    def kinds(self) -> Iterator[str]:
        """For values compared in pairs: the fastest, those like it, and the time of others.

        Without an anchor nothing is known across points, and nothing is said.
        """
        if self.judged.across is None:
            return
        for line in self.lines:
            if len(line.measured) < 2:
                continue
            low, *rest = sorted(line.measured, key=lambda value: line.measured[value].median_s)
            best = line.measured[low]
            slower = dict[Any, str]()
            for value in rest:
                found = self.judged.compared(line.measured[value], best)
                if found and found.verdict == "slower":
                    slower[value] = found.words
            alike = [low, *(value for value in rest if value not in slower)]
            ends = (line.measured[alike[0]].median_s, line.measured[alike[-1]].median_s)
            taken = " to ".join(dict.fromkeys(map(format_time, ends)))
            longer = ", ".join(f"{words} {at(self.axis, v)}" for v, words in slower.items())
            if not slower:
                where = everywhere(self.axis, len(alike))
                yield f"{line.name} takes {taken} {where}: {NOT_TOLD}"
            else:
                several = f", {NOT_TOLD}" if alike[1:] else ""
                where = at(self.axis, *alike)
                yield f"{line.name} is fastest {where} ({taken}{several}): {longer}"

    def crossings(self) -> Iterator[str]:
        """Where each method is faster or slower than the reference; alike ones in one sentence."""
        base, alike = self.base, dict[str, list[str]]()
        for line in self.lines:
            if not base or line is base or len(found := self.judged.along(line, base)) < 2:
                continue
            pattern = pattern_words(found, self.axis, base.name)
            if AXES[self.axis].size and (between := crossover(found)):
                pattern += f"; the crossover lies between {describe(self.axis, *between)}"
            alike.setdefault(pattern, []).append(line.name)
        for pattern, names in alike.items():
            yield f"{listed(names)} {'is' if len(names) == 1 else 'are'} {pattern}"


def crossover(found: Sequence[tuple[Any, Verdict]]) -> tuple[Any, Any] | None:
    """The last value with one verdict and the first with the other, where there is one change.

    >>> crossover([(8, "faster"), (16, "not told apart"), (32, "slower"), (64, "slower")])
    (8, 32)
    """
    told = [(value, kind) for value, kind in found if kind != NOT_TOLD]
    changes = [(a, b) for (a, one), (b, two) in pairwise(told) if one != two]
    return changes[0] if len(changes) == 1 else None


def pattern_words(found: Sequence[tuple[Any, Verdict]], axis: str, base: str) -> str:
    """`slower than lookup up to 128 rows, faster from 256 rows` and the like."""
    kinds = [kind for _, kind in found]
    parts: list[tuple[Verdict, str]] = []
    stretches = [
        (kind, [v for v, _ in those]) for kind, those in groupby(found, lambda one: one[1])
    ]
    if len(stretches) == 1:
        all_of_them = everywhere(axis, len(found)) if len(found) > 1 else at(axis, found[0][0])
        parts = [(kinds[0], all_of_them)]
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
    than = "from" if parts[0][0] == NOT_TOLD else "than"
    (kind, where), *rest = parts
    return ", ".join(
        [f"{kind} {than} {base} {where}", *(f"{kind} {where}" for kind, where in rest)]
    )
