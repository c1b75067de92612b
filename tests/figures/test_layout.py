"""The text of a chart for screen readers."""

import plotly.graph_objects as go

from embviz.figures.layout import alt_text


def test_a_chart_says_its_finding_and_axes() -> None:
    """Without markup."""
    figure = go.Figure([go.Scatter(x=[1], y=[2], name="a <b>"), go.Scatter(x=[1], y=[2])])
    figure.update_layout(title="Up,<br>then &lt;down&gt;", xaxis_title="rows", yaxis_title="time")
    assert alt_text(figure) == "Up, then <down>. time against rows."
    assert alt_text(go.Figure()) == "Chart."
