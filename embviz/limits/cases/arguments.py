"""Cases about the arguments of `nn.Embedding`, which a product does not have."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.case import GRADIENTS, Both, Case, Input, Value, docs, issue

EMBEDDING = docs("nn.Embedding")
PRETRAINED = docs(
    "nn.Embedding.from_pretrained",
    "generated/torch.nn.Embedding",
)


def _padding_value(dtype: torch.dtype, padding: int) -> Both:
    weight = torch.arange(1, 13, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([padding])
    output = F.embedding(ids, weight, padding_idx=padding)
    return output, torch.zeros(1, 3, dtype=dtype)


def _padding_value_fixed(dtype: torch.dtype, padding: int) -> Both:
    weight = torch.arange(1, 13, dtype=dtype).reshape(4, 3)
    weight[padding] = 0  # it stays 0: that row gets no gradient
    ids = torch.tensor([padding])
    output = F.embedding(ids, weight, padding_idx=padding)
    return output, torch.zeros(1, 3, dtype=dtype)


PADDING_VALUE = Case(
    name="padding-idx-value",
    title="padding_idx does not make zeros",
    card="Set the weight, and the padding row returns its numbers, not zeros.",
    claim="`padding_idx` does not make the output zero. It returns the values of that row, which "
    "are zero only until the weight is set.",
    reason="`nn.Embedding` sets the row to zero when it draws the weight. A weight set later, or "
    "an initializer run over it, undoes that. In the forward pass the argument does nothing.",
    sides=("row of padding_idx", "zeros"),
    expected="differ",
    problem=_padding_value,
    fix=_padding_value_fixed,
    fix_title="Set that row to zero yourself, after setting the weight.",
    source=(EMBEDDING, issue(6411)),
    inputs=(Input("padding", "padding_idx", 0, low=0, high=3),),
    errors=(r"padding_idx must be within num_embeddings",),
    words="pad, padding token, zero vector, init, xavier, padding is not zero",
)


def _padding_reset(dtype: torch.dtype) -> Both:
    torch.manual_seed(123)
    embedding = nn.Embedding(4, 3, padding_idx=0, dtype=dtype)
    nn.init.xavier_uniform_(embedding.weight)
    return embedding.weight.detach()[0], torch.zeros(3, dtype=dtype)


def _padding_reset_fixed(dtype: torch.dtype) -> Both:
    torch.manual_seed(123)
    embedding = nn.Embedding(4, 3, padding_idx=0, dtype=dtype)
    nn.init.xavier_uniform_(embedding.weight)
    embedding.reset_parameters()
    return embedding.weight.detach()[0], torch.zeros(3, dtype=dtype)


PADDING_RESET = Case(
    name="padding-idx-reset",
    title="padding_idx, an initializer and reset_parameters",
    claim="An initializer run over the weight fills the row of `padding_idx` too. "
    "`reset_parameters()` sets that row to zero again.",
    reason="`reset_parameters()` draws all rows from N(0, 1) and then sets that row to zero; a new "
    "layer calls it once. The initializers of `nn.init` know only the tensor, not the layer.",
    sides=("padding row after xavier_uniform_", "zeros"),
    expected="differ",
    problem=_padding_reset,
    fix=_padding_reset_fixed,
    fix_title="Call `reset_parameters()` for a start of N(0, 1). After another initializer, set "
    "the row to zero yourself.",
    fix_sides=("padding row after reset_parameters()", "zeros"),
    source=(EMBEDDING, docs("torch.nn.init", "nn.init")),
    words="pad, padding token, zero vector, initialization, xavier, kaiming, reset",
    needs="process",
)


def _padding_gradient(dtype: torch.dtype, padding: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0, 1, 2, 3])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, padding_idx=padding)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T


def _padding_gradient_fixed(dtype: torch.dtype, padding: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0, 1, 2, 3])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, padding_idx=padding)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    linear_gradient[:, padding] = 0  # what padding_idx does
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
    inputs=(Input("padding", "padding_idx", 0, low=0, high=3),),
    words="pad, padding token, backward, frozen row",
)


def _padding_pretrained(dtype: torch.dtype) -> Both:
    vectors = torch.arange(1, 13, dtype=dtype).reshape(4, 3)
    embedding = nn.Embedding.from_pretrained(vectors, padding_idx=0)  # type: ignore[no-untyped-call]
    return embedding(torch.tensor([0])), torch.zeros(1, 3, dtype=dtype)


def _padding_pretrained_fixed(dtype: torch.dtype) -> Both:
    vectors = torch.arange(1, 13, dtype=dtype).reshape(4, 3)
    vectors[0] = 0
    embedding = nn.Embedding.from_pretrained(vectors, padding_idx=0)  # type: ignore[no-untyped-call]
    return embedding(torch.tensor([0])), torch.zeros(1, 3, dtype=dtype)


PADDING_PRETRAINED = Case(
    name="padding-idx-from-pretrained",
    title="padding_idx in from_pretrained",
    claim="`from_pretrained(vectors, padding_idx=0)` keeps row 0 as given and does not set it to "
    "zero.",
    reason="`nn.Embedding` sets that row to zero only when it draws the weight itself, and "
    "`from_pretrained` draws none. It stops only the gradient of the row.",
    sides=("row 0 after from_pretrained", "zeros"),
    expected="differ",
    problem=_padding_pretrained,
    fix=_padding_pretrained_fixed,
    fix_title="Set that row of the vectors to zero first.",
    source=(PRETRAINED, issue(46585)),
    words="GloVe, word2vec, pretrained, pad",
)


def _max_norm(dtype: torch.dtype, id: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    before = weight.clone()
    F.embedding(torch.tensor([id]), weight, max_norm=1.0)  # forward only
    return before, weight


def _max_norm_fixed(dtype: torch.dtype, id: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    before = weight.clone()
    row = F.embedding(torch.tensor([id]), weight)
    row = row.renorm(p=2, dim=0, maxnorm=1.0)  # not the table
    return before, weight


MAX_NORM = Case(
    name="max-norm",
    title="max_norm writes to the weight in forward",
    card="Looking a row up shortens it in the table, permanently.",
    claim="With `max_norm`, a forward pass shortens the rows it looks up, in place and "
    "permanently, even without gradients or an optimizer.",
    reason="Rows longer than the limit are scaled down in the table before they are returned. A "
    "product never changes its weight, so the two layers differ after one forward pass.",
    sides=("weight before", "weight after one forward"),
    expected="differ",
    problem=_max_norm,
    fix=_max_norm_fixed,
    fix_title="Shorten the returned rows instead of the table.",
    source=(EMBEDDING, issue(26596)),
    inputs=(Input("id", "Id that is looked up", 2, low=0, high=3, help="Only its row changes."),),
    words="renorm, norm, in-place, evaluation, no_grad, my weight is changing by itself",
)


def _max_norm_backward(dtype: torch.dtype) -> Both:
    weight = nn.Parameter(torch.arange(12, dtype=dtype).reshape(4, 3))
    ids = torch.tensor([1, 2])
    by_hand = 2 * weight.detach()
    by_hand[ids] += 1
    squares = (weight * weight).sum()  # backward needs this weight
    rows = F.embedding(ids, weight, max_norm=1.0)  # but this changes it
    loss = squares + rows.sum()
    try:
        gradient: Value = torch.autograd.grad(loss, weight)[0]
    except RuntimeError as error:
        gradient = error
    return gradient, by_hand


def _max_norm_backward_fixed(dtype: torch.dtype) -> Both:
    weight = nn.Parameter(torch.arange(12, dtype=dtype).reshape(4, 3))
    ids = torch.tensor([1, 2])
    rows = F.embedding(ids, weight, max_norm=1.0)  # first the lookup
    squares = (weight * weight).sum()
    loss = squares + rows.sum()
    (gradient,) = torch.autograd.grad(loss, weight)
    by_hand = 2 * weight.detach()
    by_hand[ids] += 1
    return gradient, by_hand


MAX_NORM_BACKWARD = Case(
    name="max-norm-backward",
    title="max_norm breaks backward",
    claim="If the weight is used before a lookup with `max_norm`, backward raises: a tensor that "
    "it needs was changed in place.",
    reason="Autograd, which computes the gradients, keeps the weight for the backward pass of its "
    "first use, and notices the change. This happens if two layers share one weight (weight "
    "tying).",
    sides=("gradient by autograd", "gradient by hand"),
    expected="raises",
    problem=_max_norm_backward,
    fix=_max_norm_backward_fixed,
    fix_title="Look up first and use the weight afterwards, or use `weight.clone()` before.",
    source=(EMBEDDING, issue(26596)),
    errors=(
        r"one of the variables needed for gradient computation has been modified by an inplace",
        r"leaf variable has been moved into the graph interior",
    ),
    words="inplace operation, version, renorm, weight tying",
)


def _by_frequency(dtype: torch.dtype, repeats: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1] * repeats + [2])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, scale_grad_by_freq=True)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T


def _by_frequency_fixed(dtype: torch.dtype, repeats: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1] * repeats + [2])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, scale_grad_by_freq=True)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
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
    inputs=(Input("repeats", "How often id 1 occurs", 3, low=2, high=50),),
    words="frequency, counts, backward, repeated",
    tolerance=1e-5,
)


def _sparse(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1, 1, 2])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, sparse=True)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return str(table_gradient.layout), str(linear_gradient.layout)


def _sparse_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1, 1, 2])
    table = nn.Parameter(weight.clone())
    lookup = F.embedding(ids, table, sparse=True)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
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


def _frozen(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1, 2])
    embedding = nn.Embedding.from_pretrained(weight.clone())  # type: ignore[no-untyped-call]
    table, lookup = embedding.weight, embedding(ids)
    try:
        table_gradient: Value = torch.autograd.grad(lookup.sum(), table)[0]
    except RuntimeError as error:
        table_gradient = error
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T


def _frozen_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([1, 2])
    embedding = nn.Embedding.from_pretrained(weight.clone(), freeze=False)  # type: ignore[no-untyped-call]
    table, lookup = embedding.weight, embedding(ids)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(weight.T.clone())
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
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
    fix=_frozen_fixed,
    fix_title="Pass `freeze=False`.",
    source=(PRETRAINED,),
    errors=(
        r"does not require grad and does not have a grad_fn",
        r"one of the differentiated tensors does not require grad",
    ),
    words="requires_grad, pretrained, GloVe, not learning, does not train, frozen, gradient is "
    "None, loss is not decreasing, weight is not changing, not updating, backward",
)


def _pretrained_shares(dtype: torch.dtype) -> Both:
    vectors = torch.arange(12, dtype=dtype).reshape(4, 3)
    before = vectors.clone()
    embedding = nn.Embedding.from_pretrained(vectors, freeze=False)  # type: ignore[no-untyped-call]
    optimizer = torch.optim.SGD(embedding.parameters(), lr=0.5)
    embedding(torch.tensor([1, 2])).sum().backward()
    optimizer.step()
    return before, vectors


def _pretrained_shares_fixed(dtype: torch.dtype) -> Both:
    vectors = torch.arange(12, dtype=dtype).reshape(4, 3)
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
