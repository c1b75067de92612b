"""The chart of timing runs: the time of one call.

It draws the points of `embviz.timing.run.points`, in a panel for each machine. Nothing is measured
or judged here. Texts of run files are escaped here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from embviz.figures.axes import log_range, log_ticks, thinned
from embviz.figures.layout import lay_out, new_figure, plain
from embviz.figures.shades import shaded
from embviz.timing.axes import AXES
from embviz.timing.methods import METHODS, ROUTES
from embviz.timing.sentences import at, case_words, format_time
from embviz.timing.timed import varying

WRAP = 2  # Panels side by side.
TITLE_LETTERS = 54  # Letters in a line of the title: so many fit on a phone.
HEIGHT = 360  # Pixels of a chart with one panel and few lines: all questions have the same.
FEW = 4  # Lines whose names have room below the chart.
DASHES = ("solid", "dot", "dash", "longdash", "dashdot", "longdashdot")
SYMBOLS = (
    *("circle", "triangle-up", "pentagon", "hexagon", "star"),
    *("diamond", "square", "x", "cross", "triangle-down"),
)
# Each method has one symbol in all charts.
SYMBOL = dict(zip((one.label for one in METHODS.values()), SYMBOLS, strict=True))


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
        one.label: shaded(colours[ROUTES.index(one.route)], colours[2], one.shade)
        for one in METHODS.values()
    }
    mode = "lines+markers" if AXES[axis].size else "markers"
    dashes = dict(zip(frame.setting.unique(), cycle(DASHES), strict=False))
    figure, places = _panels(frame.machine.unique())
    named = set[str]()
    lines = frame.groupby(["machine", "method", "setting"], sort=False)
    for (machine, method, setting), part in lines:
        name = ", ".join(filter(None, (method, setting)))
        figure.add_scatter(
            x=part[axis],
            y=part.seconds,
            name=name,
            mode=mode,
            line={"color": hues[method], "dash": dashes[setting]},
            marker={"size": 8, "symbol": SYMBOL[method]},
            error_y={"array": part.above, "arrayminus": part.below},
            hovertext=part.hover,
            hovertemplate="%{hovertext}<extra></extra>",
            legendgroup=name,
            showlegend=name not in named,
            **places[machine],
        )
        named.add(name)
    along, down = _axes(frame, axis, panels)
    if panels > 1:
        figure.update_xaxes(along | {"matches": "x"}).update_yaxes(down)
        figure.update_yaxes(title="", col=2)
    else:
        lay_out(figure, xaxis=along, yaxis=down)
    title = "<br>".join(map(plain, _finding(frame, axis)))
    more = 16 * max(0, len(named) - FEW)
    lay_out(
        figure,
        title={"text": title, "font": {"size": 13}},
        height=HEIGHT + more + 46 * (panels > 1) + 200 * ((panels - 1) // WRAP),
        margin={"l": 66, "r": 12, "t": 48 + 46 * (panels > 1), "b": 40},
        legend={"orientation": "h", "y": -0.3, "yanchor": "top", "title": {"text": ""}},
    )
    return figure


def _finding(frame: pd.DataFrame, axis: str) -> list[str]:
    """The title, in at most two lines: the times of two methods, or the range of more lines."""
    lines = [part for _, part in frame.groupby(["machine", "method", "setting"], sort=False)]
    if frame.machine.nunique() > 1:
        said = "time of one call, on each machine."
    elif len(lines) <= 2 and frame.setting.nunique() == 1:
        said = f"{_ends(frame, axis)}: {', '.join(_range(part, axis) for part in lines)}."
    else:
        by = "method" if frame.method.nunique() > 1 else "setting"
        last = pd.concat([part.iloc[-1:] for part in lines]).sort_values("seconds").iloc[[0, -1]]
        ends = zip(last.seconds.map(format_time), last[by], strict=True)
        where = at(axis, getattr(last.case.iloc[0], axis))
        said = f"{where}: from {' to '.join(f'{time} ({name})' for time, name in ends)}."
    said = f"{said[0].upper()}{said[1:]}"
    return textwrap.wrap(said, TITLE_LETTERS, max_lines=2, placeholder=" …", break_on_hyphens=False)


def _ends(frame: pd.DataFrame, axis: str) -> str:
    """The first and the last size: `from 64 to 65,536 rows`; of kinds, in which order they are."""
    first, last = (getattr(frame.case.iloc[one], axis) for one in (0, -1))
    if first == last:
        return at(axis, last)
    if AXES[axis].size:
        return f"from {first:,} to {AXES[axis].many.format(f'{last:,}')}"
    return "shortest and longest"


def _range(part: pd.DataFrame, axis: str) -> str:
    """The times of a line, from its first to its last size, or the shortest and the longest."""
    ends = part.seconds.iloc[[0, -1]]
    if not AXES[axis].size:
        ends = [part.seconds.min(), part.seconds.max()]
    times = list(dict.fromkeys(map(format_time, ends)))
    return f"{part.method.iloc[0]} {' to '.join(times)}"


def _axes(frame: pd.DataFrame, axis: str, panels: int) -> list[dict[str, Any]]:
    """The horizontal axis and the vertical one."""
    ends = frame[["seconds", "low", "high"]].stack().dropna()
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
        return figure, {one: {} for one in machines}
    titles = [*map(_wrapped, machines)]
    figure.set_subplots(
        -(-count // WRAP), WRAP, shared_yaxes="all", horizontal_spacing=0.04, subplot_titles=titles
    )
    figure.update_annotations(font_size=12)
    return figure, {
        one: {"row": 1 + k // WRAP, "col": 1 + k % WRAP} for k, one in enumerate(machines)
    }


def _frame(points: pd.DataFrame, axis: str) -> pd.DataFrame:
    """The points that have a time, with texts: the method's label, `setting` and `hover`.

    A setting is what lines of the same method differ by.
    """
    frame = points.dropna(subset="seconds")
    frame = frame[frame.seconds > 0]
    fields = [one for one in (*AXES, "device", "cache") if one != axis and frame[one].nunique() > 1]
    told = zip(frame.case, frame.seconds, strict=True)
    return frame.assign(
        method=[case.record.label for case in frame.case],
        setting=[", ".join(at(one, getattr(case, one)) for one in fields) for case in frame.case],
        hover=[f"{case_words(case, axis)}: {format_time(value)}" for case, value in told],
        above=frame.high - frame.seconds,
        below=frame.seconds - frame.low,
    )


def _wrapped(name: str) -> str:
    """The name of a panel, in at most two lines, which plotly does not read as markup."""
    return "<br>".join(map(plain, textwrap.wrap(name, 24, max_lines=2, placeholder=" …")))
