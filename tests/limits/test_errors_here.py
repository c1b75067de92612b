"""Common mistakes, made here, open their cases in the words of the installed PyTorch."""

import traceback

import pytest

from embviz.limits.case import Case
from embviz.limits.search import Found, find

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
        "torch.index_select(table, 0, torch.tensor([4]))",
        "F.one_hot(torch.tensor([-1]))",
        "F.one_hot(ids, 2)",
        "nn.Embedding(0, 3)(ids)",
        "np.eye(4)[4]",
    ],
    "rows-from-max": [
        "nn.Embedding(torch.tensor([4, 2]), 3)",
    ],
    "float-ids": [
        "embedding(ids.float())",
        "torch.index_select(table, 0, ids.float())",
        "embedding([0, 2])",
        "embedding(np.array([0, 2]))",
        "embedding(None)",
        "F.one_hot([0, 2])",
        "nn.EmbeddingBag(4, 3)([[0, 2]])",
        "np.eye(4)[1.0]",
    ],
    "int32-ids": ["F.one_hot(ids.int())"],
    "rows-of-unequal-length": [
        "torch.tensor([[0, 1, 2], [3, 0]])",
        "next(iter(torch.utils.data.DataLoader([[0, 1, 2], [3, 0]], batch_size=2)))",
    ],
    "swapped-arguments": [
        "F.embedding(table, ids)",
        "F.embedding(table, ids[None])",
        "F.embedding(ids, table[0])",
        "nn.Embedding.from_pretrained(table)\nF.embedding(ids, torch.zeros(0))",
    ],
    "layer-for-its-weight": [
        "one_hot.float() @ embedding",
        "F.embedding(ids, embedding)",
        "F.linear(one_hot.float(), linear)",
        "embedding[0]",
        "embedding.shape",
        "len(embedding)",
        "embedding.numpy()",
        "embedding * 2",
    ],
    "size-of-a-table": [
        "nn.Embedding(4.0, 3)",
        "nn.Embedding(-1, 3)",
        "nn.Embedding(4)",
        "nn.Embedding()",
        "nn.Embedding(table)",
    ],
    "float8-table": [
        "nn.Embedding(4, 3, dtype=torch.float8_e5m2)",
        "F.linear(one_hot.float(), table.to(torch.float8_e4m3fn).T)",
        "F.embedding_bag(ids[None], table.to(torch.float8_e4m3fn))",
    ],
    "quantized-table": ["one_hot.float() @ table.to(torch.int8)"],
    "sparse-gradients-and-amp": [
        "torch.isfinite(after_backward(sparse=True).weight.grad)",
        'layer, scaler = nn.Embedding(4, 3).half(), torch.amp.GradScaler("cpu")\n'
        "scaler.scale(layer(ids).sum()).backward()\n"
        "scaler.unscale_(torch.optim.SGD(layer.parameters()))",
        "grad = after_backward(sparse=True).weight.grad\n"
        "torch._amp_foreach_non_finite_check_and_unscale_([grad], table[:1, 0], table[:1, 0])",
    ],
    "one-hot-in-vmap-and-export": [
        "torch.vmap(F.one_hot)(ids[None])",
        'F.one_hot(ids.to("meta"))',
        "torch.fx.experimental.proxy_tensor.make_fx(F.one_hot)(ids)",
    ],
    "one-hot-without-classes": ["F.linear(F.one_hot(ids).float(), torch.zeros(5, 4))"],
    "forgotten-transpose": ["F.linear(F.one_hot(ids, 4).float(), embedding.weight)"],
    "one-hot-inside-linear": ["linear(torch.tensor(1.0))"],
    "one-hot-is-int64": [
        "one_hot @ table",
        "linear(one_hot)",
        "one_hot.mean()",
        "one_hot *= 0.5",
    ],
    "padding-idx-value": ["nn.Embedding(4, 3, padding_idx=7)"],
    "max-norm": [
        "embedding = nn.Embedding(4, 3, max_norm=0.1)\n"
        "(embedding.weight.pow(2).sum() + embedding(ids).sum()).backward()"
    ],
    "from-pretrained-frozen": [
        "nn.Embedding.from_pretrained(table)(ids).sum().backward()",
        "nn.Embedding.from_pretrained(table).weight.grad.norm()",
    ],
    "from-pretrained-shares": [
        "nn.Embedding.from_pretrained(np.zeros((4, 3)))",
        "nn.Embedding.from_pretrained(torch.zeros(4))",
    ],
    "input-gradient": ["ids.requires_grad_()"],
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
# Programs whose errors other programs raise as often, by the case that is offered.
GENERAL_MISTAKES = {
    "out-of-range": [
        "table[torch.tensor([4])]",
        "table.gather(1, torch.tensor([[3]]))",
        "torch.zeros(2, 2).scatter_(1, ids[:, None], 1.0)",
        "table.numpy()[np.array([4])]",
        "np.take(table.numpy(), [4], axis=0)",
    ],
    "rows-from-max": [
        "rows = max(torch.tensor([[1, 2], [3, 4]]))",
    ],
    "float-ids": [
        'torch.tensor(["a", "b"])',
        "table[ids.float()]",
        "torch.zeros(2, 4).scatter_(1, ids[:, None].float(), 1.0)",
        "table.numpy()[np.array([1.0])]",
        "linear([0, 2])",
    ],
    "raw-ids": [
        "torch.tensor([2**63])",
    ],
    "rows-of-unequal-length": [
        "torch.stack([torch.tensor([0, 1, 2]), torch.tensor([3, 0])])",
        "np.array([[0, 1, 2], [3, 0]])",
        "torch.tensor(np.array([[0, 1, 2], [3, 0]], dtype=object))",
        "next(iter(torch.utils.data.DataLoader([ids, ids[:1]], batch_size=2)))",
    ],
    "one-hot-is-int64": [
        "linear.half()(one_hot.float())",
    ],
    "rank-of-the-input": [
        "torch.stack([linear(one_hot[0].float()), linear(one_hot[0:1].float())])",
        "torch.cat([embedding(ids), embedding(ids[0])])",
        "nn.LSTM(3, 4)(embedding(ids[0]))",
        "embedding(ids[0]).softmax(dim=1)",
    ],
    "shared-storage": [
        "table.T.view(-1)",
    ],
    "from-pretrained-frozen": [
        "torch.optim.SGD([one for one in [embedding.weight.detach()] if one.requires_grad], 0.1)",
    ],
    "input-gradient": [
        "torch.tensor([1], requires_grad=True)",
    ],
    "counts-ignored": [
        "torch.tensor(scipy.sparse.csr_matrix(np.eye(4)))",
    ],
}
PROGRAMS = [(name, program) for name, some in MISTAKES.items() for program in some]
GENERAL = [(name, program) for name, some in GENERAL_MISTAKES.items() for program in some]


def found_by(program: str) -> Found:
    """What the search finds for the error of a program, below the line that was typed."""
    names: dict[str, object] = {}
    exec(START, names)  # noqa: S102 - our own constant
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is what the case says
        exec(program, names)  # noqa: S102 - our own constant
    error = "".join(traceback.format_exception_only(raised.value))
    return find(f'Traceback:\n  File "x.py", line 3, in <module>\n    {program}\n{error}')


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_a_mistake_opens_its_case(name: str, program: str) -> None:
    """The mistake is pasted with the line that was typed above it, as in a traceback."""
    opened = found_by(program).opened
    assert opened is not None
    assert opened.name == name


@pytest.mark.parametrize(("name", "program"), GENERAL)
def test_a_general_error_offers_its_case(name: str, program: str) -> None:
    """It opens nothing, because other programs raise it as often; the case lists it."""
    found = found_by(program)
    assert found.opened is None
    assert name in [one.name for one in found.offered[: found.listed] if isinstance(one, Case)]
