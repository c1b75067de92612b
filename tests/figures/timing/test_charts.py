"""The three charts and the report: what is drawn is what was measured, and text stays text."""

import json
import math
import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embviz.figures.axes import thinned
from embviz.figures.shades import shaded
from embviz.figures.timing.charts import memory_figure, plain_title, speedup_figure, time_figure
from embviz.figures.timing.curves import VARIANTS
from embviz.figures.timing.layout import TITLE_WIDTH, title_lines
from embviz.figures.timing.report import html_report
from embviz.figures.timing.traces import FAILED, MODEL
from embviz.timing.cases import Case, plan
from embviz.timing.findings import sentences
from embviz.timing.methods import METHODS, ROUTES
from embviz.timing.results import TERMS, Failure, Measurement, Result
from embviz.timing.runs import Run
from embviz.timing.settings import PASSES, SKEWS
from embviz.timing.tensors import inside

ROOT = Path(__file__).resolve().parents[3]
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
COLOURS = THEME["light"]["chartCategoricalColors"]
DRAW = (time_figure, speedup_figure, memory_figure)
ROWS = [64, 256, 1024, 4096]
EVIL = "<script>alert(1)</script><b>&amp;"


def measured(case: Case, seconds: float, **more: Any) -> Measurement:
    """Five blocks around a median, with the quartiles 10 % away from it."""
    return Measurement(case, tuple(seconds * f for f in (0.8, 0.9, 1, 1.1, 1.2)), 7, **more)


def seconds(case: Case) -> float:
    """Lookup is flat, the rest grows with the rows."""
    return 2e-6 if METHODS[case.method].route == "lookup" else 2e-8 * case.num_embeddings


def sweep(methods: Sequence[str], rows: Sequence[int] = ROWS, **fixed: Any) -> list[Result]:
    """Results over rows; the first method's control is 5 % slower."""
    found: list[Result] = []
    for value in rows:
        cases = plan(
            "vocab",
            [value],
            methods,
            [fixed.get("device", "cpu")],
            **{
                "embedding_dim": 64,
                "tokens": 64,
                **fixed,
            },
        )
        found += [
            measured(c, seconds(c), predicted_s=1.5 * seconds(c), dominant="overhead")
            for c in cases
        ]
        found.append(measured(cases[0], 1.05 * seconds(cases[0]), control=True))
    return found


def run_of(results: Sequence[Result], name: str = "r", **environment: Any) -> Run:
    """A run of one machine."""
    return Run(name, {"cpu": "Some CPU", **environment}, tuple(results))


RUN = run_of(sweep(["lookup", "index_select", "matmul"]))


def traces(figure: go.Figure, name: str) -> list[Any]:
    """The traces of one name that the legend or the hover shows."""
    return [trace for trace in figure.data if trace.name == name]


def legend(figure: go.Figure) -> list[str]:
    """The names in the legend, from the top."""
    return [trace.name for trace in figure.data if trace.showlegend is not False]


# --- the time


def test_the_medians_are_drawn() -> None:
    """Each method has one trace of its medians; the control has none."""
    figure = time_figure([RUN], COLOURS)
    (matmul,) = traces(figure, "matmul, one-hot ready")
    assert list(matmul.x) == ROWS
    assert list(matmul.y) == pytest.approx([2e-8 * rows for rows in ROWS])
    assert legend(figure) == ["lookup", "index_select", "matmul, one-hot ready", MODEL]
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")


def test_the_quartiles_are_a_band() -> None:
    """The band is the first and the third quartile of the blocks."""
    figure = time_figure([RUN], COLOURS)
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


def test_the_model_is_dotted_and_named_once() -> None:
    """The model is a dotted line with one legend entry; no method is dotted."""
    models = traces(time_figure([RUN], COLOURS), MODEL)
    assert [model.line.dash for model in models] == ["dot"] * 4
    assert [model.showlegend for model in models] == [False, False, False, True]
    assert list(models[0].y) == pytest.approx([3e-6] * 4)
    assert all(method.look[2] != "dot" for method in METHODS.values())


def test_many_models_are_drawn_only_when_asked_for() -> None:
    """With many curves the model's lines are hidden until their legend entry is clicked."""
    runs = [run_of(RUN.results, str(index)) for index in range(3)]
    assert {model.visible for model in traces(time_figure(runs[:2], COLOURS), MODEL)} == {True}
    assert {model.visible for model in traces(time_figure(runs, COLOURS), MODEL)} == {"legendonly"}


def test_a_point_tells_its_numbers() -> None:
    """A hover shows time, quartiles, blocks, model and noise."""
    (lookup,) = traces(time_figure([RUN], COLOURS), "lookup")
    assert lookup.hovertext[0].split("<br>") == [
        "<b>lookup</b>",
        "64 rows",
        "2.0 µs (middle half: 1.8 µs to 2.2 µs)",
        "5 blocks of 7 calls",
        "model: 3.0 µs, mostly overhead",
        "same method twice here: 5.0 % apart",
    ]


def test_a_failure_is_a_hollow_mark_with_its_reason() -> None:
    """A failure is a hollow cross, and its hover shows the escaped reason."""
    gone = Failure(Case("matmul", 16384, 64, 64), f"needs {EVIL} 9 GiB")
    figure = time_figure([run_of([*RUN.results, gone])], COLOURS)
    (failed,) = traces(figure, FAILED)
    assert list(failed.x) == [16384]
    assert failed.marker.symbol == "x-open"
    top = max(max(trace.y) for trace in traces(figure, "matmul, one-hot ready"))
    assert top < failed.y[0] < 10 ** figure.layout.yaxis.range[1]
    assert "16,384 rows: no time" in failed.hovertext[0]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;b&gt;&amp;amp;" in failed.hovertext[0]
    assert "<script" not in failed.hovertext[0]


def test_failures_stand_above_the_points() -> None:
    """Failures are drawn above all times."""
    methods = [name for name, method in METHODS.items() if "forward" in method.passes]
    gone = [Failure(Case(name, 4096, 64, 64), "gone") for name in methods]
    figure = time_figure([run_of([*RUN.results, *gone])], COLOURS)
    (failed,) = traces(figure, FAILED)
    band = [trace for trace in figure.data if trace.fill == "toself"][-1]
    assert len(set(failed.y)) == len(methods)
    assert min(failed.y) > max(band.y)


def test_failures_of_several_curves_share_a_mark() -> None:
    """Failures at one place share a mark with all their reasons."""
    gone = [
        Failure(replace(Case("matmul", 64, 64, 64), pass_=pass_), f"reason {pass_}")
        for pass_ in PASSES
    ]
    (failed,) = traces(time_figure([run_of([*RUN.results, *gone])], COLOURS), FAILED)
    assert len(failed.x) == 1
    assert all(f"reason {pass_}" in failed.hovertext[0] for pass_ in PASSES)


def test_titles_state_the_finding() -> None:
    """Each chart's title states its finding."""
    said = [plain_title(draw([RUN], COLOURS)) for draw in DRAW]
    assert said == [
        "At 4,096 rows lookup takes 2.0 µs, matmul 82 µs: 41x",
        "Matmul takes 0.64x to 41x of lookup's time",
        "At 4,096 rows lookup holds 1.0 MiB, matmul 2.0 MiB",
    ]


@pytest.mark.parametrize(
    ("results", "title"),
    [
        ([], "Nothing measured yet"),
        ([Failure(Case("matmul", 64, 64, 64), "gone")], "No case gave a time"),
        (sweep(["lookup"]), "At 4,096 rows lookup takes 2.0 µs"),
        (sweep(["matmul"], device="cuda"), "At 4,096 rows matmul takes 82 µs on cuda"),
        (
            sweep(["lookup", "matmul"]) + sweep(["lookup", "matmul"], ROWS[:3], device="cuda"),
            "Matmul takes 10x to 41x of lookup's time, at the largest sizes measured "
            "● on cpu ○ on cuda",
        ),
    ],
)
def test_titles_of_little_or_much(results: list[Result], title: str) -> None:
    """One method, failures alone and several devices have right titles."""
    assert plain_title(time_figure([run_of(results)], COLOURS)) == title


def test_titles_fit_a_phone() -> None:
    """A title's lines fit into 390 px."""
    long = run_of(
        [
            *sweep(["lookup_sparse", "scatter_matmul"], [2**20, 2**21, 2**22], pass_="backward"),
            *sweep(["lookup_sparse", "scatter_matmul"], [2**20], pass_="adam", device="cuda"),
        ],
        cpu="A processor with a rather long name, 64 cores",
    )
    for runs in ([long], [long, run_of(long.results, "s", cpu="B")]):
        for draw in DRAW:
            lines = re.sub("<span[^>]*>|</span>", "", draw(runs, COLOURS).layout.title.text)
            assert max(map(len, lines.split("<br>"))) <= TITLE_WIDTH + 8  # small print below


def test_titles_break_where_they_may() -> None:
    """No line of a title breaks a word or separates a number from its unit."""
    assert title_lines("x" * 43 + " one-hot") == ["x" * 43, "one-hot"]
    assert title_lines("x" * 44 + " 12 µs") == ["x" * 44, "12\xa0µs"]
    assert title_lines("At 65,536 rows lookup takes 2 µs, matmul 55 ms: 27,000x") == [
        "At 65,536\xa0rows lookup takes 2\xa0µs,",
        "matmul 55\xa0ms: 27,000x",
    ]


# --- looks


def test_every_method_has_its_own_mark() -> None:
    """Methods of one route differ by shade, dash and mark."""
    symbols = [method.look[1] for method in METHODS.values()]
    assert len(set(symbols)) == len(METHODS)
    assert not any("x" in symbol.split("-") for symbol in symbols)
    for route in ROUTES:
        mine = [method.look for method in METHODS.values() if method.route == route]
        assert len({step for step, _, _ in mine}) == len({dash for _, _, dash in mine}) == len(mine)


def contrast(colour: str, ground: str) -> float:
    """WCAG's contrast ratio of two colours."""
    light = []
    for one in (colour, ground):
        parts = [int(one[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        light.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.parametrize("shade", ["light", "dark"])
@pytest.mark.parametrize("method", METHODS)
def test_every_line_can_be_seen(shade: str, method: str) -> None:
    """Every method's colour has a contrast of at least 3:1 in both themes."""
    colours = THEME[shade]["chartCategoricalColors"]
    route = colours[METHODS[method].route != "lookup"]
    drawn = shaded(route, colours[2], METHODS[method].look[0])
    assert contrast(drawn, THEME[shade]["backgroundColor"]) >= 3
    assert (drawn == route) == (method in ("lookup", "matmul"))


def test_runs_differ_by_their_marks() -> None:
    """A further run has another fill of the mark, explained in the key."""
    other = run_of(RUN.results, "s", cpu="Other <b>one</b>", date="2026-07-14")
    figure = time_figure([RUN, other], COLOURS)
    first, second = traces(figure, "lookup")
    assert (first.marker.symbol, second.marker.symbol) == ("circle", "circle-open")
    assert first.marker.color == second.marker.color == COLOURS[0]
    assert [first.showlegend, second.showlegend] == [True, False]
    assert figure.layout.title.text.endswith(
        '<span style="font-size:12px;font-weight:400">● Some\xa0\xa0 '
        "○ Other &lt;b&gt;one&lt;/b&gt;, 2026-07-14</span>"
    )
    assert "Other &lt;b&gt;one" in second.hovertext[0]
    assert len({(ending, size, width) for _, ending, size, width in VARIANTS}) == len(VARIANTS)


def test_given_colours_reach_everything() -> None:
    """Given colours reach titles, ticks, legend and grid."""
    for draw in DRAW:
        layout = draw([RUN], COLOURS, text="#abcdef", grid="#123456").layout
        assert layout.title.font.color == layout.xaxis.tickfont.color == "#abcdef"
        assert layout.yaxis.title.font.color == layout.legend.font.color == "#abcdef"
        assert layout.xaxis.gridcolor == layout.yaxis.gridcolor == "#123456"


# --- the axes


def test_axes_stand_still_while_points_arrive() -> None:
    """The axes do not move while points arrive."""
    planned = [one.case for one in RUN.results]
    for draw in DRAW:
        layouts = [
            draw([run_of(RUN.results[:count])] if count else [], COLOURS, planned=planned).layout
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
        figure = draw([run_of([*RUN.results, gone])], COLOURS)
        (left, right), (low, high) = figure.layout.xaxis.range, figure.layout.yaxis.range
        for trace in figure.data:
            for x, y in zip(trace.x, trace.y, strict=True):
                if x is not None and y is not None:
                    assert left <= math.log10(x) <= right, trace.name
                    assert low <= math.log10(y) <= high, trace.name


def test_times_have_units_at_the_ticks() -> None:
    """Ticks are times with a unit, like 10 µs."""
    ticks = time_figure([run_of(sweep(["lookup", "matmul"], [64, 2**20]))], COLOURS).layout.yaxis
    assert list(ticks.ticktext) == ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]
    assert list(ticks.tickvals) == pytest.approx([1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
    near = time_figure([run_of(sweep(["lookup"]))], COLOURS).layout.yaxis
    assert len(near.tickvals) >= 2


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ([2**k for k in range(6, 17)], [64, 256, 1024, 4096, 16384, 65536]),
        ([2**k for k in range(6, 21)], [256, 2048, 16384, 131072, 1048576]),
        ([64], [64]),
        ([1, 2, 3, 4], [1, 2, 3, 4]),
        ([64, 65, 66, 4096], [66, 4096]),
    ],
)
def test_sizes_are_named_without_overlap(values: list[int], named: list[int]) -> None:
    """Ticks do not overlap at 390 px."""
    assert thinned(values) == named


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
        figure = draw([run_of([measured(case, 1e-6) for case in cases])], COLOURS)
        axis = figure.layout.xaxis
        assert (list(axis.tickvals), list(axis.ticktext)) == ([0, 1, 2], list(SKEWS))
        assert axis.type is None
        for trace in figure.data:
            for x in trace.x:
                assert x is None or axis.range[0] <= x <= axis.range[1]
        assert all(trace.mode == "markers" for trace in traces(figure, "matmul, one-hot ready"))
    lookup, matmul = (
        traces(time_figure([run_of([measured(c, 1e-6) for c in cases])], COLOURS), name)[0]
        for name in ("lookup", "matmul, one-hot ready")
    )
    assert all(a < b for a, b in zip(lookup.x, matmul.x, strict=True))  # side by side
    assert list(lookup.error_y.array) == pytest.approx([1e-7] * 3)


# --- beside lookup


def test_ratios_are_to_lookup_at_the_same_point() -> None:
    """A ratio compares with lookup at the same size, device and run."""
    results = sweep(["lookup", "matmul"]) + [
        replace(one, times_s=tuple(4 * s for s in one.times_s))
        for one in sweep(["lookup", "matmul"], device="cuda")
        if isinstance(one, Measurement)
    ]
    figure = speedup_figure([run_of(results)], COLOURS)
    for curve in traces(figure, "matmul, one-hot ready"):
        assert list(curve.y) == pytest.approx([rows / 100 for rows in ROWS])
    (one,) = traces(figure, "lookup = 1x")
    assert list(one.y) == [1, 1]
    assert traces(figure, "lookup") == []


def test_the_noise_is_a_band_around_one() -> None:
    """The noise is a band around 1."""
    (band,) = traces(speedup_figure([RUN], COLOURS), "A/A noise")
    assert list(band.x) == [*ROWS, *reversed(ROWS)]
    assert list(band.y) == pytest.approx([1.05] * 4 + [1 / 1.05] * 4)
    quiet = [one for one in RUN.results if isinstance(one, Measurement) and not one.control]
    (band,) = traces(speedup_figure([run_of(quiet)], COLOURS), "A/A noise")
    assert max(band.y) == pytest.approx(1.02)


def test_a_ratio_tells_its_verdict() -> None:
    """The hover of a ratio shows its verdict."""
    figure = speedup_figure([RUN], COLOURS)
    (select,) = traces(figure, "index_select")
    (matmul,) = traces(figure, "matmul, one-hot ready")
    assert select.hovertext[0].endswith("1.00x of lookup's time<br>not distinguishable")
    assert matmul.hovertext[-1].endswith("41x of lookup's time<br>slower")


# --- memory


def test_memory_is_predicted_before_anything_runs() -> None:
    """Planned cases have a predicted memory before anything runs."""
    planned = plan(
        "vocab", ROWS, ["lookup", "onehot_matmul"], ["cpu", "cuda"], embedding_dim=64, tokens=64
    )
    figure = memory_figure([], COLOURS, planned=planned)
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
    (peak,) = traces(memory_figure([run_of(results)], COLOURS), "measured GPU peak")
    assert (list(peak.x), list(peak.y)) == ([64], [3 * 2**20])
    assert "3.0 MiB at the peak, measured" in peak.hovertext[0]


# --- anything


cases = st.builds(
    Case,
    method=st.sampled_from(["lookup", "matmul", "index_select", "embedding_bag"]),
    num_embeddings=st.sampled_from([1, 64, 2**27]),
    embedding_dim=st.sampled_from([1, 64]),
    tokens=st.sampled_from([1, 2**20]),
    ids=st.sampled_from(list(SKEWS)),
    dtype=st.sampled_from(["float32", "float16"]),
    device=st.sampled_from(["cpu", "cuda"]),
    pass_=st.sampled_from(list(PASSES)),
)
anything = st.one_of(
    st.builds(Failure, cases, st.text(max_size=20)),
    st.builds(
        Measurement,
        cases,
        st.lists(st.floats(1e-12, 1e6), min_size=1, max_size=4).map(tuple),
        st.integers(1, 9),
        st.none() | st.floats(1e-12, 1e6),
        st.sampled_from(["", *list(TERMS)]),
        st.booleans(),
        st.none() | st.integers(0, 2**60),
    ),
)
environments = st.dictionaries(st.sampled_from(["cpu", "gpus", "date"]), st.text(max_size=20))


@given(
    st.lists(st.tuples(environments, st.lists(anything, max_size=8)), max_size=3),
    st.lists(cases, max_size=3),
)
@settings(deadline=None, max_examples=60)
def test_any_runs_can_be_drawn(
    given: list[tuple[dict[str, Any], list[Result]]], planned: list[Case]
) -> None:
    """Every readable run can be drawn."""
    runs = [Run("r", environment, tuple(results)) for environment, results in given]
    for draw in DRAW:
        figure = draw(runs, COLOURS, planned=planned)
        figure.to_json()
        assert all(
            math.isfinite(end) for end in (*figure.layout.yaxis.range, *figure.layout.xaxis.range)
        )
        assert figure.layout.height < 1_500
        assert plain_title(figure)


# --- the report


class _Page(HTMLParser):
    """What a browser would make of a page: its tags, and the text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._silent = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._silent = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._silent = False

    def handle_data(self, data: str) -> None:
        self.text += "" if self._silent else data


@pytest.fixture(scope="module")
def report() -> str:
    """The report of two machines, one of which has hostile names."""
    gone = Failure(Case("onehot_matmul", 2**20, 64, 64), f"no memory {EVIL}")
    return html_report(
        [
            RUN,
            run_of([*RUN.results, gone], EVIL, cpu=EVIL, gpus=[EVIL], date="2026-07-14"),
        ]
    )


def test_the_report_asks_nobody_for_anything(report: str) -> None:
    """The report opens offline, and its policy forbids every request."""
    page = _Page(report)
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy
    for tag, attributes in page.tags:
        assert not {"src", "href", "srcset", "action"} & attributes.keys(), tag
        assert tag not in ("link", "iframe", "img", "object", "embed", "base", "form")
    assert "@import" not in report.split("</style>")[0]
    assert "url(" not in report.split("</style>")[0]


def test_the_report_offers_no_upload(report: str) -> None:
    """The report's charts have no button that sends data."""
    configs = re.findall(r'{[^{}]*"showSendToCloud"[^{}]*}', report.split("</head>")[1])
    assert len(configs) == 3
    for config in map(json.loads, configs):
        assert config["showSendToCloud"] is False
        assert not any("loud" in name for row in config["modeBarButtons"] for name in row)


def test_the_report_holds_plotly_once_and_three_charts(report: str) -> None:
    """The report contains plotly.js once and three charts."""
    assert report.count("plotly.js v") == 1
    assert report.count('class="plotly-graph-div"') == 3
    assert report.count("Plotly.newPlot(") >= 3
    assert len(report) < 8_000_000


def test_the_report_says_what_was_found(report: str) -> None:
    """The report has findings, numbers, statements and machine."""
    text = _Page(report).text
    for run in (RUN,):
        assert all(sentence in text for sentence in sentences(run))
    assert inside(Case("matmul", 64, 64, 64)) in text
    assert "The same in all: pass forward, device cpu, dim 64" in text
    assert "no time: no memory <script>alert(1)</script>" in text
    assert text.count("lookup (again)") == 2 * len(ROWS)
    assert "Some CPU" in text
    rows = sum(tag == "tr" for tag, _ in _Page(report).tags)
    assert rows == 1 + 2 * len(RUN.results) + 1


def test_a_row_of_the_report_has_its_numbers() -> None:
    """Each result has a row with all its numbers."""
    page = html_report([run_of([measured(Case("lookup", 64, 64, 64), 1.234e-6)])])
    row = page.split("<tbody>")[1].split("</tr>")[0]
    assert re.findall("<td[^>]*>([^<]*)</td>", row) == [
        "lookup",
        "1.23 µs",
        "247 ns (20.0 %)",
        "5",
        "7",
        "",
        "",
    ]


def test_text_from_a_file_stays_text(report: str) -> None:
    """Text from a run file is escaped everywhere in the report."""
    page = _Page(report)
    assert sum(tag == "script" for tag, _ in page.tags) == report.count("<script")
    assert not any(tag == "b" for tag, _ in page.tags)
    assert "<script>alert" not in report
    assert page.text.count("<script>alert(1)</script>") >= 3


def test_the_report_is_a_page_for_everyone(report: str) -> None:
    """The report names its language, has a viewport and labels its regions."""
    page = _Page(report)
    assert report.startswith("<!DOCTYPE html>")
    assert ("html", {"lang": "en"}) in page.tags
    assert any(a.get("name") == "viewport" for _, a in page.tags)
    assert any(tag == "title" for tag, _ in page.tags)
    charts = [a["aria-label"] for tag, a in page.tags if tag == "figure"]
    assert len(charts) == 3
    assert all(charts)
    (table,) = [a for _, a in page.tags if a.get("class") == "wide"]
    assert table["tabindex"] == "0"  # the keyboard can scroll it


@pytest.mark.parametrize("runs", [[], [Run("empty", {})]])
def test_a_report_of_nothing(runs: list[Run]) -> None:
    """A report without results is a page all the same."""
    assert "</html>" in html_report(runs)


def test_figures_are_json_without_nan() -> None:
    """Every figure is JSON without NaN."""
    for draw in DRAW:
        json.loads(draw([RUN], COLOURS).to_json(), parse_constant=pytest.fail)
