"""The finding of each chart of timing runs, as its title.

Plain text in one line: neither escaped nor broken, which `timing_paper` does. Nothing is
judged here: verdicts and words come from `embviz.timing`.
"""

from __future__ import annotations

from typing import Any

from embviz.core.wording import format_bytes
from embviz.figures.timing.curves import Sheet
from embviz.timing import chart_lines, verdicts
from embviz.timing.cases import METHODS, Case
from embviz.timing.findings import headline
from embviz.timing.phrases import at, times


def time_title(sheet: Sheet) -> str:
    """The headline of a single story, else the span of all stories' ratios."""
    said = []
    for run, curves in sheet.stories():
        lines = [curve.line for curve in curves]
        said.append(headline(lines, sheet.axis, sheet.noises[run]))
    said = [one for one in said if one]
    if not said:
        return "Nothing measured yet" if not sheet.curves else "No case gave a time"
    if len(said) == 1:
        return said[0][0].upper() + said[0][1:]
    ratios = _ratios(sheet, last=sheet.sizes)
    if not ratios:
        return f"{said[0][0].upper()}{said[0][1:]}"
    return _ratio_words(sheet, ratios) + (", at the largest sizes measured" if sheet.sizes else "")


def speedup_title(sheet: Sheet) -> str:
    """The span of the ratios of all stories."""
    ratios = _ratios(sheet)
    return _ratio_words(sheet, ratios) if ratios else "Nothing to compare yet"


def memory_title(sheet: Sheet, lines: dict[Any, dict[Any, Case]]) -> str:
    """What lookup and matmul hold at the last value; `lines` are those of `memory_lines`."""
    if not lines:
        return "Nothing planned yet"
    value = sheet.values[-1]
    there = {
        method: cases[value] for (_, method, _), cases in reversed(lines.items()) if value in cases
    }
    chosen = [name for name in ("lookup", "onehot_matmul", "matmul") if name in there][:2]
    chosen = chosen or list(there)[:1]
    said = [
        f"{METHODS[name].label.partition(',')[0]} {'' if index else 'holds '}"
        f"{format_bytes(there[name].memory_bytes)}"
        for index, name in enumerate(chosen)
    ]
    place = at(sheet.axis, value)
    return f"{place[0].upper()}{place[1:]} {', '.join(said)}"


def _ratio_words(sheet: Sheet, ratios: list[float]) -> str:
    """Of the first story's rival, which stands for all."""
    lines = next(
        [curve.line for curve in curves]
        for _, curves in sheet.stories()
        if chart_lines.rival(
            [c.line for c in curves], chart_lines.reference(c.line for c in curves)
        )
    )
    base = chart_lines.reference(lines)
    rival = chart_lines.rival(lines, base)
    assert base is not None
    assert rival is not None
    least, most = times(min(ratios)), times(max(ratios))
    span = least if least == most else f"{least} to {most}"
    name = rival.name if "_" in rival.name else rival.name[0].upper() + rival.name[1:]
    return f"{name} takes {span} of {base.name}'s time"


def _ratios(sheet: Sheet, last: bool = False) -> list[float]:
    """Rival by reference in each story, at all shared values or at the last."""
    found = []
    for _, curves in sheet.stories():
        lines = [curve.line for curve in curves]
        base = chart_lines.reference(lines)
        rival = chart_lines.rival(lines, base)
        if base and rival:
            shared = [value for value in base.measured if value in rival.measured]
            found += [
                verdicts.ratio(rival.measured[value], base.measured[value])
                for value in (shared[-1:] if last else shared)
            ]
    return found
