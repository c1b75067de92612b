"""The value of one side of a case as a small table; cells that differ are marked.

Drawn as HTML: a data grid cannot mark single cells for a screen reader too. Values are small: a
test holds that no case gives more than fits.
"""

from __future__ import annotations

from html import escape
from typing import Any

import torch

from embviz.core.dtypes import dtype_name
from embviz.ui.parts.theme import style_sheet

_STYLE = """
.side { border-left: 3px solid; padding: 2px 0 2px 10px; overflow-x: auto; }
.side .who { font-weight: 600; font-size: 14px; }
.side .what { color: MUTED; font-size: 12px; margin-bottom: 4px; }
.side table { border-collapse: separate; border-spacing: 2px; }
.side td { font: 12px "Source Code Pro", monospace; text-align: right; padding: 2px 6px;
  border: 1.5px solid transparent; border-radius: 3px; min-width: 3.2em;
  white-space: nowrap; }
.side td.off { border-color: WRONG; background: BEHIND; font-weight: 600; }
.side pre { font: 12px "Source Code Pro", monospace; white-space: pre-wrap; margin: 0;
  overflow-wrap: anywhere; }
.side pre.error { color: WRONG; }
.side .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); }
"""


def sentence_case(title: str) -> str:
    """A title with a capital letter, unless it begins with a name of code.

    >>> sentence_case("an id that has no row"), sentence_case("max_norm breaks backward")
    ('An id that has no row', 'max_norm breaks backward')
    """
    return title[0].upper() + title[1:] if title.split()[0].isalpha() else title


def style() -> str:
    """The style sheet of all sides on the page, in the theme's colours."""
    return style_sheet(
        _STYLE, MUTED="grayTextColor", WRONG="redTextColor", BEHIND="redBackgroundColor"
    )


def side(name: str, value: Any, differs: torch.Tensor | None, colour: str) -> str:
    """HTML of one side: its name, the type of its value, and its numbers or its error.

    Args:
        name: of the side.
        value: the value of the side.
        differs: where it differs from the other side; None if that cannot be marked.
        colour: of the route, as CSS writes it.
    """
    kind, body = _body(value, differs)
    return (
        f'<div class="side" style="border-color:{colour}" role="group" '
        f'aria-label="{escape(name)}"><div class="who">{escape(name)}</div>'
        f'<div class="what">{escape(kind)}</div>{body}</div>'
    )


def _body(value: Any, differs: torch.Tensor | None) -> tuple[str, str]:
    if isinstance(value, Exception):
        words = escape(str(value)[:600])
        return f"raised {type(value).__name__}", f'<pre class="error">{words}</pre>'
    if not isinstance(value, torch.Tensor):
        return f"Python {type(value).__name__}", f"<pre>{escape(str(value))}</pre>"
    kind = f"{dtype_name(value.dtype)} {tuple(value.shape)}"
    table = _as_table(value)
    off = torch.zeros_like(table, dtype=torch.bool) if differs is None else _as_table(differs)
    pairs = zip(table.tolist(), off.tolist(), strict=True)
    lines = [f"<tr>{''.join(map(_cell, *pair))}</tr>" for pair in pairs]
    return kind, f"<table><tbody>{''.join(lines)}</tbody></table>"


def _as_table(value: torch.Tensor) -> torch.Tensor:
    """Two axes: the last one across, all others down."""
    return value.reshape(1, 1) if value.dim() == 0 else value.reshape(-1, value.shape[-1])


def _cell(value: float | bool, off: bool) -> str:
    words = f"{value:.5g}" if isinstance(value, float) else str(value)
    hidden = '<span class="hidden">differs: </span>' if off else ""
    return f"<td{' class=off' if off else ''}>{hidden}{escape(words)}</td>"
