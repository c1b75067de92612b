"""The picture of a question: named grids of short texts, and signs between them.

It is data; `html_of` draws it. Everything is escaped, so no text becomes a tag.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import starmap, zip_longest

import torch

UNKNOWN = "?"
TIMES = "×"  # The sign whose two parts stay on one line: a product is read as one.
GAP_EM = 1.5  # Room on both sides of a sign between two parts, as a multiple of the type's size.
LETTER_EM = 0.62  # Width of a letter of the fixed-width face, as a part of its size.


@dataclass(frozen=True)
class Grid:
    """A table of short texts, one part of a picture.

    Attributes:
        caption: its name.
        cells: the texts, row by row.
        labels: one for each row, or none.
        heads: one for each column, or none.
        marked: the cells (row, column) that stand out.
    """

    caption: str
    cells: Sequence[Sequence[str]]
    labels: Sequence[str] = ()
    heads: Sequence[str] = ()
    marked: Collection[tuple[int, int]] = ()


Picture = tuple[Grid | str, ...]


def short(value: float | torch.Tensor) -> str:
    """A number to 6 digits, without zeros at its end; a whole one with its thousands apart.

    >>> short(3.0), short(1 / 3), short(51200)
    ('3', '0.333333', '51,200')
    """
    value = float(value) + 0.0  # no -0
    return f"{value:,.0f}" if value.is_integer() else f"{value:.6g}"


def filled(numbers: torch.Tensor) -> list[list[str]]:
    """The cells of a matrix, or of a vector as one row.

    >>> filled(torch.tensor([1.0, -2.5]))
    [['1', '-2.5']]
    """
    return [[short(number) for number in row] for row in numbers.reshape(-1, numbers.shape[-1])]


def blank(rows: int, columns: int, text: str = "") -> list[list[str]]:
    """Cells without numbers.

    >>> blank(1, 2, UNKNOWN)
    [['?', '?']]
    """
    return [[text] * columns for _ in range(rows)]


def hidden(grid: Grid) -> Grid:
    """The grid before an answer: question marks in all cells, of which none stands out."""
    return replace(grid, cells=[[UNKNOWN] * len(line) for line in grid.cells], marked=())


def cells_of(rows: Iterable[int], columns: int) -> list[tuple[int, int]]:
    """All cells of these rows, to mark them."""
    return [(row, column) for row in rows for column in range(columns)]


def html_of(picture: Picture) -> str:
    """The grids beside each other, each with the sign before it, a product on one line."""
    parts, sign = list[list[tuple[str, Grid]]](), ""
    for each in picture:
        if isinstance(each, str):
            sign = each
            continue
        if sign != TIMES or not parts:
            parts.append([])
        parts[-1].append((sign, each))
        sign = ""
    joined = "".join(f'<div class="joined">{"".join(starmap(_grid, part))}</div>' for part in parts)
    # The style sheet makes the type so small that the widest part fits: none is cut.
    widest = max(map(_width, parts), default=1)
    return (
        f'<div class="lab-picture" translate="no" style="--widest: {widest:.1f}">'
        f'<div class="drawn">{joined}</div></div>'
    )


def _width(part: Sequence[tuple[str, Grid]]) -> float:
    """About the width of grids beside each other, as a multiple of their type's size."""
    return sum(starmap(_grid_width, part)) + GAP_EM * (len(part) - 1)


def _grid_width(sign: str, grid: Grid) -> float:
    """The width of a grid with the sign before it."""
    lines = [grid.heads, *grid.cells]
    columns = [max(map(len, column)) for column in zip_longest(*lines, fillvalue="")]
    cells = sum(max(2.2, LETTER_EM * count + 1) for count in columns)
    labels = max(map(len, grid.labels), default=0)
    return LETTER_EM * (labels + len(sign)) + 2 + max(cells, LETTER_EM * len(grid.caption))


def _grid(sign: str, grid: Grid) -> str:
    """A grid with the sign before it."""
    between = f'<span class="between">{html.escape(sign)}</span>' if sign else ""
    return between + _table(grid)


def _table(grid: Grid) -> str:
    caption = html.escape(grid.caption)
    heads = "".join(_cell("th", head, ' scope="col"') for head in grid.heads)
    lines = []
    if heads:
        corner = "<td></td>" if grid.labels else ""
        lines.append(corner + heads)
    for row, cells in enumerate(grid.cells):
        label = _cell("th", grid.labels[row], ' scope="row"') if grid.labels else ""
        for column, cell in enumerate(cells):
            mark = ' class="marked"' if (row, column) in grid.marked else ""
            label += _cell("td", cell, mark)
        lines.append(label)
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="part"><table><caption>{caption}</caption>{table}</table></div>'


def _cell(tag: str, text: str, attributes: str) -> str:
    return f"<{tag}{attributes}>{html.escape(text)}</{tag}>"
