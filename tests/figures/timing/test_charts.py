import json
import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.figures.axes import thinned
from embviz.figures.timing import charts
from embviz.figures.timing.charts import plain_title
from embviz.figures.timing.curves import Plot
from embviz.figures.timing.traces import BAND, FAILED
from embviz.timing.cases import Case, plan
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.runs import Run
from embviz.timing.settings import SKEWS
from tests.figures.timing.made_runs import (
    COLOURS,
    DRAW,
    EVIL,
    ROWS,
    RUN,
    legend,
    measured,
    memory_figure,
    run_of,
    speedup_figure,
    sweep,
    time_figure,
    traces,
)
from tests.timing.made_results import ANY_CASE, ANY_RESULT, scaled


def test_the_medians_are_drawn() -> None:
    """Each method has one trace of its medians; the control has none."""
    figure = time_figure([RUN])
    (matmul,) = traces(figure, "matmul, one-hot ready")
    assert list(matmul.x) == ROWS
    assert list(matmul.y) == pytest.approx([2e-8 * rows for rows in ROWS])
    assert legend(figure) == ["lookup", "index_select", "matmul, one-hot ready", BAND]
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")


def test_the_quartiles_are_a_band() -> None:
    """The band is the first and the third quartile of the blocks."""
    figure = time_figure([RUN])
    bands = [trace for trace in figure.data if trace.fill == "toself"]
    assert [band.legendgroup for band in bands] == [
        "lookup",
        "index_select",
        "matmul, one-hot ready",
    ]
    assert list(bands[2].x) == [*ROWS, *reversed(ROWS)]
    medians = [2e-8 * rows for rows in ROWS]
    assert list(bands[2].y) == pytest.approx(
        [1.1 * m for m in medians] + [0.9 * m for m in reversed(medians)]
    )


def test_a_point_tells_its_numbers() -> None:
    """A hover shows time, quartiles, blocks and noise."""
    (lookup,) = traces(time_figure([RUN]), "lookup")
    assert lookup.hovertext[0].split("<br>") == [
        "<b>lookup</b>",
        "64 rows",
        "2.0 µs (middle half: 1.8 µs to 2.2 µs)",
        "17 GB/s",
        "5 timed blocks",
        "same method twice here: 5.0 % apart",
    ]


def test_a_note_stands_below_each_title() -> None:
    """A note is escaped and drawn in all charts."""
    for draw in (charts.time_figure, charts.speedup_figure, charts.memory_figure):
        assert (
            "recorded: &lt;b&gt;"
            in draw(Plot([RUN], COLOURS, note="recorded: <b>")).layout.title.text
        )


def test_a_failure_is_a_hollow_mark_with_its_reason() -> None:
    """A failure is a hollow cross, and its hover shows the escaped reason."""
    gone = Failure(Case("matmul", 16384, 64, 64), f"needs {EVIL} 9 GiB")
    figure = time_figure([run_of([*RUN.results, gone])])
    (failed,) = traces(figure, FAILED)
    assert list(failed.x) == [16384]
    assert failed.marker.symbol == "x-open"
    top = max(max(trace.y) for trace in traces(figure, "matmul, one-hot ready"))
    assert top < failed.y[0] < 10 ** figure.layout.yaxis.range[1]
    assert "16,384 rows: no time" in failed.hovertext[0]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;b&gt;&amp;amp;" in failed.hovertext[0]
    assert "<script" not in failed.hovertext[0]


def test_axes_stand_still_while_points_arrive() -> None:
    """The axes do not move while points arrive."""
    planned = [one.case for one in RUN.results]
    for draw in DRAW:
        layouts = [
            draw([run_of(RUN.results[:count])] if count else [], planned=planned).layout
            for count in range(len(RUN.results) + 1)
        ]
        assert len({layout.xaxis.range for layout in layouts}) == 1
        assert len({layout.yaxis.range for layout in layouts}) == 1
        low, high = layouts[0].xaxis.range
        assert 10**low < ROWS[0] < ROWS[-1] < 10**high


def test_everything_lies_within_the_axes() -> None:
    """Every drawn point lies within the axes."""
    gone = Failure(Case("onehot_matmul", 64, 64, 64), "gone")
    for draw in DRAW:
        figure = draw([run_of([*RUN.results, gone])])
        (left, right), (low, high) = figure.layout.xaxis.range, figure.layout.yaxis.range
        for trace in figure.data:
            for x, y in zip(trace.x, trace.y, strict=True):
                if x is not None and y is not None:
                    assert left <= math.log10(x) <= right, trace.name
                    assert low <= math.log10(y) <= high, trace.name


def test_times_have_units_at_the_ticks() -> None:
    """Ticks are times with a unit, like 10 µs."""
    ticks = time_figure([run_of(sweep(["lookup", "matmul"], [64, 2**20]))]).layout.yaxis
    assert list(ticks.ticktext) == ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]
    assert list(ticks.tickvals) == pytest.approx([1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
    near = time_figure([run_of(sweep(["lookup"]))]).layout.yaxis
    assert len(near.tickvals) >= 2


@given(st.lists(st.integers(1, 2**27), min_size=1, max_size=40, unique=True))
def test_any_sizes_are_thinned(values: list[int]) -> None:
    """Any sizes get a few distinct ticks."""
    kept = thinned(sorted(values))
    assert kept[-1] == max(values)
    assert len(kept) <= 6
    span = math.log(max(values) / min(values))
    assert all(math.log(b / a) >= span / 5.5 for a, b in pairwise(kept))


def test_kinds_stand_at_numbered_places() -> None:
    """Kinds have numbered positions in their own order, and no lines between them."""
    cases = plan(
        "ids",
        list(SKEWS),
        ["lookup", "matmul"],
        ["cpu"],
        num_embeddings=64,
        embedding_dim=8,
        tokens=4,
    )
    for draw in DRAW:
        figure = draw([run_of([measured(case, 1e-6) for case in cases])])
        axis = figure.layout.xaxis
        assert (list(axis.tickvals), list(axis.ticktext)) == ([0, 1, 2], list(SKEWS))
        assert axis.type is None
        for trace in figure.data:
            for x in trace.x:
                assert x is None or axis.range[0] <= x <= axis.range[1]
        assert all(trace.mode == "markers" for trace in traces(figure, "matmul, one-hot ready"))
    lookup, matmul = (
        traces(time_figure([run_of([measured(c, 1e-6) for c in cases])]), name)[0]
        for name in ("lookup", "matmul, one-hot ready")
    )
    assert all(a < b for a, b in zip(lookup.x, matmul.x, strict=True))  # side by side
    assert list(lookup.error_y.array) == pytest.approx([1e-7] * 3)


def test_ratios_are_to_lookup_at_the_same_point() -> None:
    """A ratio compares with lookup at the same size, device and run."""
    results = sweep(["lookup", "matmul"]) + [
        scaled(one, 4)
        for one in sweep(["lookup", "matmul"], device="cuda")
        if isinstance(one, Measurement)
    ]
    figure = speedup_figure([run_of(results)])
    for curve in traces(figure, "matmul, one-hot ready"):
        assert list(curve.y) == pytest.approx([rows / 100 for rows in ROWS])
    (one,) = traces(figure, "lookup = 1x")
    assert list(one.y) == [1, 1]
    assert traces(figure, "lookup") == []


def test_the_noise_is_a_band_around_one() -> None:
    """The noise is a band around 1."""
    (band,) = traces(speedup_figure([RUN]), "noise: the same measured twice")
    assert list(band.x) == [*ROWS, *reversed(ROWS)]
    assert list(band.y) == pytest.approx([1.05] * 4 + [1 / 1.05] * 4)
    quiet = [one for one in RUN.results if isinstance(one, Measurement) and not one.again]
    (band,) = traces(speedup_figure([run_of(quiet)]), "noise: the same measured twice")
    assert max(band.y) == pytest.approx(1.02)


def test_memory_is_predicted_before_anything_runs() -> None:
    """Planned cases have a predicted memory before anything runs."""
    planned = plan(
        "vocab", ROWS, ["lookup", "onehot_matmul"], ["cpu", "cuda"], embedding_dim=64, tokens=64
    )
    figure = memory_figure([], planned=planned)
    (built,) = traces(figure, "one-hot built + matmul")
    assert list(built.y) == [
        case.memory_bytes
        for case in planned
        if (case.method, case.device) == ("onehot_matmul", "cpu")
    ]
    assert built.line.dash == "dot"
    assert "one-hot 48.0 KiB" in built.hovertext[0]
    assert list(figure.layout.yaxis.ticktext) == ["16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB"]


def test_a_measured_peak_is_marked() -> None:
    """A GPU's measured peak has its own mark."""
    case = Case("matmul", 64, 64, 64, device="cuda")
    results = [measured(case, 1e-6, peak_bytes=3 * 2**20), measured(Case("lookup", 64, 64, 64), 1)]
    (peak,) = traces(memory_figure([run_of(results)]), "measured GPU peak")
    assert (list(peak.x), list(peak.y)) == ([64], [3 * 2**20])
    assert "3.0 MiB at the peak, measured" in peak.hovertext[0]


environments = st.dictionaries(st.sampled_from(["cpu", "gpus", "date"]), st.text(max_size=20))


@given(
    st.lists(st.tuples(environments, st.lists(ANY_RESULT, max_size=8)), max_size=3),
    st.lists(ANY_CASE, max_size=3),
)
@settings(deadline=None, max_examples=60)
def test_any_runs_can_be_drawn(
    given: list[tuple[dict[str, Any], list[Result]]], planned: list[Case]
) -> None:
    """Every readable run can be drawn."""
    runs = [Run("r", environment, tuple(results)) for environment, results in given]
    for draw in DRAW:
        figure = draw(runs, planned=planned)
        json.loads(figure.to_json(), parse_constant=pytest.fail)
        assert all(
            math.isfinite(end) for end in (*figure.layout.yaxis.range, *figure.layout.xaxis.range)
        )
        assert figure.layout.height < 1_500
        assert plain_title(figure)
