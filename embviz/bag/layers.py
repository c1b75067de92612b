"""One `Linear.weight`, three layers: `nn.Linear`, `nn.Embedding`, `nn.EmbeddingBag`.

`nn.Linear` takes a whole row of counts, the others take its ids. The weight is given or drawn
by seed, and is checked here once for all routes. Only float32 and float64 are allowed: scipy has
no bfloat16, and torch's sparse product has no half precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from embviz.core.config import Config
from embviz.core.dtypes import WIDE, dtype_name
from embviz.core.inits import OWN
from embviz.core.layers import tie
from embviz.core.refused import Refused


class WeightError(Refused):
    """A weight that does not fit the matrix, or holds NaN or inf."""


@dataclass(frozen=True)
class BagLayers:
    """The layers of one weight that the routes use.

    Attributes:
        linear: weight of shape (D, V), as given.
        embedding: weight of shape (V, D), a contiguous copy of the transpose.
        sum_bag: `nn.EmbeddingBag` over the embedding's own weight, mode `sum`.
        mean_bag: the same, mode `mean`.
        max_bag: the same, mode `max`.
    """

    linear: nn.Linear
    embedding: nn.Embedding
    sum_bag: nn.EmbeddingBag
    mean_bag: nn.EmbeddingBag
    max_bag: nn.EmbeddingBag

    @property
    def weight(self) -> torch.Tensor:
        """`Linear.weight`, shape (D, V), detached."""
        return self.linear.weight.detach()

    @property
    def table(self) -> torch.Tensor:
        """`Embedding.weight`, shape (V, D), detached."""
        return self.embedding.weight.detach()

    @property
    def num_columns(self) -> int:
        """Number of columns V."""
        return self.linear.in_features

    @property
    def dtype(self) -> torch.dtype:
        """torch.float32 or torch.float64; every route computes in it."""
        return self.linear.weight.dtype


def draw_weight(
    num_columns: int, out_features: int, seed: int, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """The numbers of `torch.manual_seed(seed); nn.Linear(V, D, bias=False).weight`.

    Drawn in float32 from a private generator, then cast.

    Args:
        num_columns: words V, one column each.
        out_features: outputs D, one row each.
        seed: 0 to 2**32 - 1.
        dtype: torch.float32 or torch.float64.

    Returns:
        Shape (D, V), contiguous, on the CPU.

    Raises:
        Refused: sizes out of range or over the memory budget.
        WeightError: another dtype.

    >>> draw_weight(4, 3, seed=123).shape
    torch.Size([3, 4])
    """
    config = Config(
        "", num_columns, out_features, seed=seed, init="kaiming_uniform", dtype=_name(dtype)
    )
    return tie(config).linear.weight.detach()


def check_weight(weight: torch.Tensor, num_columns: int) -> None:
    """Refuse a weight that is not finite, or has another number of columns.

    Raises:
        WeightError: quotes the shape, the dtype or the number and its place.
    """
    _name(weight.dtype)
    shape = tuple(weight.shape)
    if len(shape) != 2 or shape[1] != num_columns or not shape[0]:
        turned = " It has the shape of Embedding.weight: transpose it."
        hint = turned if len(shape) == 2 and shape[0] == num_columns else ""
        raise WeightError(
            f"The weight has shape {shape}; Linear.weight for {num_columns:,} columns of the "
            f"matrix has shape (D, {num_columns}), a row for each output.{hint}"
        )
    if not weight.isfinite().all():
        row, column = (~weight.isfinite()).nonzero()[0].tolist()
        raise WeightError(
            f"The weight is {float(weight[row, column])} at row {row}, column {column}; "
            "all must be finite numbers, because 0 times nan is nan."
        )


def check_columns(layers: BagLayers, num_columns: int) -> None:
    """Refuse (WeightError) layers of another number of columns."""
    if layers.num_columns != num_columns:
        check_weight(layers.weight, num_columns)


def tie_weight(weight: torch.Tensor) -> BagLayers:
    """Build the layers of a given `Linear.weight`.

    Args:
        weight: shape (D, V), float32 or float64, finite; it is copied.

    Raises:
        WeightError: what `check_weight` refuses.
        Refused: sizes out of range or over the memory budget.
    """
    check_weight(weight, weight.shape[-1] if weight.dim() else 1)
    dim, rows = weight.shape
    table = weight.detach().t()
    layers = tie(Config("", rows, dim, init=OWN.name, dtype=_name(weight.dtype)), table)
    sum_bag, mean_bag, max_bag = (
        nn.EmbeddingBag.from_pretrained(layers.embedding.weight, mode=mode, freeze=False)
        for mode in ("sum", "mean", "max")
    )
    return BagLayers(layers.linear, layers.embedding, sum_bag, mean_bag, max_bag)


def _name(dtype: torch.dtype) -> str:
    if (name := dtype_name(dtype)) not in WIDE:
        raise WeightError(f"A weight of {dtype} cannot be used here; {' and '.join(WIDE)} can.")
    return name
