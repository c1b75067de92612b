"""The same terms added in another order: floats are rounded after each step, so bits differ.

For this reason right routes may differ in their last bits, and the tolerance is not zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from embviz.bag.layers import BagLayers, check_columns
from embviz.bag.matrix import Row
from embviz.core.comparison import Comparison
from embviz.core.dtypes import dtype_name


@dataclass(frozen=True, eq=False)
class Orders:
    """One row's terms, added one after another in several orders, and by `torch.sum`.

    Attributes:
        num_terms: number of terms in each sum.
        sums: the output, shape (D,), by the name of its order; `as stored` is the first.
    """

    num_terms: int
    sums: dict[str, torch.Tensor]

    @cached_property
    def comparisons(self) -> dict[str, Comparison]:
        """Every other order (`lookup`) compared with the first (`matmul`)."""
        (_, first), *others = self.sums.items()
        return {name: Comparison(output, first) for name, output in others}

    @property
    def max_abs_difference(self) -> float:
        """The largest difference from the first order."""
        return max(found.max_abs_error for found in self.comparisons.values())

    @property
    def max_ulp(self) -> int | None:
        """The same in representable numbers; None where a sum overflowed to NaN."""
        ulps = [found.max_ulp for found in self.comparisons.values()]
        return max((ulp for ulp in ulps if ulp is not None), default=None)

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        if self.max_abs_difference == 0:
            few = ["No terms", "One term", "Two terms"]
            terms = few[self.num_terms] if self.num_terms < 3 else f"The {self.num_terms:,} terms"
            verb = "gives" if self.num_terms == 1 else "give"
            always = ", as ever" if self.num_terms < 3 else ""
            return f"{terms} of this row {verb} the same sums in any of these orders{always}."
        ulps = "" if self.max_ulp is None else f", and by up to {self.max_ulp:,} ulp"
        worst = max(self.comparisons, key=lambda name: self.comparisons[name].max_abs_error)
        return (
            f"The same {self.num_terms:,} terms, added {worst} instead of as stored, differ by "
            f"up to {self.max_abs_difference:.2g}{ulps}."
        )


def order_of_sum(row: Row, layers: BagLayers) -> Orders:
    """Add a row's terms, data · weight, in several orders; each step rounds to the dtype.

    Raises:
        WeightError: the weight is of another number of columns.
    """
    check_columns(layers, row.num_columns)
    with np.errstate(over="ignore"):
        data = torch.from_numpy(row.data.astype(dtype_name(layers.dtype)))
    ids = torch.tensor(row.indices, dtype=torch.int64)
    terms = layers.table[ids] * data[:, None]  # (n, D)
    by_size = terms.gather(0, terms.abs().argsort(dim=0, stable=True))
    return Orders(
        len(terms),
        {
            "as stored": _one_by_one(terms),
            "backwards": _one_by_one(terms.flip(0)),
            "smallest first": _one_by_one(by_size),
            "largest first": _one_by_one(by_size.flip(0)),
            "by torch.sum": terms.sum(0),
        },
    )


def _one_by_one(terms: torch.Tensor) -> torch.Tensor:
    if not len(terms):
        return terms.sum(0)
    with np.errstate(over="ignore", invalid="ignore"):
        sums: NDArray[np.floating] = np.add.accumulate(terms.numpy(), axis=0)
    return torch.from_numpy(sums[-1].copy())
