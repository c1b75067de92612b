"""A chart of a word's cosines in two sentences, from its rows through every layer."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from embviz.context.shared_word import SharedWord
from embviz.picture.layout import lay_out, new_figure, plain

SAME, OTHER, UNKNOWN = 5, 4, 2  # places among the colours
NAMES = {True: "same sense", False: "other sense"}
HEIGHT_PX = 300
LABEL = 0.08  # Height of a line's label, as a share of the chart's.


def layers_figure(run: SharedWord, colours: Sequence[str]) -> go.Figure:
    """A line for each pair of sentences; pairs of one sense are solid, all others dashed.

    Args:
        run: of two sentences or more.
        colours: those of charts.
    """
    figure, names = new_figure(), ["row", "+<br>place", *map(str, range(1, run.depth + 1))]
    lines = [run.cosines(pair) for pair in run.pairs]
    if run.unrelated:
        _add_unrelated(figure, run.unrelated, colours[UNKNOWN])
    lowest = min(min(values) for values in (*lines, *run.unrelated))
    beside = _apart([values[-1] for values in lines], LABEL * (1 - lowest))
    for pair, values, y in zip(run.pairs, lines, beside, strict=True):
        is_same = run.same_sense(pair)
        colour = colours[UNKNOWN if is_same is None else SAME if is_same else OTHER]
        label = f"{pair[0] + 1} and {pair[1] + 1}"
        figure.add_scatter(
            x=[*range(len(values))],
            y=values,
            mode="lines+markers",
            line={"color": colour, "width": 3 if is_same else 2, "dash": _dash(is_same)},
            marker={"size": 6},
            hovertemplate=f"sentences {label}<br>%{{x}}: cosine %{{y:.3f}}<extra></extra>",
            showlegend=False,
        )
        figure.add_annotation(
            x=len(values) - 1,
            y=y,
            text=label if is_same is None else f"{label}: {NAMES[is_same]}",
            font={"color": colour},
            xanchor="left",
            align="left",
            xshift=8,
            showarrow=False,
        )
    lay_out(
        figure,
        title=f"Cosine of {plain(run.word)} in two sentences",
        height=HEIGHT_PX,
        margin={"l": 40, "r": 128, "t": 40, "b": 0},
        xaxis={
            "title": "after layer",
            "tickvals": [*range(len(names))],
            "ticktext": names,
            "tickangle": 0,
            "range": [-0.3, len(names) - 0.8],
        },
        yaxis={"nticks": 5},
    )
    return figure


def _add_unrelated(figure: go.Figure, ends: Sequence[Sequence[float]], colour: str) -> None:
    """A grey band: what most pairs of unrelated words get."""
    low, high = zip(*ends, strict=True)
    places = [*range(len(ends))]
    figure.add_scatter(
        x=[*places, *places[::-1]],
        y=[*high, *low[::-1]],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=f"rgba{(*bytes.fromhex(colour[1:]), 0.25)}",
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_annotation(
        x=places[-1],
        y=(low[-1] + high[-1]) / 2,
        text="unrelated words",
        font={"color": colour},
        xanchor="left",
        xshift=8,
        showarrow=False,
    )


def _apart(values: Sequence[float], gap: float) -> list[float]:
    """The heights of labels for these values: a lower value's is at least `gap` lower."""
    places, free = dict[int, float](), float("inf")
    for k in sorted(range(len(values)), key=lambda k: -values[k]):
        places[k] = free = min(values[k], free - gap)
    return [places[k] for k in range(len(values))]


def _dash(is_same: bool | None) -> str:
    return "dash" if is_same is False else "solid"
