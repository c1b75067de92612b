"""What each word adds to the output: the terms of the sum, before they are summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from embviz.bag.layers import BagLayers, check_columns
from embviz.bag.matrix import Row


@dataclass(frozen=True, eq=False)
class Contributions:
    """The terms of one row's output, one for each word of it.

    Attributes:
        columns: int64, shape (n,): the distinct columns stored, in rising order.
        counts: float64, shape (n,): what they store, duplicates summed.
        values: float64, shape (n, D): counts · weight; `values.sum(0)` is the output.
    """

    columns: NDArray[np.int64]
    counts: NDArray[np.float64]
    values: NDArray[np.float64]

    def strongest(self, limit: int) -> Contributions:
        """The `limit` words that move any output most, still in rising order of columns."""
        reach = np.abs(self.values).max(axis=1, initial=0)
        kept = np.sort(np.argsort(-reach, kind="stable")[:limit])
        return Contributions(self.columns[kept], self.counts[kept], self.values[kept])


def contributions(row: Row, layers: BagLayers) -> Contributions:
    """Split a row's output into what each of its words adds, in float64.

    Raises:
        WeightError: the weight is of another number of columns.
    """
    check_columns(layers, row.num_columns)
    columns, place = np.unique(row.indices, return_inverse=True)
    counts = np.bincount(place, weights=row.data, minlength=len(columns)).astype(np.float64)
    columns = columns.astype(np.int64)
    picked: NDArray[Any] = layers.table[torch.from_numpy(columns)].double().numpy()
    return Contributions(columns, counts, picked * counts[:, None])
