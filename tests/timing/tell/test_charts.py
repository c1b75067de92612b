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
RUN = made_run(vocab())
POINTS = points([RUN])


def drawn(table: pd.DataFrame = POINTS) -> Any:
    """The chart of the run."""
    return draw(table, COLOURS)


def test_medians_and_quartiles_are_drawn() -> None:
    """Against the sizes, on log axes that hold them; the quartiles are those of the blocks."""
    run = recorded("Backward")
    blocks = run.times[~run.times["again"] & (run.times["clock"] == "wait")].groupby("case")
    low, high = (blocks["seconds"].quantile(part) for part in (0.25, 0.75))
    table, figure = points([run]), drawn(points([run]))
    for line in figure.data:
        part = table[[case.record.label == line.name for case in table["case"]]]
        assert [*line.x] == [*part["num_embeddings"]]
        assert np.allclose(line.y, part["seconds"])
        assert np.allclose(line.y + line.error_y.array, part["case"].map(high))
        assert np.allclose(line.y - line.error_y.arrayminus, part["case"].map(low))
        assert line.hovertext[0] == (
            f"{line.name} at 64 rows with forward + backward: {format_time(line.y[0])}"
        )
    x, y = figure.layout.xaxis, figure.layout.yaxis
    assert (x.type, y.type) == ("log", "log")
    bottom, top = (10**end for end in y.range)
    assert bottom < table["low"].min() < table["high"].max() < top
    assert {"100 µs", "1 ms"} <= {*y.ticktext}
    bottom, top = drawn(POINTS.assign(seconds=1e-5, low=1e-5, high=1e-5)).layout.yaxis.range
    assert 10 ** (top - bottom) > 2, "noise must look like noise"


@pytest.mark.parametrize("colours", [COLOURS, ("#5aa9f0", "#f0983f", "#98a1b0")])
def test_methods_of_one_question_have_unlike_colours(colours: tuple[str, str, str]) -> None:
    """In both themes; red, green and blue are at least 60 of 255 apart."""
    for question in ("Backward", "Can matmul win?"):
        lines = draw(points([recorded(question)]), colours).data  # type: ignore[union-attr]
        found = [bytes.fromhex(line.line.color[1:]) for line in lines]
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


def test_a_machine_is_one_more_thing_in_which_lines_differ() -> None:
    """Each has a dash, and its name in the legend and at each point."""
    runs = [made_run(vocab(), cpu=name) for name in ("Old", "<b>New")]
    figure = drawn(points(runs))
    names = [f"lookup, {name}, 2026-11-25" for name in ("Old", "&lt;b&gt;New")]
    lines = [line for line in figure.data if line.name.startswith("lookup")]
    assert [line.name for line in lines] == names
    assert [line.line.dash for line in lines] == ["solid", "dot"]
    assert {line.line.color for line in lines} == {COLOURS[0]}
    assert lines[1].hovertext[0].endswith(f", {names[1].partition(', ')[2]}")
    assert figure.layout.height == charts.HEIGHT, "four lines have room"
    assert drawn(points([*runs, made_run(vocab())])).layout.height > charts.HEIGHT


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
    assert np.allclose(
        table["memory held, computed, MiB"], POINTS["memory_bytes"] / 2**20, rtol=1e-3
    )
    assert [*table["% of a copy's GB/s"][:2]] == [75, 25]
    found, given = frames.of_verdicts([RUN]), verdicts(RUN)
    assert [*found.iloc[0, :2]] == ["matmul at 4 rows", "lookup at 4 rows"]
    wanted = given[["ratio", "low", "high", "told"]].astype(float)
    shown = found[["times as long", "interval from", "interval to", "told apart"]].astype(float)
    assert np.allclose(shown, wanted, rtol=1e-3)
