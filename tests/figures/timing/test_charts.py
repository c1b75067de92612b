"""The charts of timing runs, and their tables."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embviz.figures.timing import charts, tables
from embviz.figures.timing.charts import draw
from embviz.timing.axes import SKEWS
from embviz.timing.case import plan
from embviz.timing.methods import METHODS
from embviz.timing.run import Run, points
from embviz.timing.statistics import verdicts
from tests.timing.made import ROWS, made_run, vocab

COLOURS = "#1666b8", "#c05a00", "#5b6472"
RUN = made_run(vocab())
POINTS = points([RUN])
EVIL = "<b>x</b><script>alert(1)</script>"


def drawn(y: str = "seconds", table: pd.DataFrame = POINTS, **more: Any) -> Any:
    """The chart of the run."""
    return draw(table, RUN.axis, COLOURS, y, **more)


def test_medians_and_quartiles_are_drawn() -> None:
    """Against the sizes, on log axes that hold them; each route has the theme's hue."""
    figure = drawn()
    for method, colour, one in zip(("lookup", "matmul"), COLOURS, figure.data, strict=False):
        table = POINTS[POINTS["method"] == method]
        assert (one.name, [*one.x]) == (method, ROWS)
        assert np.allclose(one.y, table["seconds"])
        assert np.allclose(one.y + one.error_y.array, table["high"])
        assert np.allclose(one.y - one.error_y.arrayminus, table["low"])
        assert (one.line.color, one.marker.symbol) == (colour, METHODS[method].look[1])
        assert one.mode == "lines+markers"
    assert figure.data[0].hovertext[0] == "lookup at 4 rows: 10 µs"
    x, y = figure.layout.xaxis, figure.layout.yaxis
    assert (x.type, y.type, x.title.text) == ("log", "log", "num_embeddings (rows of the table)")
    low, high = (10**one for one in y.range)
    assert low < POINTS["low"].min() < POINTS["high"].max() < high
    assert {"10 µs", "1 ms"} <= {*y.ticktext}
    assert [*x.tickvals] == ROWS
    assert charts.unbroken("takes 12 µs, a") == "takes 12\xa0µs, a"
    low, high = drawn(table=POINTS.assign(seconds=1e-5, low=1e-5, high=1e-5)).layout.yaxis.range
    assert 10 ** (high - low) > 2, "noise must look like noise"


def test_ratios_are_to_the_plainest_method_of_the_point() -> None:
    """A point where that one failed has no ratio, and that one itself has none."""
    figure = drawn("ratio", POINTS.drop(index=0))
    (one,), times = figure.data, POINTS["seconds"].to_numpy().reshape(-1, 2)
    assert [*one.x] == ROWS[1:]
    assert np.allclose(one.y, (times[:, 1] / times[:, 0])[1:])
    assert not any("times" in text for text in figure.layout.yaxis.ticktext)


def test_memory_is_what_the_definition_says() -> None:
    """In bytes, with binary units at the ticks."""
    figure = drawn("memory_bytes")
    assert [*figure.data[1].y] == [case.memory_bytes for case in RUN.cases[1::2]]
    assert np.isnan(figure.data[1].error_y.array).all()
    assert figure.layout.yaxis.ticktext[-1].endswith("iB")


def test_a_roofline_has_a_roof() -> None:
    """A copy's slope, then the product's height; the points lie at operations per byte."""
    table = POINTS.assign(share_of_copy=POINTS["gb_per_s"] / 10)
    table["share_of_product"] = table["gflop_per_s"] / np.where(table.index == 3, 400, 350)
    figure = drawn("gflop_per_s", table)
    matmul, roof = figure.data
    assert matmul.x[0] == pytest.approx(RUN.cases[1].flops / RUN.cases[1].bytes)
    assert np.allclose(roof.y, [10 * roof.x[0], 400, 400])
    assert roof.x[0] < min(*matmul.x, 40) < max(*matmul.x, 40) < roof.x[2]
    assert roof.x[1] == pytest.approx(40)
    assert (roof.line.color, roof.name) == (COLOURS[2], charts.ROOF)
    assert not any("FLOP" in text for text in figure.layout.yaxis.ticktext)
    assert figure.layout.xaxis.title.text == charts.INTENSITY
    assert len(drawn("gflop_per_s").data) == 1  # not calibrated


def test_kinds_and_settings() -> None:
    """Kinds are marks in their order; lines of a method have a dash and a name each."""
    fixed: Any = {"num_embeddings": 64, "embedding_dim": 8, "tokens": 4}
    run = made_run(plan("ids", [*SKEWS][::-1], ["lookup"], ["cpu"], **fixed)[0])
    figure: Any = draw(points([run]), run.axis, COLOURS)
    assert [*figure.layout.xaxis.categoryarray] == [*SKEWS]
    assert {one.mode for one in figure.data} == {"markers"}
    lines = drawn(table=points([made_run(vocab("lookup", caches=["same", "new"]))])).data
    names = [f"lookup, with {one} ids in each call" for one in ("the same", "new")]
    assert ([one.name for one in lines], len({one.line.dash for one in lines})) == (names, 2)


def test_each_machine_has_a_panel() -> None:
    """Escaped names, four in a row, axes of one scale; a machine is no setting."""
    runs = [made_run(vocab(), cpu=EVIL), *(made_run(vocab(), cpu=f"c{k}") for k in "12345")]
    figure = drawn(table=points(runs))
    names = [one.text for one in figure.layout.annotations]
    assert sum(name.startswith("c") for name in names) == 5
    assert not any("<b>" in name or "<script" in name or "=" in name for name in names)
    axes = {(one.xaxis, one.yaxis) for one in figure.data}
    assert len({x for x, _ in axes}) == len({y for _, y in axes}) == 6
    assert {one.line.dash for one in figure.data} == {"solid"}
    assert figure.layout.height == drawn(table=points(runs[:4])).layout.height + 150
    assert len(figure.layout.xaxis.tickvals) == 2


@pytest.mark.parametrize("y", charts.CHARTS)
def test_one_point_can_be_drawn(y: str) -> None:
    """Axes stay finite; a lookup alone has no ratio and no operations."""
    figure = drawn(y, POINTS[:1])
    assert (figure is None) == (y in ("ratio", "gflop_per_s"))
    assert figure is None or all(map(math.isfinite, figure.layout.yaxis.range))
    assert drawn(y, points([Run("empty")])) is None


def test_tables_have_names_and_units() -> None:
    """What all points have in common is left out; shares are in percent, times in µs."""
    table = tables.of_points(POINTS.assign(share_of_copy=0.25 + 0.5 * (POINTS.index == 0)))
    assert [*table["method"][:2]] == ["lookup", "matmul"]
    assert [*table["num_embeddings"]] == [rows for rows in ROWS for _ in "ab"]
    assert np.allclose(table["upper quartile, µs"], POINTS["high"] * 1e6, rtol=1e-3)
    assert np.allclose(table["memory held, MiB"], POINTS["memory_bytes"] / 2**20, rtol=1e-3)
    assert [*table["% of a copy's GB/s"][:2]] == [75, 25]
    assert not {"embedding_dim", "machine", "case", "low", "peak of GPU memory, MiB"} & {*table}
    found, given = tables.of_verdicts([RUN]), verdicts(RUN.times)
    assert [*found.iloc[0, :2]] == ["matmul at 4 rows", "lookup at 4 rows"]
    shown = ["times as long", "from", "to", "told apart"]
    wanted = given[["ratio", "low", "high", "told"]].astype(float)
    assert np.allclose(found[shown].astype(float), wanted, rtol=1e-3)
    assert "machine" not in found
    assert {*tables.of_verdicts([RUN, RUN])["machine"]} == {*points([RUN, RUN])["machine"]}
