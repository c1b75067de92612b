"""The charts of timing runs, and the report."""

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from embviz.figures.timing import charts
from embviz.figures.timing.charts import memory_figure, ratio_figure, roofline_figure, time_figure
from embviz.figures.timing.report import html_report
from embviz.timing.case import plan
from embviz.timing.methods import METHODS, SKEWS
from embviz.timing.run import Run, points
from embviz.timing.sentences import sentences
from tests.timing.made import ROWS, made_run, vocab

COLOURS = "#1666b8", "#c05a00", "#5b6472"
RUN = made_run(vocab())
POINTS = points([RUN])
EVIL = "<b>x</b><script>alert(1)</script>"


def trace(figure: go.Figure, method: str) -> Any:
    """The first one of a method."""
    return next(one for one in figure.data if one.name.startswith(METHODS[method].label))


def within(figure: go.Figure) -> bool:
    """Whether all points and their bars lie within the axes."""
    low, high = (10**one for one in figure.layout.yaxis.range)
    ends = [
        (np.asarray(one.y) + sign * np.asarray(bar if bar is not None else 0.0))
        for one in figure.data
        for sign, bar in ((1, one.error_y.array), (-1, one.error_y.arrayminus))
    ]
    return all(((low <= end) & (end <= high)).all() for end in ends)


def test_medians_and_quartiles_are_drawn() -> None:
    """Against the sizes, on log axes that hold them; each route has the theme's hue."""
    figure = time_figure(POINTS, RUN.axis, COLOURS)
    for method, colour in zip(("lookup", "matmul"), COLOURS, strict=False):
        drawn, table = trace(figure, method), POINTS[POINTS["method"] == method]
        assert [*drawn.x] == ROWS
        assert np.allclose(drawn.y, table["seconds"])
        assert np.allclose(drawn.y + drawn.error_y.array, table["high"])
        assert np.allclose(drawn.y - drawn.error_y.arrayminus, table["low"])
        assert (drawn.line.color, drawn.marker.symbol) == (colour, METHODS[method].look[1])
        assert drawn.hovertext[0].startswith(f"<b>{METHODS[method].label}</b><br>at 4 rows<br>")
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert within(figure)
    assert {text.split()[1] for text in figure.layout.yaxis.ticktext} <= {"µs", "ms"}
    assert figure.layout.xaxis.ticktext[-1] == "16,384"


def test_a_title_has_two_lines_at_most_and_breaks_at_words() -> None:
    """It gives the times at the last size; numbers stay with their units; markup is text."""
    title = time_figure(POINTS, RUN.axis, COLOURS).layout.title.text
    assert title.replace("\xa0", " ").startswith("At 16,384 rows: lookup 10 µs, matmul 1.6 ms")
    title = time_figure(
        POINTS, RUN.axis, COLOURS, f"{EVIL} " + "twelve 12 µs " * 20
    ).layout.title.text
    lines = title.split("<br>")
    assert len(lines) == 2
    assert "<b>" not in title
    assert all("12\xa0µs" in line for line in lines)


def test_ratios_are_to_the_first_method_of_the_point() -> None:
    """A point where that one failed has no ratio."""
    table = POINTS.drop(index=0)
    figure = ratio_figure(table, RUN.axis, COLOURS)
    drawn, times = trace(figure, "matmul"), POINTS["seconds"].to_numpy().reshape(-1, 2)
    assert [*drawn.x] == ROWS[1:]
    assert np.allclose(drawn.y, (times[:, 1] / times[:, 0])[1:])
    assert np.allclose(trace(figure, "lookup").y, 1)


def test_memory_is_what_the_definition_says() -> None:
    """In bytes, with binary units at the ticks."""
    figure = memory_figure(POINTS, RUN.axis, COLOURS)
    cases = [case for case in RUN.cases if case.method == "matmul"]
    assert [*trace(figure, "matmul").y] == [case.memory_bytes for case in cases]
    assert figure.layout.yaxis.ticktext[-1].endswith("iB")


def test_a_roofline_has_two_roofs() -> None:
    """A copy's slope below the product's height; the points lie at operations per byte."""
    table = POINTS.assign(share_of_copy=POINTS["gb_per_s"] / 10, share_of_product=np.nan)
    table["share_of_product"] = table["gflop_per_s"] / 400
    figure: Any = roofline_figure(table, RUN.axis, COLOURS)
    drawn, case = trace(figure, "matmul"), RUN.cases[1]
    assert drawn.x[0] == pytest.approx(case.flops / case.bytes)
    assert not any(METHODS["lookup"].label == one.name for one in figure.data)
    copy, product = (
        next(one for one in figure.data if one.name == name)
        for name in (charts.COPY, charts.PRODUCT)
    )
    assert np.allclose(np.divide(copy.y, copy.x), 10)
    assert np.allclose(product.y, 400)
    assert (copy.x[-1], copy.y[-1]) == pytest.approx((product.x[0], product.y[0]))
    assert copy.x[0] < drawn.x[0]
    alone: Any = roofline_figure(POINTS, RUN.axis, COLOURS)  # without calibrations
    assert [one.name for one in alone.data] == [METHODS["matmul"].label]


def test_kinds_stand_in_their_order() -> None:
    """As marks without lines."""
    cases, _ = plan(
        "ids", [*SKEWS][::-1], ["lookup"], ["cpu"], num_embeddings=64, embedding_dim=8, tokens=4
    )
    run = made_run(cases)
    figure = time_figure(points([run]), run.axis, COLOURS)
    assert [*figure.layout.xaxis.categoryarray] == [*SKEWS]
    assert {one.mode for one in figure.data} == {"markers"}


def test_lines_of_a_method_are_told_apart() -> None:
    """By what they differ in, with a dash and a name each; panels are machines, escaped."""
    given = {"embedding_dim": 64, "tokens": 256}
    cases, _ = plan("vocab", ROWS, ["lookup"], ["cpu"], ["same", "new"], **given)
    run = made_run(cases)
    figure = time_figure(points([run]), run.axis, COLOURS)
    assert (
        len({one.name for one in figure.data}) == len({one.line.dash for one in figure.data}) == 2
    )
    others = points(
        [made_run(vocab(), cpu=EVIL), *(made_run(vocab(), cpu=f"c{k}") for k in "12345")]
    )
    figure = time_figure(others, run.axis, COLOURS)
    names = [one.text for one in figure.layout.annotations]
    assert len(names) == 6
    assert not any("<b>" in name or "<script" in name for name in names)
    assert len({one.xaxis for one in figure.data}) == 6
    assert {one.line.dash for one in figure.data} == {"solid"}  # the machine is no setting


@pytest.mark.parametrize("draw", charts.FIGURES)
def test_one_point_can_be_drawn(draw: Any) -> None:
    """Axes stay finite; a lookup alone has no roofline."""
    run = made_run(vocab(rows=[64]))
    figure = draw(points([run])[:1], run.axis, COLOURS)
    assert figure is None or all(map(math.isfinite, figure.layout.yaxis.range))


def test_a_report_has_every_sentence_and_number_and_no_markup_of_a_stranger() -> None:
    """It contains plotly.js, and asks nobody for anything."""
    run = made_run(vocab(), cpu=EVIL)
    run.failures[run.cases[0]] = f"{EVIL} is why"
    whole = html_report([run])
    body = whole.replace("&#x27;", "'")
    assert "default-src 'none'" in whole
    assert whole.count("<script>alert") == 0
    assert all(text in body for text in sentences(run) if "<" not in text)
    assert whole.count("plotly-graph-div") == len(charts.FIGURES)
    assert whole.count("<tr>") > len(run.cases)
    empty = Run("empty")
    empty.add({"type": "environment", "cpu": "x"})
    assert "<h1>" in html_report([empty])
