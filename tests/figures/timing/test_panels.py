"""The same sweep on several machines: a dash for each, or a panel for each."""

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from embviz.figures.timing.charts import speedup_figure, time_figure
from embviz.figures.timing.curves import DASHES, Plot
from embviz.timing.runs import Run
from tests.figures.timing.made_runs import COLOURS, RUN, legend, sweep, traces


def runs_of(*names: str) -> list[Run]:
    """A run of each machine."""
    return [replace(RUN, name=one, environment={"cpu": "Some CPU", "worker": one}) for one in names]


def drawn(*names: str, measured: int | None = None) -> go.Figure:
    """The chart of times; only the first `measured` machines have a run."""
    return time_figure(Plot(runs_of(*names)[:measured], COLOURS, machines=names))


def test_up_to_three_machines_have_a_dash_each() -> None:
    """All lines of a machine have its dash and one size; the legend names it, and so do hovers."""
    figure = drawn("one", "<b>two</b>", "three")
    for name in ("lookup", "matmul, one-hot ready"):
        lines = traces(figure, name)
        assert [line.line.dash for line in lines] == list(DASHES)
        assert {line.marker.size for line in lines} == {8}
    (entry,) = traces(figure, "&lt;b&gt;two&lt;/b&gt;")
    assert (entry.line.dash, entry.showlegend) == (DASHES[1], True)
    assert "&lt;b&gt;two" in traces(figure, "lookup")[1].hovertext[0]
    late = time_figure(Plot(runs_of("two"), COLOURS, machines=["one", "two"]))
    assert traces(late, "lookup")[0].line.dash == DASHES[1]


@pytest.mark.parametrize(("count", "columns"), [(4, 2), (9, 4)])
def test_more_machines_have_a_panel_each(count: int, columns: int) -> None:
    """Panels share their axes and one legend, and a machine without times is named too."""
    names = [f"m{place}" for place in range(count)]
    figure = drawn(*names, measured=count - 1)
    layout = figure.layout.to_plotly_json()
    axes = [f"yaxis{place or ''}" for place in (0, *range(2, count + 1))]
    assert len({tuple(layout[axis]["range"]) for axis in axes}) == 1
    starts = {layout[axis.replace("y", "x", 1)]["domain"][0] for axis in axes}
    assert len(starts) == columns
    assert [note["text"] for note in layout["annotations"]] == [
        *(f"<b>{name}</b>" for name in names[:-1]),
        f"<b>{names[-1]}</b>: no times",
    ]
    assert {trace.yaxis for trace in traces(figure, "lookup")} == {
        f"y{place or ''}" for place in (0, *range(2, count))
    }
    assert len(legend(figure)) == len(set(legend(figure)))
    other = speedup_figure(Plot(runs_of(*names), COLOURS, machines=names))
    assert len(other.layout.annotations) == count


def test_runs_of_other_settings_share_the_marks_of_equal_ones() -> None:
    """A run without new ids beside one with them: equal settings have one size and one entry."""
    new = [replace(one, case=replace(one.case, cache="new")) for one in sweep(["lookup"])]
    both = replace(RUN, name="one", results=(*RUN.results, *new))
    plot = Plot([both, replace(RUN, name="two")], COLOURS, machines=["one", "two"])
    assert plot.key == ["● the same ids in each call", "• new ids in each call"]
