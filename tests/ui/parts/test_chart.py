"""The text of a chart for screen readers."""

import plotly.graph_objects as go

from embviz.ui.parts.chart import alt_text


def test_a_chart_says_title_axes_and_curves() -> None:
    """Without markup; eight curves are named, and the rest is counted."""
    figure = go.Figure([go.Scatter(x=[1], y=[2], name="a <b>"), go.Scatter(x=[1], y=[2])])
    figure.update_layout(title="Up,<br>then &lt;down&gt;", xaxis_title="rows", yaxis_title="time")
    assert alt_text(figure) == "Up, then <down>. time against rows. Curves: a."
    figure = go.Figure([go.Scatter(name=f"c{k}") for k in range(11)])
    assert alt_text(figure).endswith("c6, c7 and 3 more.")
    assert alt_text(go.Figure()) == "Chart."
