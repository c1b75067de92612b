"""The timing runs of a class in one chart: a thin line for each run and method.

Runs of one group are drawn, see `classes.timings`. Nothing is compared here.
"""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from embviz.classes.timings import LOOKUP, MATMUL, Group, Point, Series
from embviz.figures.axes import log_range, log_ticks
from embviz.figures.layout import new_figure, plain
from embviz.figures.timing.curves import Plot, stacked
from embviz.figures.timing.layout import finish
from embviz.timing.methods import METHODS
from embviz.timing.phrases import describe, format_time, spanned, times

FEW = 12  # lines of more runs are thinner and without marks


def class_figure(group: Group, colours: Sequence[str]) -> go.Figure:
    """Time of one call against the size, for all runs; a hover names the pseudonym."""
    figure = new_figure()
    cases = [series.case_at(size) for _, series in group.runs for size in series.points]
    plot = Plot([], colours, cases)
    seconds = list[float]()
    for method in (LOOKUP, MATMUL):
        xs, ys, hovers = list[float | None](), list[float | None](), list[str]()
        for who, series in group.runs:
            for size, point in series.points.items():
                xs.append(float(size))
                ys.append(getattr(point, method)[0])
                hovers.append(_hover(who, series, size, method, point))
            xs.append(None)  # the line ends
            ys.append(None)
            hovers.append("")
        style = plot.style(method, "fresh", 1 if len(group.runs) <= FEW else 3)
        figure.add_scatter(x=xs, y=ys, **style, hovertext=hovers)
        seconds += filter(None, ys)
    low, high = log_range(seconds)
    ticks = log_ticks(low, high, lambda tick: format_time(tick).replace(".0 ", " "))
    y_axis = {"title": "time of one call", "range": [low, high], **ticks}
    title = next(group.findings())
    return finish(figure, plot, "time", title, y_axis, key=[plain(group.words)])


def _hover(who: str, series: Series, size: int, method: str, point: Point) -> str:
    median, *edges = getattr(point, method)
    low, high = map(format_time, edges)
    ratio = "" if point.ratio is None else f"{spanned(times, *point.ratio)} of {LOOKUP}'s time: "
    return stacked(
        f"<b>{plain(who)}</b>",
        f"{METHODS[method].label}, {describe(series.axis, size)}",
        f"{format_time(median)} (middle half: {low} to {high})",
        f"{ratio}{point.verdict}" if method == MATMUL else "",
        series.machine,
    )
