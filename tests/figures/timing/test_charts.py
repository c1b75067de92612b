"""The charts of timing runs, and their tables."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embviz.figures.timing import charts, tables
from embviz.figures.timing.charts import draw
from embviz.timing.run import Run, points
from embviz.timing.sentences import format_time
from embviz.timing.statistics import verdicts
from tests.timing.made import ROWS, made_run, vocab

COLOURS = "#1666b8", "#c05a00", "#5b6472"
RUN = made_run(vocab())
POINTS = points([RUN])


def drawn(y: str = "seconds", table: pd.DataFrame = POINTS, **more: Any) -> Any:
    """The chart of the run."""
    return draw(table, COLOURS, y, **more)


def test_medians_and_quartiles_are_drawn() -> None:
    """Against the sizes, on log axes that hold them; each route has the theme's hue."""
    figure = drawn()
    for method, colour, one in zip(("lookup", "matmul"), COLOURS, figure.data, strict=False):
        table = POINTS[POINTS["method"] == method]
        assert (one.name, one.line.color) == (method, colour)
        assert [*one.x] == ROWS
        assert np.allclose(one.y, table["seconds"])
        assert np.allclose(one.y + one.error_y.array, table["high"])
        assert np.allclose(one.y - one.error_y.arrayminus, table["low"])
    assert figure.data[0].hovertext[0] == f"lookup at 4 rows: {format_time(POINTS['seconds'][0])}"
    x, y = figure.layout.xaxis, figure.layout.yaxis
    assert (x.type, y.type) == ("log", "log")
    low, high = (10**one for one in y.range)
    assert low < POINTS["low"].min() < POINTS["high"].max() < high
    assert {"10 µs", "1 ms"} <= {*y.ticktext}
    low, high = drawn(table=POINTS.assign(seconds=1e-5, low=1e-5, high=1e-5)).layout.yaxis.range
    assert 10 ** (high - low) > 2, "noise must look like noise"


@pytest.mark.parametrize("colours", [COLOURS, ("#5aa9f0", "#f0983f", "#98a1b0")])
def test_methods_of_one_question_have_unlike_colours(colours: tuple[str, str, str]) -> None:
    """In both themes; red, green and blue are at least 60 of 255 apart."""
    for methods, mode in (
        (("lookup", "lookup_sparse", "matmul"), "backward"),
        (("lookup", "matmul", "matmul_table"), "forward"),
    ):
        run = made_run(vocab(*methods, rows=[4, 64], mode=mode))
        found = [bytes.fromhex(one.line.color[1:]) for one in draw(points([run]), colours).data]
        assert len(found) == 3
        assert all(math.dist(a, b) > 60 for a, b in combinations(found, 2))


def test_ratios_are_to_the_plainest_method_of_the_point() -> None:
    """A point where that one failed has no ratio, and that one itself has none."""
    (one,) = drawn("ratio", POINTS.drop(index=0)).data
    times = POINTS["seconds"].to_numpy().reshape(-1, 2)
    assert [*one.x] == ROWS[1:]
    assert np.allclose(one.y, (times[:, 1] / times[:, 0])[1:])


def test_a_roofline_has_a_roof() -> None:
    """A copy's slope, then the product's height; the points lie at operations per byte."""
    table = POINTS.assign(share_of_copy=POINTS["gb_per_s"] / 10)
    table["share_of_product"] = table["gflop_per_s"] / 400
    matmul, roof = drawn("gflop_per_s", table).data
    assert matmul.x[0] == pytest.approx(RUN.cases[1].flops / RUN.cases[1].bytes)
    assert np.allclose(roof.y, [10 * roof.x[0], 400, 400])
    assert roof.x[0] < min(*matmul.x, 40) < max(*matmul.x, 40) < roof.x[2]
    assert roof.x[1] == pytest.approx(40)
    assert len(drawn("gflop_per_s").data) == 1  # not calibrated


@pytest.mark.parametrize("y", charts.CHARTS)
def test_one_point_can_be_drawn(y: str) -> None:
    """Axes stay finite; a lookup alone has no ratio and no operations."""
    figure = drawn(y, POINTS[:1])
    assert (figure is None) == (y in ("ratio", "gflop_per_s"))
    assert figure is None or all(map(math.isfinite, figure.layout.yaxis.range))
    assert drawn(y, points([Run("empty")])) is None


def test_tables_have_names_and_units() -> None:
    """Shares are in percent, times in µs."""
    table = tables.of_points(POINTS.assign(share_of_copy=0.25 + 0.5 * (POINTS.index == 0)))
    assert [*table["num_embeddings"]] == [rows for rows in ROWS for _ in "ab"]
    assert np.allclose(table["upper quartile, µs"], POINTS["high"] * 1e6, rtol=1e-3)
    assert np.allclose(table["memory held, MiB"], POINTS["memory_bytes"] / 2**20, rtol=1e-3)
    assert [*table["% of a copy's GB/s"][:2]] == [75, 25]
    found, given = tables.of_verdicts([RUN]), verdicts(RUN.times)
    assert [*found.iloc[0, :2]] == ["matmul at 4 rows", "lookup at 4 rows"]
    wanted = given[["ratio", "low", "high", "told"]].astype(float)
    shown = found[["times as long", "from", "to", "told apart"]].astype(float)
    assert np.allclose(shown, wanted, rtol=1e-3)
