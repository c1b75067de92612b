"""Charts of context: cosines of a text's vectors, attention, and vectors by what follows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from embviz.figures.layout import LEGEND_ABOVE, heatmap, lay_out, plain
from embviz.figures.shades import shade

MAX_TICKS = 26  # characters that an axis can name
WRITTEN = 8  # up to so many rows, cells show their numbers
_MARGIN = {"l": 46, "r": 8, "t": 44, "b": 46}


def similarity_figure(
    cosines: NDArray[np.float64],
    labels: Sequence[str],
    title: str,
    diverging: Sequence[str],
    of: str = "position",
) -> go.Figure:
    """The cosine of every two vectors; 1 and -1 have the two strongest colours.

    Args:
        cosines: (N, N).
        labels: N names, such as the characters of a text.
        title: the finding.
        diverging: colours from negative to positive.
        of: the title of both axes.
    """
    hover = "%{y} and %{x}: {0}, {1}<br>cosine %{z:.4f}<extra></extra>"
    return _square(cosines, labels, title, (-1.0, 1.0), diverging, (of, of), hover)


def attention_figure(
    weights: NDArray[np.float64], labels: Sequence[str], title: str, colours: tuple[str, str]
) -> go.Figure:
    """The attention: one line for each position, whose weights sum to 1.

    Args:
        weights: (N, N).
        labels: N characters.
        title: the finding.
        colours: of weight 0 and of the largest weight.
    """
    hover = "%{y} {0} looks at %{x} {1}:<br>weight %{z:.4f}<extra></extra>"
    return _square(
        weights,
        labels,
        title,
        (0.0, float(weights.max(initial=0.0)) or 1.0),
        colours,
        ("is looked at", "looks"),
        hover,
    )


def _square(
    values: NDArray[np.float64],
    labels: Sequence[str],
    title: str,
    ends: tuple[float, float],
    colours: Sequence[str],
    axes: tuple[str, str],
    hover: str,
) -> go.Figure:
    """A square of cells; `{0}` and `{1}` in `hover` are the labels of its row and column."""
    count = len(labels)
    shown = [*map(plain, labels)]
    pairs = np.empty((count, count, 2), object)  # plotly takes twenty times as long for lists
    pairs[..., 0] = np.array(shown, object)[:, np.newaxis]
    pairs[..., 1] = shown
    hover = hover.replace("{0}", "%{customdata[0]}").replace("{1}", "%{customdata[1]}")
    figure = heatmap(values, ends, colours, hovertemplate=hover, customdata=pairs)
    if count <= WRITTEN:
        _write(figure, values, ends, colours)
    every = 1 if count <= MAX_TICKS else 8  # for a long text every eighth position, by number
    names = shown if every == 1 else [str(k) for k in range(count)]
    ticks = {"tickvals": list(range(0, count, every)), "ticktext": names[::every], "tickangle": 0}
    lay_out(
        figure,
        title=title,
        height=380,
        margin=_MARGIN,
        xaxis={"title": axes[0], **ticks},
        yaxis={"title": axes[1], "autorange": "reversed", **ticks},
    )
    return figure


def _write(
    figure: go.Figure,
    values: NDArray[np.float64],
    ends: tuple[float, float],
    colours: Sequence[str],
) -> None:
    """The numbers in their cells, in a readable ink."""
    rows, columns = np.indices(values.shape)
    ink = [_ink(shade((value - ends[0]) / (ends[1] - ends[0]), colours)) for value in values.flat]
    figure.add_scatter(
        x=columns.flat,
        y=rows.flat,
        mode="text",
        text=[f"{value:.2f}" for value in values.flat],
        textfont={"color": ink},
        hoverinfo="skip",
        showlegend=False,
    )


def _linear(part: float) -> float:
    """One channel of a colour, linear in light, as WCAG defines it."""
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _ink(colour: str) -> str:
    """Black or white, whichever has more contrast: at least 4.5:1 on every colour."""
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    light = 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)
    return "#000000" if (light + 0.05) / 0.05 > 1.05 / (light + 0.05) else "#ffffff"


def steps_figure(
    vectors: NDArray[np.float64], names: Sequence[str], title: str, diverging: Sequence[str]
) -> go.Figure:
    """One character's vectors in the stack: a line for each step.

    Args:
        vectors: (S, D).
        names: S steps.
        title: the finding.
        diverging: colours from negative to positive.
    """
    limit = float(np.abs(vectors).max(initial=0.0)) or 1.0
    hover = "dimension %{x}: %{z:.5f}<extra></extra>"
    figure = heatmap(vectors, (-limit, limit), diverging, xgap=1, ygap=3, hovertemplate=hover)
    lay_out(
        figure,
        title=title,
        height=110 + 34 * len(names),
        margin=_MARGIN | {"l": 150},
        xaxis={"title": "dimension"},
        yaxis={
            "autorange": "reversed",
            "tickvals": list(range(len(names))),
            "ticktext": [*map(plain, names)],
        },
    )
    return figure


def learning_figure(
    steps: Sequence[int],
    losses: Sequence[float],
    held_out: Sequence[tuple[int, float]],
    bigram: float,
    title: str,
    colours: Sequence[str],
) -> go.Figure:
    """The small transformer's loss on its batches and on the held-out text.

    Args:
        steps: of each training loss.
        losses: of the batches, nats a character.
        held_out: steps and losses on the held-out text.
        bigram: the bigram model's loss on that text.
        title: the finding.
        colours: the transformer's, another one, a neutral one.
    """
    figure = go.Figure()
    figure.add_scatter(
        x=list(steps),
        y=list(losses),
        mode="lines",
        name="batches",
        line={"color": colours[2], "width": 1},
        opacity=0.6,
    )
    figure.add_scatter(
        x=[step for step, _ in held_out],
        y=[loss for _, loss in held_out],
        mode="lines+markers",
        name="held-out text",
        line={"color": colours[0], "width": 2},
    )
    figure.add_hline(
        y=bigram,
        line={"color": colours[1], "dash": "dot"},
        annotation_text=f"bigram model, held-out: {bigram:.3f}",
        annotation_position="bottom right",
    )
    lay_out(
        figure,
        title=title,
        height=360,
        margin=_MARGIN,
        xaxis_title="step",
        yaxis_title="loss, nats a character",
        legend=LEGEND_ABOVE,
    )
    return figure


def places_figure(
    points: NDArray[np.float64],
    groups: Sequence[str],
    words: Sequence[str],
    title: str,
    colours: Sequence[str],
) -> go.Figure:
    """One letter at many places: a point for each place, marked by what follows.

    Args:
        points: (N, 2).
        groups: N names, the next character.
        words: N texts around the places.
        title: the finding.
        colours: of the groups, repeated in order.
    """
    symbols = ("circle", "square", "diamond", "cross", "x", "triangle-up")
    figure = go.Figure()
    for place, group in enumerate(dict.fromkeys(groups)):
        chosen = [k for k, one in enumerate(groups) if one == group]
        figure.add_scatter(
            x=points[chosen, 0],
            y=points[chosen, 1],
            mode="markers",
            name=plain(f"before {group}"),
            marker={
                "color": colours[place % len(colours)],
                "symbol": symbols[place % len(symbols)],
                "size": 9,
            },
            customdata=[plain(words[k]) for k in chosen],
            hovertemplate="%{customdata}<extra></extra>",
        )
    lay_out(
        figure,
        title=title,
        height=360,
        margin=_MARGIN,
        xaxis_title="first axis",
        yaxis_title="second axis",
        legend={"orientation": "h", "y": -0.2, "x": 0},
    )
    return figure


def layers_figure(
    cosines: NDArray[np.float64], names: Sequence[str], title: str, colours: Sequence[str]
) -> go.Figure:
    """The cosine of one word in every two sentences, layer by layer.

    Args:
        cosines: (L, P), one column for each pair.
        names: P pairs, such as `1 and 2`.
        title: the finding.
        colours: of the pairs, repeated in order.
    """
    dashes = ("solid", "dash", "dot", "dashdot")
    figure = go.Figure()
    layers = ["row", "+ place", *map(str, range(1, len(cosines) - 1))]
    for place, name in enumerate(names):
        figure.add_scatter(
            x=list(range(len(cosines))),
            y=cosines[:, place],
            name=name,
            mode="lines+markers",
            line={
                "color": colours[place % len(colours)],
                "dash": dashes[place // len(colours) % len(dashes)],
            },
            hovertemplate=f"{name}, %{{x}}: %{{y:.4f}}<extra></extra>",
        )
    lay_out(
        figure,
        title=title,
        height=380,
        margin=_MARGIN,
        xaxis={
            "title": "layer",
            "tickvals": list(range(len(cosines))),
            "ticktext": layers,
            "tickangle": 0,
        },
        yaxis_title="cosine",
        legend={"orientation": "h", "y": -0.25, "x": 0},
    )
    return figure
