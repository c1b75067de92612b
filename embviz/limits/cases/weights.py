"""Cases about the weight: -0.0, inf, subnormals, a bias, its place in memory, its seed."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.case import LOOKUP, Both, Case, docs

LINEAR = docs("nn.Linear")
ACCURACY = docs("Numerical accuracy", "notes/numerical_accuracy")
VIEWS = docs("Tensor views", "tensor_view")
FLUSH = docs("torch.set_flush_denormal")


def _minus_zero() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    weight[1, 1] = -0.0
    ids = torch.tensor([0, 1, 2, 3])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), weight.T)
    return lookup, matmul


def _minus_zero_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    weight[1, 1] = -0.0
    weight = weight + 0.0  # turns -0.0 into 0.0 and changes nothing else
    ids = torch.tensor([0, 1, 2, 3])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), weight.T)
    return lookup, matmul


MINUS_ZERO = Case(
    name="minus-zero",
    title="-0.0 in the weight",
    claim="The lookup returns -0.0 unchanged. The product, if the table has several rows, returns "
    "0.0: the same number with another sign bit.",
    reason="-0.0 + 0.0 is 0.0. Where the other rows are negative, 0 times each is -0.0, and the "
    "product still is 0.0: its sum starts at 0.0. `torch.equal` calls -0.0 and 0.0 equal, but "
    "their bits differ, and so does 1 / x.",
    expected="differ",
    problem=_minus_zero,
    fix=_minus_zero_fixed,
    fix_title="Add 0.0 to the weight once.",
    source=(LINEAR, docs("torch.signbit")),
    words="negative zero, signed zero, signbit, sign, accumulator",
)


def _unseen() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    weight[2, 1] = math.inf
    ids = torch.tensor([0, 2])  # the second token looks up that row
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), weight.T)
    return lookup, matmul


def _unseen_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    weight[2, 1] = math.inf
    weight = weight.nan_to_num()  # inf becomes a large finite number, NaN 0
    ids = torch.tensor([0, 2])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), weight.T)
    return lookup, matmul


UNSEEN = Case(
    name="inf-in-unseen-row",
    title="inf or NaN in a row that is not looked up",
    claim="An inf or NaN in the weight makes its column of the product NaN for every token that "
    "does not look up its row. The lookup of such a token never reads it. A token that looks it "
    "up gets it from both routes.",
    reason="The product multiplies that row by 0, and both 0 · inf and 0 · NaN are NaN. A sum that "
    "contains NaN is NaN, but each column is a separate sum. Multiplying only the rows that are "
    "looked up helps the tokens of a batch without that row.",
    expected="differ",
    problem=_unseen,
    fix=_unseen_fixed,
    fix_title="Replace inf and NaN before the product.",
    source=(ACCURACY, docs("torch.nan_to_num")),
    words="infinity, NaN, loss is nan, 0 * inf, overflow, nan_to_num",
)


def _flush(flush: bool = True) -> Both:
    smallest = torch.finfo(torch.float32).smallest_normal
    weight = torch.arange(12.0).reshape(4, 3) * smallest / 16
    ids = torch.tensor([0, 1, 2, 3])
    one_hot = F.one_hot(ids, num_classes=4).float()
    torch.set_flush_denormal(flush)
    lookup = F.embedding(ids, weight)
    matmul = F.linear(one_hot, weight.T)
    torch.set_flush_denormal(False)  # the default
    return lookup, matmul


FLUSH_TO_ZERO = Case(
    name="flush-to-zero",
    title="flush-to-zero switched on",
    claim="After `torch.set_flush_denormal(True)`, a product computed by the calling thread turns "
    "subnormal weights into 0; the lookup still returns them. Subnormal numbers are so close to 0 "
    "that they keep fewer digits. The lookup copies and computes nothing.",
    reason="The switch tells the processor to treat subnormals as 0. It acts on one thread only: "
    "threads that PyTorch started earlier still keep subnormals. Without it both routes keep them. "
    "Processors with bfloat16 instructions read them as 0 in large bfloat16 products anyway.",
    expected="differ",
    problem=_flush,
    fix=partial(_flush, flush=False),
    fix_title="Leave the switch off if the bits must agree.",
    source=(FLUSH,),
    words="denormal, subnormal, DAZ, FTZ, set_flush_denormal, underflow, tiny, 1e-40, very small "
    "numbers, per thread, bf16",
    needs="flush",
)


def _bias() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    bias = torch.tensor([0.5, 0.0, -0.5])
    ids = torch.tensor([0, 1, 2])
    lookup = F.embedding(ids, weight)
    one_hot = F.one_hot(ids, num_classes=4).float()
    matmul = F.linear(one_hot, weight.T, bias)
    return lookup, matmul


def _bias_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    bias = torch.tensor([0.5, 0.0, -0.5])
    ids = torch.tensor([0, 1, 2])
    lookup = F.embedding(ids, weight + bias)  # added to every row
    one_hot = F.one_hot(ids, num_classes=4).float()
    matmul = F.linear(one_hot, weight.T, bias)
    return lookup, matmul


BIAS = Case(
    name="bias",
    title="a Linear with bias",
    claim="`nn.Linear` has a bias unless you pass `bias=False`, and adds it to every row. "
    "`nn.Embedding` has no bias.",
    reason="The same vector is added for every id. So a Linear with bias is still a lookup, in a "
    "table with the bias added to each row.",
    sides=(LOOKUP, "one-hot × nn.Linear with bias"),
    expected="differ",
    problem=_bias,
    fix=_bias_fixed,
    fix_title="Use `bias=False`, or add the bias to each row of the table, as here.",
    fix_sides=("nn.Embedding, bias added to its rows", "one-hot × nn.Linear with bias"),
    source=(LINEAR,),
    words="bias=False, offset",
)


def _shared() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    embedding = nn.Embedding.from_pretrained(weight)  # type: ignore[no-untyped-call]
    before = embedding.weight.clone()
    linear_weight = nn.Parameter(embedding.weight.T)  # the same memory
    optimizer = torch.optim.SGD([linear_weight], lr=0.5)
    one_hot = F.one_hot(torch.tensor([0, 2]), num_classes=4).float()
    F.linear(one_hot, linear_weight).sum().backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return before, embedding.weight.detach()


def _shared_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    embedding = nn.Embedding.from_pretrained(weight)  # type: ignore[no-untyped-call]
    before = embedding.weight.clone()
    linear_weight = nn.Parameter(embedding.weight.T.clone())
    optimizer = torch.optim.SGD([linear_weight], lr=0.5)
    one_hot = F.one_hot(torch.tensor([0, 2]), num_classes=4).float()
    F.linear(one_hot, linear_weight).sum().backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return before, embedding.weight.detach()


SHARED = Case(
    name="shared-storage",
    title="transposed and shared: Parameter(weight.T)",
    claim="`nn.Parameter(weight.T)` makes no copy, with `.detach()` neither. So training the "
    "Linear also changes the Embedding, even a frozen one.",
    reason="`.T` is another view of the same memory, and `nn.Parameter` keeps that memory. Two "
    "layers that share memory always agree, so comparing them proves nothing. A view of the "
    "transpose, `.T.view(-1)`, raises; `.T.reshape(-1)` copies.",
    sides=("Embedding before training the Linear", "Embedding after it"),
    expected="differ",
    problem=_shared,
    fix=_shared_fixed,
    fix_title="Copy with `.T.clone()`.",
    source=(VIEWS, docs("nn.parameter.Parameter")),
    errors=(r"view size is not compatible with input tensor's size and stride",),
    words="weight tying, view, contiguous, reshape, memory, data_ptr, transpose, storage, "
    "optimizer, my weight is changing by itself",
)


def _transpose() -> Both:
    weight = torch.arange(9.0).reshape(3, 3)  # a square
    ids = torch.tensor([0, 1])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=3).float(), weight)
    return lookup, matmul


def _transpose_fixed() -> Both:
    weight = torch.arange(9.0).reshape(3, 3)
    ids = torch.tensor([0, 1])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=3).float(), weight.T)
    return lookup, matmul


TRANSPOSE = Case(
    name="forgotten-transpose",
    title="a forgotten transpose",
    claim="`nn.Linear` stores its weight transposed, as (outputs, inputs). With an Embedding's "
    "square weight as it is, it returns columns instead of rows, without any error.",
    reason="`nn.Linear` computes x @ weight.T. A shape error shows the mistake only if the numbers "
    "of rows and columns differ.",
    expected="differ",
    problem=_transpose,
    fix=_transpose_fixed,
    fix_title="Give the Linear the transposed weight.",
    source=(LINEAR,),
    errors=(r"mat1 and mat2 shapes cannot be multiplied",),
    words="transposed, square, columns, wrong shape, shapes cannot be multiplied",
)


def _non_contiguous() -> Both:
    weight = torch.arange(12.0).reshape(3, 4).T  # a view
    ids = torch.tensor([3, 0])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), weight.T)
    return lookup, matmul


def _non_contiguous_fixed() -> Both:
    weight = torch.arange(12.0).reshape(3, 4).T.contiguous()
    ids = torch.tensor([3, 0])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), weight.T)
    return lookup, matmul


NON_CONTIGUOUS = Case(
    name="non-contiguous",
    title="a weight that is not contiguous",
    claim="A weight that is not contiguous gives the same rows on both routes. Its rows "
    "are not each in one piece in memory, as after a transpose.",
    reason="Both routes find each number by the tensor's strides: the distances in memory between "
    "its rows and between its columns. The numbers of one row then lie far apart.",
    expected="same",
    problem=_non_contiguous,
    fix=_non_contiguous_fixed,
    fix_title="Make it contiguous once, before many lookups.",
    source=(VIEWS, docs("Tensor.contiguous")),
    words="strides, column-major, layout, transposed",
    see=("timing", "Time it yourself"),
)


def _seed() -> Both:
    torch.manual_seed(123)  # cell 1
    in_order = nn.Embedding(4, 3).weight.detach()  # cell 2
    nn.Linear(4, 3)  # cell 3
    # The same cells in another order: 1, 3, 2.
    torch.manual_seed(123)
    nn.Linear(4, 3)
    another_order = nn.Embedding(4, 3).weight.detach()
    return in_order, another_order


def _seed_fixed() -> Both:
    torch.manual_seed(123)  # cell 2, which now sets its own seed
    in_order = nn.Embedding(4, 3).weight.detach()
    nn.Linear(4, 3)  # cell 3
    # The same cells in another order: 3, 2.
    nn.Linear(4, 3)
    torch.manual_seed(123)
    another_order = nn.Embedding(4, 3).weight.detach()
    return in_order, another_order


SEED = Case(
    name="seed-of-another-cell",
    title="numbers with a seed that the cell never set",
    claim="In a notebook, a cell that draws weights without a seed of its own depends on the cells "
    "that ran before it. In another order, or run twice, it can show other numbers.",
    reason="PyTorch's layers draw from one global generator, and each draw moves it on. So the "
    "seed of another cell gives these numbers only if nothing was drawn in between. The numbers "
    "in brackets beside the cells tell the order in which they ran.",
    sides=("weight of cell 2, cells in order", "weight of cell 2, run after cell 3"),
    expected="differ",
    problem=_seed,
    fix=_seed_fixed,
    fix_title="Set the seed in the cell that draws. To be sure, restart the kernel and run all "
    "cells in order.",
    source=(docs("Reproducibility", "notes/randomness"), docs("torch.manual_seed")),
    words="random, reproducible, hidden state, Jupyter, notebook, kernel, generator, manual_seed, "
    "different numbers every time",
    needs="process",
)
