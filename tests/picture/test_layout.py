"""The text of a chart for screen readers, and its size on a projector."""

import plotly.graph_objects as go

from embviz.picture.layout import PROJECTED, alt_text, enlarged


def test_a_chart_says_its_finding_and_axes() -> None:
    """The text for screen readers has no markup."""
    figure = go.Figure([go.Scatter(x=[1], y=[2], name="a <b>"), go.Scatter(x=[1], y=[2])])
    figure.update_layout(title="Up,<br>then &lt;down&gt;", xaxis_title="rows", yaxis_title="time")
    assert alt_text(figure) == "Up, then <down>. time against rows."
    assert alt_text(go.Figure()) == "Chart."


def test_a_projector_has_a_larger_copy() -> None:
    """Type, height and margins grow alike; the chart itself stays as it is."""
    figure = go.Figure([go.Scatter(x=[1], y=[2])])
    figure.update_layout(height=300, title={"text": "Up", "font": {"size": 13}})
    figure.add_annotation(text="here", font={"size": 11})
    before, larger = figure.to_json(), enlarged(figure).layout
    assert figure.to_json() == before
    assert larger.height == round(300 * PROJECTED)
    sizes = [larger.title.font.size, larger.annotations[0].font.size]
    assert sizes == [round(13 * PROJECTED), round(11 * PROJECTED)]
    assert larger.xaxis.tickfont.size > 12
    assert larger.margin.l > 46
