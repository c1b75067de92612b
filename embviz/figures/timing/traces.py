"""The traces of the charts of timing runs: medians, failures, ratios, noise, peaks.

Each function adds traces to a figure. Numbers that a function returns are for the range of the
axis. Layout and titles are set elsewhere.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from embviz.core.wording import format_bytes
from embviz.figures.shades import translucent
from embviz.figures.timing.curves import Curve, Plot, stacked
from embviz.timing import chart_lines, verdicts
from embviz.timing.cases import Case
from embviz.timing.phrases import format_time, percent, times
from embviz.timing.results import Failure, Measurement

BAND = "middle half of the times"
FAILED = "no time (point at it: why)"


def add_times(figure: go.Figure, plot: Plot, curve: Curve) -> None:
    """Medians, with the quartiles as a band; as bars over kinds, or where there is one point."""
    measured = curve.line.measured
    if not measured:
        return
    xs = [plot.x(value, curve) for value in measured]
    medians = [one.median_s for one in measured.values()]
    bars = _band(figure, curve, xs, medians, [one.quartiles_s for one in measured.values()])
    figure.add_scatter(
        x=xs,
        y=medians,
        error_y=bars,
        **curve.style,
        hovertext=[_time_hover(plot, curve, value, one) for value, one in measured.items()],
    )


def _band(
    figure: go.Figure,
    curve: Curve,
    xs: Sequence[float],
    middle: Sequence[float],
    edges: Sequence[tuple[float, float]],
) -> dict[str, Any] | None:
    """Fill the space between the edges; over kinds, or for one point, return error bars instead."""
    lows, highs = zip(*edges, strict=True)
    if "lines" not in curve.style["mode"] or len(xs) == 1:
        return {
            "type": "data",
            "symmetric": False,
            "thickness": 1.5,
            "array": [high - mid for high, mid in zip(highs, middle, strict=True)],
            "arrayminus": [mid - low for low, mid in zip(lows, middle, strict=True)],
        }
    figure.add_scatter(
        x=[*xs, *reversed(xs)],
        y=[*highs, *reversed(lows)],
        fill="toself",
        mode="none",
        fillcolor=translucent(curve.colour, 0.22),
        hoverinfo="skip",
        showlegend=False,
        legendgroup=curve.method,
    )
    return None


def add_machines(figure: go.Figure, plot: Plot) -> None:
    """Legend entries for the dashes of machines."""
    drawn = {plot.runs[curve.run].name for curve in plot.curves if curve.line.measured}
    for name in plot.machines if plot.dashed else ():
        if (dash := plot.dash(name)) and (plot.live or name in drawn):
            line = {"color": plot.neutral, "dash": dash, "width": 2}
            figure.add_scatter(
                x=[None], y=[None], name=escape(name, quote=False), mode="lines", line=line
            )


def explain(figure: go.Figure, plot: Plot) -> None:
    """A legend entry without a curve: what the band is."""
    if any(trace.fill == "toself" or trace.error_y.array for trace in figure.data):
        band = {"symbol": "square", "size": 12, "color": translucent(plot.neutral, 0.35)}
        figure.add_scatter(x=[None], y=[None], name=BAND, mode="markers", marker=band)


def _time_hover(plot: Plot, curve: Curve, value: Any, one: Measurement) -> str:
    low, high = map(format_time, one.quartiles_s)
    noise = plot.noise(curve, one)
    return stacked(
        curve.name,
        plot.where(value),
        f"{format_time(one.median_s)} (middle half: {low} to {high})",
        *plot.physical_words(curve, one),
        f"{len(one.times_s):,} timed blocks",
        f"same method twice here: {percent(noise)} apart" if noise else "",
    )


def add_failures(
    figure: go.Figure,
    plot: Plot,
    place: Callable[[Curve, Case, int], tuple[float, float]],
    size: int = 9,
) -> None:
    """Hollow crosses: a row for each method that failed, one mark for all its curves."""
    marks: dict[tuple[float, float], tuple[str, list[str]]] = {}
    rows = list(dict.fromkeys(curve.method for curve in plot.curves if curve.line.failed))
    for curve in plot.curves:
        for failure in curve.line.failed.values():
            where = place(curve, failure.case, rows.index(curve.method))
            hovers = marks.setdefault(where, (curve.colour, []))[1]
            hovers.append(_failure_hover(plot, curve, failure))
    if marks:
        xs, ys = zip(*marks, strict=True)
        colours, hovers_of = zip(*marks.values(), strict=True)
        figure.add_scatter(
            x=xs,
            y=ys,
            name=FAILED,
            mode="markers",
            hoverinfo="text",
            hovertext=[stacked(*hovers) for hovers in hovers_of],
            marker={"symbol": "x-open", "size": size, "color": colours, "line": {"width": 1.5}},
        )


def _failure_hover(plot: Plot, curve: Curve, failure: Failure) -> str:
    reason = textwrap.wrap(failure.reason, 60) or ["no reason given"]
    value = getattr(failure.case, plot.axis)
    escaped = (escape(line, quote=False) for line in reason)
    return stacked(curve.name, f"{plot.where(value)}: no time", *escaped)


def add_ratios(figure: go.Figure, plot: Plot, curve: Curve, base: Curve) -> list[float]:
    """A curve's time divided by the base's, where both were measured; returns the ratios."""
    judged, line = plot.judged[curve.run], curve.line
    along = judged.along(line, base.line)
    if not along:
        return []
    pairs = [(line.measured[value], base.line.measured[value]) for value, _ in along]
    found = [judged.compared(*pair) for pair in pairs]
    ratios = [judged.ratio(*pair) for pair in pairs]
    figure.add_scatter(
        x=[plot.x(value, curve) for value, _ in along],
        y=ratios,
        **curve.style,
        hovertext=[
            stacked(
                curve.name,
                plot.where(value),
                f"{one.words if one else times(ratio)} of {base.line.name}'s time",
                kind,
            )
            for (value, kind), one, ratio in zip(along, found, ratios, strict=True)
        ],
    )
    return ratios


def add_noise(figure: go.Figure, plot: Plot, bases: Iterable[Curve]) -> list[float]:
    """The band of noise at each value: the widest of the curves; returns its edges."""
    most: dict[Any, float] = {}
    for base in bases:
        for value, one in base.line.measured.items():
            known = plot.noise(base, one) or 1.0
            most[value] = max(known, verdicts.MIN_NOISE, most.get(value, 1.0))
    values = chart_lines.ordered(plot.axis, most)
    xs: list[float | None] = []
    ys: list[float | None] = []
    if plot.sizes and len(values) > 1:
        xs = [*map(float, values), *map(float, reversed(values))]
        ys = [*(most[v] for v in values), *(1 / most[v] for v in reversed(values))]
    else:
        for value in values:
            x = plot.x(value)
            left, right = (x / 1.3, x * 1.3) if plot.sizes else (x - 0.4, x + 0.4)
            xs += [left, right, right, left, None]
            ys += [most[value], most[value], 1 / most[value], 1 / most[value], None]
    figure.add_scatter(
        x=xs,
        y=ys,
        fill="toself",
        mode="none",
        name="noise: the same measured twice",
        hoverinfo="skip",
        fillcolor=translucent(plot.neutral, 0.45),
    )
    return [*most.values(), *(1 / one for one in most.values())]


def add_peaks(figure: go.Figure, plot: Plot) -> list[float]:
    """Bytes that a GPU held at the peak, where they were counted; returns them."""
    peaks = [
        (plot.x(value), float(one.peak_bytes), curve, value)
        for curve in plot.curves
        for value, one in curve.line.measured.items()
        if one.peak_bytes
    ]
    if peaks:
        figure.add_scatter(
            x=[x for x, _, _, _ in peaks],
            y=[y for _, y, _, _ in peaks],
            name="measured GPU peak",
            mode="markers",
            hoverinfo="text",
            marker={
                "symbol": "circle-open",
                "size": 11,
                "line": {"width": 1.5},
                "color": [curve.colour for _, _, curve, _ in peaks],
            },
            hovertext=[
                stacked(
                    curve.name,
                    plot.where(value),
                    f"{format_bytes(round(y))} at the peak, measured",
                )
                for _, y, curve, value in peaks
            ],
        )
    return [y for _, y, _, _ in peaks]
