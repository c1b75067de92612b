"""How close to the machine's limits: GB/s under the copies, GFLOP/s under both roofs.

A method without operations has no place on a roofline's axis, so each method's bytes have a chart
of their own. The roofs are what the same machine did in the same run (see `physical`); without
them the points stand alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from embviz.core.wording import format_bytes
from embviz.figures.axes import byte_ticks, log_range, log_ticks
from embviz.figures.layout import new_figure
from embviz.figures.timing.curves import Plot, stacked
from embviz.figures.timing.layout import finish
from embviz.figures.timing.traces import add_machines
from embviz.timing import physical
from embviz.timing.chart_lines import headline
from embviz.timing.phrases import at, capitalized
from embviz.timing.physical import Ceilings
from embviz.timing.results import Measurement

MEMORY = "plain copy (memory's limit)"
ARITHMETIC = "matrix product (arithmetic's limit)"
Place = Callable[[Measurement], float]


def bandwidth_figure(plot: Plot) -> go.Figure:
    """GB moved in a second against the bytes of a call, under plain copies of as many bytes."""
    figure = new_figure()
    roofs = list(_roofs(plot))
    sizes = [one.case.bytes for one in _measured(plot)] or [2**10, 2**20]
    rates = [physical.gb_per_s(one) for one in _measured(plot)] or [1.0]
    for words, dash, best in roofs:
        xs, ys = list(best.copies), list(best.copies.values())
        hovers = [
            f"{format_bytes(round(x))} copied{words}: {y:.3g} GB/s"
            for x, y in zip(xs, ys, strict=True)
        ]
        _line(figure, plot, xs, ys, hovers, MEMORY, dash or "solid")
        sizes, rates = [*sizes, *map(round, xs)], [*rates, *ys]
    _points(figure, plot, lambda one: one.case.bytes, physical.gb_per_s)
    add_machines(figure, plot)
    low, high = log_range(sizes)
    x_axis = {"title": {"text": "bytes moved in one call", "standoff": 6}, **byte_ticks(low, high)}
    x_axis |= {"type": "log", "range": [low, high]}
    return finish(figure, plot, "bandwidth", _title(plot, 0), _y_axis(rates, "GB/s"), x_axis)


def roofline_figure(plot: Plot) -> go.Figure | None:
    """GFLOP/s against operations per byte, under the memory roof and the arithmetic roof.

    Returns:
        None where no method has operations.
    """
    computing = [one for one in _measured(plot) if one.case.flops]
    if not computing:
        return None
    figure = new_figure()
    roofs = list(_roofs(plot))
    intensities = [_intensity(one) for one in computing]
    rates = [physical.gflop_per_s(one) for one in computing]
    ridges = [best.gflop_per_s / best.memory_gb_per_s for *_, best in roofs]
    both = [*intensities, *ridges]
    low, high = log_range(both, (min(both) / 2, 2 * max(both)))
    left, right = 10**low, 10**high
    for words, dash, best in roofs:
        memory, peak = best.memory_gb_per_s, best.gflop_per_s
        xs, hover = [left, peak / memory], f"{MEMORY}{words}: {memory:.3g} GB/s"
        _line(figure, plot, xs, [left * memory, peak], [hover] * 2, MEMORY, dash or "solid")
        xs, hover = [peak / memory, right], f"{ARITHMETIC}{words}: {peak:.3g} GFLOP/s"
        _line(figure, plot, xs, [peak] * 2, [hover] * 2, ARITHMETIC, dash or "dot")
        rates += [peak, left * memory]
    _points(figure, plot, _intensity, physical.gflop_per_s)
    add_machines(figure, plot)
    ticks = log_ticks(low, high, lambda value: f"{value:g}")
    x_axis = {"title": {"text": "operations for each byte moved", "standoff": 6}, **ticks}
    x_axis |= {"type": "log", "range": [low, high]}
    return finish(figure, plot, "roofline", _title(plot, 1), _y_axis(rates, "GFLOP/s"), x_axis)


def _title(plot: Plot, computing: int) -> str:
    """At the last value of the first run: the reference's GB/s, or the rival's GFLOP/s."""
    for run, curves in plot.by_setting():
        line = headline([curve.line for curve in curves])[computing]
        if line is None or not line.measured:
            continue
        value, one = list(line.measured.items())[-1]
        parts = physical.words(one, plot.ceilings[run].get(physical.key_of(one.case)))
        if len(parts) > computing:
            does = "computes" if computing else "moves"
            where = f" ({plot.runs[run].name})" if plot.dashed and len(plot.runs) > 1 else ""
            said = f"{at(plot.axis, value)} {line.name} {does} {parts[computing]}{where}"
            return capitalized(said)
    return "Operations in a second" if computing else "Nothing measured yet"


def _intensity(one: Measurement) -> float:
    return one.case.flops / one.case.bytes


def _measured(plot: Plot) -> Iterator[Measurement]:
    for curve in plot.curves:
        yield from curve.line.measured.values()


def _roofs(plot: Plot) -> Iterator[tuple[str, str, Ceilings]]:
    """The ceilings that the drawn cases have, with words and a machine's dash."""
    found: dict[tuple[int, physical.Key], Ceilings] = {}
    for curve in plot.curves:
        for one in curve.line.measured.values():
            key = physical.key_of(one.case)
            if key in plot.ceilings[curve.run]:
                found[curve.run, key] = plot.ceilings[curve.run][key]
    for (run, (device, dtype, threads)), best in found.items():
        name = plot.runs[run].name
        dash = plot.dash(name)
        machine = f"{escape(name, quote=False)}: " if dash else ""
        words = f" ({machine}{dtype} on {device}, threads: {threads})"
        yield words if len(found) > 1 else "", dash, best


def _line(
    figure: go.Figure,
    plot: Plot,
    xs: Sequence[float],
    ys: Sequence[float],
    hovers: Sequence[str],
    name: str,
    dash: str,
) -> None:
    figure.add_scatter(
        x=xs,
        y=ys,
        name=name,
        legendgroup=name,
        mode="lines",
        hoverinfo="text",
        hovertext=hovers,
        line={"color": plot.neutral, "width": 1.5, "dash": dash},
    )


def _points(figure: go.Figure, plot: Plot, x: Place, y: Place) -> None:
    """Each measurement with a rate above 0."""
    for curve in plot.curves:
        found = {v: one for v, one in curve.line.measured.items() if y(one)}
        if found:
            figure.add_scatter(
                x=[x(one) for one in found.values()],
                y=[y(one) for one in found.values()],
                **curve.style,
                hovertext=[
                    stacked(curve.name, plot.where(value), *plot.physical_words(curve, one))
                    for value, one in found.items()
                ],
            )


def _y_axis(rates: Sequence[float], title: str) -> dict[str, Any]:
    low, high = log_range(rates)
    ticks = log_ticks(low, high, lambda rate: f"{rate:,g}")
    return {"title": title, "range": [low, high], **ticks}
