"""The cheap ways to make and lay out a figure give what plotly's own ways give."""

import plotly.graph_objects as go
import pytest

from embviz.figures.layout import lay_out

PARTS = {"title": "found", "xaxis": {"type": "log"}, "annotations": [{"text": "a", "x": 1}]}


def test_the_layout_is_what_update_layout_gives() -> None:
    """Each part replaces what the figure had there, all else stays, and plotly checks it."""
    ours, theirs = go.Figure(go.Bar(x=[1], y=[2])), go.Figure(go.Bar(x=[1], y=[2]))
    for figure in (ours, theirs):
        figure.add_hline(y=1, annotation_text="limit")
    lay_out(ours, **PARTS)
    theirs.update_layout(overwrite=True, **PARTS)
    assert ours.to_plotly_json() == theirs.to_plotly_json()
    with pytest.raises(ValueError, match="colour"):
        lay_out(ours, xaxis={"colour": "red"})
