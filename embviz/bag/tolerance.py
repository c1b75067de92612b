"""The float64 product, and a derived bound on the error of a right route.

A dot product of n terms in floating point differs from the exact one by at most

    gamma(n) · sum |x_k · w_k|,   gamma(n) = n · u / (1 - n · u),

for any order of the sum, with or without fused products (N. Higham, *Accuracy and
Stability of Numerical Algorithms*, 2nd ed., section 3.1); u is half the dtype's eps. Each
stored entry is a term. One step more covers rounding a count to the weight's dtype, and a gamma
of float64 covers the reference itself. A result below the smallest normal number loses at most
that number. The bound assumes nothing about a route, so it is the same for all; in practice
the errors stay far below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from embviz.bag.layers import BagLayers
from embviz.core.refused import Refused


@dataclass(frozen=True, eq=False)
class Reference:
    """The product, and how much a right route may differ from it.

    Attributes:
        product: float64, shape (..., D): the sum of data · weight over the stored entries.
        tolerance: float64, same shape: largest |difference| of a right output.
    """

    product: torch.Tensor
    tolerance: torch.Tensor

    def error(self, output: torch.Tensor) -> torch.Tensor:
        """|output - product|, float64, same shape; inf or NaN where a number overflowed."""
        return (output.detach().double() - self.product).abs()

    def max_abs_error(self, output: torch.Tensor) -> float:
        """The largest of the errors; NaN if one is."""
        return float(self.error(output).max())

    def accepts(self, output: torch.Tensor) -> torch.Tensor:
        """Bool, shape (..., D): where the error is within a finite tolerance."""
        return (self.error(output) <= self.tolerance) & self.tolerance.isfinite()

    def accepts_pair(self, one: torch.Tensor, other: torch.Tensor) -> bool:
        """Whether two outputs differ everywhere by at most twice the tolerance."""
        apart = (one.detach().double() - other.detach().double()).abs()
        return bool(((apart <= 2 * self.tolerance) & self.tolerance.isfinite()).all())


def gamma(terms: int | NDArray[Any], dtype: torch.dtype) -> NDArray[np.float64]:
    """Higham's gamma: a bound on the relative error of a number of roundings.

    Args:
        terms: number of roundings; any shape.
        dtype: a float.

    Returns:
        The same shape.

    Raises:
        Refused: too many for the bound to hold.

    >>> float(gamma(2, torch.float32) / 2**-24)
    2.0000002384186075
    """
    share = np.asarray(terms) * (torch.finfo(dtype).eps / 2)
    if share.max(initial=0) >= 0.5:
        raise Refused(
            f"A row of {np.max(terms):,} stored values is too long to be summed in {dtype}; "
            "use float64."
        )
    bound: NDArray[np.float64] = share / (1 - share)
    return bound


def row_reference(indices: NDArray[Any], data: NDArray[Any], layers: BagLayers) -> Reference:
    """The product of one row, from its stored entries alone.

    Args:
        indices: integers, shape (n,), each below V; in any order, and repeated or not.
        data: float32 or float64, shape (n,).
        layers: their weight has shape (D, V).

    Returns:
        Both parts of shape (D,).
    """
    picked = layers.weight[:, torch.tensor(indices, dtype=torch.int64)].double()  # (D, n)
    counts = torch.tensor(data, dtype=torch.float64)
    product, sizes = picked @ counts, picked.abs() @ counts.abs()
    largest = picked.abs().amax(1) if len(data) else torch.zeros_like(product)
    return _reference(product, sizes, len(data), largest, layers.dtype)


def matrix_reference(csr: Any, layers: BagLayers) -> Reference:
    """The product of a whole matrix, without making it dense.

    Args:
        csr: scipy CSR of shape (rows, V), canonical or not.
        layers: their weight has shape (D, V).

    Returns:
        Both parts of shape (rows, D).
    """
    table = layers.table.double().numpy()
    # From the stored arrays: astype() and abs() of a scipy matrix sum its duplicates.
    data = csr.data.astype(np.float64)
    wide = type(csr)((data, csr.indices, csr.indptr), shape=csr.shape)
    product = wide @ table
    if (data < 0).any():
        wide = type(csr)((np.abs(data), csr.indices, csr.indptr), shape=csr.shape)
    sizes = wide @ np.abs(table)
    terms = np.diff(csr.indptr)[:, None]
    largest = layers.weight.abs().amax(1).double()
    return _reference(
        torch.from_numpy(product), torch.from_numpy(sizes), terms, largest, layers.dtype
    )


def _reference(
    product: torch.Tensor,
    sizes: torch.Tensor,
    terms: int | NDArray[Any],
    largest: torch.Tensor,
    dtype: torch.dtype,
) -> Reference:
    """`sizes` is the sum of |data · weight|, `largest` the largest |weight| of each output."""
    share = gamma(np.add(terms, 1), dtype) + gamma(np.add(terms, 1), torch.float64)
    # Each term can fall below the smallest normal number in its count (which a weight multiplies),
    # in its product and in the sum so far; here and in the reference.
    lost = np.asarray(terms) * torch.finfo(dtype).smallest_normal
    tolerance = torch.as_tensor(share) * sizes + torch.as_tensor(lost) * (4 + largest)
    return Reference(product, tolerance)
