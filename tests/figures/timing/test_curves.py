import pytest

from embviz.figures.shades import shaded
from embviz.figures.timing.curves import VARIANTS
from embviz.timing.methods import METHODS
from tests.figures.timing.made_runs import (
    COLOURS,
    RUN,
    THEME,
    run_of,
    time_figure,
    traces,
)


def contrast(colour: str, ground: str) -> float:
    """WCAG's contrast ratio of two colours."""
    light = []
    for one in (colour, ground):
        parts = [int(one[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        light.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.parametrize("shade", ["light", "dark"])
@pytest.mark.parametrize("method", METHODS)
def test_every_line_can_be_seen(shade: str, method: str) -> None:
    """Every method's colour has a contrast of at least 3:1 in both themes."""
    colours = THEME[shade]["chartCategoricalColors"]
    route = colours[METHODS[method].route != "lookup"]
    drawn = shaded(route, colours[2], METHODS[method].look[0])
    assert contrast(drawn, THEME[shade]["backgroundColor"]) >= 3
    assert (drawn == route) == (method in ("lookup", "matmul"))


def test_runs_differ_by_their_marks() -> None:
    """A further run has another size of the mark, explained in the key."""
    other = run_of(RUN.results, "s", cpu="Other <b>one</b>", date="2026-07-14")
    figure = time_figure([RUN, other])
    first, second = traces(figure, "lookup")
    assert (first.marker.symbol, second.marker.symbol) == ("circle", "circle")
    assert (first.marker.size, second.marker.size) == (8, 5)
    assert first.marker.color == second.marker.color == COLOURS[0]
    assert [first.showlegend, second.showlegend] == [True, False]
    assert figure.layout.title.text.endswith(
        '<span style="font-size:12px;font-weight:400">● Some\xa0\xa0 '
        "• Other &lt;b&gt;one&lt;/b&gt;, 2026-07-14</span>"
    )
    assert "Other &lt;b&gt;one" in second.hovertext[0]
    assert len({size for _, size, _ in VARIANTS}) == len(VARIANTS)
