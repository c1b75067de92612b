"""The charts of timing runs: time, ratio, memory and roofline, by plotly express.

Each takes the points of `embviz.timing.run.points`, one row a measured case, and draws a panel for
each machine. Nothing is measured or judged here. Texts of run files are escaped in `_frame`, once.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import plotly.express as px
import plotly.graph_objects as go

from embviz.core.wording import format_bytes
from embviz.figures.axes import byte_ticks, log_range, log_ticks, thinned
from embviz.figures.layout import TEMPLATE, lay_out, plain
from embviz.figures.shades import shaded
from embviz.timing.case import Case
from embviz.timing.methods import AXES, METHODS
from embviz.timing.sentences import as_sentence, at, format_time, times

WRAP = 4  # panels side by side
TITLE = 46  # characters of a line on a phone
Y: dict[str, tuple[str, Callable[[Any], str]]] = {
    "seconds": ("time of one call", format_time),
    "ratio": ("time, by that of the first method", lambda ratio: f"{times(ratio)} times"),
    "memory_bytes": ("memory held", format_bytes),
    "gflop_per_s": ("GFLOP/s", "{:,.3g} GFLOP/s".format),
}
LABELS = (
    {"intensity": "operations per byte"}
    | {name: one.title for name, one in AXES.items()}
    | {name: said for name, (said, _) in Y.items()}
)
COPY, PRODUCT = "as fast as a copy", "as fast as a matrix product"
# By the legend's name of a method.
MARKS = {one.label: one.look[1] for one in METHODS.values()} | {COPY: "line-ew", PRODUCT: "line-ew"}
DASHES = {one.label: one.look[2] for one in METHODS.values()} | {COPY: "solid", PRODUCT: "dot"}


def time_figure(
    points: pd.DataFrame, axis: str, colours: Sequence[str], title: str | None = None
) -> go.Figure:
    """Median times of one call with their quartiles, against the field that varies.

    Args:
        points: of one or several runs.
        axis: the field.
        colours: those of lookup, matmul and a neutral one, `#rrggbb`.
        title: plain text; by default what the first two methods have at the last place.
    """
    frame = _frame(points, axis)
    frame["above"], frame["below"] = frame.high - frame.seconds, frame.seconds - frame.low
    bars = {"error_y": "above", "error_y_minus": "below"}
    return _chart(frame, axis, "seconds", colours, title, **bars)


def ratio_figure(
    points: pd.DataFrame, axis: str, colours: Sequence[str], title: str | None = None
) -> go.Figure:
    """How many times as long each method takes as the plainest one at the same point."""
    frame = _frame(points, axis)
    base = min(frame.name, key=list(METHODS).index)
    point = [frame.machine, frame.case.map(lambda case: case.point)]
    least = frame.seconds.where(frame.name == base).groupby(point).transform("first")
    frame = frame.assign(ratio=frame.seconds / least).dropna(subset="ratio")
    return _chart(frame, axis, "ratio", colours, title)


def memory_figure(
    points: pd.DataFrame, axis: str, colours: Sequence[str], title: str | None = None
) -> go.Figure:
    """Bytes held at the peak, as the definition of a case says."""
    return _chart(_frame(points, axis), axis, "memory_bytes", colours, title)


def roofline_figure(
    points: pd.DataFrame, axis: str, colours: Sequence[str], title: str | None = None
) -> go.Figure | None:
    """GFLOP/s against operations per byte, below what copies and a product of the machine allow.

    A lookup has no operations, and so no place here; None where there is nothing else.
    """
    frame = _frame(points, axis)
    frame["intensity"] = frame.gflop_per_s / frame.gb_per_s
    frame = frame[frame.intensity > 0]
    if frame.empty:
        return None
    roofs = [_roofs(part) for _, part in frame.groupby(["machine", "setting"], sort=False)]
    frame = pd.concat([frame, *roofs], ignore_index=True)
    return _chart(frame, axis, "gflop_per_s", colours, title, x="intensity")


def _roofs(part: pd.DataFrame) -> pd.DataFrame:
    """Both limits of one machine: a copy of the largest data, and the matrix product."""
    product = (part.gflop_per_s / part.share_of_product).max()
    copy = (part.gb_per_s / part.share_of_copy).iloc[-1]
    if not (product > 0 and copy > 0):
        return part[:0]
    ridge = product / copy
    left, right = min(part.intensity.min(), ridge) / 2, 2 * max(part.intensity.max(), ridge)
    rows = [(COPY, left, left * copy), (COPY, ridge, product)]
    rows += [(PRODUCT, ridge, product), (PRODUCT, right, product)]
    frame = pd.DataFrame(rows, columns=["method", "intensity", "gflop_per_s"])
    return frame.assign(**part[["machine", "setting"]].iloc[0], hover=frame.method)


def _frame(points: pd.DataFrame, axis: str) -> pd.DataFrame:
    """The points with `name` and label of the method, and `machine`, `setting`, `hover`.

    A setting is what lines of the same method and machine differ by.
    """
    frame = points.dropna(subset="seconds")
    names = ["<br>".join(map(plain, textwrap.wrap(name, 24))) for name in frame.machine]
    frame = frame.assign(name=frame.method, machine=names)
    frame["method"] = [METHODS[name].label for name in frame.name]
    fields = [one for one in Case.__dataclass_fields__ if one not in (axis, "method")]
    counts = frame.groupby("machine")[fields].nunique().max()
    differing = [one for one in fields if counts[one] > 1]
    frame["setting"] = [", ".join(_words(one, case) for one in differing) for case in frame.case]
    frame["hover"] = [
        "<br>".join(filter(None, [f"<b>{method}</b>", setting, _words(axis, case)]))
        for method, setting, case in zip(frame.method, frame.setting, frame.case, strict=True)
    ]
    return frame


def _words(field: str, case: Case) -> str:
    return case.mode_record.label if field == "mode" else at(field, getattr(case, field))


def unbroken(text: str) -> str:
    """The text, with each number on one line with its unit."""
    return re.sub(r"(\d) (\D)", "\\1\xa0\\2", text)


def _finding(frame: pd.DataFrame, axis: str, y: str) -> str:
    """What the first two methods have at the last place of the axis."""
    measured = frame.dropna(subset="case")  # the others are roofs
    case = measured.case.iloc[-1]
    there = measured[measured[axis] == getattr(case, axis)].drop_duplicates("name")[:2]
    pairs = zip(there.name, there[y], strict=True)
    said = [f"{METHODS[name].label} {Y[y][1](value)}" for name, value in pairs]
    return as_sentence(f"{at(axis, getattr(case, axis))}: {', '.join(said)}")


def _chart(
    frame: pd.DataFrame,
    axis: str,
    y: str,
    colours: Sequence[str],
    title: str | None,
    x: str = "",
    **bars: str,
) -> go.Figure:
    """A line for each method and setting, or marks where the axis has kinds; a panel a machine."""
    kinds, panels, words = not (x or AXES[axis].size), frame.machine.nunique(), Y[y][1]
    title = _finding(frame, axis, y) if title is None else title
    lines = textwrap.wrap(unbroken(title), TITLE, max_lines=2, placeholder=" …")
    frame["hover"] += "<br>" + frame[y].map(words)
    dash = "setting" if frame.setting.nunique() > 1 else "method"
    line = {} if kinds else {"line_dash": dash, "line_dash_map": DASHES, "markers": True}
    hues = {
        one.label: shaded(colours[one.colour], colours[2], one.look[0]) for one in METHODS.values()
    }
    figure = (px.scatter if kinds else px.line)(
        frame,
        x or axis,
        y,
        color="method",
        symbol="method",
        color_discrete_map=hues | {COPY: colours[2], PRODUCT: colours[2]},
        symbol_map=MARKS,
        category_orders={axis: [*AXES[axis].values]} if kinds else {},
        facet_col="machine" if panels > 1 else None,
        facet_col_wrap=WRAP,
        hover_name="hover",
        labels=LABELS | ({axis: axis} if panels > 1 else {}),
        title="<br>".join(map(plain, lines)),
        template=TEMPLATE,
        **line,
        **bars,
    )
    figure.update_traces(hovertemplate="%{hovertext}<extra></extra>", marker_size=8)
    spread = frame[[y, "low", "high"]].stack() if bars else frame[y]
    figure.update_yaxes(**_log(spread, words))
    if not kinds:
        figure.update_xaxes(**_log(frame[x or axis], "{:,g}".format))
    if not (x or kinds):
        values = thinned(sorted(set(frame[axis])), max(2, 6 // panels))
        figure.update_xaxes(tickvals=values, ticktext=[f"{value:,}" for value in values])
    figure.for_each_annotation(lambda one: one.update(text=one.text.partition("=")[2]))
    above = 18 * len(lines) + 36 * (panels > 1)
    lay_out(
        figure,
        height=340 + above + 150 * ((panels - 1) // WRAP),
        hovermode="closest",
        margin={"l": 66, "r": 12, "t": 16 + above, "b": 40},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top", "title": {"text": ""}},
    )
    return figure


def _log(values: pd.Series, words: Callable[[Any], str]) -> dict[str, Any]:
    """A log axis around values, with readable ticks."""
    low, high = log_range(values, (values.min() / 1.5, 1.5 * values.max()))
    ticks = byte_ticks(low, high) if words is format_bytes else log_ticks(low, high, words)
    return {"type": "log", "range": [low, high], **ticks}


FIGURES = (time_figure, ratio_figure, memory_figure, roofline_figure)
