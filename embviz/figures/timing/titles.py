"""The finding of each chart of timing runs, as its title.

A title is plain text in one line; `layout` escapes and wraps it. Verdicts and words come from
`embviz.timing`.
"""

from __future__ import annotations

from typing import Any

from embviz.core.wording import format_bytes
from embviz.figures.timing.curves import Plot
from embviz.timing import chart_lines, verdicts
from embviz.timing.cases import Case
from embviz.timing.methods import METHODS
from embviz.timing.phrases import at, capitalized, times


def time_title(plot: Plot) -> str:
    """The answer of a single run, or the span of the ratios of several."""
    if not any(curve.line.measured for curve in plot.curves):
        return "Nothing measured yet" if not plot.curves else "No case gave a time"
    answers = list(filter(None, plot.answers))
    span = _ratio_words(plot, last=plot.sizes) if len(answers) > 1 else ""
    if not span:
        return answers[0] if answers else "Nothing to compare yet"
    return span + (", at the largest sizes measured" if plot.sizes else "")


def speedup_title(plot: Plot) -> str:
    """The span of the ratios of all settings."""
    return _ratio_words(plot) or "Nothing to compare yet"


def memory_title(plot: Plot, lines: dict[Any, dict[Any, Case]]) -> str:
    """The fewest and the most bytes at the last value; `lines` are those of `memory_lines`."""
    if not lines:
        return "Nothing planned yet"
    value = plot.values[-1]
    there = {
        method: cases[value] for (_, method), cases in reversed(lines.items()) if value in cases
    }
    sizes = {name: there[name].memory_bytes for name in METHODS if name in there}
    chosen = dict.fromkeys((min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)))
    parts = [
        f"{METHODS[name].label.partition(',')[0]} {'' if index else 'holds '}"
        f"{format_bytes(sizes[name])}"
        for index, name in enumerate(chosen)
    ]
    return capitalized(f"{at(plot.axis, value)} {', '.join(parts)}")


def _ratio_words(plot: Plot, last: bool = False) -> str:
    """The span of rival by reference, of the ratios that are told.

    The names are those of the first setting that has both routes.

    Args:
        plot: the curves.
        last: compare at the last shared value of each setting alone, not at all of them.

    Returns:
        the empty text where no setting has both routes.
    """
    pairs = []
    for run, curves in plot.by_setting():
        base, rival = chart_lines.headline([curve.line for curve in curves])
        if base and rival:
            pairs.append((plot.judged[run], rival, base))
    if not pairs:
        return ""
    found = [
        (judged, rival.measured[value], base.measured[value])
        for judged, rival, base in pairs
        for value in chart_lines.shared(rival, base)[-1 if last else 0 :]
    ]
    told = [one for one in found if one[0].verdict(*one[1:]) != verdicts.NOT_TOLD]
    ratios = [judged.ratio(*both) for judged, *both in told]
    _, rival, base = pairs[0]
    if not ratios:
        return capitalized(f"{rival.name} is {verdicts.NOT_TOLD} from {base.name}")
    least, most = times(min(ratios)), times(max(ratios))
    span = least if least == most else f"{least} to {most}"
    alike = len(found) - len(told)
    untold = f" ({alike} of {len(found)} {verdicts.NOT_TOLD})" if alike else ""
    return capitalized(f"{rival.name} takes {span} of {base.name}'s time{untold}")
