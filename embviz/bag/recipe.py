"""Batches of sparse rows for `nn.EmbeddingBag`: one script, as the page shows it."""

MATRIX_FILE = "matrix.npz"
WEIGHT_FILE = "linear_weight.npy"

RECIPE = f'''\
import numpy as np
import scipy.sparse
import torch
from torch import nn
from torch.utils.data import DataLoader

X = scipy.sparse.load_npz("{MATRIX_FILE}").tocsr()
weight = torch.from_numpy(np.load("{WEIGHT_FILE}"))  # nn.Linear's, of shape (D, V)
table = weight.t().contiguous()
bag = nn.EmbeddingBag.from_pretrained(table, mode="sum", include_last_offset=True, freeze=False)


def collate(numbers):
    """Rows one after another: row k is ids[offsets[k]:offsets[k + 1]]."""
    rows = X[numbers]  # a csr_matrix has getrow(i) too; the newer csr_array has no getrow
    ids, offsets = torch.from_numpy(rows.indices), torch.from_numpy(rows.indptr)
    return numbers, ids, offsets, torch.from_numpy(rows.data).to(weight.dtype)


# For training, say shuffle=True.
for numbers, ids, offsets, counts in DataLoader(range(X.shape[0]), 2, collate_fn=collate):
    output = bag(ids, offsets, per_sample_weights=counts)
    dense = torch.from_numpy(X[numbers].toarray()).to(weight.dtype) @ weight.t()
    print(numbers, ids.tolist(), offsets.tolist(), counts.tolist())
    print("as the dense product:", torch.allclose(output, dense, atol=1e-5))
'''
