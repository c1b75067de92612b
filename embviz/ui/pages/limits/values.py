"""What one side of a case gave, as a small table; cells that differ from the other side are marked.

Drawn as HTML, for a data grid cannot mark single cells so that a screen reader says it too.
It shows the first rows and columns of a tensor and says how much it leaves out.
"""

from __future__ import annotations

from html import escape

import torch

from embviz.limits.case import Value
from embviz.limits.outcome import Outcome

ROWS, COLUMNS = 8, 8
STYLE = """
<style>
.side { border-left: 3px solid; padding: 2px 0 2px 10px; overflow-x: auto; }
.side .who { font-weight: 600; font-size: 14px; }
.side .what { color: light-dark(#565d6a, #a9b1be); font-size: 12px; margin-bottom: 4px; }
.side table { border-collapse: separate; border-spacing: 2px; }
.side td { font: 12px "Source Code Pro", monospace; text-align: right; padding: 2px 6px;
  border: 1.5px solid transparent; border-radius: 3px; min-width: 3.2em; }
.side td.off { border-color: light-dark(#a3242b, #ff9d9d);
  background: light-dark(#fbeaea, #3a2226); font-weight: 600; }
.side td.off::before { content: "≠ "; }
.side pre { font: 12px "Source Code Pro", monospace; white-space: pre-wrap; margin: 0;
  overflow-wrap: anywhere; }
.side pre.error { color: light-dark(#a3242b, #ff9d9d); }
.side .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); }
</style>"""


def side(who: str, outcome: Outcome, left: bool, colour: str) -> str:
    """HTML of one side: who gave it, what kind of thing it is, and its numbers or its error.

    Args:
        who: the side's name.
        outcome: both sides' values.
        left: which of the two.
        colour: of the route, as CSS writes it.
    """
    value = outcome.left if left else outcome.right
    kind, body = _body(value, outcome.differs)
    return (
        f'<div class="side" style="border-color:{colour}" role="group" aria-label="{escape(who)}">'
        f'<div class="who">{escape(who)}</div><div class="what">{escape(kind)}</div>{body}</div>'
    )


def _body(value: Value, differs: torch.Tensor | None) -> tuple[str, str]:
    if isinstance(value, Exception):
        words = str(value).strip() or "(no words)"
        return f"raised {type(value).__name__}", f'<pre class="error">{escape(words[:600])}</pre>'
    if not isinstance(value, torch.Tensor):
        return f"Python {type(value).__name__}", f"<pre>{escape(str(value)[:600])}</pre>"
    kind = f"{str(value.dtype).removeprefix('torch.')} {tuple(value.shape)}"
    value = value.detach().to_dense() if value.layout != torch.strided else value.detach()
    if not value.numel():
        return kind, "<pre>no numbers: a size is 0</pre>"
    table = _flat(value)
    marks = None if differs is None or differs.shape != value.shape else _flat(differs)
    lines = []
    for r, row in enumerate(table[:ROWS, :COLUMNS].tolist()):
        cells = [_cell(one, marks is not None and bool(marks[r, c])) for c, one in enumerate(row)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    rows, columns = table.shape
    left_out = [f"{columns - COLUMNS:,} more columns"] * (columns > COLUMNS)
    left_out += [f"{rows - ROWS:,} more rows"] * (rows > ROWS)
    more = f'<div class="what">{" and ".join(left_out)}</div>' if left_out else ""
    return kind, f"<table><tbody>{''.join(lines)}</tbody></table>{more}"


def _flat(value: torch.Tensor) -> torch.Tensor:
    """As a table: the last axis across, all others down."""
    return value.reshape(1, 1) if value.dim() == 0 else value.reshape(-1, value.shape[-1])


def _cell(value: float | bool, off: bool) -> str:
    words = f"{value:.5g}" if isinstance(value, float) else str(value)
    said = '<span class="hidden">differs: </span>' if off else ""
    return f"<td{' class=off' if off else ''}>{said}{escape(words)}</td>"
