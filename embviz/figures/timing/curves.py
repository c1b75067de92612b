"""The common part of the charts of timing runs: axis, values, noise, and the look of each curve.

A method has one hue (of its route), one mark and one dash in all charts. A further device, cache,
pass or run changes the size of the mark. Where the same sweep ran on several machines, the dash is
the machine's. Nothing is drawn here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle
from typing import Any

from embviz.figures.axes import thinned
from embviz.figures.shades import shaded
from embviz.timing import chart_lines, physical, verdicts
from embviz.timing.answers import answer
from embviz.timing.cases import Case
from embviz.timing.methods import METHODS
from embviz.timing.phrases import describe
from embviz.timing.results import Measurement
from embviz.timing.runs import Run, labels
from embviz.timing.settings import AXES

# Of the machines in one chart; more have a chart each.
DASHES = ("solid", "dash", "longdashdot")
# For each device, cache, pass or run: glyph in the key, size of the mark and width of the line.
VARIANTS = (("●", 8, 2.0), ("•", 5, 1.2), ("⬤", 12, 0.8), ("·", 3, 0.6))


@dataclass(frozen=True, eq=False)
class Curve:
    """One line, its look and its name (escaped)."""

    run: int
    line: chart_lines.Line
    method: str  # in the legend: one entry for all its curves
    words: str  # the setting that other curves of the method do not have
    colour: str
    style: dict[str, Any]  # of its trace, see `Plot.style`

    @property
    def name(self) -> str:
        """For the hover, in two lines."""
        return stacked(f"<b>{self.method}</b>", self.words)


class Plot:
    """What the charts of some runs share: axis, values, curves, their key and the noise.

    Args:
        runs: one, or several to compare; a run under way has its results so far.
        colours: lookup's, matmul's, a neutral one.
        planned: the cases of a run under way: the axes then do not move as points arrive.
        note: plain text below each title.
        machines: of a sweep on several, the names, which are their runs' too.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        colours: Sequence[str],
        planned: Sequence[Case] = (),
        note: str = "",
        machines: Sequence[str] = (),
    ) -> None:
        self.runs, self.note = runs, escape(note, quote=False)
        self.machines, self.live, self.planned = list(machines), bool(planned), planned
        by_run = [[one.case for one in run.results] for run in runs]
        self.cases = [*(case for cases in by_run for case in cases), *planned]
        self.axis = chart_lines.varying(*by_run, planned)
        self.sizes = AXES[self.axis].size
        self.values = chart_lines.ordered(self.axis, (getattr(c, self.axis) for c in self.cases))
        self.judged = [verdicts.Judged(run.results, self.axis) for run in runs]
        self.answers = [answer(run, one) for run, one in zip(runs, self.judged, strict=True)]
        self.ceilings = [physical.ceilings(run.end) for run in runs]
        self.colours = colours
        self.neutral = colours[2]
        found = [
            (index, line)
            for index, run in enumerate(runs)
            for line in chart_lines.lines(run.results, self.axis)
        ]
        self.dashed = 0 < len(self.machines) <= len(DASHES) and self.sizes and len(self.values) > 1
        named = [run.name for run in runs] if self.machines else labels(runs)
        names = [escape(name, quote=False) for name in named]
        label_of = names if len(runs) > 1 and not self.dashed else [""] * len(runs)
        own_fields = ("threads",) if self.dashed else ()  # each machine has its number
        settings = [chart_lines.without(line.setting, *own_fields) for _, line in found]
        words = {
            (index, line.setting): [
                *chart_lines.setting_words(
                    chart_lines.without(line.setting, *own_fields), settings
                ),
                *filter(None, [label_of[index]]),
            ]
            for index, line in found
        }
        # Lines of several machines share the size of the mark: the dash tells them apart.
        looks = list(words.values())
        if self.dashed:
            looks = [*map(list, dict.fromkeys(map(tuple, looks)))]
        self.key = key_of(looks)
        self.curves = []
        for index, line in found:
            own = words[index, line.setting]
            place = looks.index(own) if self.dashed else list(words).index((index, line.setting))
            style = self.style(line.method, place, self.dash(runs[index].name))
            setting = ", ".join([*own, *([names[index]] if self.dashed else [])])
            self.curves.append(
                Curve(index, line, style["name"], setting, style["line"]["color"], style)
            )

    def dash(self, machine: str) -> str:
        """The dash of a machine's lines; empty where each method has its own."""
        several = self.dashed and len(self.machines) > 1
        return DASHES[self.machines.index(machine)] if several and machine in self.machines else ""

    def style(self, method: str, variant: int, dash: str = "", larger: int = 0) -> dict[str, Any]:
        """Name, line and mark of a method's trace; the legend has one entry for each name.

        Args:
            method: a key of METHODS.
            variant: which device, pass or run it is, from 0; it decides the size of the mark.
            dash: instead of the method's own.
            larger: added to the size of the mark, in px.
        """
        name = METHODS[method].label
        step, symbol, own_dash = METHODS[method].look
        colour = shaded(self.colours[METHODS[method].colour], self.neutral, step)
        _, size, width = VARIANTS[variant % len(VARIANTS)]
        return {
            "name": name,
            "legendgroup": name,
            "mode": "lines+markers" if self.sizes else "markers",
            "hoverinfo": "text",
            "line": {"color": colour, "dash": dash or own_dash, "width": width},
            "marker": {"color": colour, "symbol": symbol, "size": size + larger},
        }

    def physical_words(self, curve: Curve, one: Measurement) -> list[str]:
        """GB/s and GFLOP/s, with their shares where the run has the machine's ceilings."""
        return physical.words(one, self.ceilings[curve.run].get(physical.key_of(one.case)))

    def by_setting(self) -> Iterator[tuple[int, list[Curve]]]:
        """The curves to compare with each other: those of one run and setting."""
        for key in dict.fromkeys((curve.run, curve.line.setting) for curve in self.curves):
            yield key[0], [c for c in self.curves if (c.run, c.line.setting) == key]

    def x(self, value: Any, curve: Curve | None = None) -> float:
        """The position of a value; kinds are at 0, 1, 2 …, with the curves side by side."""
        if self.sizes:
            return float(value)
        share = 0.5 if curve is None else (self.curves.index(curve) + 0.5) / len(self.curves)
        return float(self.values.index(value)) + 0.6 * (share - 0.5)

    def noise(self, curve: Curve, one: Measurement) -> float | None:
        """The ratio of the same method measured twice at this point."""
        return self.judged[curve.run].noises.get(one.case.group)

    def where(self, value: Any) -> str:
        """A value with its unit."""
        return describe(self.axis, value)

    def x_axis(self) -> dict[str, Any]:
        """The layout of the axis, fixed from the first point to the last."""
        title = {"text": AXES[self.axis].title, "standoff": 6}
        if not self.sizes:
            places = list(range(len(self.values)))
            return {
                "title": title,
                "range": [-0.5, len(places) - 0.5],
                "tickvals": places,
                "ticktext": [str(value) for value in self.values],
            }
        values = self.values or [64, 65_536]
        low, high = math.log10(values[0]), math.log10(values[-1])
        room = 0.04 * (high - low) or 0.5
        ticks = thinned(values)
        return {
            "title": title,
            "type": "log",
            "range": [low - room, high + room],
            "tickvals": ticks,
            "ticktext": [f"{value:,}" for value in ticks],
        }


def memory_lines(
    plot: Plot,
) -> dict[tuple[chart_lines.Setting, str], dict[Any, Case]]:
    """The cases by line, without repeats: device, threads and ids do not change the bytes."""
    found: dict[tuple[chart_lines.Setting, str], dict[Any, Case]] = {}
    order = list(METHODS)
    for case in sorted(plot.cases, key=lambda case: order.index(case.method)):
        setting = chart_lines.setting_of(case, plot.axis)
        setting = chart_lines.without(setting, "device", "threads", "ids")
        cases = found.setdefault((setting, case.method), {})
        cases.setdefault(getattr(case, plot.axis), case)
    return {
        key: {value: cases[value] for value in chart_lines.ordered(plot.axis, cases)}
        for key, cases in found.items()
    }


def key_of(variants: list[list[str]]) -> list[str]:
    """The meaning of each size of the marks, after the words that hold for all curves."""
    first = variants[0] if variants else []
    common = [word for word in first if all(word in words for words in variants)]
    parts = [", ".join(common) + ":" * (len(variants) > 1)] if common else []
    if len(variants) > 1:
        for (glyph, *_), words in zip(cycle(VARIANTS), variants, strict=False):
            parts.append(f"{glyph} {', '.join(word for word in words if word not in common)}")
    return parts


def stacked(*parts: str) -> str:
    """The lines of a hover text; empty ones are left out."""
    return "<br>".join(part for part in parts if part)
