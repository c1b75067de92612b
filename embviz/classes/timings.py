"""Timing runs in a class: what is kept of a student's run file, and which runs can be compared.

Of a run file a class keeps the times of `lookup` and `matmul` over a size that varies. It keeps
their intervals and the settings of the cases too, but no name of a machine and no other text. So
two runs may be of one machine, and nothing here says that they are not.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from embviz.classes.record import ClassError
from embviz.classes.store import RUN_BYTES
from embviz.timing import chart_lines
from embviz.timing.cases import NAMES, Case, quoted
from embviz.timing.phrases import at, capitalized, describe, times
from embviz.timing.results import Measurement
from embviz.timing.runs import LONGEST_S, SHORTEST_S, read_run
from embviz.timing.settings import AXES
from embviz.timing.verdicts import NOT_TOLD, Judged, Verdict

MAX_FILE_BYTES = 2_000_000  # a sweep with the default settings has 100,000
MAX_SERIES = 4  # settings of one run
MAX_SIZES = 32
LOOKUP, MATMUL = "lookup", "matmul"
VERDICTS: tuple[Verdict, ...] = ("slower", "faster", NOT_TOLD)
_USUAL = Case(LOOKUP, 1, 1, 1).to_dict()
_RATIOS = 1e-9, 1e9
Three = tuple[float, float, float]  # a value, and the two ends of its range


@dataclass(frozen=True)
class Point:
    """Both methods at one size.

    Attributes:
        lookup: seconds of one call: the median, the first and the third quartile.
        matmul: the same.
        ratio: matmul's time by lookup's, and its interval; None where it is not known.
        told: whether the difference exceeds the noise.
    """

    lookup: Three
    matmul: Three
    ratio: Three | None
    told: bool

    @property
    def verdict(self) -> Verdict:
        """On matmul against lookup."""
        if self.ratio is None or not self.told:
            return NOT_TOLD
        return "slower" if self.ratio[0] > 1 else "faster"


@dataclass(frozen=True)
class Series:
    """One run's times in one setting.

    Attributes:
        axis: the field of a case that varies.
        case: of the lookup at the first size.
        points: by size, the smallest first.
    """

    axis: str
    case: Case
    points: Mapping[int, Point]

    @property
    def machine(self) -> str:
        """`CPU, 3 threads`, or the GPU's device."""
        if self.case.device != _USUAL["device"]:
            return self.case.device
        return "CPU" if self.axis == "threads" else f"CPU, {describe('threads', self.case.threads)}"

    @property
    def setting(self) -> chart_lines.Setting:
        """What is equal in runs that are compared. Threads belong to the machine."""
        return chart_lines.without(chart_lines.setting_of(self.case, self.axis), "threads")

    def case_at(self, size: int) -> Case:
        """The lookup's case."""
        return _sized(self.case, self.axis, size)


@dataclass(frozen=True)
class Group:
    """Runs with the same settings, each with its pseudonym. Only these can be compared."""

    runs: tuple[tuple[str, Series], ...]

    @property
    def axis(self) -> str:
        """The field of a case that varies."""
        return self.runs[0][1].axis

    @property
    def sizes(self) -> list[int]:
        """All sizes of all runs, the smallest first."""
        return sorted({size for _, one in self.runs for size in one.points})

    @property
    def words(self) -> str:
        """What varies, and the settings: `64 to 65,536 rows, dim 64, 256 tokens, float32`."""
        low, high = (f"{size:,}" for size in (self.sizes[0], self.sizes[-1]))
        span = describe(self.axis, self.sizes[-1])
        parts = [span if low == high else span.replace(high, f"{low} to {high}")]
        for name, value in self.runs[0][1].setting:
            size = name in AXES and AXES[name].size
            if size or name == "dtype" or value != _USUAL[name]:
                parts.append(describe(name, value))
        return ", ".join(parts)

    def findings(self) -> Iterator[str]:
        """In how many runs matmul is slower, at the largest and the smallest common size.

        Each verdict is that of its own run, see `timing.verdicts`.
        """
        counts = Counter(size for _, one in self.runs for size in one.points)
        common = [size for size, count in counts.items() if count == max(counts.values())]
        for size in dict.fromkeys([max(common), min(common)]):
            found = [one.points[size] for _, one in self.runs if size in one.points]
            parts = list[str]()
            for verdict in VERDICTS:
                those = [one for one in found if one.verdict == verdict]
                if those:
                    than = f"{'from' if verdict == NOT_TOLD else 'than'} {LOOKUP} "
                    whole = f" of {count_of(len(found))}"
                    first = f"{verdict} {'' if parts else than}in {len(those)}"
                    parts.append(f"{first}{'' if parts else whole}{_span(those)}")
            yield capitalized(f"{at(self.axis, size)} {MATMUL} is {', '.join(parts)}")


def count_of(runs: int) -> str:
    """`1 run`, `12 runs`."""
    return f"{runs:,} run{'s' * (runs != 1)}"


def kept(content: bytes, name: str) -> tuple[Series, ...]:
    """What a class keeps of a run file, one series for each setting.

    Raises:
        ValueError: one sentence on why the file cannot be used.
    """
    if len(content) > MAX_FILE_BYTES:
        raise ClassError(
            f"{quoted(name)} has {len(content):,} bytes; a class takes {MAX_FILE_BYTES:,} at most."
        )
    results = read_run(content, name).results
    axis = chart_lines.varying(one.case for one in results)
    settings = len({chart_lines.setting_of(one.case, axis) for one in results})
    sizes = len({getattr(one.case, axis) for one in results})
    if settings > MAX_SERIES or sizes > MAX_SIZES:  # before the verdicts, which take long
        raise ClassError(
            f"{quoted(name)} has {settings:,} settings and {sizes:,} sizes; a class takes "
            f"{MAX_SERIES} settings and {MAX_SIZES} sizes at most."
        )
    judged = Judged(results, axis)
    found = [_series(lines, judged) for lines in chart_lines.by_setting(judged.lines)]
    given = tuple(filter(None, found))
    if not given:
        raise ClassError(
            f"{quoted(name)} has no size at which both {LOOKUP} and {MATMUL} were measured."
        )
    if not AXES[axis].size:
        raise ClassError(
            f"{quoted(name)} varies {axis}, but a class compares sizes. Vary the rows."
        )
    return given


def written(given: Sequence[Series]) -> str:
    """JSON that `read` reads; its numbers have 4 significant digits."""
    return json.dumps(
        [
            {
                "axis": one.axis,
                "case": one.case.to_dict(),
                "points": [
                    [size, *map(_short, (p.lookup, p.matmul, p.ratio)), p.told]
                    for size, p in one.points.items()
                ],
            }
            for one in given
        ],
        separators=(",", ":"),
    )


def read(text: str) -> tuple[Series, ...]:
    """What `written` wrote. The file may have been changed, so everything is checked.

    Raises:
        ClassError: `written` never gives this.
    """
    try:
        if len(text) > RUN_BYTES:
            raise ValueError
        given = json.loads(text)
        if not 1 <= len(given) <= MAX_SERIES:
            raise ValueError
        return tuple(map(_read_series, given))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise ClassError("A timing run in the class's database cannot be read.") from None


def groups(runs: Iterable[tuple[str, Series]]) -> list[Group]:
    """Runs with the same settings together, the largest group first.

    Args:
        runs: pseudonyms with their times.
    """
    found: dict[tuple[str, chart_lines.Setting], list[tuple[str, Series]]] = {}
    for who, one in runs:
        found.setdefault((one.axis, one.setting), []).append((who, one))
    return [Group(tuple(those)) for those in sorted(found.values(), key=len, reverse=True)]


def to_csv(found: Iterable[Group]) -> str:
    """One row for each run and size; times in seconds."""
    table = io.StringIO()
    writer = csv.writer(table)
    threes = [f"{what}_{end}" for what in (LOOKUP, MATMUL) for end in ("s", "q1_s", "q3_s")]
    names = [name for name in NAMES if name != "method"]
    writer.writerow(["who", *names, *threes, "ratio", "ratio_low", "ratio_high", "verdict"])
    for who, series in (run for group in found for run in group.runs):
        for size, one in series.points.items():
            case = series.case_at(size).to_dict()
            row = [who, *(case[name] for name in names), *one.lookup, *one.matmul]
            writer.writerow([*row, *(one.ratio or ("", "", "")), one.verdict])
    return table.getvalue()


def _series(lines: Sequence[chart_lines.Line], judged: Judged) -> Series | None:
    """Both methods of one setting, at the sizes where both were measured; None without any."""
    fresh = {line.method: line for line in lines if line.output == _USUAL["output"]}
    lookup, matmul = fresh.get(LOOKUP), fresh.get(MATMUL)
    if lookup is None or matmul is None or not (sizes := chart_lines.shared(matmul, lookup)):
        return None
    points = dict[int, Point]()
    for size in sizes:
        a, b = matmul.measured[size], lookup.measured[size]
        found = judged.compared(a, b)
        ratio = (found.ratio, *found.interval) if found else None
        if ratio and not all(_RATIOS[0] <= one <= _RATIOS[1] for one in ratio):
            ratio = None
        points[size] = Point(_times(b), _times(a), ratio, found is not None and found.told)
    return Series(judged.axis, lookup.measured[sizes[0]].case, points)


def _times(one: Measurement) -> Three:
    return one.median_s, *one.quartiles_s


def _sized(case: Case, axis: str, size: int) -> Case:
    changed: dict[str, Any] = {axis: size}
    return replace(case, **changed)


def _span(those: Sequence[Point]) -> str:
    """` (12x to 340x)`, where the ratios were told."""
    ratios = [one.ratio[0] for one in those if one.ratio and one.told]
    if not ratios:
        return ""
    ends = dict.fromkeys(map(times, (min(ratios), max(ratios))))
    return f" ({' to '.join(ends)})"


def _short(three: Three | None) -> list[float] | None:
    return three and [float(f"{one:.3e}") for one in three]


def _read_series(given: Any) -> Series:
    axis, case = given["axis"], Case.from_dict(given["case"])
    if case.method != LOOKUP or not AXES[axis].size or not 1 <= len(given["points"]) <= MAX_SIZES:
        raise ValueError
    points = dict[int, Point]()
    for size, lookup, matmul, ratio, told in given["points"]:
        _sized(case, axis, size)  # refuses what is no size
        if told not in (True, False):
            raise ValueError
        seconds = [_three(one, SHORTEST_S, LONGEST_S) for one in (lookup, matmul)]
        ratio = None if ratio is None else _three(ratio, *_RATIOS)
        points[size] = Point(seconds[0], seconds[1], ratio, told)
    return Series(axis, case, points)


def _three(given: Any, lowest: float, highest: float) -> Three:
    value, low, high = (float(one) for one in given)
    if not lowest <= low <= value <= high <= highest:  # true for NaN
        raise ValueError
    return value, low, high
