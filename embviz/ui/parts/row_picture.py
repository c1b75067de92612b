"""One sparse row as a picture: the stored CSR entries, and the dense cells they belong to.

It is plain SVG, because a table cannot show arrows. Zeros are faint. Of a long row only the stored
cells are drawn, with gaps between them.
"""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from embviz.bag.matrix import Row
from embviz.request.markdown import literal
from embviz.ui.parts.component import component
from embviz.ui.parts.terms import with_terms

ALL_COLUMNS = 20  # up to so many columns, all are drawn
STORED = 10  # stored cells that are drawn of a longer row
CELL, HIGH = 58, 26  # px
LABEL = 62
_CSS = """
.row-picture { overflow-x: auto; color: var(--st-text-color); }
.row-picture:focus-visible { outline: 2px solid var(--st-primary-color); }
.row-picture svg { display: block; font: 12px var(--st-code-font), monospace; }
.row-picture .box { fill: none; stroke: var(--st-border-color); }
.row-picture .stored { fill: var(--st-blue-background-color); stroke: var(--st-blue-color); }
.row-picture text { fill: currentColor; text-anchor: middle; dominant-baseline: central; }
.row-picture .zero { fill: var(--st-gray-text-color); opacity: 0.8; }
.row-picture .name { text-anchor: start; fill: var(--st-gray-text-color); }
.row-picture line { stroke: var(--st-blue-color); stroke-width: 1.4; }
.row-picture .head { fill: var(--st-blue-color); }
.row-picture .word { fill: var(--st-gray-text-color); font-size: 11px; }
"""
_JS = """
export default function ({ parentElement, data }) {
  const box = parentElement.querySelector(".row-picture");
  box.innerHTML = data.svg; // Python escapes every text in it
  box.setAttribute("aria-label", data.words);
}
"""
_component = component(
    "embviz_row", [_JS], html='<div class="row-picture" role="img" tabindex="0"></div>', css=_CSS
)


def draw_row(row: Row, start: int) -> None:
    """Draw the row; `start` is `indptr[row]`, where its stored cells begin."""
    svg, words = row_picture(row, start)
    _component(key="row_picture", data={"svg": svg, "words": words})
    shown = literal(words).replace("indptr", "{{indptr}}", 1)
    st.caption(with_terms(shown), unsafe_allow_html=True)


def row_picture(row: Row, start: int) -> tuple[str, str]:
    """The row's SVG, and the same in a sentence.

    Args:
        row: the row.
        start: `indptr[row]`, where its stored cells begin.
    """
    columns, stored, cut = _shown(row)
    slots = {column: place for place, column in enumerate(columns) if column is not None}
    dense_left = LABEL + max(0, (len(stored) - len(columns)) * CELL / 2)
    stored_left = LABEL + max(0, (len(columns) - len(stored)) * CELL / 2)
    width = LABEL + CELL * max(len(columns), len(stored), 1) + 8
    parts = [_name("indices", 14), _name("data", 14 + HIGH), _name("dense", 118)]
    for place, position in enumerate(stored):
        x = stored_left + place * CELL
        column, value = int(row.indices[position]), row.data[position]
        parts.append(_box(x, 1, str(column), "stored"))
        parts.append(_box(x, 1 + HIGH, _number(value), "stored"))
        if column in slots:
            parts.append(
                _arrow(x + CELL / 2, 2 + 2 * HIGH, dense_left + (slots[column] + 0.5) * CELL, 102)
            )
    sums = _sums(row, [column for column in columns if column is not None])
    for place, shown in enumerate(columns):
        x = dense_left + place * CELL
        if shown is None:
            parts.append(f'<text x="{x + CELL / 2}" y="118" class="zero">⋯</text>')
            continue
        value = sums[shown]
        parts.append(_box(x, 105, _number(value), "box" + (" zero" if value == 0 else "")))
        label = str(shown) if row.columns is None else row.columns[shown]
        parts.append(
            f'<text x="{x + CELL / 2}" y="144" class="word"><title>{escape(label)}</title>'
            f"{escape(label if len(label) <= 8 else label[:7] + '…')}</text>"
        )
    end = start + len(row.indices)
    rest = f" (the first {len(stored):,} are drawn)" if cut else ""
    title = (
        f"{len(row.indices):,} of {row.num_columns:,} cells are stored{rest}: indices has their "
        "columns, data their values. indptr says where this row stands in the whole matrix: "
        f"indices[{start}:{end}] and data[{start}:{end}]."
    )
    svg = f'<svg width="{width:.0f}" height="156" aria-hidden="true">{"".join(parts)}</svg>'
    return svg, title


def _shown(row: Row) -> tuple[list[int | None], list[int], bool]:
    """Columns to draw (None is a gap), stored positions to draw, and whether some are left out."""
    if row.num_columns <= ALL_COLUMNS:
        few = list(range(min(len(row.indices), ALL_COLUMNS)))
        return list(range(row.num_columns)), few, len(few) < len(row.indices)
    stored = list(range(min(len(row.indices), STORED)))
    wanted = sorted({int(row.indices[position]) for position in stored} | {0, row.num_columns - 1})
    columns: list[int | None] = []
    for column in wanted:
        last = columns[-1] if columns else None
        if last is not None and column - last == 2:
            columns.append(last + 1)
        elif last is not None and column - last > 2:
            columns.append(None)
        columns.append(column)
    return columns, stored, len(stored) < len(row.indices)


def _sums(row: Row, columns: list[int]) -> dict[int, float]:
    """The dense value of each of these columns; duplicate entries are summed."""
    return {column: float(np.sum(row.data[row.indices == column])) for column in columns}


def _number(value: float) -> str:
    return f"{value:.4g}"


def _name(text: str, y: float) -> str:
    return f'<text x="0" y="{y}" class="name">{text}</text>'


def _box(x: float, y: float, text: str, look: str) -> str:
    kind = look.replace(" zero", "")
    faint = ' class="zero"' if "zero" in look else ""
    return (
        f'<rect x="{x + 1}" y="{y}" width="{CELL - 2}" height="{HIGH - 1}" class="{kind}"/>'
        f'<text x="{x + CELL / 2}" y="{y + HIGH / 2}"{faint}>{escape(text)}</text>'
    )


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    head = f"{to_x - 4},{to_y - 7} {to_x + 4},{to_y - 7} {to_x},{to_y}"
    return (
        f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y - 6}"/>'
        f'<polygon class="head" points="{head}"/>'
    )
