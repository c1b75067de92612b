"""Runs for charts and reports, and what a figure shows of them."""

import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from embviz.figures.timing import charts
from embviz.figures.timing.curves import Plot
from embviz.timing.cases import Case, plan
from embviz.timing.methods import METHODS
from embviz.timing.results import Measurement, Result
from embviz.timing.runs import Run

ROOT = Path(__file__).resolve().parents[3]

THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]

COLOURS = THEME["light"]["chartCategoricalColors"]


def drawn(
    draw: Callable[[Plot], go.Figure], runs: Sequence[Run], planned: Sequence[Case] = ()
) -> go.Figure:
    """A figure of these runs in the light theme."""
    return draw(Plot(runs, COLOURS, planned))


time_figure = partial(drawn, charts.time_figure)

speedup_figure = partial(drawn, charts.speedup_figure)

memory_figure = partial(drawn, charts.memory_figure)

DRAW = (time_figure, speedup_figure, memory_figure)

ROWS = [64, 256, 1024, 4096]

EVIL = "<script>alert(1)</script><b>&amp;"


def measured(case: Case, seconds: float, **more: Any) -> Measurement:
    """Five rounds around a median, with the quartiles 10 % away: phases that all cases share."""
    blocks = {(0, n): (seconds * f,) for n, f in enumerate((0.8, 0.9, 1, 1.1, 1.2))}
    return Measurement(case, blocks, **more)


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
            **{"embedding_dim": 64, "tokens": 64, **fixed},
        )
        found += [measured(case, seconds(case)) for case in cases]
        found.append(measured(cases[0], 1.05 * seconds(cases[0]), again=True))
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
