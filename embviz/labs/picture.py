"""The picture of a step: named grids of short texts, and signs between them.

It is data. The page draws it, and a test reads it: a picture must not hold what a later step asks
for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from embviz.labs.formatting import short

# Every part that a picture may show, and its caption.
PARTS = {
    "text": "text",
    "vocabulary": "vocabulary",
    "ids": "ids",
    "table": "table",
    "one-hot": "one-hot rows",
    "one-hot row": "one-hot row",
    "products": "times its number",
    "output": "output",
    "linear": "linear.weight",
    "counts": "counts",
    "indices": "indices",
    "data": "data",
    "rows": "rows",
    "row": "row",
    "new row": "new row",
    "weighted": "times the counts",
    "sum": "sum",
    "mean": "mean",
    "pretrained": "embedding.weight",
    "gradient": "gradient",
    "place": "gradient of each place",
    "sign": "its sign",
    "moved": "largest move",
    "bytes": "bytes",
    "work": "work",
}
UNKNOWN = "?"


@dataclass(frozen=True)
class Grid:
    """A part: a table of short texts.

    Attributes:
        part: a key of PARTS.
        cells: the texts, row by row.
        labels: one for each row, or none.
        heads: one for each column, or none.
        marked: the cells (row, column) that stand out.
        shape: written behind the caption.
    """

    part: str
    cells: Sequence[Sequence[str]]
    labels: Sequence[str] = ()
    heads: Sequence[str] = ()
    marked: frozenset[tuple[int, int]] = frozenset()
    shape: str = ""

    @property
    def caption(self) -> str:
        """The part's name and its shape."""
        return f"{PARTS[self.part]} {self.shape}".strip()


Picture = tuple[Grid | str, ...]


def filled(numbers: torch.Tensor) -> list[list[str]]:
    """The cells of a matrix, or of a vector as one row.

    >>> filled(torch.tensor([1.0, -2.5]))
    [['1', '-2.5']]
    """
    rows = numbers.reshape(1, -1) if numbers.dim() == 1 else numbers
    return [[short(number) for number in row] for row in rows]


def blank(rows: int, columns: int, text: str = "") -> list[list[str]]:
    """Cells without numbers.

    >>> blank(1, 2, UNKNOWN)
    [['?', '?']]
    """
    return [[text] * columns for _ in range(rows)]


def whole(rows: Iterable[int], columns: int) -> frozenset[tuple[int, int]]:
    """All cells of these rows, to mark them."""
    return frozenset((row, column) for row in rows for column in range(columns))
