"""The cheap ways to make and lay out a figure give what plotly's own ways give."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots

from embviz.figures.layout import lay_out, new_figure

PARTS = {
    "title": "found",
    "height": 300,
    "xaxis": {"title": "step", "type": "log", "range": [0, 2]},
    "yaxis": {"title": "loss"},
    "legend": {"orientation": "h", "y": 1.0},
    "annotations": [{"text": "target", "x": 1, "y": 2}],
}


def _with_line() -> go.Figure:
    figure = go.Figure(go.Bar(x=[1], y=[2]))
    figure.add_hline(y=1, annotation_text="limit")
    return figure


@pytest.mark.parametrize("make", [_with_line, lambda: make_subplots(rows=2, cols=1)])
def test_the_layout_is_what_update_layout_gives(make) -> None:
    """Each part replaces what the figure had there, and all else stays."""
    ours, theirs = make(), make()
    lay_out(ours, **PARTS)
    theirs.update_layout(overwrite=True, **PARTS)
    assert ours.to_plotly_json() == theirs.to_plotly_json()


def test_a_wrong_part_is_refused() -> None:
    """Plotly still checks names and values."""
    with pytest.raises(ValueError, match="colour"):
        lay_out(go.Figure(), xaxis={"colour": "red"})


def test_a_new_figure_is_plotlys_but_for_the_template() -> None:
    """It carries a template with a layout, which Streamlit's theme needs, and no more."""
    trace = go.Scatter(x=[1], y=[2])
    ours, theirs = new_figure(trace).to_plotly_json(), go.Figure(trace).to_plotly_json()
    assert ours["data"] == theirs["data"]
    assert set(ours["layout"]) == {"template"}
    assert "layout" in ours["layout"]["template"]
