"""Three charts of timing runs: time, time beside lookup's, and memory, over what varies.

A method has one hue (its route's), one mark and one dash everywhere; a further
device, pass or run changes how the mark is filled. Nothing is computed here but
where things stand on the paper: verdicts and words come from `timing.findings`.
"""

from __future__ import annotations

import colorsys
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Any

import plotly.graph_objects as go

from embviz.timing import findings
from embviz.timing.cases import METHODS, Case
from embviz.timing.results import Failure, Measurement
from embviz.timing.runs import Run, labels
from embviz.wording import format_bytes

HEIGHT = {"time": 420, "speedup": 330, "memory": 330}  # px, with up to four names in the legend
TITLE_WIDTH = 48  # characters of a line at 390 px
KEY_WIDTH = 54  # the same, in the smaller print below
LIVE_SECONDS = (1e-6, 1e-2)  # shown at least while points arrive, so that the chart stands still
MODEL = "model, within about 2x"
FAILED = "no time (point at it: why)"
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
MANY = 8  # curves, above which the model's are drawn only when asked for
# By step: turn of the hue (1 is a full circle), and how much of the neutral colour is mixed in.
SHADES = ((0, 0), (0.03, 0), (-0.03, 0), (0, 0.5), (0.03, 0.4), (-0.03, 0.5))


@dataclass(frozen=True, eq=False)
class _Curve:
    """One line, how it looks, and what it is called (escaped)."""

    run: int
    line: findings.Line
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
        return _lines(f"<b>{self.method}</b>", self.words)


class _Sheet:
    """What the three charts share: the axis, its values, the curves, their key, the noise."""

    def __init__(
        self, runs: Sequence[Run], colours: Sequence[str], planned: Sequence[Case]
    ) -> None:
        self.live = bool(planned)
        self.cases = [*(one.case for run in runs for one in run.results), *planned]
        self.axis = findings.varying(self.cases) if self.cases else findings.AXES[0]
        self.sizes = self.axis in findings.NUMBERS
        self.values = findings.ordered(self.axis, (getattr(c, self.axis) for c in self.cases))
        self.noises = [findings.noises(run.results) for run in runs]
        self.colours = colours
        self.neutral = colours[2]
        found = [
            (index, line)
            for index, run in enumerate(runs)
            for line in findings.lines(run.results, self.axis)
        ]
        settings = list(dict.fromkeys(line.setting for _, line in found))
        of_run = [escape(label, quote=False) if len(runs) > 1 else "" for label in labels(runs)]
        words = {
            (index, line.setting): [
                *findings.setting_words(line.setting, settings), *filter(None, [of_run[index]]),
            ]
            for index, line in found
        }  # fmt: skip
        self.key = _key(list(words.values()))
        self.methods = list(dict.fromkeys((line.method, line.output) for _, line in found))
        self.curves = []
        for index, line in found:
            variant = list(words).index((index, line.setting))
            _, ending, size, width = VARIANTS[variant % len(VARIANTS)]
            colour, symbol, dash = self.look(line.method)
            self.curves.append(_Curve(
                index, line, _label(line.method, line.output),
                ", ".join(words[index, line.setting]), colour, dash, symbol + ending, size, width,
            ))  # fmt: skip

    def look(self, method: str) -> tuple[str, str, str]:
        """Colour, mark and dash of a method."""
        step, symbol, dash = LOOKS[method]
        route = self.colours[METHODS[method].route != "lookup"]
        return _shade(route, self.neutral, step), symbol, dash

    def style(self, curve: _Curve) -> dict[str, Any]:
        """The line and mark of a curve; the legend has one entry for each method."""
        mode = "lines+markers" if self.sizes else "markers"
        return {
            "name": curve.method, "legendgroup": curve.method, "mode": mode, "hoverinfo": "text",
            "line": {"color": curve.colour, "dash": curve.dash, "width": curve.width},
            "marker": {"color": curve.colour, "symbol": curve.symbol, "size": curve.size},
        }  # fmt: skip

    def stories(self) -> Iterator[tuple[int, list[_Curve]]]:
        """The curves to compare with each other: those of one run and setting."""
        for key in dict.fromkeys((curve.run, curve.line.setting) for curve in self.curves):
            yield key[0], [c for c in self.curves if (c.run, c.line.setting) == key]

    def x(self, value: Any, curve: _Curve | None = None) -> float:
        """Where a value stands; kinds stand at 0, 1, 2 …, the curves side by side."""
        if self.sizes:
            return float(value)
        share = 0.5 if curve is None else (self.curves.index(curve) + 0.5) / len(self.curves)
        return float(self.values.index(value)) + 0.6 * (share - 0.5)

    def noise(self, curve: _Curve, one: Measurement) -> float | None:
        """How far the same method was from itself at this point."""
        return self.noises[curve.run].get(one.case.group)

    def where(self, value: Any) -> str:
        """A value with its unit."""
        return findings.describe(self.axis, value)

    def x_axis(self) -> dict[str, Any]:
        """The layout of the axis, fixed from the first point to the last."""
        title = {"text": AXIS_TITLES[self.axis], "standoff": 6}
        if not self.sizes:
            places = list(range(len(self.values)))
            return {"title": title, "range": [-0.5, len(places) - 0.5], "tickvals": places,
                    "ticktext": [str(value) for value in self.values]}  # fmt: skip
        values = self.values or [64, 65_536]
        low, high = math.log10(values[0]), math.log10(values[-1])
        room = 0.04 * (high - low) or 0.5
        ticks = _thinned(values)
        return {"title": title, "type": "log", "range": [low - room, high + room],
                "tickvals": ticks, "ticktext": [f"{value:,}" for value in ticks]}  # fmt: skip


def time_figure(
    runs: Sequence[Run],
    colours: Sequence[str],
    *,
    text: str | None = None,
    grid: str | None = None,
    planned: Sequence[Case] = (),
) -> go.Figure:
    """Time of one call against what varies: medians, quartiles as bands, the model as dots.

    Args:
        runs: one, or several to compare; of a run under way, what there is.
        colours: lookup's, matmul's, a neutral one.
        text: of titles and ticks; None leaves it to the template.
        grid: of grid lines; None leaves it to the template.
        planned: the cases of a run under way: the axes then do not move as points arrive.
    """
    sheet = _Sheet(runs, colours, planned)
    figure = go.Figure()
    seconds: list[float] = []
    for curve in sheet.curves:
        for one in curve.line.measured.values():
            seconds += [*one.quartiles_s, one.predicted_s or one.median_s]
    low, high = _range(seconds or LIVE_SECONDS, LIVE_SECONDS if sheet.live or not seconds else ())
    failed = len({curve.method for curve in sheet.curves if curve.line.failed})
    row = 0.05 * (high - low)
    high += row * (failed + 0.5 * bool(failed))
    modelled = [c for c in sheet.curves if any(m.predicted_s for m in c.line.measured.values())]
    shown = len(modelled) <= MANY or "legendonly"
    for curve in modelled:
        _add_model(figure, sheet, curve, shown)
    for curve in sheet.curves:
        _add_times(figure, sheet, curve)
    if modelled:
        mark = {"symbol": "line-ew", "size": 16, "line": {"color": sheet.neutral, "width": 2}}
        figure.add_scatter(
            x=[None], y=[None], name=MODEL, legendgroup="model", visible=shown,
            mode="lines" if sheet.sizes else "markers", marker=mark,
            line={"color": sheet.neutral, "dash": "dot", "width": 2},
        )  # fmt: skip

    def at_the_top(curve: _Curve, case: Case, level: int) -> tuple[float, float]:
        return sheet.x(getattr(case, sheet.axis), curve), 10.0 ** (high - row * (level + 0.75))

    _add_failures(figure, sheet, at_the_top)
    y_axis = {"title": "time of one call", "type": "log", "range": [low, high]}
    y_axis |= _log_ticks(low, high, lambda tick: findings.format_time(tick).replace(".0 ", " "))
    return _finish(figure, sheet, "time", _time_title(sheet), y_axis, text, grid)


def speedup_figure(
    runs: Sequence[Run],
    colours: Sequence[str],
    *,
    text: str | None = None,
    grid: str | None = None,
    planned: Sequence[Case] = (),
) -> go.Figure:
    """Each method's time by lookup's on the same machine, and what is only noise.

    Args: as of `time_figure`.
    """
    sheet = _Sheet(runs, colours, planned)
    figure = go.Figure()
    bases: list[_Curve] = []
    ratios: list[float] = []
    for _, curves in sheet.stories():
        base_line = findings.reference([curve.line for curve in curves])
        for base in [curve for curve in curves if curve.line is base_line]:
            bases.append(base)
            for curve in curves:
                if curve is not base:
                    ratios += _add_ratios(figure, sheet, curve, base)
    if bases:
        base = bases[0]
        ends = [sheet.x(sheet.values[0]), sheet.x(sheet.values[-1])]
        if len(sheet.values) == 1 or not sheet.sizes:
            ends = [ends[0] - 0.5, ends[-1] + 0.5]
        figure.add_scatter(
            x=ends, y=[1, 1], mode="lines", name=f"{METHODS[base.line.method].label} = 1x",
            line={"color": base.colour, "width": 2}, hoverinfo="skip",
        )  # fmt: skip
        ratios += _add_noise(figure, sheet, bases)
    low, high = _range([*ratios, 1.0], (0.5, 1000) if sheet.live else (0.9, 1.1))
    named = f"time / {bases[0].line.name}'s time" if bases else "time / lookup's time"
    y_axis = {"title": named, "type": "log", "range": [low, high]}
    y_axis |= _log_ticks(low, high, lambda factor: f"{factor:,g}x")
    return _finish(figure, sheet, "speedup", _speedup_title(sheet), y_axis, text, grid)


def memory_figure(
    runs: Sequence[Run],
    colours: Sequence[str],
    *,
    text: str | None = None,
    grid: str | None = None,
    planned: Sequence[Case] = (),
) -> go.Figure:
    """Bytes held at the peak, predicted from the definition; measured ones where a GPU counts.

    Known before anything runs, so planned cases are drawn too. Args: as of `time_figure`.
    """
    sheet = _Sheet(runs, colours, planned)
    figure = go.Figure()
    lines = _memory_lines(sheet)
    settings = list(dict.fromkeys(setting for setting, _, _ in lines))
    sheet.key = _key([findings.setting_words(setting, settings) for setting in settings])
    methods = list(dict.fromkeys((method, output) for _, method, output in lines))
    for (setting, method, output), cases in lines.items():
        colour, symbol, _ = sheet.look(method)
        _, ending, size, width = VARIANTS[settings.index(setting) % len(VARIANTS)]
        # Equal bytes lie on one another: the mark below is larger, so that both are seen.
        size += 2 * max(0, 3 - methods.index((method, output)))
        name = _label(method, output)
        words = findings.setting_words(setting, settings)
        figure.add_scatter(
            x=[sheet.x(value) for value in cases],
            y=[case.memory_bytes for case in cases.values()],
            name=name, legendgroup=name,
            mode="lines+markers" if sheet.sizes else "markers",
            line={"color": colour, "dash": "dot", "width": width},
            marker={"color": colour, "symbol": symbol + ending, "size": size},
            hoverinfo="text",
            hovertext=[
                _lines(f"<b>{name}</b>", ", ".join(words), sheet.where(value),
                       f"{format_bytes(case.memory_bytes)} held at the peak, predicted:",
                       *(f"{part} {format_bytes(size)}" for part, size in case.memory().items()),
                       f"{format_bytes(case.bytes)} moved in one call")
                for value, case in cases.items()
            ],
        )  # fmt: skip
    peaks = _add_peaks(figure, sheet)
    sizes = [case.memory_bytes for cases in lines.values() for case in cases.values()]

    def at_its_size(_: _Curve, case: Case, __: int) -> tuple[float, float]:
        return sheet.x(getattr(case, sheet.axis)), float(case.memory_bytes)

    _add_failures(figure, sheet, at_its_size, 17)  # around the mark of the prediction
    low, high = _range(
        [*sizes, *peaks, min(sizes) / 2, 2 * max(sizes)] if sizes else [2**10, 2**30]
    )
    y_axis = {"title": "memory held", "type": "log", "range": [low, high]}
    y_axis |= _byte_ticks(low, high)
    return _finish(figure, sheet, "memory", _memory_title(sheet, lines), y_axis, text, grid)


# --- titles: the finding


def _time_title(sheet: _Sheet) -> str:
    said = []
    for run, curves in sheet.stories():
        lines = [curve.line for curve in curves]
        said.append(findings.headline(lines, sheet.axis, sheet.noises[run]))
    said = [one for one in said if one]
    if not said:
        return "Nothing measured yet" if not sheet.curves else "No case gave a time"
    if len(said) == 1:
        return said[0][0].upper() + said[0][1:]
    ratios = _ratios(sheet, last=sheet.sizes)
    if not ratios:
        return f"{said[0][0].upper()}{said[0][1:]}"
    return _ratio_words(sheet, ratios) + (", at the largest sizes measured" if sheet.sizes else "")


def _speedup_title(sheet: _Sheet) -> str:
    ratios = _ratios(sheet)
    return _ratio_words(sheet, ratios) if ratios else "Nothing to compare yet"


def _ratio_words(sheet: _Sheet, ratios: list[float]) -> str:
    """Of the first story's rival, which stands for all."""
    lines = next(
        [curve.line for curve in curves] for _, curves in sheet.stories()
        if findings.rival([c.line for c in curves], findings.reference(c.line for c in curves))
    )  # fmt: skip
    base = findings.reference(lines)
    rival = findings.rival(lines, base)
    assert base is not None
    assert rival is not None
    least, most = findings.times(min(ratios)), findings.times(max(ratios))
    span = least if least == most else f"{least} to {most}"
    name = rival.name if "_" in rival.name else rival.name[0].upper() + rival.name[1:]
    return f"{name} takes {span} of {base.name}'s time"


def _ratios(sheet: _Sheet, last: bool = False) -> list[float]:
    """Rival by reference in each story, at all shared values or at the last."""
    found = []
    for _, curves in sheet.stories():
        lines = [curve.line for curve in curves]
        base = findings.reference(lines)
        rival = findings.rival(lines, base)
        if base and rival:
            shared = [value for value in base.measured if value in rival.measured]
            found += [
                findings.ratio(rival.measured[value], base.measured[value])
                for value in (shared[-1:] if last else shared)
            ]
    return found


def _memory_title(sheet: _Sheet, lines: dict[Any, dict[Any, Case]]) -> str:
    if not lines:
        return "Nothing planned yet"
    value = sheet.values[-1]
    there = {
        method: cases[value] for (_, method, _), cases in reversed(lines.items()) if value in cases
    }
    chosen = [name for name in ("lookup", "onehot_matmul", "matmul") if name in there][:2]
    chosen = chosen or list(there)[:1]
    said = [
        f"{METHODS[name].label.partition(',')[0]} {'' if index else 'holds '}"
        f"{format_bytes(there[name].memory_bytes)}"
        for index, name in enumerate(chosen)
    ]
    place = findings.at(sheet.axis, value)
    return f"{place[0].upper()}{place[1:]} {', '.join(said)}"


# --- traces


def _add_times(figure: go.Figure, sheet: _Sheet, curve: _Curve) -> None:
    measured = curve.line.measured
    if not measured:
        return
    xs = [sheet.x(value, curve) for value in measured]
    medians = [one.median_s for one in measured.values()]
    lows, highs = zip(*(one.quartiles_s for one in measured.values()), strict=True)
    bars = None
    if sheet.sizes and len(xs) > 1:
        figure.add_scatter(
            x=[*xs, *reversed(xs)], y=[*highs, *reversed(lows)], fill="toself", mode="none",
            fillcolor=_translucent(curve.colour, 0.22), hoverinfo="skip", showlegend=False,
            legendgroup=curve.method,
        )  # fmt: skip
    else:
        bars = {
            "type": "data", "symmetric": False, "thickness": 1.5,
            "array": [high - mid for high, mid in zip(highs, medians, strict=True)],
            "arrayminus": [mid - low for low, mid in zip(lows, medians, strict=True)],
        }  # fmt: skip
    figure.add_scatter(
        x=xs, y=medians, error_y=bars, **sheet.style(curve),
        hovertext=[_time_hover(sheet, curve, value, one) for value, one in measured.items()],
    )  # fmt: skip


def _time_hover(sheet: _Sheet, curve: _Curve, value: Any, one: Measurement) -> str:
    low, high = map(findings.format_time, one.quartiles_s)
    noise = sheet.noise(curve, one)
    return _lines(
        curve.name,
        sheet.where(value),
        f"{findings.format_time(one.median_s)} (middle half: {low} to {high})",
        f"{len(one.times_s):,} blocks of {one.number_per_run:,} calls",
        f"model: {findings.format_time(one.predicted_s)}, mostly {one.dominant or 'unknown'}"
        if one.predicted_s
        else "",
        f"same method twice here: {findings.percent(noise)} apart" if noise else "",
    )


def _add_model(figure: go.Figure, sheet: _Sheet, curve: _Curve, shown: bool | str) -> None:
    pairs = [
        (sheet.x(value, curve), one.predicted_s)
        for value, one in curve.line.measured.items()
        if one.predicted_s
    ]
    xs, ys = zip(*pairs, strict=True)
    look: dict[str, Any] = {"mode": "lines"}
    if not sheet.sizes or len(xs) == 1:
        mark = {"symbol": "line-ew", "size": 16, "line": {"color": curve.colour, "width": 2}}
        look = {"mode": "markers", "marker": mark}
    figure.add_scatter(
        x=xs, y=ys, name=MODEL, legendgroup="model", showlegend=False, hoverinfo="skip",
        visible=shown, line={"color": curve.colour, "dash": "dot", "width": 1.5}, opacity=0.75,
        **look,
    )  # fmt: skip


def _add_failures(
    figure: go.Figure,
    sheet: _Sheet,
    place: Callable[[_Curve, Case, int], tuple[float, float]],
    size: int = 9,
) -> None:
    """Hollow crosses: a row for each method that failed, one mark for all its curves there."""
    marks: dict[tuple[float, float], tuple[str, list[str]]] = {}
    rows = list(dict.fromkeys(curve.method for curve in sheet.curves if curve.line.failed))
    for curve in sheet.curves:
        for failure in curve.line.failed.values():
            where = place(curve, failure.case, rows.index(curve.method))
            hovers = marks.setdefault(where, (curve.colour, []))[1]
            hovers.append(_failure_hover(sheet, curve, failure))
    if marks:
        xs, ys = zip(*marks, strict=True)
        colours, hovers_of = zip(*marks.values(), strict=True)
        figure.add_scatter(
            x=xs, y=ys, name=FAILED, mode="markers", hoverinfo="text",
            hovertext=[_lines(*hovers) for hovers in hovers_of],
            marker={"symbol": "x-open", "size": size, "color": colours, "line": {"width": 1.5}},
        )  # fmt: skip


def _failure_hover(sheet: _Sheet, curve: _Curve, failure: Failure) -> str:
    reason = textwrap.wrap(failure.reason, 60) or ["no reason given"]
    value = getattr(failure.case, sheet.axis)
    escaped = (escape(line, quote=False) for line in reason)
    return _lines(curve.name, f"{sheet.where(value)}: no time", *escaped)


def _add_ratios(figure: go.Figure, sheet: _Sheet, curve: _Curve, base: _Curve) -> list[float]:
    judged = findings.verdicts(curve.line, base.line, sheet.noises[curve.run])
    if not judged:
        return []
    ratios = [findings.ratio(curve.line.measured[v], base.line.measured[v]) for v, _ in judged]
    figure.add_scatter(
        x=[sheet.x(value, curve) for value, _ in judged], y=ratios, **sheet.style(curve),
        hovertext=[
            _lines(
                curve.name,
                sheet.where(value),
                f"{findings.times(ratio)} of {base.line.name}'s time",
                kind,
            )
            for (value, kind), ratio in zip(judged, ratios, strict=True)
        ],
    )  # fmt: skip
    return ratios


def _add_noise(figure: go.Figure, sheet: _Sheet, bases: Iterable[_Curve]) -> list[float]:
    """The band within which nothing is told apart: at each value, the widest of the curves'."""
    most: dict[Any, float] = {}
    for base in bases:
        for value, one in base.line.measured.items():
            known = sheet.noise(base, one) or 1.0
            most[value] = max(known, findings.MIN_NOISE, most.get(value, 1.0))
    values = findings.ordered(sheet.axis, most)
    xs: list[float | None] = []
    ys: list[float | None] = []
    if sheet.sizes and len(values) > 1:
        xs = [*map(float, values), *map(float, reversed(values))]
        ys = [*(most[v] for v in values), *(1 / most[v] for v in reversed(values))]
    else:
        for value in values:
            x = sheet.x(value)
            left, right = (x / 1.3, x * 1.3) if sheet.sizes else (x - 0.4, x + 0.4)
            xs += [left, right, right, left, None]
            ys += [most[value], most[value], 1 / most[value], 1 / most[value], None]
    figure.add_scatter(
        x=xs, y=ys, fill="toself", mode="none", name="A/A noise", hoverinfo="skip",
        fillcolor=_translucent(sheet.neutral, 0.45),
    )  # fmt: skip
    return [*most.values(), *(1 / one for one in most.values())]


def _memory_lines(
    sheet: _Sheet,
) -> dict[tuple[findings.Setting, str, str], dict[Any, Case]]:
    """Each case once for every definition: neither device nor threads nor ids change its bytes."""
    found: dict[tuple[findings.Setting, str, str], dict[Any, Case]] = {}
    order = list(METHODS)
    for case in sorted(sheet.cases, key=lambda case: order.index(case.method)):
        setting = tuple(
            pair for pair in findings.setting_of(case, sheet.axis)
            if pair[0] not in ("device", "threads", "ids")
        )  # fmt: skip
        cases = found.setdefault((setting, case.method, case.output), {})
        cases.setdefault(getattr(case, sheet.axis), case)
    return {
        key: {value: cases[value] for value in findings.ordered(sheet.axis, cases)}
        for key, cases in found.items()
    }


def _add_peaks(figure: go.Figure, sheet: _Sheet) -> list[float]:
    peaks = [
        (sheet.x(value), float(one.peak_bytes), curve, value)
        for curve in sheet.curves
        for value, one in curve.line.measured.items()
        if one.peak_bytes
    ]
    if peaks:
        figure.add_scatter(
            x=[x for x, _, _, _ in peaks], y=[y for _, y, _, _ in peaks],
            name="measured GPU peak", mode="markers", hoverinfo="text",
            marker={"symbol": "circle-open", "size": 11, "line": {"width": 1.5},
                    "color": [curve.colour for _, _, curve, _ in peaks]},
            hovertext=[
                _lines(curve.name, sheet.where(value),
                       f"{format_bytes(round(y))} at the peak, measured")
                for _, y, curve, value in peaks
            ],
        )  # fmt: skip
    return [y for _, y, _, _ in peaks]


# --- paper


def _finish(
    figure: go.Figure, sheet: _Sheet, chart: str, title: str,
    y_axis: dict[str, Any], text: str | None, grid: str | None,
) -> go.Figure:  # fmt: skip
    broken = _broken(escape(title, quote=False))
    key = _packed(sheet.key)
    small = f'<span style="font-size:12px;font-weight:400">{"<br>".join(key)}</span>'
    named: set[str] = set()
    for trace in figure.data:
        if trace.showlegend is not False:
            trace.showlegend = trace.name not in named
            named.add(trace.name)
    height = HEIGHT[chart] + 9 * max(0, len(named) - 4) + 16 * len(key)
    axes: dict[str, Any] = {"zeroline": False} | ({} if grid is None else {"gridcolor": grid})
    figure.update_layout(
        title={"text": "<br>".join([*broken, *([small] if key else [])]), "font": {"size": 14},
               "x": 0, "xref": "container", "xanchor": "left", "pad": {"l": 8},
               "y": 1 - 20 / height, "yref": "container", "yanchor": "bottom"},  # its first line
        height=height, hovermode="closest",
        margin={"l": 66, "r": 12, "t": 20 + 18 * len(broken) + 16 * len(key), "b": 40},
        legend={"orientation": "h", "yanchor": "top", "y": -0.2 if chart == "time" else -0.28,
                "x": 0, "xanchor": "left", "font": {"size": 12}, "title": {"text": ""},
                "groupclick": "togglegroup", "tracegroupgap": 0},
        xaxis={**sheet.x_axis(), **axes}, yaxis={**y_axis, **axes},
        hoverlabel={"align": "left"},
    )  # fmt: skip
    if text is not None:
        figure.update_layout(font_color=text, title_font_color=text, legend_font_color=text)
        for update in (figure.update_xaxes, figure.update_yaxes):  # a theme sets these itself
            update(tickfont_color=text, title_font_color=text)
    return figure


def plain_title(figure: go.Figure) -> str:
    """The finding as plain text, for the chart's `alt`."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", figure.layout.title.text)).split())


def _broken(title: str) -> list[str]:
    """A title in lines, at commas where they stand well, and never before a unit."""
    lines = [""]
    for clause in re.split("(?<=, )", re.sub(r"(\d) (\D)", "\\1\xa0\\2", title)):
        if lines[-1] and len(lines[-1] + clause) > TITLE_WIDTH:
            lines.append("")
        lines[-1] += clause
    wrapped = [textwrap.wrap(line, TITLE_WIDTH, break_on_hyphens=False) for line in lines]
    return [line for part in wrapped for line in part]


def _key(variants: list[list[str]]) -> list[str]:
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


def _packed(parts: list[str]) -> list[str]:
    """As many to a line as fit: on a phone every line is taken from the chart."""
    lines: list[str] = []
    for part in parts:
        wrapped = textwrap.wrap(part, KEY_WIDTH)
        if lines and len(lines[-1]) + 3 + len(part) <= KEY_WIDTH:
            wrapped = [f"{lines.pop()}\xa0\xa0 {part}"]
        lines += wrapped
    return lines


def _label(method: str, output: str) -> str:
    return METHODS[method].label + (", output reused" if output == "reused" else "")


def _range(values: Iterable[float], at_least: Sequence[float] = ()) -> tuple[float, float]:
    """Where a log axis begins and ends, in powers of ten, with room around the values."""
    logs = [math.log10(value) for value in [*values, *at_least]]
    low, high = min(logs), max(logs)
    room = max(0.06 * (high - low), 0.04)
    return low - room, high + room


def _log_ticks(low: float, high: float, word: Callable[[float], str]) -> dict[str, Any]:
    """Ticks at 1, 10, 100 …, or closer where that gives fewer than three."""
    for steps in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1, 1.2, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)):
        ticks = [
            step * 10.0**power
            for power in range(math.floor(low) - 1, math.ceil(high) + 1)
            for step in steps
            if low <= math.log10(step) + power <= high
        ]
        if len(ticks) >= 3:
            break
    return {"tickvals": ticks, "ticktext": [word(tick) for tick in ticks]}


def _byte_ticks(low: float, high: float) -> dict[str, Any]:
    """Ticks at powers of two that are read easily, such as 1 KiB, 32 KiB and 1 MiB."""
    first, last = low / math.log10(2), high / math.log10(2)
    for step in (10, 5, 2, 1):
        powers = [power for power in range(0, 64, step) if first <= power <= last]
        if len(powers) >= 3:
            break
    words = [format_bytes(2**power).replace(".0", "") for power in powers]
    return {"tickvals": [2**power for power in powers], "ticktext": words}


def _thinned(values: Sequence[int], most: int = 6) -> list[int]:
    """Those of the sizes that can be named without overlap; the largest always is."""
    kept: list[int] = []
    gap = math.log(values[-1] / values[0]) / (most - 0.5) if values[0] < values[-1] else 0.0
    for value in reversed(values):
        if not kept or math.log(kept[-1] / value) >= gap:
            kept.append(value)
    return kept[::-1]


def _shade(colour: str, neutral: str, step: int) -> str:
    """A neighbour of a route's colour, of about the same contrast."""
    turn, share = SHADES[step]
    hue, light, full = colorsys.rgb_to_hls(*_rgb(colour))
    turned = colorsys.hls_to_rgb((hue + turn) % 1, light, full)
    mixed = ((1 - share) * a + share * b for a, b in zip(turned, _rgb(neutral), strict=True))
    return "#" + "".join(f"{round(255 * part):02x}" for part in mixed)


def _rgb(colour: str) -> tuple[float, float, float]:
    """`#1666b8` as shares of 1."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _translucent(colour: str, opacity: float) -> str:
    red, green, blue = (round(255 * part) for part in _rgb(colour))
    return f"rgba({red},{green},{blue},{opacity})"


def _lines(*parts: str) -> str:
    return "<br>".join(part for part in parts if part)
