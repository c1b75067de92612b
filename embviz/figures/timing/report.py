"""Runs as one HTML file that opens offline: charts, sentences, every number.

The file contains plotly.js, and its Content-Security-Policy forbids every request. All text from a
run file is escaped.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from embviz.figures.timing.charts import memory_figure, plain_title, speedup_figure, time_figure
from embviz.figures.timing.curves import Plot
from embviz.figures.timing.layout import colour
from embviz.figures.timing.roofline import bandwidth_figure, roofline_figure
from embviz.timing.cases import Case
from embviz.timing.findings import sentences
from embviz.timing.runs import Run, labels
from embviz.timing.table import shown, table
from embviz.timing.tensors import inside

CONFIG = Path(__file__).parents[3] / ".streamlit" / "config.toml"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)
# By default plotly offers to send a chart to a server of its own.
CHART = {
    "responsive": True,
    "displaylogo": False,
    "showSendToCloud": False,
    "modeBarButtons": [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
}
DRAW: tuple[Callable[[Plot], go.Figure | None], ...] = (
    time_figure,
    speedup_figure,
    memory_figure,
    bandwidth_figure,
    roofline_figure,
)
TITLE = "embviz: lookup against matmul, timed"

_STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: #fff; color: %(text)s;
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
ul { padding-left: 1.2rem; margin: .4rem 0; } li { margin: .2rem 0; }
figure { margin: .5rem 0 0; min-width: 0; }
.charts { display: grid; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 60rem) { .charts { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .charts figure:first-child { grid-column: 1 / -1; } }
code, td, dd { font-variant-numeric: tabular-nums; }
code { font: 13px/1.5 ui-monospace, monospace; }
.wide { overflow-x: auto; } .wide:focus { outline: 2px solid %(text)s; }
table { border-collapse: collapse; font-size: 13px; overflow-wrap: normal; }
th, td { text-align: left; padding: .15rem .6rem .15rem 0; border-bottom: 1px solid %(border)s;
  white-space: nowrap; vertical-align: top; }
td.number, th.number { text-align: right; }
td.remarks { white-space: normal; min-width: 16rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem; margin: 0; }
dd { margin: 0; }
"""


def html_report(runs: Sequence[Run]) -> str:
    """The whole page.

    Args:
        runs: one, or several to compare.
    """
    theme = _theme()
    names = [escape(label) for label in labels(runs)]
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{TITLE}</title>",
        f"<style>{_STYLE % {'text': theme['textColor'], 'border': theme['borderColor']}}</style>",
        f"<script>{get_plotlyjs()}</script></head><body><main>",
        f"<h1>{TITLE}</h1>",
        f"<p>{'; '.join(names) or 'No run.'}</p>",
        *_found(runs, names),
        *_charts(runs, theme),
        *_inside(runs),
        *_table(runs),
        *_machines(runs, names),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def _theme() -> dict[str, Any]:
    """The light theme of Streamlit's configuration."""
    theme: dict[str, Any] = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"]["light"]
    return theme


def _found(runs: Sequence[Run], names: Sequence[str]) -> Iterator[str]:
    """The findings of each run."""
    for run, name in zip(runs, names, strict=True):
        yield f"<h2>What was found{f': {name}' if len(runs) > 1 else ''}</h2>"
        yield _list(sentences(run))


def _list(texts: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>"


def _charts(runs: Sequence[Run], theme: dict[str, Any]) -> Iterator[str]:
    yield '<h2>Charts</h2><div class="charts">'
    runs = [replace(run, name=name) for run, name in zip(runs, labels(runs), strict=True)]
    # As on the page, each machine has its dash or its panel.
    machines = [run.name for run in runs] if len(runs) > 1 else []
    plot = Plot(runs, theme["chartCategoricalColors"], machines=machines)
    drawn = (draw(plot) for draw in DRAW)
    for figure in filter(None, drawn):
        colour(figure, theme["textColor"], theme["borderColor"])
        figure.update_layout(template="plotly_white")
        chart = figure.to_html(full_html=False, include_plotlyjs=False, config=CHART)
        yield f'<figure aria-label="{escape(plain_title(figure))}">{chart}</figure>'
    yield "</div>"


def _inside(runs: Iterable[Run]) -> Iterator[str]:
    """The statement of each method, as it was timed."""
    cases: dict[tuple[str, str], Case] = {}
    for run in runs:
        for one in run.results:
            cases.setdefault((one.case.method, one.case.pass_), one.case)
    if cases:
        items = "".join(
            f"<li>{escape(case.record.label)}: <code>{escape(inside(case))}</code></li>"
            for case in cases.values()
        )
        yield f"<h2>Inside the clock</h2><ul>{items}</ul>"


def _table(runs: Sequence[Run]) -> Iterator[str]:
    """Every result; a control is marked, a failure gives its reason."""
    found = table(runs)
    if not found.rows:
        return
    yield "<h2>All results</h2>"
    if found.note:
        yield f"<p>{escape(found.note)}</p>"
    yield '<div class="wide" tabindex="0" role="region" aria-label="All results"><table><thead><tr>'
    yield "".join(f'<th scope="col">{escape(head)}</th>' for head in found.heads)
    yield "</tr></thead><tbody>"
    kinds = [' class="number"' if right else "" for right in found.right]
    kinds[-1] = ' class="remarks"'  # the reason of a failure may be long
    for row in found.rows:
        cells = zip(kinds, row, strict=True)
        yield f"<tr>{''.join(f'<td{kind}>{escape(cell)}</td>' for kind, cell in cells)}</tr>"
    yield "</tbody></table></div>"


def _machines(runs: Sequence[Run], names: Sequence[str]) -> Iterator[str]:
    for run, name in zip(runs, names, strict=True):
        facts = {key: one for key, one in run.environment.items() if one not in (None, "", [])}
        if facts:
            yield f"<h2>Machine{f': {name}' if len(runs) > 1 else ''}</h2><dl>"
            yield from (
                f"<dt>{escape(key)}</dt><dd>{escape(shown(value))}</dd>"
                for key, value in facts.items()
            )
            yield "</dl>"
