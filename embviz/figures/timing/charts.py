"""Three charts of timing runs: time, time beside lookup's, and memory, over what varies.

Only positions are computed here: verdicts and words come from `embviz.timing`, the look of each
curve from `curves`.
"""

from __future__ import annotations

import re
from html import unescape

import plotly.graph_objects as go

from embviz.core.wording import format_bytes
from embviz.figures.axes import byte_ticks, log_range, log_ticks
from embviz.figures.layout import new_figure
from embviz.figures.timing.curves import Curve, Plot, key_of, memory_lines, stacked
from embviz.figures.timing.layout import finish
from embviz.figures.timing.panels import in_panels
from embviz.figures.timing.titles import memory_title, speedup_title, time_title
from embviz.figures.timing.traces import (
    add_failures,
    add_machines,
    add_noise,
    add_peaks,
    add_ratios,
    add_times,
    explain,
)
from embviz.timing import chart_lines
from embviz.timing.cases import Case
from embviz.timing.methods import METHODS
from embviz.timing.phrases import format_time

LIVE_SECONDS = (1e-6, 1e-2)  # shown at least while points arrive, so that the axis does not move


def time_figure(plot: Plot) -> go.Figure:
    """Time of one call against what varies: medians, and quartiles as bands."""
    return in_panels(plot, _time)


def speedup_figure(plot: Plot) -> go.Figure:
    """Each method's time divided by lookup's on the same machine, and the band of noise."""
    return in_panels(plot, _speedup)


def _time(plot: Plot) -> go.Figure:
    figure = new_figure()
    measured = (one for curve in plot.curves for one in curve.line.measured.values())
    seconds = [edge for one in measured for edge in one.quartiles_s] or [*LIVE_SECONDS]
    room = (min(seconds) / 1.5, 1.5 * max(seconds))  # a flat line needs two ticks as well
    low, high = log_range(seconds, LIVE_SECONDS if plot.live else room)
    failed = len({curve.method for curve in plot.curves if curve.line.failed})
    row = 0.05 * (high - low)
    high += row * (failed + 0.5 * bool(failed))
    for curve in plot.curves:
        add_times(figure, plot, curve)
    add_machines(figure, plot)
    explain(figure, plot)

    def at_the_top(curve: Curve, case: Case, level: int) -> tuple[float, float]:
        return plot.x(getattr(case, plot.axis), curve), 10.0 ** (high - row * (level + 0.75))

    add_failures(figure, plot, at_the_top)
    ticks = log_ticks(low, high, lambda tick: format_time(tick).replace(".0 ", " "))
    y_axis = {"title": "time of one call", "range": [low, high], **ticks}
    return finish(figure, plot, "time", time_title(plot), y_axis)


def _speedup(plot: Plot) -> go.Figure:
    figure = new_figure()
    bases: list[Curve] = []
    ratios: list[float] = []
    for _, curves in plot.by_setting():
        base_line = chart_lines.reference([curve.line for curve in curves])
        for base in [curve for curve in curves if curve.line is base_line]:
            bases.append(base)
            for curve in curves:
                if curve is not base:
                    ratios += add_ratios(figure, plot, curve, base)
    add_machines(figure, plot)
    if bases:
        base = bases[0]
        ends = [plot.x(plot.values[0]), plot.x(plot.values[-1])]
        if len(plot.values) == 1 or not plot.sizes:
            ends = [ends[0] - 0.5, ends[-1] + 0.5]
        figure.add_scatter(
            x=ends,
            y=[1, 1],
            mode="lines",
            name=f"{METHODS[base.line.method].label} = 1x",
            line={"color": base.colour, "width": 2},
            hoverinfo="skip",
        )
        ratios += add_noise(figure, plot, bases)
    low, high = log_range([*ratios, 1.0], (0.5, 1000) if plot.live else (0.9, 1.1))
    named = f"time / {bases[0].line.name}'s time" if bases else "time / lookup's time"
    ticks = log_ticks(low, high, lambda factor: f"{factor:,g}x")
    y_axis = {"title": named, "range": [low, high], **ticks}
    return finish(figure, plot, "speedup", speedup_title(plot), y_axis)


def memory_figure(plot: Plot) -> go.Figure:
    """Bytes held at the peak, predicted from the definition, and measured by a GPU.

    Predictions need no measurement, so planned cases are drawn too.
    """
    figure = new_figure()
    lines = memory_lines(plot)
    settings = list(dict.fromkeys(setting for setting, _ in lines))
    key = key_of([chart_lines.setting_words(setting, settings) for setting in settings])
    methods = list(dict.fromkeys(method for _, method in lines))
    for (setting, method), cases in lines.items():
        # Equal bytes overlap: the mark below is larger, so that both can be seen.
        larger = 2 * max(0, 3 - methods.index(method))
        style = plot.style(method, settings.index(setting), "dot", larger)
        words = chart_lines.setting_words(setting, settings)
        figure.add_scatter(
            x=[plot.x(value) for value in cases],
            y=[case.memory_bytes for case in cases.values()],
            **style,
            hovertext=[
                stacked(
                    f"<b>{style['name']}</b>",
                    ", ".join(words),
                    plot.where(value),
                    f"{format_bytes(case.memory_bytes)} held at the peak, predicted:",
                    *(f"{part} {format_bytes(size)}" for part, size in case.memory().items()),
                    f"{format_bytes(case.bytes)} moved in one call",
                )
                for value, case in cases.items()
            ],
        )
    peaks = add_peaks(figure, plot)
    sizes = [case.memory_bytes for cases in lines.values() for case in cases.values()]

    def at_its_size(_: Curve, case: Case, __: int) -> tuple[float, float]:
        return plot.x(getattr(case, plot.axis)), float(case.memory_bytes)

    add_failures(figure, plot, at_its_size, 17)  # around the mark of the prediction
    low, high = log_range(
        [*sizes, *peaks, min(sizes) / 2, 2 * max(sizes)] if sizes else [2**10, 2**30]
    )
    y_axis = {"title": "memory held", "range": [low, high], **byte_ticks(low, high)}
    return finish(figure, plot, "memory", memory_title(plot, lines), y_axis, key=key)


def plain_title(figure: go.Figure) -> str:
    """The finding as plain text, for the chart's `alt`."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", figure.layout.title.text)).split())
