"""Batches of sparse rows for `nn.EmbeddingBag`, and a script that makes them without embviz.

The page runs `SparseRows` and `collate`. `recipe` writes their source into a script that loads the
user's matrix and weight from files: a `DataLoader`, one batch, and a comparison with the dense
product. Nothing is trained.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import Dataset

from embviz.bag.matrix import Matrix

BATCH = 2  # rows
MATRIX_FILE = "matrix.npz"
WEIGHT_FILE = "linear_weight.npy"

_BEFORE = """\
from typing import Any

import numpy as np
import scipy.sparse
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

# 1. Your matrix and Linear.weight, as the page offers them.
X = scipy.sparse.load_npz("matrix.npz").tocsr()
weight = torch.from_numpy(np.load("linear_weight.npy"))


# 2. Rows as ids and weights: nothing is made dense. A csr_matrix has getrow(i), which gives its
# .indices and .data too; the newer csr_array has none.
"""
_AFTER = """\


# 3. One weight, two layers: nn.EmbeddingBag's is the transpose, a copy of its own.
D, V = weight.shape
linear = nn.Linear(V, D, bias=False, dtype=weight.dtype)
linear.weight = nn.Parameter(weight)
table = weight.t().clone(memory_format=torch.contiguous_format)
bag = nn.EmbeddingBag.from_pretrained(table, mode="sum", include_last_offset=True, freeze=False)

# 4. One batch: its bags in one call. For training, say shuffle=True.
loader = DataLoader(SparseRows(X, weight.dtype), batch_size=2, collate_fn=collate)
ids, offsets, weights = next(iter(loader))
output = bag(ids, offsets, per_sample_weights=weights)

# 5. The same by the dense product. Both round at every step, so compare within a tolerance.
dense = linear(torch.from_numpy(X[:2].toarray()).to(weight.dtype))
print("batches:", len(loader))
print("ids:", ids.tolist())
print("offsets:", offsets.tolist())
print("weights:", weights.tolist())
print("output:", output.tolist())
print("the dense product is the same:", torch.allclose(output, dense, atol=1e-5))
"""


class SparseRows(Dataset[tuple[Tensor, Tensor]]):
    """Row i of a CSR matrix as ids and weights: its columns, and what they store."""

    def __init__(self, csr: Any, dtype: torch.dtype) -> None:
        self.csr, self.dtype = csr, dtype

    def __len__(self) -> int:
        return int(self.csr.shape[0])

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor]:
        start, end = self.csr.indptr[i : i + 2]
        ids = torch.tensor(self.csr.indices[start:end], dtype=torch.int64)
        weights = torch.tensor(self.csr.data[start:end], dtype=self.dtype)
        return ids, weights


def collate(batch: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """Put rows one after another: row k of the batch is ids[offsets[k]:offsets[k + 1]]."""
    lengths = torch.tensor([0, *(len(ids) for ids, _ in batch)])
    ids, weights = (torch.cat(parts) for parts in zip(*batch, strict=True))
    return ids, lengths.cumsum(0), weights


def first_batch(matrix: Matrix, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    """The batch that the recipe prints, from the same class and function.

    Args:
        matrix: its entries are used as they are stored.
        dtype: of the weight.

    Returns:
        ids, int64, the columns of one row after another; offsets, int64, shape (rows + 1,); and
        weights, the stored values.
    """
    rows = SparseRows(matrix.csr, dtype)
    return collate([rows[i] for i in range(min(BATCH, len(rows)))])


def recipe() -> str:
    """A script that makes the first batch and compares its bags with the dense product.

    It needs torch, scipy, and the files `MATRIX_FILE`, as `scipy.sparse.save_npz` writes it, and
    `WEIGHT_FILE`, as `numpy.save` writes it.
    """
    classes = f"{inspect.getsource(SparseRows)}\n\n{inspect.getsource(collate)}"
    return f"{_BEFORE}{classes}{_AFTER}"
