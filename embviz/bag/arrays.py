"""scipy's arrays as torch takes them: same memory where that may be, never changed in place.

`astype`, `abs`, `max` and others of scipy's methods sum duplicates on the way, some of them
in the very matrix they are called on; what is here touches arrays only.
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
    """The array's own memory as a tensor, or a copy of what may not be written to."""
    return torch.from_numpy(array if array.flags.writeable else array.copy())


def rounded(csr: Any, dtype: torch.dtype, first_row: int = 0) -> Any:
    """A scipy CSR with its values in another dtype, its entries as they are stored.

    Args:
        csr: finite values, sorted and distinct or not.
        dtype: of the weight, torch.float32 or torch.float64.
        first_row: what row 0 is called in a message.

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
    """The same scipy CSR if its rows are sorted and distinct, else a copy that is made so."""
    if csr.has_canonical_format:
        return csr
    tidy = csr.copy()
    tidy.sum_duplicates()
    return tidy


def torch_csr(tidy: Any) -> torch.Tensor:
    """A scipy CSR, sorted and distinct, as torch's own, over the same memory."""
    _hear_that_csr_is_beta()
    return torch.sparse_csr_tensor(
        tensor(tidy.indptr),
        tensor(tidy.indices),
        tensor(tidy.data),
        tidy.shape,
        check_invariants=True,
    )


@cache
def _hear_that_csr_is_beta() -> None:
    """PyTorch says so once in a process; filters are shared by all threads, so touch them once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta", UserWarning)
        torch.eye(1).to_sparse_csr()
