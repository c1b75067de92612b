"""Cases about the arguments of `nn.Embedding`, which a product does not have."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.case import GRADIENTS, Both, Case, Value, docs, issue

EMBEDDING = docs("nn.Embedding")
PRETRAINED = docs(
    "nn.Embedding.from_pretrained",
    "generated/torch.nn.Embedding",
)


def _padding_value() -> Both:
    weight = torch.arange(1.0, 13.0).reshape(4, 3)
    ids = torch.tensor([0])
    output = F.embedding(ids, weight, padding_idx=0)
    return output, torch.zeros(1, 3)


def _padding_value_fixed() -> Both:
    weight = torch.arange(1.0, 13.0).reshape(4, 3)
    weight[0] = 0  # it stays 0: that row gets no gradient
    ids = torch.tensor([0])
    output = F.embedding(ids, weight, padding_idx=0)
    return output, torch.zeros(1, 3)


PADDING_VALUE = Case(
    name="padding-idx-value",
    title="padding_idx does not make zeros",
    card="Set the weight, and the padding row returns its numbers, not zeros.",
    claim="`padding_idx` does not make the output zero. It returns the values of that row, which "
    "are zero only until the weight is set; `from_pretrained` keeps the row as given.",
    reason="`nn.Embedding` sets the row to zero when it draws the weight. A weight set later, or "
    "an initializer run over it, undoes that; `reset_parameters()` draws all rows again and sets "
    "that one to zero. In the forward pass the argument does nothing.",
    sides=("row of padding_idx", "zeros"),
    expected="differ",
    problem=_padding_value,
    fix=_padding_value_fixed,
    fix_title="Set that row to zero yourself, after setting the weight.",
    source=(EMBEDDING, issue(6411), issue(46585)),
    errors=(r"padding_idx must be within num_embeddings",),
    words="pad, padding token, zero vector, init, xavier, kaiming, "
    "reset_parameters, from_pretrained, padding is not zero",
)


def _padding_gradient() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([0, 1, 2, 3])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, padding_idx=0)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T


def _padding_gradient_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([0, 1, 2, 3])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, padding_idx=0)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    linear_gradient[:, 0] = 0  # what padding_idx does
    return table_gradient, linear_gradient.T


PADDING_GRADIENT = Case(
    name="padding-idx-gradient",
    title="padding_idx stops the gradient",
    claim="The row of `padding_idx` gets no gradient, so plain gradient descent never changes it. "
    "The Linear's column for that id does get a gradient.",
    reason="In the backward pass `nn.Embedding` skips the tokens with that id. A product does not "
    "know about padding.",
    sides=GRADIENTS,
    expected="differ",
    problem=_padding_gradient,
    fix=_padding_gradient_fixed,
    fix_title="Set the Linear's gradient of that column to zero before each step.",
    fix_sides=("gradient of nn.Embedding", "gradient of nn.Linear, transposed, that column zeroed"),
    source=(EMBEDDING,),
    words="pad, padding token, backward, frozen row",
)


def _max_norm() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    before = weight.clone()
    F.embedding(torch.tensor([2]), weight, max_norm=1.0)  # forward only
    return before, weight


def _max_norm_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    before = weight.clone()
    row = F.embedding(torch.tensor([2]), weight)
    row = row.renorm(p=2, dim=0, maxnorm=1.0)  # not the table
    return before, weight


MAX_NORM = Case(
    name="max-norm",
    title="max_norm writes to the weight in forward",
    card="Looking a row up shortens it in the table, permanently.",
    claim="With `max_norm`, a forward pass shortens the rows it looks up, in place and "
    "permanently, even without gradients or an optimizer.",
    reason="Rows longer than the limit are scaled down in the table before they are returned. A "
    "product never changes its weight, so the two layers differ after one forward pass. If the "
    "weight was used before in the same graph, backward raises, because a tensor that it needs has "
    "changed: look up first, or use `weight.clone()` before.",
    sides=("weight before", "weight after one forward"),
    expected="differ",
    problem=_max_norm,
    fix=_max_norm_fixed,
    fix_title="Shorten the returned rows instead of the table.",
    source=(EMBEDDING, issue(26596)),
    errors=(
        r"one of the variables needed for gradient computation has been modified by an inplace",
        r"leaf variable has been moved into the graph interior",
    ),
    words="renorm, inplace operation, weight tying, backward, norm, in-place, "
    "evaluation, no_grad, my weight is changing by itself",
)


def _by_frequency() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1, 1, 1, 2])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, scale_grad_by_freq=True)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T


def _by_frequency_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1, 1, 1, 2])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, scale_grad_by_freq=True)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    counts = torch.bincount(ids, minlength=4).clamp(min=1)
    return table_gradient, linear_gradient.T / counts[:, None]


BY_FREQUENCY = Case(
    name="scale-grad-by-freq",
    title="scale_grad_by_freq",
    claim="`scale_grad_by_freq=True` divides each row's gradient by the number of times its id "
    "occurs in the batch. A Linear's gradient is the plain sum.",
    reason="Frequent ids would otherwise get larger steps. The forward pass is the same: the "
    "argument changes only the gradient.",
    sides=GRADIENTS,
    expected="differ",
    problem=_by_frequency,
    fix=_by_frequency_fixed,
    fix_title="Divide the Linear's gradient by the counts.",
    fix_sides=("gradient of nn.Embedding", "gradient of nn.Linear, transposed, divided by counts"),
    source=(EMBEDDING, issue(84491)),
    words="frequency, counts, backward, repeated",
    tolerance=1e-5,
)


def _sparse() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1, 1, 2])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, sparse=True)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return str(table_gradient.layout), str(linear_gradient.layout)


def _sparse_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1, 1, 2])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, sparse=True)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient.to_dense(), linear_gradient.T


SPARSE = Case(
    name="sparse-gradient",
    title="sparse=True: another layout, the same values",
    claim="With `sparse=True` the gradient is a sparse tensor: it lists the looked-up rows only, "
    "once for each token. Made dense (with all its zeros), it equals the Linear's gradient.",
    reason="Rows that are not looked up have a gradient of zero, so they need not be stored. An id "
    "that occurs twice is listed twice, until `coalesce()` sums the values of each row.",
    sides=("layout of nn.Embedding's gradient", "layout of nn.Linear's gradient"),
    expected="differ",
    problem=_sparse,
    fix=_sparse_fixed,
    fix_title="Compare after `.to_dense()`.",
    fix_sides=("gradient of nn.Embedding, made dense", "gradient of nn.Linear, transposed"),
    source=(EMBEDDING, docs("torch.sparse", "sparse")),
    words="sparse_coo, coalesce, to_dense, layout",
    see=("training", "See the sparse gradient of a step"),
)


def _frozen(freeze: bool = True) -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1, 2])
    embedding = nn.Embedding.from_pretrained(weight.clone(), freeze)  # type: ignore[no-untyped-call]
    table, lookup = embedding.weight, embedding(ids)
    try:
        table_gradient: Value = torch.autograd.grad(lookup.sum(), table)[0]
    except RuntimeError as error:
        table_gradient = error
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T


FROZEN = Case(
    name="from-pretrained-frozen",
    title="from_pretrained freezes",
    claim="`nn.Embedding.from_pretrained` freezes the weight unless you pass `freeze=False`. The "
    "weight gets no gradient (`weight.grad` stays `None`) and never learns.",
    reason="Its default `freeze=True` sets `requires_grad` to False. In a model with other layers "
    "there is no error: the table stays as it was, without a message.",
    sides=GRADIENTS,
    expected="raises",
    problem=_frozen,
    fix=partial(_frozen, freeze=False),
    fix_title="Pass `freeze=False`.",
    source=(PRETRAINED,),
    errors=(
        r"does not require grad and does not have a grad_fn",
        r"one of the differentiated tensors does not require grad",
    ),
    words="requires_grad, pretrained, GloVe, not learning, does not train, frozen, gradient is "
    "None, loss is not decreasing, weight is not changing, not updating, backward",
)


def _pretrained_shares() -> Both:
    vectors = torch.arange(12.0).reshape(4, 3)
    before = vectors.clone()
    embedding = nn.Embedding.from_pretrained(vectors, freeze=False)  # type: ignore[no-untyped-call]
    optimizer = torch.optim.SGD(embedding.parameters(), lr=0.5)
    embedding(torch.tensor([1, 2])).sum().backward()
    optimizer.step()
    return before, vectors


def _pretrained_shares_fixed() -> Both:
    vectors = torch.arange(12.0).reshape(4, 3)
    before = vectors.clone()
    embedding = nn.Embedding.from_pretrained(vectors.clone(), freeze=False)  # type: ignore[no-untyped-call]
    optimizer = torch.optim.SGD(embedding.parameters(), lr=0.5)
    embedding(torch.tensor([1, 2])).sum().backward()
    optimizer.step()
    return before, vectors


PRETRAINED_SHARES = Case(
    name="from-pretrained-shares",
    title="from_pretrained keeps your tensor",
    claim="`from_pretrained` does not copy. Training the layer changes the tensor of vectors that "
    "you gave it.",
    reason="The tensor itself becomes the weight; no second table is made. A "
    "Linear made from the same tensor afterwards starts from trained numbers.",
    sides=("your vectors before training", "your vectors after it"),
    expected="differ",
    problem=_pretrained_shares,
    fix=_pretrained_shares_fixed,
    fix_title="Give it a copy: `vectors.clone()`.",
    source=(PRETRAINED,),
    words="memory, copy, alias, pretrained, optimizer, my tensor is changing by itself",
)
