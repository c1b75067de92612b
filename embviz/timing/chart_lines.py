"""Results as the lines of a chart: one line for each method and setting, over what varies.

Lines are sorted here, and one of each route is chosen for the headline. Times are not compared here
(see `verdicts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from embviz.timing.cases import Case
from embviz.timing.methods import METHODS, ROUTES, Method
from embviz.timing.phrases import describe
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.settings import AXES, CACHES, DEVICES, PASSES

Setting = tuple[tuple[str, Any], ...]  # fields of a case with their values
_USUAL = {
    "device": DEVICES[0],
    "pass": next(iter(PASSES)),
    "cache": next(iter(CACHES)),
}  # need no words
SIDES: dict[str, tuple[tuple[str, ...], Callable[[str], str]]] = {
    # settings that stand side by side: the fields that change with each, and its words
    "device": (("device", "threads"), lambda device: describe("device", device)),
    "cache": (("cache",), lambda cache: f"with {CACHES[cache].short}"),
}


@dataclass(frozen=True, eq=False)
class Line:
    """One line of a chart: one method in one setting, along the axis.

    Attributes:
        setting: every other field of the case, with its value.
        method: a key of METHODS.
        measured: by value on the axis, in its order.
        failed: by value on the axis.
    """

    setting: Setting
    method: str
    measured: dict[Any, Measurement] = field(default_factory=dict)
    failed: dict[Any, Failure] = field(default_factory=dict)

    @property
    def route(self) -> str:
        """`lookup` or `matmul`."""
        return self.record.route

    @property
    def record(self) -> Method:
        """The method's record."""
        return METHODS[self.method]

    @property
    def name(self) -> str:
        """Its method's name in a sentence."""
        return self.record.name_in_sentence


@dataclass(frozen=True)
class Beside:
    """A line and the same method's first line in another setting.

    Attributes:
        here, there: what differs, in words: of `line` and of `base`.
        place: the setting that both share.
    """

    line: Line
    base: Line
    here: str
    there: str
    place: Setting


def varying(*runs: Iterable[Case]) -> str:
    """The field for the axis: the one with the most values in a run; rows if none differs."""
    given = [list(cases) for cases in runs]
    return max(AXES, key=lambda name: max(len({getattr(c, name) for c in one}) for one in given))


def ordered(field: str, values: Iterable[Any]) -> list[Any]:
    """Different values in the order of the axis."""
    axis = AXES[field]
    return sorted(set(values), key=None if axis.size else axis.values.index)


def question(cases: Sequence[Case]) -> str:
    """What varies, by which methods, and a pass with a backward part.

    >>> question([Case("lookup", rows, 64, 256) for rows in (64, 128, 256)])
    'num_embeddings from 64 to 256, lookup'
    """
    axis = varying(cases)
    values = ordered(axis, (getattr(case, axis) for case in cases))
    if AXES[axis].size and len(values) > 1:
        parts = [f"{axis} from {values[0]:,} to {values[-1]:,}"]
    else:
        parts = [describe(axis, *values)]
    used = {case.method for case in cases}
    methods = [method for method in METHODS if method in used]
    more = f" and {len(methods) - 1} more" if methods[1:] else ""
    parts.append(methods[0] + more)
    parts += dict.fromkeys(PASSES[case.pass_].label for case in cases if case.backward)
    return ", ".join(parts)


def setting_of(case: Case, field: str) -> Setting:
    """Every field of the case but the axis and the method."""
    own = (field, "method")
    return tuple((name, value) for name, value in case.to_dict().items() if name not in own)


def lines(results: Iterable[Result], field: str) -> list[Line]:
    """The results as lines over `field`, controls left out: by setting, then as in METHODS."""
    found: dict[tuple[Setting, str], Line] = {}
    for one in results:
        key = (setting_of(one.case, field), one.case.method)
        line = found.setdefault(key, Line(*key))
        value = getattr(one.case, field)
        if isinstance(one, Failure):
            line.failed.setdefault(value, one)
        elif not one.helps:
            line.measured[value] = one
    settings = list(dict.fromkeys(setting for setting, _ in found))
    settings.sort(key=lambda setting: DEVICES.index(dict(setting)["device"]))
    order = {method: index for index, method in enumerate(METHODS)}
    return [
        replace(line, measured={v: line.measured[v] for v in ordered(field, line.measured)})
        for setting in settings
        for line in sorted(found.values(), key=lambda one: order[one.method])
        if line.setting == setting
    ]


def reference(lines: Iterable[Line]) -> Line | None:
    """The line that the others of one setting are compared with: the first of the lookup route.

    Lines come in the order of METHODS; without a lookup the first one is taken.
    """
    measured = [line for line in lines if line.measured]
    return min(measured, key=lambda line: ROUTES.index(line.route), default=None)


def rival(lines: Iterable[Line], base: Line | None) -> Line | None:
    """The line that stands for the other route in a headline: the first of the matmul route."""
    others = [line for line in lines if base and line is not base and shared(line, base)]
    return max(others, key=lambda line: ROUTES.index(line.route), default=None)


def headline(lines: Sequence[Line]) -> tuple[Line | None, Line | None]:
    """Reference and rival."""
    base = reference(lines)
    return base, rival(lines, base)


def without(setting: Setting, *fields: str) -> Setting:
    """The setting without these fields."""
    return tuple(pair for pair in setting if pair[0] not in fields)


def by_setting(lines: Iterable[Line]) -> list[list[Line]]:
    """The lines of each setting, which are compared with each other."""
    found: dict[Setting, list[Line]] = {}
    for line in lines:
        found.setdefault(line.setting, []).append(line)
    return list(found.values())


def beside(lines: Iterable[Line]) -> Iterator[Beside]:
    """Each line with the same method's first line on another device, or with another cache."""
    lines = list(lines)
    for name, (own, words) in SIDES.items():
        firsts: dict[tuple[Setting, str], Line] = {}
        for line in lines:
            place = without(line.setting, *own)
            base = firsts.setdefault((place, line.method), line)
            here, there = (dict(one.setting)[name] for one in (line, base))
            if here != there:
                yield Beside(line, base, words(here), words(there), place)


def shared(line: Line, base: Line) -> list[Any]:
    """The values at which both were measured, in the order of the axis."""
    return [value for value in base.measured if value in line.measured]


def setting_words(setting: Setting, settings: Iterable[Setting]) -> list[str]:
    """Words for this setting among the others; a GPU and a backward pass are always named."""
    mine, others = dict(setting), [dict(one) for one in settings]
    words = []
    for name in ("device", "pass", "cache", *AXES):
        if name not in mine:  # the axis
            continue
        usual = _USUAL.get(name, mine[name])
        if mine[name] != usual or any(one[name] != mine[name] for one in others):
            words.append(describe(name, mine[name]))
    return words
