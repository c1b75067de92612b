"""What a chart says to those who do not see it."""

import plotly.graph_objects as go

from embviz.ui.parts.chart import words


def test_a_chart_says_title_axes_and_curves() -> None:
    """A screen reader would read markup, or nothing."""
    figure = go.Figure([go.Scatter(x=[1], y=[2], name="a <b>"), go.Scatter(x=[1], y=[2])])
    figure.update_layout(title="Up,<br>then &lt;down&gt;", xaxis_title="rows", yaxis_title="time")
    assert words(figure) == "Up, then <down>. time against rows. Curves: a."


def test_many_curves_are_counted() -> None:
    """A screen reader would read for a minute."""
    figure = go.Figure([go.Scatter(x=[1], y=[2], name=f"c{k}") for k in range(11)])
    assert words(figure).endswith("c6, c7 and 3 more.")
    assert words(go.Figure()) == "Chart."
