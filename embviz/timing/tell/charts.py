"""The chart of timing runs: the time of one call, on a GPU its work and the wait for it.

It draws the points of `measure/run.py`, a line for each method and for each setting in which runs
or cases differ: the machine is one of them. The answer above it is its title. Nothing is measured
or judged here. Texts of run files are escaped here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from embviz.picture.axes import log_range, log_ticks, thinned
from embviz.picture.layout import lay_out, new_figure, plain
from embviz.picture.shades import shaded
from embviz.timing.measure.axes import AXES
from embviz.timing.measure.methods import METHODS, ROUTES
from embviz.timing.measure.timed import Timed, varying
from embviz.timing.tell.times import at, case_words, format_time

WORK, WAIT = "GPU work", "wait from Python"  # Both clocks of a GPU, in the legend.
LABEL = 3  # Times that the axis goes below the floor of a GPU, whose label stands there.
HEIGHT = 354  # Pixels of a chart with few lines: all questions have the same.
FEW = 4  # Lines whose names have room below the chart.
LINE_PX = 16  # Pixels of a further name.
DASHES = ("solid", "dot", "dash", "longdash", "dashdot", "longdashdot")
LEGEND = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"}


def draw(points: pd.DataFrame, colours: Sequence[str]) -> go.Figure | None:
    """The time of one call against the field that varies, with quartiles.

    Args:
        points: of one or several runs.
        colours: those of lookup, matmul and a neutral one, `#rrggbb`.

    Returns:
        the chart, or None where nothing has a time.
    """
    axis = varying(*points.groupby("machine")["case"].agg(list), [])
    if (frame := _frame(points, axis)).empty:
        return None
    settings = [*frame.setting[frame.clock != WAIT].unique()]
    figure, lines = new_figure(), frame.groupby(["method", "setting"], sort=False)
    for (name, setting), line in lines:
        method = METHODS[name]
        is_wait = line.clock.iloc[0] == WAIT
        number = 0 if is_wait else settings.index(setting)
        dash = "dash" if is_wait else DASHES[number % len(DASHES)]
        # Without lines, the symbols of further settings are hollow.
        hollow = "-open" if number and not AXES[axis].size else ""
        colour = shaded(colours[ROUTES.index(method.route)], colours[2], method.shade)
        figure.add_scatter(
            x=line[axis],
            y=line.seconds,
            name=", ".join(filter(None, (method.label, setting))),
            mode="lines+markers" if AXES[axis].size else "markers",
            line={"color": colour, "dash": dash, "width": 1 if is_wait else 2},
            marker={"size": 5 if is_wait else 8, "symbol": method.symbol + hollow},
            error_y={"array": line.high - line.seconds, "arrayminus": line.seconds - line.low},
            hovertext=line.hover,
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=not is_wait,
        )
    more = max(0, sum(line.showlegend for line in figure.data) - FEW)
    if (frame.clock == WAIT).any():
        _add_gpu(figure, frame, colours[2])
    along, down = _axes(frame, axis)
    lay_out(
        figure,
        xaxis=along,
        yaxis=down,
        height=HEIGHT + LINE_PX * more,
        margin={"l": 66, "r": 12, "t": 12, "b": 40},
        legend=LEGEND,
    )
    return figure


def _add_gpu(figure: go.Figure, frame: pd.DataFrame, grey: str) -> None:
    """The sample of a wait's line in the legend, and a line for each GPU's empty kernel."""
    thin = {"color": grey, "width": 1}
    figure.add_scatter(x=[None], y=[None], mode="lines", line=thin | {"dash": "dash"}, name=WAIT)
    for floor in frame.floor.dropna().unique():
        figure.add_hline(
            floor,
            line=thin,
            annotation={
                "y": math.log10(floor),  # Plotly places a label by the logarithm.
                "text": f"an empty kernel: {format_time(floor)} of work",
                "font": {"size": 11},
            },
            annotation_position="bottom right",
        )


def _axes(frame: pd.DataFrame, axis: str) -> list[dict[str, Any]]:
    """The horizontal axis and the vertical one."""
    ends = frame[["seconds", "low", "high"]].stack().dropna()
    if (frame.clock == WAIT).any():
        ends = pd.concat([ends, frame.floor.dropna() / LABEL])
    # At least so wide: noise must look like noise.
    low, high = log_range(ends, (ends.min() / 1.5, 1.5 * ends.max()))
    along: dict[str, Any] = {"title": AXES[axis].title}
    if AXES[axis].size:
        along |= {"type": "log", "tickvals": thinned(sorted({*frame[axis]})), "tickformat": ","}
    down = {"title": "time of one call", "type": "log", "range": [low, high]}
    return [along, down | log_ticks(low, high, format_time)]


def _frame(points: pd.DataFrame, axis: str) -> pd.DataFrame:
    """The points that have a time, a row for each clock, with texts: `setting` and `hover`.

    A setting is what lines of the same method differ by.
    """
    frame = _two_clocks(points[points.seconds > 0])
    beside = [field for field in (*AXES, "device", "cache", "precision") if field != axis]
    fields = [field for field in beside if frame[field].nunique() > 1]
    is_alone = frame.machine.nunique() < 2
    rows = zip(frame.case, frame.seconds, frame.clock, frame.machine, strict=True)
    settings, hovers = list[str](), list[str]()
    for case, seconds, clock, machine in rows:
        where = [] if is_alone else [plain(machine)]
        settings.append(", ".join([*_setting(case, fields, clock), *where]))
        time = " ".join(filter(None, [f"{case_words(case, axis)}: {format_time(seconds)}", clock]))
        hovers.append(", ".join([time, *where]))
    return frame.assign(setting=settings, hover=hovers)


def _two_clocks(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a GPU twice: `clock` is WORK, then WAIT; empty where only a wait is known."""
    on_gpu = frame.gpu_seconds.notna()
    work = frame[on_gpu]
    work = work.assign(clock=WORK, seconds=work.gpu_seconds, low=np.nan, high=np.nan)
    return pd.concat([work, frame.assign(clock=np.where(on_gpu, WAIT, ""))])


def _setting(case: Timed, fields: Sequence[str], clock: str) -> list[str]:
    """The fields in which lines of one method differ; a clock of a GPU names its device."""
    words = [
        at(field, getattr(case, field)) for field in fields if not (clock and field == "device")
    ]
    return [*words, clock] if clock else words
