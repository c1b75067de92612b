"""The charts of timing runs: time, ratio, memory and roofline.

A chart draws one column of the points of `embviz.timing.run.points`, in a panel for each machine.
Nothing is measured or judged here. Texts of run files are escaped here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from embviz.figures.axes import byte_ticks, log_range, log_ticks, thinned
from embviz.figures.layout import lay_out, new_figure, plain
from embviz.figures.shades import shaded
from embviz.text.wording import format_bytes
from embviz.timing.axes import AXES
from embviz.timing.methods import METHODS, ROUTES
from embviz.timing.sentences import at, case_words, format_time, longer
from embviz.timing.timed import varying

WRAP = 2  # Panels side by side.
# By column: the title of its axis, and a value in words.
CHARTS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "seconds": ("time of one call", format_time),
    "ratio": ("time, by that of the first method", longer),
    "memory_bytes": ("memory held", format_bytes),
    "gflop_per_s": ("GFLOP/s", "{:,.3g} GFLOP/s".format),
}
INTENSITY = "operations per byte"
ROOF = "limit: a copy, or a matrix product"
DASHES = ("solid", "dot", "dash", "longdash", "dashdot", "longdashdot")
SYMBOLS = ("circle", "diamond", "square", "x", "cross")


def draw(points: pd.DataFrame, colours: Sequence[str], y: str = "seconds") -> go.Figure | None:
    """One column of the points against the field that varies; times with their quartiles.

    `ratio` is by the time of the plainest method. `gflop_per_s` is drawn against the operations per
    byte, below what copies and a product of the machine allow.

    Args:
        points: of one or several runs.
        colours: those of lookup, matmul and a neutral one, `#rrggbb`.
        y: a key of CHARTS.

    Returns:
        the chart, or None where nothing has such a number: a lookup alone has no ratio.
    """
    axis = varying(*points.groupby("machine")["case"].agg(list), [])
    if (frame := _frame(points, axis, y)).empty:
        return None
    roofs, panels = y == "gflop_per_s", frame.machine.nunique()
    if roofs:
        frame = pd.concat([frame, *map(_roof, frame.groupby(["machine", "setting"]))])
    hues = {
        one.label: shaded(colours[ROUTES.index(one.route)], colours[2], one.shade)
        for one in METHODS.values()
    }
    hues[ROOF] = colours[2]
    is_line = bool(AXES[axis].size) and not roofs
    dashes, symbols = _kinds(frame.setting, DASHES), _kinds(frame.method, SYMBOLS)
    figure, places = _panels(frame.machine.unique())
    named = set[str]()
    for (machine, method, setting), part in frame.groupby(
        ["machine", "method", "setting"], sort=False
    ):
        name = ", ".join(filter(None, (method, setting)))
        figure.add_scatter(
            x=part[INTENSITY if roofs else axis],
            y=part[y],
            name=name,
            mode="lines" if method == ROOF else "lines+markers" if is_line else "markers",
            line={"color": hues[method], "dash": dashes[setting]},
            marker={"size": 8, "symbol": symbols[method]},
            error_y={"array": part.above, "arrayminus": part.below},
            hovertext=part.hover,
            hovertemplate="%{hovertext}<extra></extra>",
            legendgroup=name,
            showlegend=name not in named,
            **places[machine],
        )
        named.add(name)
    along, down = _axes(frame, axis, y, panels)
    above = 46 * (panels > 1)
    if panels > 1:
        figure.update_xaxes(along | {"matches": "x"}).update_yaxes(down)
        figure.update_yaxes(title="", col=2)
    else:
        lay_out(figure, xaxis=along, yaxis=down)
    lay_out(
        figure,
        height=290 + above + 16 * (len(figure.data) // panels) + 200 * ((panels - 1) // WRAP),
        margin={"l": 66, "r": 12, "t": 12 + above, "b": 40},
        legend={"orientation": "h", "y": -0.3, "yanchor": "top", "title": {"text": ""}},
    )
    return figure


def _axes(frame: pd.DataFrame, axis: str, y: str, panels: int) -> list[dict[str, Any]]:
    """The horizontal axis and the vertical one."""
    ends = frame[[y, "low", "high"]].stack().dropna()
    # At least so wide: noise must look like noise.
    low, high = log_range(ends, (ends.min() / 1.5, 1.5 * ends.max()))
    number: Callable[[Any], str] = format_time if y == "seconds" else "{:,g}".format
    ticks = log_ticks(low, high, number) if y != "memory_bytes" else byte_ticks(low, high)
    along: dict[str, Any] = {"title": axis if panels > 1 else AXES[axis].title}
    if y == "gflop_per_s":
        ends = log_range(frame[INTENSITY])
        along = {"title": INTENSITY, "type": "log", **log_ticks(*ends, number)}
    elif AXES[axis].size:
        values = thinned(sorted(set(frame[axis])), max(2, 6 // panels))
        along |= {"type": "log", "tickvals": values, "tickformat": ","}
    return [along, {"title": CHARTS[y][0], "type": "log", "range": [low, high], **ticks}]


def _panels(machines: Sequence[str]) -> tuple[go.Figure, dict[str, dict[str, int]]]:
    """A figure with a panel for each machine, and the place of each."""
    figure, count = new_figure(), len(machines)
    if count < 2:
        return figure, {one: {} for one in machines}
    titles = [*map(_wrapped, machines)]
    figure.set_subplots(
        -(-count // WRAP), WRAP, shared_yaxes="all", horizontal_spacing=0.04, subplot_titles=titles
    )
    figure.update_annotations(font_size=12)
    return figure, {
        one: {"row": 1 + k // WRAP, "col": 1 + k % WRAP} for k, one in enumerate(machines)
    }


def _kinds(of: pd.Series, kinds: Sequence[str]) -> dict[str, str]:
    """A dash or a symbol for each value."""
    return dict(zip(of.unique(), cycle(kinds), strict=False))


def _frame(points: pd.DataFrame, axis: str, y: str) -> pd.DataFrame:
    """The points that have a `y`, with texts: the method's label, `machine`, `setting`, `hover`.

    A setting is what lines of the same method differ by.
    """
    frame = points.dropna(subset="seconds")
    if y == "ratio":
        plainest = min(frame.method, key=[*METHODS].index, default="")
        there = [frame.machine, frame.case.map(lambda case: case.point)]
        first = frame.seconds.where(frame.method == plainest).groupby(there).transform("first")
        frame = frame.assign(ratio=frame.seconds / first)[frame.method != plainest]
    if y != "seconds":
        frame = frame.assign(low=np.nan, high=np.nan)
    frame = frame.assign(**{INTENSITY: frame.gflop_per_s / frame.gb_per_s})[frame[y] > 0]
    beside = [one for one in (*AXES, "device", "cache", "precision") if one != axis]
    fields = [one for one in beside if frame[one].nunique() > 1]
    told = zip(frame.case, frame[y], strict=True)
    return frame.assign(
        method=[case.record.label for case in frame.case],
        setting=[", ".join(at(one, getattr(case, one)) for one in fields) for case in frame.case],
        hover=[f"{case_words(case, axis)}: {CHARTS[y][1](value)}" for case, value in told],
        above=frame.high - frame[y],
        below=frame[y] - frame.low,
    )


def _roof(group: tuple[Any, pd.DataFrame]) -> pd.DataFrame:
    """The limit of one machine: a copy of the largest data, then the matrix product."""
    part = group[1]
    product = (part.gflop_per_s / part.share_of_product).max()
    copy = (part.gb_per_s / part.share_of_copy).iloc[-1]
    if not (product > 0 and copy > 0):
        return part[:0]
    ridge, here = product / copy, part[INTENSITY]
    ends = min(ridge, here.min()) / 2, ridge, 2 * max(ridge, here.max())
    rows = [(one, min(one * copy, product), ROOF, ROOF) for one in ends]
    roof = pd.DataFrame(rows, columns=[INTENSITY, "gflop_per_s", "method", "hover"])
    return roof.assign(**part[["machine", "setting"]].iloc[0])


def _wrapped(name: str) -> str:
    """The name of a panel, in at most two lines, which plotly does not read as markup."""
    return "<br>".join(map(plain, textwrap.wrap(name, 24, max_lines=2, placeholder=" …")))
