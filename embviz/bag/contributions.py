"""The share of each word in the output: the terms of the sum, before they are summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embviz.bag.layers import BagLayers, check_columns
from embviz.bag.matrix import Row


@dataclass(frozen=True, eq=False)
class Contributions:
    """The terms of one row's output, one for each of its words.

    Attributes:
        columns: int64, shape (n,): the distinct columns stored, in rising order.
        values: float64, shape (n, D): count · weight; `values.sum(0)` is the output.
    """

    columns: NDArray[np.int64]
    values: NDArray[np.float64]


def contributions(row: Row, layers: BagLayers) -> Contributions:
    """Split a row's output into the terms of its words, in float64; duplicates are summed.

    Raises:
        WeightError: the weight is of another number of columns.
    """
    check_columns(layers, row.num_columns)
    columns, place = np.unique(row.indices, return_inverse=True)
    counts = np.bincount(place, weights=row.data, minlength=len(columns))
    columns = columns.astype(np.int64)
    picked: NDArray[Any] = layers.table[columns].double().numpy()
    return Contributions(columns, picked * counts[:, None])
