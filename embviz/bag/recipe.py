"""Batches of sparse rows for `nn.EmbeddingBag`: one script that runs alone."""

RECIPE = """\
# It needs PyTorch and SciPy.
import scipy.sparse
import torch
from torch import nn
from torch.utils.data import DataLoader

# Your own: X = scipy.sparse.load_npz("matrix.npz").tocsr()
X = scipy.sparse.csr_array([[0, 2, 0, 1], [0, 0, 0, 0], [1, 0, 0.5, 0]])
linear = nn.Linear(X.shape[1], 2, bias=False)
table = linear.weight.detach().t().contiguous()
bag = nn.EmbeddingBag.from_pretrained(table, mode="sum", include_last_offset=True, freeze=False)


def collate(numbers):
    \"""Rows one after another: row k is ids[offsets[k]:offsets[k + 1]].\"""
    rows = X[numbers]  # a csr_matrix has getrow(i) too; the newer csr_array has no getrow
    ids, offsets = torch.from_numpy(rows.indices), torch.from_numpy(rows.indptr)
    return numbers, ids, offsets, torch.from_numpy(rows.data).float()


# For training, say shuffle=True.
for numbers, ids, offsets, counts in DataLoader(range(X.shape[0]), 2, collate_fn=collate):
    output = bag(ids, offsets, per_sample_weights=counts)
    dense = linear(torch.from_numpy(X[numbers].toarray()).float())
    print(numbers, ids.tolist(), offsets.tolist(), counts.tolist())
    print("as nn.Linear of the dense rows:", torch.allclose(output, dense, atol=1e-6))
"""
