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

from embviz.figures.timing import tables
from embviz.figures.timing.charts import CHARTS, draw
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
    colours = tomllib.loads(THEME.read_text("utf-8"))["theme"]["light"]["chartCategoricalColors"]
    axis, table, facts, parts = varying(*(run.cases for run in runs)), points(runs), {}, [HEAD]
    for run, label in zip(runs, labels(runs), strict=True):
        said = "".join(f"<li>{escape(text)}</li>" for text in sentences(run))
        parts.append(f"<h2>{escape(label)}</h2><ul>{said}</ul>")
        facts[label] = run.environment | {
            "calibrations": len(run.environment.get("calibrations", []))
        }
    for place, y in enumerate(CHARTS):
        if figure := draw(table, axis, colours, y):
            figure.update_layout(template="plotly_white")
            parts.append(figure.to_html(CONFIG, full_html=False, include_plotlyjs=not place))
    with pd.option_context("display.max_colwidth", None):
        for frame in (tables.of_verdicts(runs), tables.of_points(table), pd.DataFrame(facts)):
            parts.append(f'<div class="wide" tabindex="0">{frame.to_html(na_rep="")}</div>')
    return "\n".join(parts)
