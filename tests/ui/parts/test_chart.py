"""The text of a chart for screen readers, and of a pressed point."""

import plotly.graph_objects as go

from embviz.ui.parts.chart import alt_text, picked


def test_a_chart_says_title_axes_and_curves() -> None:
    """Without markup; eight curves are named, and the rest is counted."""
    figure = go.Figure([go.Scatter(x=[1], y=[2], name="a <b>"), go.Scatter(x=[1], y=[2])])
    figure.update_layout(title="Up,<br>then &lt;down&gt;", xaxis_title="rows", yaxis_title="time")
    assert alt_text(figure) == "Up, then <down>. time against rows. Curves: a."
    figure = go.Figure([go.Scatter(name=f"c{k}") for k in range(11)])
    assert alt_text(figure).endswith("c6, c7 and 3 more.")
    assert alt_text(go.Figure()) == "Chart."


def test_a_pressed_point_says_what_a_hover_says() -> None:
    """Hover text or numbers of the point, without markup; a forged point says nothing."""
    texts = ["<b>a</b><br>3 rows", "b<br>4 &lt; 5"]
    curves = go.Scatter(x=[1, 2], hovertext=texts), go.Scatter(x=[1000], y=[0.5], name="c")
    figure = go.Figure(curves)

    def said(*place: object) -> str:
        return picked(figure, [dict(zip(("curve_number", "point_index"), place, strict=False))])

    found = [said(*place) for place in ((0, 1), (1, 0), (), (2, 0), ("x", 0))]
    assert found == ["b; 4 < 5", "c: 1,000, 0.5", "", "", ""]
