"""scipy's arrays as torch takes them: the same memory where possible, never changed in place.

Some methods of scipy's matrices, such as `astype`, `abs` and `max`, sum duplicates, a few even in
place. These functions therefore work on the arrays alone.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from embviz.bag.layers import WeightError
from embviz.core.dtypes import dtype_name


def tensor(array: NDArray[Any]) -> torch.Tensor:
    """A tensor over the array's memory, or over a copy if the array is read-only."""
    return torch.from_numpy(array if array.flags.writeable else array.copy())


def rounded(csr: Any, dtype: torch.dtype, first_row: int = 0) -> Any:
    """A scipy CSR with its values in another dtype and its entries as they are stored.

    Args:
        csr: finite values, sorted and distinct or not.
        dtype: of the weight, torch.float32 or torch.float64.
        first_row: the number of row 0 in messages.

    Returns:
        The same object if there is nothing to change.

    Raises:
        WeightError: a value too large for the dtype; names its row and column.
    """
    if csr.dtype == dtype_name(dtype):
        return csr
    with np.errstate(over="ignore"):
        data = csr.data.astype(dtype_name(dtype))
    if not np.isfinite(data).all():
        at = int((~np.isfinite(data)).argmax())
        row = first_row + int(np.searchsorted(csr.indptr, at, side="right")) - 1
        raise WeightError(
            f"{csr.data[at]:g} in row {row:,}, column {int(csr.indices[at]):,} is too large for "
            f"a weight of {data.dtype}; use float64."
        )
    return type(csr)((data, csr.indices, csr.indptr), shape=csr.shape)


def tidied(csr: Any) -> Any:
    """The CSR itself if its ids are sorted and distinct, else a copy with `sum_duplicates`."""
    if csr.has_canonical_format:
        return csr
    tidy = csr.copy()
    tidy.sum_duplicates()
    return tidy


def torch_csr(tidy: Any) -> torch.Tensor:
    """A sorted and distinct scipy CSR as a torch CSR over the same memory."""
    _warn_once_of_beta_csr()
    return torch.sparse_csr_tensor(
        tensor(tidy.indptr),
        tensor(tidy.indices),
        tensor(tidy.data),
        tidy.shape,
        check_invariants=True,
    )


@cache
def _warn_once_of_beta_csr() -> None:
    """Let PyTorch give its one warning, ignored; warning filters are global, so set them once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta", UserWarning)
        torch.eye(1).to_sparse_csr()
