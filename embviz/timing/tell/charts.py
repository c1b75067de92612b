"""The chart of timing runs: the time of one call, on a GPU its work and the wait for it.

It draws the points of `measure/run.py`, in a panel for each machine. The answer above it is its
title. Nothing is measured or judged here. Texts of run files are escaped here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from embviz.picture.axes import log_range, log_ticks, thinned
from embviz.picture.layout import lay_out, new_figure, wrapped
from embviz.picture.shades import shaded
from embviz.timing.measure.axes import AXES
from embviz.timing.measure.methods import METHODS, ROUTES
from embviz.timing.measure.timed import Timed, varying
from embviz.timing.tell.times import at, case_words, format_time

WORK, WAIT = "GPU work", "wait from Python"  # Both clocks of a GPU, in the legend.
LABEL = 3  # Times that the axis goes below the floor of a GPU.
WRAP = 2  # Panels side by side.
PANEL_LETTERS = 24  # Letters in a line of a panel's name.
HEIGHT = 354  # Pixels of a chart with one panel and few lines: all questions have the same.
FEW = 4  # Lines whose names have room below the chart.
DASHES = ("solid", "dot", "dash", "longdash", "dashdot", "longdashdot")
SYMBOL = {method.label: method.symbol for method in METHODS.values()}


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
    panels = frame.machine.nunique()
    hues = {
        method.label: shaded(colours[ROUTES.index(method.route)], colours[2], method.shade)
        for method in METHODS.values()
    }
    mode = "lines+markers" if AXES[axis].size else "markers"
    dashes = dict(zip(frame.setting.unique(), cycle(DASHES), strict=False))
    dashes |= dict.fromkeys(frame.setting[frame.clock == WAIT], "dash")
    # Without lines, the symbols of further settings are hollow.
    hollow = dict.fromkeys(frame.setting, "")
    if mode == "markers":
        without = frame.setting[frame.clock != WAIT].unique()
        hollow |= dict.fromkeys(without[1:], "-open")
    figure, places = _panels(frame.machine.unique())
    named = set[str]()
    lines = frame.groupby(["machine", "method", "setting"], sort=False)
    for (machine, method, setting), part in lines:
        name = ", ".join(filter(None, (method, setting)))
        is_wait = part.clock.iloc[0] == WAIT
        figure.add_scatter(
            x=part[axis],
            y=part.seconds,
            name=name,
            mode=mode,
            line={"color": hues[method], "dash": dashes[setting], "width": 1 if is_wait else 2},
            marker={"size": 5 if is_wait else 8, "symbol": SYMBOL[method] + hollow[setting]},
            error_y={"array": part.above, "arrayminus": part.below},
            hovertext=part.hover,
            hovertemplate="%{hovertext}<extra></extra>",
            legendgroup=name,
            showlegend=name not in named and not is_wait,
            **places[machine],
        )
        if not is_wait:
            named.add(name)
    if (frame.clock == WAIT).any():
        _add_gpu(figure, frame, axis, places, colours[2])
    along, down = _axes(frame, axis, panels)
    if panels > 1:
        figure.update_xaxes(along | {"matches": "x"}).update_yaxes(down)
        figure.update_yaxes(title="", col=2)
    else:
        lay_out(figure, xaxis=along, yaxis=down)
    more = 16 * max(0, len(named) - FEW)
    lay_out(
        figure,
        height=HEIGHT + more + 46 * (panels > 1) + 200 * ((panels - 1) // WRAP),
        margin={"l": 66, "r": 12, "t": 12 + 46 * (panels > 1), "b": 40},
        legend={
            "orientation": "h",
            "yref": "container",
            "y": 0,
            "yanchor": "bottom",
            "title": {"text": ""},
        },
    )
    return figure


def _add_gpu(
    figure: go.Figure, frame: pd.DataFrame, axis: str, places: dict[str, dict[str, int]], grey: str
) -> None:
    """The sample of a wait's line, and in each panel the line of an empty kernel."""
    thin = {"color": grey, "width": 1}
    figure.add_scatter(x=[None], y=[None], mode="lines", line=thin | {"dash": "dash"}, name=WAIT)
    for machine, part in frame.dropna(subset="floor").groupby("machine", sort=False):
        floor = part.floor.iloc[0]
        figure.add_scatter(
            x=[part[axis].iloc[0], part[axis].iloc[-1]],
            y=[floor, floor],
            name="an empty kernel",
            mode="lines+text",
            line=thin,
            text=["", f"an empty kernel: {format_time(floor)} of work"],
            textposition="bottom left",
            textfont={"color": grey, "size": 11},
            hoverinfo="skip",
            showlegend=False,
            **places[machine],
        )


def _axes(frame: pd.DataFrame, axis: str, panels: int) -> list[dict[str, Any]]:
    """The horizontal axis and the vertical one."""
    ends = frame[["seconds", "low", "high"]].stack().dropna()
    if (frame.clock == WAIT).any():
        # The floor's label stands below it.
        ends = pd.concat([ends, frame.floor.dropna() / LABEL])
    # At least so wide: noise must look like noise.
    low, high = log_range(ends, (ends.min() / 1.5, 1.5 * ends.max()))
    along: dict[str, Any] = {"title": axis if panels > 1 else AXES[axis].title}
    if AXES[axis].size:
        values = thinned(sorted(set(frame[axis])), max(2, 6 // panels))
        along |= {"type": "log", "tickvals": values, "tickformat": ","}
    down = {"title": "time of one call", "type": "log", "range": [low, high]}
    return [along, down | log_ticks(low, high, format_time)]


def _panels(machines: Sequence[str]) -> tuple[go.Figure, dict[str, dict[str, int]]]:
    """A figure with a panel for each machine, and the place of each."""
    figure, count = new_figure(), len(machines)
    if count < 2:
        return figure, {machine: {} for machine in machines}
    titles = [wrapped(machine, PANEL_LETTERS) for machine in machines]
    figure.set_subplots(
        -(-count // WRAP), WRAP, shared_yaxes="all", horizontal_spacing=0.04, subplot_titles=titles
    )
    figure.update_annotations(font_size=12)
    return figure, {
        machine: {"row": 1 + k // WRAP, "col": 1 + k % WRAP} for k, machine in enumerate(machines)
    }


def _frame(points: pd.DataFrame, axis: str) -> pd.DataFrame:
    """The points that have a time, with texts: the method's label, `setting` and `hover`.

    A setting is what lines of the same method differ by.
    """
    frame = points.dropna(subset="seconds")
    frame = _two_clocks(frame[frame.seconds > 0])
    beside = [field for field in (*AXES, "device", "cache", "precision") if field != axis]
    fields = [field for field in beside if frame[field].nunique() > 1]
    told = zip(frame.case, frame.seconds, frame.clock, strict=True)
    clocks = zip(frame.case, frame.clock, strict=True)
    return frame.assign(
        method=[case.record.label for case in frame.case],
        setting=[_setting(case, fields, clock) for case, clock in clocks],
        hover=[
            " ".join([f"{case_words(case, axis)}: {format_time(value)}", clock]).strip()
            for case, value, clock in told
        ],
        above=frame.high - frame.seconds,
        below=frame.seconds - frame.low,
    )


def _two_clocks(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a GPU twice: `clock` is WORK, then WAIT; empty where only a wait is known."""
    on_gpu = frame.gpu_seconds.notna()
    work = frame[on_gpu]
    work = work.assign(clock=WORK, seconds=work.gpu_seconds, low=np.nan, high=np.nan)
    return pd.concat([work, frame.assign(clock=np.where(on_gpu, WAIT, ""))])


def _setting(case: Timed, fields: Sequence[str], clock: str) -> str:
    """The fields in which lines of one method differ; a clock of a GPU names its device."""
    words = [
        at(field, getattr(case, field)) for field in fields if not (clock and field == "device")
    ]
    return ", ".join([*words, clock] if clock else words)
