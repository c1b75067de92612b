import math
from collections.abc import Callable
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from embviz.figures.timing.charts import plain_title
from embviz.figures.timing.curves import DASHES, Plot
from embviz.figures.timing.roofline import (
    ARITHMETIC,
    MEMORY,
    bandwidth_figure,
    roofline_figure,
)
from embviz.timing import physical
from embviz.timing.cases import Case
from embviz.timing.results import Failure, Measurement
from embviz.timing.runs import Run
from embviz.timing.settings import SKEWS
from tests.figures.timing.made_runs import COLOURS, ROWS, RUN, measured, run_of, sweep, traces
from tests.timing.test_physical import END

KNOWN = replace(RUN, end=END)
MATMULS = [
    one
    for one in RUN.results
    if isinstance(one, Measurement) and one.case.method == "matmul" and not one.helps
]


def plot_of(run: Run) -> Plot:
    """The common part of the charts of one run."""
    return Plot([run], COLOURS)


def test_copies_are_the_roof_of_bytes() -> None:
    """The copies stand at the bytes that they move; each method at those of its calls."""
    figure = bandwidth_figure(plot_of(KNOWN))
    (roof,) = traces(figure, MEMORY)
    assert (list(roof.x), list(roof.y)) == ([8192, 2**27], [80, 10])
    (lookup,) = traces(figure, "lookup")
    assert list(lookup.x) == [Case("lookup", rows, 64, 64).bytes for rows in ROWS]
    assert "of a plain copy's" in lookup.hovertext[0]
    assert "lookup moves" in plain_title(figure)


def test_a_matmul_stands_under_both_roofs() -> None:
    """Both roofs meet where the memory's limit reaches the arithmetic's; a lookup has no place."""
    figure = roofline_figure(plot_of(KNOWN))
    assert figure is not None
    (memory,), (arithmetic,) = (traces(figure, name) for name in (MEMORY, ARITHMETIC))
    assert memory.y[-1] == arithmetic.y[0] == 100
    assert memory.y[-1] / memory.x[-1] == memory.y[0] / memory.x[0] == 10
    (matmul,) = traces(figure, "matmul, one-hot ready")
    assert list(matmul.x) == [one.case.flops / one.case.bytes for one in MATMULS]
    assert list(matmul.y) == [physical.gflop_per_s(one) for one in MATMULS]
    assert traces(figure, "lookup") == []
    assert "of a matrix product's" in plain_title(figure)


@pytest.mark.parametrize("draw", [bandwidth_figure, roofline_figure])
def test_each_machine_has_its_dash_under_its_own_roof(
    draw: Callable[[Plot], go.Figure | None],
) -> None:
    """The legend and the hovers name the machines; the title says which one it is on."""
    names = ["one", "<b>two"]
    figure = draw(Plot([replace(KNOWN, name=name) for name in names], COLOURS, machines=names))
    assert figure is not None
    dashes = [*DASHES[:2]]
    for name in (MEMORY, "matmul, one-hot ready"):
        assert [trace.line.dash for trace in traces(figure, name)] == dashes
    assert [traces(figure, name)[0].line.dash for name in ("one", "&lt;b&gt;two")] == dashes
    assert "&lt;b&gt;two: float32" in traces(figure, MEMORY)[1].hovertext[0]
    assert "(one)" in plain_title(figure)


def test_without_arithmetic_there_is_no_roofline() -> None:
    """A run of copies alone has no roofline."""
    assert roofline_figure(plot_of(run_of(sweep(["lookup", "index_select"])))) is None


@pytest.mark.parametrize(
    "run",
    [
        KNOWN,
        RUN,
        run_of([measured(Case("matmul", 64, 8, 4, ids=ids), 1e-6) for ids in SKEWS]),
        run_of([Failure(Case("matmul", 64, 8, 4), "gone")]),
        run_of([]),
    ],
)
def test_everything_lies_within_the_axes(run: Run) -> None:
    """All points and roofs lie within the axes, with and without ceilings."""
    for figure in (bandwidth_figure(plot_of(run)), roofline_figure(plot_of(run))):
        if figure is None:
            continue
        (left, right), (low, high) = figure.layout.xaxis.range, figure.layout.yaxis.range
        assert plain_title(figure)
        for trace in figure.data:
            for x, y in zip(trace.x, trace.y, strict=True):
                assert left - 1e-9 <= math.log10(x) <= right + 1e-9, trace.name
                assert low <= math.log10(y) <= high, trace.name
