"""Runs as one HTML file that opens offline: sentences, charts, every number.

The file contains plotly.js, and its Content-Security-Policy forbids every request. Texts of run
files are escaped.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from html import escape
from pathlib import Path

import pandas as pd

from embviz.figures.timing import charts
from embviz.timing.case import varying
from embviz.timing.run import Run, labels, points
from embviz.timing.sentences import sentences

THEME = Path(__file__).parents[3] / ".streamlit" / "config.toml"
# By default plotly offers to send a chart to a server of its own.
CONFIG = {"responsive": True, "displaylogo": False, "showSendToCloud": False}
HEAD = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>embviz: lookup against matmul, timed</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline';
style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { margin: 1rem auto; max-width: 72rem; padding: 0 1rem; font: 15px/1.5 system-ui; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; }
td, th { padding: 2px 8px; white-space: nowrap; }</style>
<h1>Lookup against matmul, timed</h1>"""


def html_report(runs: Sequence[Run]) -> str:
    """The whole page, for one run or several to compare."""
    theme = tomllib.loads(THEME.read_text(encoding="utf-8"))["theme"]["light"]
    axis, table = varying(*(run.cases for run in runs)), points(runs)
    parts = [HEAD]
    for run, label in zip(runs, labels(runs), strict=True):
        said = "".join(f"<li>{escape(text)}</li>" for text in sentences(run))
        parts.append(f"<h2>{escape(label)}</h2><ul>{said}</ul>")
    for place, draw in enumerate(charts.FIGURES if len(table) else ()):
        figure = draw(table, axis, theme["chartCategoricalColors"])
        if figure is not None:
            figure.update_layout(template="plotly_white", font_color=theme["textColor"])
            parts.append(figure.to_html(CONFIG, full_html=False, include_plotlyjs=not place))
    facts = pd.DataFrame(
        {label: run.environment for label, run in zip(labels(runs), runs, strict=True)}
    )
    with pd.option_context("display.max_colwidth", None):
        for frame in (table.drop(columns="case"), facts.drop("calibrations", errors="ignore")):
            parts.append(f'<div class="wide" tabindex="0">{frame.to_html(na_rep="")}</div>')
    return "\n".join(parts)
