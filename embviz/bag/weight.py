"""The `Linear.weight` of a bag, drawn or given."""

from __future__ import annotations

import math

import torch

from embviz.fact.layers import tie
from embviz.fact.table import Table
from embviz.text.refused import Refused


def draw_weight(
    num_columns: int, out_features: int, seed: int, dtype: str = "float32"
) -> torch.Tensor:
    """The numbers of `torch.manual_seed(seed); nn.Linear(V, D, bias=False).weight`.

    Drawn in float32 from a private generator, then cast.

    Args:
        num_columns: words V, one column each.
        out_features: outputs D, one row each.
        seed: 0 to 2**32 - 1.
        dtype: float32 or float64.

    Returns:
        Shape (D, V), contiguous, on the CPU.

    Raises:
        Refused: sizes out of range or over the memory budget.

    >>> draw_weight(4, 3, seed=123).shape
    torch.Size([3, 4])
    """
    return tie(table_of_weight(num_columns, out_features, seed, dtype)).linear.weight.detach()


def table_of_weight(
    num_columns: int, out_features: int, seed: int, dtype: str = "float32"
) -> Table:
    """The tables whose Linear has the weight that `draw_weight` draws; arguments as there."""
    return Table(num_columns, out_features, seed, init="kaiming_uniform", dtype=dtype)


def check_weight(weight: torch.Tensor, num_columns: int) -> None:
    """Refuse a weight that is not finite, or has another number of columns.

    Raises:
        Refused: quotes the shape, or the number and its place.
    """
    shape = tuple(weight.shape)
    if len(shape) != 2 or shape[1] != num_columns:
        hint = " Transpose it." if shape[:1] == (num_columns,) else ""
        raise Refused(
            f"The weight has shape {shape}; Linear.weight for {num_columns:,} columns of the "
            f"matrix has shape (D, {num_columns}), a row for each output.{hint}"
        )
    if not all(map(math.isfinite, map(float, weight.aminmax()))):  # NaN is passed on to both
        row, column = (~weight.isfinite()).nonzero()[0].tolist()
        raise Refused(
            f"The weight is {float(weight[row, column])} at row {row}, column {column}; "
            "all must be finite numbers, because 0 times nan is nan."
        )
