"""What the charts of timing runs share: axis, values, noise, and how each curve looks.

A method has one hue (its route's), one mark and one dash everywhere; a further
device, pass or run changes how the mark is filled. Nothing is drawn here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from embviz.figures.axes import thinned
from embviz.figures.shades import shaded
from embviz.timing import chart_lines, verdicts
from embviz.timing.cases import METHODS, Case
from embviz.timing.phrases import describe
from embviz.timing.results import Measurement
from embviz.timing.runs import Run, labels

AXIS_TITLES = {
    "num_embeddings": "num_embeddings (rows of the table)",
    "embedding_dim": "embedding_dim (numbers in a row)",
    "tokens": "tokens (ids looked up in one call)",
    "ids": "how the ids are drawn",
    "dtype": "dtype of table and output",
}
# Of each method: steps from its route's hue, mark, dash. Dots are the model's, crosses failures'.
LOOKS = {
    "lookup": (0, "circle", "solid"),
    "index_select": (1, "diamond", "dash"),
    "numpy_take": (2, "triangle-left", "dashdot"),
    "lookup_sparse": (3, "pentagon", "longdash"),
    "embedding_bag": (4, "hexagon2", "longdashdot"),
    "matmul": (0, "square", "solid"),
    "onehot_matmul": (1, "triangle-up", "longdash"),
    "scatter_matmul": (2, "triangle-down", "dashdot"),
    "matmul_table": (3, "triangle-right", "dash"),
    "sparse_matmul": (4, "star", "longdashdot"),
    "dense_bag": (5, "cross", "6px,3px"),
}
# Of a device, pass or run: glyph in the key, mark's ending and size, width of the line.
VARIANTS = (
    ("●", "", 8, 2.0),
    ("○", "-open", 8, 1.5),
    ("•", "", 5, 1.0),
    ("◎", "-open-dot", 11, 1.0),
)


@dataclass(frozen=True, eq=False)
class Curve:
    """One line, how it looks, and what it is called (escaped)."""

    run: int
    line: chart_lines.Line
    method: str  # in the legend, one entry for all its curves
    words: str  # what tells the curve from others of the method
    colour: str
    dash: str
    symbol: str
    size: int
    width: float

    @property
    def name(self) -> str:
        """For the hover, over two lines."""
        return stacked(f"<b>{self.method}</b>", self.words)


class Sheet:
    """What the three charts share: the axis, its values, the curves, their key, the noise."""

    def __init__(
        self, runs: Sequence[Run], colours: Sequence[str], planned: Sequence[Case]
    ) -> None:
        self.live = bool(planned)
        self.cases = [*(one.case for run in runs for one in run.results), *planned]
        self.axis = chart_lines.varying(self.cases) if self.cases else chart_lines.AXES[0]
        self.sizes = self.axis in chart_lines.NUMBERS
        self.values = chart_lines.ordered(self.axis, (getattr(c, self.axis) for c in self.cases))
        self.noises = [verdicts.noises(run.results) for run in runs]
        self.colours = colours
        self.neutral = colours[2]
        found = [
            (index, line)
            for index, run in enumerate(runs)
            for line in chart_lines.lines(run.results, self.axis)
        ]
        settings = list(dict.fromkeys(line.setting for _, line in found))
        of_run = [escape(label, quote=False) if len(runs) > 1 else "" for label in labels(runs)]
        words = {
            (index, line.setting): [
                *chart_lines.setting_words(line.setting, settings),
                *filter(None, [of_run[index]]),
            ]
            for index, line in found
        }
        self.key = key_of(list(words.values()))
        self.methods = list(dict.fromkeys((line.method, line.output) for _, line in found))
        self.curves = []
        for index, line in found:
            variant = list(words).index((index, line.setting))
            _, ending, size, width = VARIANTS[variant % len(VARIANTS)]
            colour, symbol, dash = self.look(line.method)
            self.curves.append(
                Curve(
                    index,
                    line,
                    method_label(line.method, line.output),
                    ", ".join(words[index, line.setting]),
                    colour,
                    dash,
                    symbol + ending,
                    size,
                    width,
                )
            )

    def look(self, method: str) -> tuple[str, str, str]:
        """Colour, mark and dash of a method."""
        step, symbol, dash = LOOKS[method]
        route = self.colours[METHODS[method].route != "lookup"]
        return shaded(route, self.neutral, step), symbol, dash

    def style(self, curve: Curve) -> dict[str, Any]:
        """The line and mark of a curve; the legend has one entry for each method."""
        mode = "lines+markers" if self.sizes else "markers"
        return {
            "name": curve.method,
            "legendgroup": curve.method,
            "mode": mode,
            "hoverinfo": "text",
            "line": {"color": curve.colour, "dash": curve.dash, "width": curve.width},
            "marker": {"color": curve.colour, "symbol": curve.symbol, "size": curve.size},
        }

    def stories(self) -> Iterator[tuple[int, list[Curve]]]:
        """The curves to compare with each other: those of one run and setting."""
        for key in dict.fromkeys((curve.run, curve.line.setting) for curve in self.curves):
            yield key[0], [c for c in self.curves if (c.run, c.line.setting) == key]

    def x(self, value: Any, curve: Curve | None = None) -> float:
        """Where a value stands; kinds stand at 0, 1, 2 …, the curves side by side."""
        if self.sizes:
            return float(value)
        share = 0.5 if curve is None else (self.curves.index(curve) + 0.5) / len(self.curves)
        return float(self.values.index(value)) + 0.6 * (share - 0.5)

    def noise(self, curve: Curve, one: Measurement) -> float | None:
        """How far the same method was from itself at this point."""
        return self.noises[curve.run].get(one.case.group)

    def where(self, value: Any) -> str:
        """A value with its unit."""
        return describe(self.axis, value)

    def x_axis(self) -> dict[str, Any]:
        """The layout of the axis, fixed from the first point to the last."""
        title = {"text": AXIS_TITLES[self.axis], "standoff": 6}
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
    sheet: Sheet,
) -> dict[tuple[chart_lines.Setting, str, str], dict[Any, Case]]:
    """Each case once for every definition: neither device nor threads nor ids change its bytes."""
    found: dict[tuple[chart_lines.Setting, str, str], dict[Any, Case]] = {}
    order = list(METHODS)
    for case in sorted(sheet.cases, key=lambda case: order.index(case.method)):
        setting = tuple(
            pair
            for pair in chart_lines.setting_of(case, sheet.axis)
            if pair[0] not in ("device", "threads", "ids")
        )
        cases = found.setdefault((setting, case.method, case.output), {})
        cases.setdefault(getattr(case, sheet.axis), case)
    return {
        key: {value: cases[value] for value in chart_lines.ordered(sheet.axis, cases)}
        for key, cases in found.items()
    }


def key_of(variants: list[list[str]]) -> list[str]:
    """What the fills of the marks mean, a part for each; first what is true of all curves."""
    common = (
        [word for word in variants[0] if all(word in words for words in variants)]
        if variants
        else []
    )
    parts = [", ".join(common) + ":" * (len(variants) > 1)] if common else []
    if len(variants) > 1:
        own = [", ".join(word for word in words if word not in common) for words in variants]
        marked = [f"{VARIANTS[i % len(VARIANTS)][0]} {words}" for i, words in enumerate(own)]
        parts += marked
    return parts


def method_label(method: str, output: str) -> str:
    """What the legend calls a method."""
    return METHODS[method].label + (", output reused" if output == "reused" else "")


def stacked(*parts: str) -> str:
    """A hover's lines, one above the other; empty ones are left out."""
    return "<br>".join(part for part in parts if part)
