"""The text of a chart for screen readers."""

import plotly.graph_objects as go

from embviz.ui.parts.chart import alt_text, picked


def test_a_chart_says_title_axes_and_curves() -> None:
    """The text has title, axes and named curves, without markup."""
    figure = go.Figure([go.Scatter(x=[1], y=[2], name="a <b>"), go.Scatter(x=[1], y=[2])])
    figure.update_layout(title="Up,<br>then &lt;down&gt;", xaxis_title="rows", yaxis_title="time")
    assert alt_text(figure) == "Up, then <down>. time against rows. Curves: a."


def test_many_curves_are_counted() -> None:
    """Eight curves are named, and the rest is counted."""
    figure = go.Figure([go.Scatter(x=[1], y=[2], name=f"c{k}") for k in range(11)])
    assert alt_text(figure).endswith("c6, c7 and 3 more.")
    assert alt_text(go.Figure()) == "Chart."


def test_a_pressed_point_says_what_a_hover_says() -> None:
    """Hover text or numbers of the point, without markup; a forged point says nothing."""
    hover = ["<b>a</b><br>3 rows", "b<br>4 &lt; 5"]
    figure = go.Figure(
        [go.Scatter(x=[1, 2], y=[3, 4], hovertext=hover), go.Scatter(x=[1000], y=[0.5], name="c")]
    )
    assert picked(figure, [{"curve_number": 0, "point_index": 1}]) == "b; 4 < 5"
    assert picked(figure, [{"curve_number": 1, "point_index": 0}]) == "c: 1,000, 0.5"
    forged = {"curve_number": "x", "point_index": 0}
    for points in ([], [{}], [{"curve_number": 2, "point_index": 0}], [forged], ["x"]):
        assert picked(figure, points) == ""
