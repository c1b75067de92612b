"""The charts of timing runs, and their tables."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from embviz.picture.shades import SHADES
from embviz.timing.measure.methods import METHODS
from embviz.timing.measure.run import Run, points
from embviz.timing.tell import charts, frames
from embviz.timing.tell.charts import draw
from embviz.timing.tell.questions import RECORDS
from embviz.timing.tell.recorded import recorded
from embviz.timing.tell.statistics import verdicts
from embviz.timing.tell.times import format_time
from tests.timing.made import ROWS, made_run, vocab

COLOURS = "#1666b8", "#c05a00", "#5b6472"
SIZES = {"num_embeddings": 4096, "embedding_dim": 64, "tokens": 256}
RUN = made_run(vocab())
POINTS = points([RUN])


def drawn(table: pd.DataFrame = POINTS) -> Any:
    """The chart of the run."""
    return draw(table, COLOURS)


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
    low, high = drawn(POINTS.assign(seconds=1e-5, low=1e-5, high=1e-5)).layout.yaxis.range
    assert 10 ** (high - low) > 2, "noise must look like noise"


@pytest.mark.parametrize("question", ["Half precision", "Backward", "What does it cost?"])
def test_quartiles_are_those_of_the_blocks(question: str) -> None:
    """In the table and as bars, also where the time lies outside them."""
    run = recorded(question)
    blocks = run.times[~run.times["again"] & (run.times["clock"] == "wait")].groupby("case")
    found, table = frames.of_points(points([run])), run.points
    bars = {
        (one.name, x): (y + above, y - below)
        for one in drawn(points([run])).data
        for x, y, above, below in zip(
            one.x, one.y, one.error_y.array, one.error_y.arrayminus, strict=True
        )
    }
    for part, name, end in ((0.75, "upper", 0), (0.25, "lower", 1)):
        wanted = table["case"].map(blocks["seconds"].quantile(part))
        assert np.allclose(found[f"{name} quartile, µs"], 1e6 * wanted, rtol=1e-3)
        ends = [bars[case.record.label, getattr(case, run.axis)][end] for case in table["case"]]
        assert np.allclose(ends, wanted)
    is_outside = (table["seconds"] < table["low"]) | (table["seconds"] > table["high"])
    assert is_outside.any() == (question != "What does it cost?")


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


def test_the_records_of_methods_have_colours_and_symbols() -> None:
    """Each has a symbol of its own, which plotly has, and a colour of its own within its route."""
    symbols = [one.symbol for one in METHODS.values()]
    assert len({*symbols}) == len(symbols)
    assert all(go.scatter.Marker(symbol=f"{one}-open").symbol for one in symbols)  # else it raises
    shades = [(one.route, one.shade) for one in METHODS.values()]
    assert len({*shades}) == len(shades)
    assert all(0 <= shade < len(SHADES) for _, shade in shades)


def test_a_method_has_one_symbol_in_all_charts() -> None:
    """Whatever is beside it; no two methods have the same."""
    found = {}
    for methods, mode in (
        (("lookup", "lookup_sparse", "matmul"), "backward"),
        (("lookup", "matmul", "matmul_table"), "forward"),
        (("matmul",), "forward"),
    ):
        for one in draw(points([made_run(vocab(*methods, rows=[4, 64], mode=mode))]), COLOURS).data:
            assert found.setdefault(one.name, one.marker.symbol) == one.marker.symbol
    assert len({*found.values()}) == len(found) == 4


def test_all_questions_have_charts_of_one_height() -> None:
    """What stands below does not move from question to question."""
    heights = {draw(points([recorded(one)]), COLOURS).layout.height for one in RECORDS}  # type: ignore[union-attr]
    assert heights == {charts.HEIGHT}


def test_one_point_can_be_drawn() -> None:
    """Axes stay finite; without a time there is no chart."""
    figure = drawn(POINTS[:1])
    assert all(map(math.isfinite, figure.layout.yaxis.range))
    assert drawn(points([Run("empty")])) is None


def test_tables_have_names_and_units() -> None:
    """Shares are in percent, times in µs."""
    table = frames.of_points(POINTS.assign(share_of_copy=0.25 + 0.5 * (POINTS.index == 0)))
    assert [*table["num_embeddings"]] == [rows for rows in ROWS for _ in "ab"]
    assert np.allclose(table["upper quartile, µs"], POINTS["high"] * 1e6, rtol=1e-3)
    assert np.allclose(table["memory held, MiB"], POINTS["memory_bytes"] / 2**20, rtol=1e-3)
    assert [*table["% of a copy's GB/s"][:2]] == [75, 25]
    found, given = frames.of_verdicts([RUN]), verdicts(RUN)
    assert [*found.iloc[0, :2]] == ["matmul at 4 rows", "lookup at 4 rows"]
    wanted = given[["ratio", "low", "high", "told"]].astype(float)
    shown = found[["times as long", "from", "to", "told apart"]].astype(float)
    assert np.allclose(shown, wanted, rtol=1e-3)
