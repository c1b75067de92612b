"""More than eight runs: a band and the median run."""

from dataclasses import replace
from typing import Any

import pytest

from embviz.figures.timing.charts import memory_figure, plain_title, speedup_figure, time_figure
from embviz.figures.timing.curves import Plot
from embviz.figures.timing.many import SEPARATE, Many
from embviz.timing.chart_lines import lines
from embviz.timing.results import Measurement
from embviz.timing.runs import Run
from tests.figures.timing.made_runs import COLOURS, RUN, run_of

FACTORS = [4.0, 1.0, 8.0, 2.0, 3.0, 9.0, 7.0, 5.0, 6.0]  # the median is 5


def machine(factor: float) -> Run:
    """A machine that takes `factor` times as long, with as many threads."""
    found = [
        replace(
            one,
            case=replace(one.case, threads=int(factor)),
            times_s=tuple(factor * time for time in one.times_s),
        )
        for one in RUN.results
        if isinstance(one, Measurement)
    ]
    return run_of(found, f"{factor:g}.jsonl", cpu=f"CPU {factor:g}")


RUNS = [machine(factor) for factor in FACTORS]


def band(figure: Any) -> list[list[float]]:
    """The edges of each filled band: from the slowest to the fastest at the first value."""
    return [[trace.y[0], trace.y[-1]] for trace in figure.data if trace.fill == "toself"]


def test_nine_runs_are_a_band_and_eight_are_not() -> None:
    """Nine machines are one curve a method, that of the median machine; eight are eight curves."""
    plot = Plot(RUNS, COLOURS)
    assert len(plot.curves) == 3
    assert {one.case.threads for curve in plot.curves for one in curve.line.measured.values()} == {
        5
    }
    assert plot.key[-1] == "line: 5"
    assert len(Plot(RUNS[:SEPARATE], COLOURS).curves) == 3 * SEPARATE


def test_the_band_goes_from_the_fastest_to_the_slowest() -> None:
    """The band of a method is 1 to 9 times what the fastest machine took."""
    for slow, fast in band(time_figure(Plot(RUNS, COLOURS))):
        assert slow == pytest.approx(9 * fast)


def test_ratios_are_those_of_one_machine_each() -> None:
    """Machines with the same ratios have a band without height, however different their times."""
    edges = band(speedup_figure(Plot(RUNS, COLOURS)))[:2]
    for most, least in edges:
        assert most == pytest.approx(least)


def test_titles_say_how_many_machines() -> None:
    """The titles name the number of machines, for a band and for separate curves."""
    nine, two = Plot(RUNS, COLOURS), Plot(RUNS[:2], COLOURS)
    for draw in (time_figure, speedup_figure):
        assert plain_title(draw(nine)).startswith("Median of 9 machines:")
        assert "(2 machines)" in plain_title(draw(two))
    assert memory_figure(nine).data


def test_runs_may_have_different_cases() -> None:
    """A method that one run alone measured has a band of one run."""
    some = [run_of([one for one in run.results if one.case.method != "matmul"]) for run in RUNS[1:]]
    found = Many([RUNS[0], *some], "num_embeddings")
    (line,) = [one for one in lines(RUNS[0].results, "num_embeddings") if one.method == "matmul"]
    low, high = found.times(line, 64)
    assert low == high == line.measured[64].median_s


def test_runs_without_a_time_are_no_error() -> None:
    """Nine empty runs give charts that say so."""
    plot = Plot([run_of([], f"{k}") for k in range(9)], COLOURS)
    assert "Nothing measured yet" in time_figure(plot).layout.title.text
