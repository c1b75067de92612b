"""Common mistakes, made here, open their cases in the words of the installed PyTorch."""

import traceback

import pytest

from embviz.limits.search import find

START = """
import numpy as np, scipy.sparse, torch
from torch import nn
from torch.nn import functional as F
ids, table = torch.tensor([0, 2]), torch.zeros(4, 3)
one_hot = F.one_hot(ids, 4)
embedding, linear = nn.Embedding(4, 3), nn.Linear(4, 3)
def after_backward(sparse):
    layer = nn.Embedding(4, 3, sparse=sparse)
    layer(ids).sum().backward()
    return layer
"""
# Programs that raise, by the case that their errors open.
MISTAKES = {
    "out-of-range": [
        "embedding(torch.tensor([-1]))",
        'nn.EmbeddingBag(4, 3, mode="sum")(torch.tensor([[4]]))',
        'nn.EmbeddingBag(4, 3, mode="max")(torch.tensor([[4]]))',
        "table[torch.tensor([4])]",
        "torch.index_select(table, 0, torch.tensor([4]))",
        "table.gather(1, torch.tensor([[3]]))",
        "F.one_hot(torch.tensor([-1]))",
        "F.one_hot(ids, 2)",
        "torch.zeros(2, 2).scatter_(1, ids[:, None], 1.0)",
        "nn.Embedding(0, 3)(ids)",
    ],
    "rows-from-max": [
        "nn.Embedding(4.0, 3)",
        "nn.Embedding(torch.tensor([4, 2]), 3)",
        "nn.Embedding(-1, 3)",
        "rows = max(torch.tensor([[1, 2], [3, 4]]))",
    ],
    "float-ids": [
        "embedding(ids.float())",
        "table[ids.float()]",
        "torch.index_select(table, 0, ids.float())",
        "torch.zeros(2, 4).scatter_(1, ids[:, None].float(), 1.0)",
        "embedding([0, 2])",
        "embedding(np.array([0, 2]))",
        "embedding(None)",
        "F.one_hot([0, 2])",
        "nn.EmbeddingBag(4, 3)([[0, 2]])",
        'torch.tensor(["a", "b"])',
        "linear([0, 2])",
    ],
    "int32-ids": ["F.one_hot(ids.int())"],
    "one-hot-without-classes": ["F.linear(F.one_hot(ids).float(), torch.zeros(5, 4))"],
    "forgotten-transpose": ["F.linear(F.one_hot(ids, 4).float(), embedding.weight)"],
    "one-hot-inside-linear": ["linear(torch.tensor(1.0))"],
    "one-hot-is-int64": [
        "one_hot @ table",
        "linear(one_hot)",
        "linear.half()(one_hot.float())",
        "one_hot.mean()",
        "one_hot *= 0.5",
    ],
    "rank-of-the-input": [
        "torch.stack([linear(one_hot[0].float()), linear(one_hot[0:1].float())])",
        "torch.cat([embedding(ids), embedding(ids[0])])",
        "nn.LSTM(3, 4)(embedding(ids[0]))",
        "embedding(ids[0]).softmax(dim=1)",
    ],
    "shared-storage": ["table.T.view(-1)"],
    "padding-idx-value": ["nn.Embedding(4, 3, padding_idx=7)"],
    "max-norm": [
        "embedding = nn.Embedding(4, 3, max_norm=0.1)\n"
        "(embedding.weight.pow(2).sum() + embedding(ids).sum()).backward()"
    ],
    "from-pretrained-frozen": [
        "nn.Embedding.from_pretrained(table)(ids).sum().backward()",
        "torch.optim.SGD([one for one in [embedding.weight.detach()] if one.requires_grad], 0.1)",
        "nn.Embedding.from_pretrained(table).weight.grad.norm()",
    ],
    "from-pretrained-shares": [
        "nn.Embedding.from_pretrained(np.zeros((4, 3)))",
        "nn.Embedding.from_pretrained(torch.zeros(4))",
    ],
    "input-gradient": ["ids.requires_grad_()", "torch.tensor([1], requires_grad=True)"],
    "sparse-gradient": [
        "after_backward(sparse=True).weight.grad.numpy()",
        "after_backward(sparse=True).weight.grad[0] = 0",
        "after_backward(sparse=True).weight.grad.view(-1)",
    ],
    "adam-needs-dense": [
        "torch.optim.Adam(after_backward(sparse=True).parameters()).step()",
        "torch.optim.AdamW(after_backward(sparse=True).parameters()).step()",
        "torch.optim.RMSprop(after_backward(sparse=True).parameters()).step()",
        "torch.optim.SGD(after_backward(sparse=True).parameters(), weight_decay=0.1).step()",
        "torch.optim.Adagrad(after_backward(sparse=True).parameters(), weight_decay=0.1).step()",
        "torch.optim.SparseAdam(after_backward(sparse=False).parameters()).step()",
    ],
    "counts-ignored": [
        "linear(scipy.sparse.csr_matrix(np.eye(4)))",
        "scipy.sparse.csr_array(np.eye(4)).getrow(0)",
        "torch.tensor(scipy.sparse.csr_matrix(np.eye(4)))",
    ],
    "weighted-mean": ["nn.EmbeddingBag(4, 3)(ids[None], per_sample_weights=torch.ones(1, 2))"],
    "bag-without-offsets": [
        "nn.EmbeddingBag(4, 3)(ids)",
        "nn.EmbeddingBag(4, 3)(ids[None], torch.tensor([0]))",
        "nn.EmbeddingBag(4, 3)(ids, torch.tensor([1]))",
        "nn.EmbeddingBag(4, 3)(ids, torch.tensor([0, 5]))",
        "nn.EmbeddingBag(4, 3)(ids[None, None])",
    ],
    "loss-without-parentheses": [
        "loss = nn.MSELoss(table, table)",
        "nn.CrossEntropyLoss().backward()",
    ],
}
PROGRAMS = [(name, program) for name, some in MISTAKES.items() for program in some]


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_a_mistake_opens_its_case(name: str, program: str) -> None:
    """The mistake is pasted with the line that was typed above it, as in a traceback."""
    names: dict[str, object] = {}
    exec(START, names)  # noqa: S102 - our own constant
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is what the case says
        exec(program, names)  # noqa: S102 - our own constant
    error = "".join(traceback.format_exception_only(raised.value))
    found = find(f'Traceback:\n  File "x.py", line 3, in <module>\n    {program}\n{error}')
    assert found.opened is not None, error
    assert found.opened.name == name, error
