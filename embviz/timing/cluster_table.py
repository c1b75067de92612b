"""The runs of several machines side by side: lookup and matmul at the largest size, and more.

Each verdict is of one run, by the rules that its findings follow. Machines are not judged against
each other: they were not measured in the same rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from embviz.timing import physical
from embviz.timing.chart_lines import Line, by_setting, setting_words, varying
from embviz.timing.phrases import at, describe, format_time
from embviz.timing.runs import Run
from embviz.timing.settings import AXES
from embviz.timing.statements import OneSetting, crossover
from embviz.timing.table import Table
from embviz.timing.verdicts import NOT_TOLD, Judged

COPIES = "copies, GB/s"
NOT_MEASURED = "not measured"
TOO_FEW = "too few rounds"
NOTE = "Each row is judged by its own run; machines are not judged against each other."


def machine_table(runs: Sequence[Run]) -> Table:
    """One row for each run and setting; the largest value is the last that all have."""
    axis = varying(*([one.case for one in run.results] for run in runs))
    found = [
        (run, setting)
        for run in runs
        for judged in [Judged(run.results, axis)]
        for setting in _settings(judged)
    ]
    shared = [value for value in _values(found) if all(value in one.values for _, one in found)]
    rows = [row for run, one in found for row in [_row(run, one, found, shared[-1:])] if row]
    where = at(axis, shared[-1]) if shared else ""
    first, second = _names(found)
    compared = (f"{first} {where}".rstrip(), f"{second} {where}".rstrip(), f"{second} by {first}")
    heads = ("machine", "setting", *compared, "crossover", COPIES)
    right = (False, False, True, True, False, False, True)
    without = {1} if not any(row[1] for row in rows) else set()
    if not second:
        without |= {3, 4, 5}
    kept = [n for n in range(len(heads)) if n not in without]
    return Table(
        tuple(heads[n] for n in kept),
        [tuple(row[n] for n in kept) for row in rows],
        tuple(right[n] for n in kept),
        (where,) if where else (),
    )


def _settings(judged: Judged) -> Iterator[OneSetting]:
    """The settings in which something was measured."""
    for those in by_setting(judged.lines):
        one = OneSetting(judged, those)
        if one.base is not None and one.values:
            yield one


def _values(found: Sequence[tuple[Run, OneSetting]]) -> list[Any]:
    return found[0][1].values if found else []


def _names(found: Sequence[tuple[Run, OneSetting]]) -> tuple[str, str]:
    """The names of both methods, from the first setting that has both; one may be empty."""
    pairs = [(one.base, one.other) for _, one in found if one.base]
    base, other = next((pair for pair in pairs if pair[1]), pairs[0] if pairs else (None, None))
    return base.name if base else "", other.name if other else ""


def _row(
    run: Run, one: OneSetting, found: Sequence[tuple[Run, OneSetting]], last: Sequence[Any]
) -> tuple[str, ...]:
    base, other = one.base, one.other
    assert base is not None
    value = last[0] if last else one.values[-1]
    first = base.measured[value]
    settings = [beside.lines[0].setting for _, beside in found]
    words = ", ".join(setting_words(one.lines[0].setting, settings))
    speed = physical.ceilings(run.end).get(physical.key_of(first.case))
    cells = [NOT_MEASURED] * 3
    if other is not None:
        second = other.measured[value]
        few = [TOO_FEW] * 2 if one.judged.too_few else []
        told = few or [one.compare(second, first, base), _crossover(one, other, base)]
        cells = [format_time(second.median_s, 3), *told]
    copies = physical.number(speed.memory_gb_per_s) if speed else NOT_MEASURED
    return (_named(run), words, format_time(first.median_s, 3), *cells, copies)


def _named(run: Run) -> str:
    """The machine's name; a run that did not end by itself says so."""
    status = run.end["status"] if run.end else "done"
    return run.name if status == "done" else f"{run.name} ({status})"


def _crossover(one: OneSetting, other: Line, base: Line) -> str:
    """Between which sizes the other route becomes slower or faster."""
    along = one.judged.along(other, base)
    told = list(dict.fromkeys(kind for _, kind in along if kind != NOT_TOLD))
    if between := crossover(along) if AXES[one.axis].size else None:
        return describe(one.axis, *between).replace(" and ", " to ")
    if len(told) == 1:
        everywhere = all(kind != NOT_TOLD for _, kind in along)
        return f"none ({told[0]}{'' if everywhere else ' where told apart'})"
    return "more than one" if told else NOT_TOLD
