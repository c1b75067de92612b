"""Numbers as coloured cells: what `ui/parts/grid` draws, without a chart library.

Plotly builds a chart anew on every change, 20 to 40 ms in the browser. A grid is one canvas. Its
labels are text and never markup.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Grid:
    """One grid of numbers.

    Attributes:
        title: the finding.
        values: (R, C).
        rows: R labels.
        columns: C labels.
        axes: names of the rows and the columns; the first may be empty.
        ends: values of the first and the last colour.
        cell: sentence about a cell, with `{row}`, `{column}` for labels, `{i}`, `{j}` for places
            and `{value}`.
        digits: decimals of that value.
        row_px: height of a row; None makes all rows together about 300 px high.
        written: decimals of the numbers in the cells, where they fit; None writes none.
        ticks: labels on both axes, if others than those of the cells.
    """

    title: str
    values: NDArray[np.float64]
    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, str]
    ends: tuple[float, float]
    cell: str
    digits: int = 5
    row_px: int | None = None
    written: int | None = None
    ticks: Sequence[str] | None = None

    @property
    def alt_text(self) -> str:
        """`title. rows against columns.`, for screen readers."""
        rows, columns = self.axes
        return f"{self.title}." + (f" {rows} against {columns}." if rows else "")

    def payload(self) -> dict[str, Any]:
        """All of it as JSON; the values are float32 in base64."""
        return vars(self) | {
            "values": b64encode(self.values.astype("<f4").tobytes()).decode(),
            "alt": self.alt_text,
        }


def largest(*several: NDArray[np.float64]) -> float:
    """The largest finite |value|; 1.0 where there is none above 0."""
    found = (np.abs(one[np.isfinite(one)]).max(initial=0.0) for one in several)
    return float(max(found)) or 1.0


def numbers(count: int) -> list[str]:
    """The labels `0` to `count - 1`."""
    return [str(k) for k in range(count)]
