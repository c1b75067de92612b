"""The charts of timing runs, their tables, and the report."""

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from embviz.figures.timing import charts, tables
from embviz.figures.timing.charts import draw
from embviz.figures.timing.report import html_report
from embviz.timing.case import plan
from embviz.timing.methods import METHODS, SKEWS
from embviz.timing.run import Run, points
from embviz.timing.sentences import sentences
from embviz.timing.statistics import verdicts
from tests.timing.made import ROWS, made_run, vocab

COLOURS = "#1666b8", "#c05a00", "#5b6472"
RUN = made_run(vocab())
POINTS = points([RUN])
EVIL = "<b>x</b><script>alert(1)</script>"


def drawn(y: str = "seconds", table: pd.DataFrame = POINTS, **more: Any) -> Any:
    """The chart of the run."""
    return draw(table, RUN.axis, COLOURS, y, **more)


def trace(figure: go.Figure, method: str) -> Any:
    """The first one of a method."""
    return next(one for one in figure.data if one.name.startswith(METHODS[method].label))


def within(figure: Any) -> bool:
    """Whether all points and their bars lie within the axis of values."""
    low, high = (10**one for one in figure.layout.yaxis.range)
    ends = [
        (np.asarray(one.y) + sign * np.asarray(bar if bar is not None else 0.0))
        for one in figure.data
        for sign, bar in ((1, one.error_y.array), (-1, one.error_y.arrayminus))
    ]
    return all(((low <= end) & (end <= high)).all() for end in ends)


def test_medians_and_quartiles_are_drawn() -> None:
    """Against the sizes, on log axes that hold them; each route has the theme's hue."""
    figure = drawn()
    for method, colour in zip(("lookup", "matmul"), COLOURS, strict=False):
        one, table = trace(figure, method), POINTS[POINTS["method"] == method]
        assert [*one.x] == ROWS
        assert np.allclose(one.y, table["seconds"])
        assert np.allclose(one.y + one.error_y.array, table["high"])
        assert np.allclose(one.y - one.error_y.arrayminus, table["low"])
        assert (one.line.color, one.marker.symbol) == (colour, METHODS[method].look[1])
        assert one.mode == "lines+markers"
    assert trace(figure, "lookup").hovertext[0] == "lookup at 4 rows: 10 µs"
    x, y = figure.layout.xaxis, figure.layout.yaxis
    assert (x.type, y.type, x.title.text) == ("log", "log", "num_embeddings (rows of the table)")
    assert within(figure)
    assert {"10 µs", "1 ms"} <= {*y.ticktext}
    assert [*x.tickvals] == ROWS
    assert drawn(title="").layout.margin.t < figure.layout.margin.t


def test_equal_times_do_not_fill_the_chart() -> None:
    """The axis spans at least a factor of two: noise must look like noise."""
    table = POINTS.assign(seconds=1e-5, low=1e-5, high=1e-5)
    low, high = drawn(table=table).layout.yaxis.range
    assert 10 ** (high - low) > 2


def test_a_title_has_two_lines_at_most_and_breaks_at_words() -> None:
    """It gives the values at the last size; numbers stay with their units; markup is text."""

    def title(*args: Any, **more: Any) -> str:
        return str(drawn(*args, **more).layout.title.text).replace("\xa0", " ")

    assert title() == "At 16,384 rows: lookup 10 µs, matmul 1.6 ms."
    assert title("ratio") == "At 16,384 rows: matmul 160 times as long."
    assert title("memory_bytes") == "At 16,384 rows: lookup 4.1 MiB, matmul 20.1 MiB."
    given = f"{EVIL} " + "twelve 12 µs " * 20
    lines = drawn(title=given).layout.title.text.split("<br>")
    assert len(lines) == 2
    assert "<b>" not in lines[0]
    assert all("12\xa0µs" in line for line in lines)


def test_ratios_are_to_the_plainest_method_of_the_point() -> None:
    """A point where that one failed has no ratio, and that one itself has none."""
    figure = drawn("ratio", POINTS.drop(index=0))
    (one,), times = figure.data, POINTS["seconds"].to_numpy().reshape(-1, 2)
    assert [*one.x] == ROWS[1:]
    assert np.allclose(one.y, (times[:, 1] / times[:, 0])[1:])
    assert not any("times" in text for text in figure.layout.yaxis.ticktext)
    assert drawn("ratio", POINTS[POINTS["method"] == "lookup"]) is None


def test_memory_is_what_the_definition_says() -> None:
    """In bytes, with binary units at the ticks."""
    figure = drawn("memory_bytes")
    cases = [case for case in RUN.cases if case.method == "matmul"]
    assert [*trace(figure, "matmul").y] == [case.memory_bytes for case in cases]
    assert np.isnan(trace(figure, "matmul").error_y.array).all()
    assert figure.layout.yaxis.ticktext[-1].endswith("iB")


def test_a_roofline_has_a_roof() -> None:
    """A copy's slope, then the product's height; the points lie at operations per byte."""
    table = POINTS.assign(share_of_copy=POINTS["gb_per_s"] / 10, share_of_product=np.nan)
    table["share_of_product"] = table["gflop_per_s"] / np.where(table.index == 3, 400, 350)
    figure = drawn("gflop_per_s", table)
    matmul, roof = figure.data
    assert matmul.x[0] == pytest.approx(RUN.cases[1].flops / RUN.cases[1].bytes)
    assert np.allclose(roof.y, [10 * roof.x[0], 400, 400])
    assert roof.x[0] < min(*matmul.x, 40)
    assert roof.x[1] == pytest.approx(40)
    assert roof.x[2] > max(*matmul.x, 40)
    assert (roof.line.color, roof.name) == (COLOURS[2], charts.ROOF)
    assert not any("FLOP" in text for text in figure.layout.yaxis.ticktext)
    assert figure.layout.xaxis.title.text == charts.INTENSITY
    assert [one.name for one in drawn("gflop_per_s").data] == ["matmul"]  # not calibrated


def test_kinds_stand_in_their_order() -> None:
    """As marks without lines."""
    fixed: Any = {"num_embeddings": 64, "embedding_dim": 8, "tokens": 4}
    run = made_run(plan("ids", [*SKEWS][::-1], ["lookup"], ["cpu"], **fixed)[0])
    figure: Any = draw(points([run]), run.axis, COLOURS)
    assert [*figure.layout.xaxis.categoryarray] == [*SKEWS]
    assert {one.mode for one in figure.data} == {"markers"}


def test_lines_of_a_method_are_told_apart() -> None:
    """By what they differ in, with a dash and a name each."""
    given: Any = {"embedding_dim": 64, "tokens": 256}
    run = made_run(plan("vocab", ROWS, ["lookup"], ["cpu"], ["same", "new"], **given)[0])
    figure: Any = draw(points([run]), run.axis, COLOURS)
    dashes = {one.name: one.line.dash for one in figure.data}
    assert {*dashes} == {f"lookup, with {one} ids in each call" for one in ("the same", "new")}
    assert len({*dashes.values()}) == 2


def test_each_machine_has_a_panel() -> None:
    """Escaped names, four in a row, axes of one scale; a machine is no setting."""
    runs = [made_run(vocab(), cpu=EVIL), *(made_run(vocab(), cpu=f"c{k}") for k in "12345")]
    figure = drawn(table=points(runs))
    names = [one.text for one in figure.layout.annotations]
    assert sum(name.startswith("c") for name in names) == 5
    assert not any("<b>" in name or "<script" in name or "=" in name for name in names)
    assert len({one.xaxis for one in figure.data}) == 6
    assert len({one.yaxis for one in figure.data}) == 6
    assert {one.line.dash for one in figure.data} == {"solid"}
    assert figure.layout.height == drawn(table=points(runs[:4])).layout.height + 150
    assert len(figure.layout.xaxis.tickvals) == 2
    slow = made_run(vocab(rows=[4, 64]), lambda _: 1e-3, cpu="Slow")
    title = drawn("memory_bytes", table=points([slow, RUN])).layout.title.text
    day = slow.environment["date"][:10]
    said = f"Slow, {day}: At 64 rows: lookup 82.0 KiB, matmul 146.0 KiB."
    assert re.sub("<br>|\xa0", " ", title) == said


@pytest.mark.parametrize("y", charts.CHARTS)
def test_one_point_can_be_drawn(y: str) -> None:
    """Axes stay finite; a lookup alone has no ratio and no operations."""
    run = made_run(vocab(rows=[64]))
    figure: Any = draw(points([run])[:1], run.axis, COLOURS, y)
    assert (figure is None) == (y in ("ratio", "gflop_per_s"))
    assert figure is None or all(map(math.isfinite, figure.layout.yaxis.range))
    assert draw(points([Run("empty")]), run.axis, COLOURS, y) is None


def test_tables_have_names_and_units() -> None:
    """What all points have in common is left out; shares are in percent, times in µs."""
    table = tables.of_points(POINTS.assign(share_of_copy=0.25 + 0.5 * (POINTS.index == 0)))
    assert [*table["method"][:2]] == ["lookup", "matmul"]
    assert [*table["num_embeddings"]] == [rows for rows in ROWS for _ in "ab"]
    assert np.allclose(table["time, µs"], POINTS["seconds"] * 1e6, rtol=1e-3)
    assert np.allclose(table["upper quartile, µs"], POINTS["high"] * 1e6, rtol=1e-3)
    assert np.allclose(table["memory held, MiB"], POINTS["memory_bytes"] / 2**20, rtol=1e-3)
    assert [*table["% of a copy's GB/s"][:2]] == [75, 25]
    assert not {"embedding_dim", "machine", "case", "low", "peak of GPU memory, MiB"} & {*table}
    twice = points([made_run(vocab("lookup", rows=[64]), seed=seed) for seed in (1, 2)])
    assert [*tables.of_points(twice)["machine"]] == [*twice["machine"]]
    found, given = tables.of_verdicts([RUN]), verdicts(RUN.times)
    assert found["case"][0] == "matmul at 4 rows"
    assert found["compared with"][0] == "lookup at 4 rows"
    for words, name in (("times as long", "ratio"), ("from", "low"), ("to", "high")):
        assert np.allclose(found[words], given[name], rtol=1e-3)
    assert [*found["told apart"]] == [*given["told"]]
    assert "machine" not in found
    assert {*tables.of_verdicts([RUN, RUN])["machine"]} == {*points([RUN, RUN])["machine"]}


def test_a_report_has_every_sentence_and_number_and_no_markup_of_a_stranger() -> None:
    """It contains plotly.js, and asks nobody for anything."""
    run = made_run(vocab(), cpu=EVIL)
    run.failures[run.cases[0]] = f"{EVIL} is why"
    whole = html_report([run])
    body = whole.replace("&#x27;", "'")
    assert "default-src 'none'" in whole
    assert whole.count("* plotly.js v") == 1
    assert whole.index("* plotly.js v") < whole.index("Plotly.newPlot(")
    assert whole.count("<script>alert") == 0
    assert all(text in body for text in sentences(run) if "<" not in text)
    assert whole.count("plotly-graph-div") == len(charts.CHARTS)
    assert whole.count("<tr>") > len(run.cases) + len(verdicts(run.times))
    empty = Run("empty")
    empty.add({"type": "environment", "cpu": "x"})
    assert "<h1>" in html_report([empty])
