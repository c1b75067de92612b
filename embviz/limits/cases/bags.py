"""Cases about rows of counts, in which `nn.EmbeddingBag` and `nn.Linear` differ or code fails."""

from __future__ import annotations

import math
from functools import partial

import scipy.sparse
import torch
from torch.nn import functional as F

from embviz.limits.case import Both, Case, Value, docs, issue

BAG = docs("nn.EmbeddingBag")
BAG_FUNCTION = docs("F.embedding_bag")
ACCURACY = docs("Numerical accuracy", "notes/numerical_accuracy")
SIDES = ("nn.EmbeddingBag", "counts × nn.Linear")
TRY_IT = ("bag_of_words", "Try it with your own documents")


def _counts() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    counts = torch.tensor([[0, 3, 1, 0]])  # word 1 occurs several times
    ids = counts[0].nonzero().T
    bag = F.embedding_bag(ids, weight, mode="sum")
    matmul = F.linear(counts.float(), weight.T)
    return bag, matmul


def _counts_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    counts = torch.tensor([[0, 3, 1, 0]])
    ids = counts[0].nonzero().T
    times = counts[0][ids].float()
    bag = F.embedding_bag(ids, weight, mode="sum", per_sample_weights=times)
    matmul = F.linear(counts.float(), weight.T)
    return bag, matmul


COUNTS = Case(
    name="counts-ignored",
    title="counts that were left out",
    claim="The column numbers of a row of counts show which words occur, but not how often. A bag "
    "that sums them loses every count above 1.",
    reason="A bag adds one row for each id that it is given. Pass the counts too, as "
    "`per_sample_weights`, or repeat each id as often as it occurs.",
    sides=SIDES,
    expected="differ",
    problem=_counts,
    fix=_counts_fixed,
    fix_title="Pass the counts as `per_sample_weights`.",
    source=(BAG,),
    words="CountVectorizer, tf-idf, per_sample_weights, indices, data",
    see=TRY_IT,
)


def _order() -> Both:
    big = 2 / torch.finfo(torch.float32).eps  # so big that big + 1 is big
    weight = torch.tensor([[1.0], [big], [-big]])
    first, second = torch.tensor([[0, 1, 2]]), torch.tensor([[1, 2, 0]])
    small_first = F.embedding_bag(first, weight, mode="sum")
    small_last = F.embedding_bag(second, weight, mode="sum")
    return small_first, small_last


def _order_fixed() -> Both:
    big = 2 / torch.finfo(torch.float32).eps
    weight = torch.tensor([[1.0], [big], [-big]])
    first, second = torch.tensor([0, 1, 2]), torch.tensor([1, 2, 0])
    # Keeps what each addition would lose; rounds once, at the end.
    small_first = math.fsum(weight[first, 0].tolist())
    small_last = math.fsum(weight[second, 0].tolist())
    return small_first, small_last


ORDER = Case(
    name="sum-order",
    title="the order of a sum",
    claim="The same words in another order can give another sum, in float32 and in float64: here 0 "
    "or 1, and only 1 is correct.",
    reason="Each addition rounds, and the error depends on what was added before. A bag adds in "
    "the order of the ids and a product in its own order, so their last digits may differ. "
    "Compare sums within a tolerance.",
    sides=("sum of ids 0, 1, 2", "sum of ids 1, 2, 0"),
    expected="differ",
    problem=_order,
    fix=_order_fixed,
    fix_title="If a sum must be exact, use `math.fsum`, which rounds once, at the end.",
    fix_sides=("exact sum of ids 0, 1, 2", "exact sum of ids 1, 2, 0"),
    source=(ACCURACY,),
    words="associative, rounding, summation, allclose, tolerance, nondeterministic",
    see=TRY_IT,
)


def _mean_padding() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    weight[0] = 0  # the padding row
    ids = torch.tensor([[1, 3, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]])
    bag = F.embedding_bag(ids, weight, mode="mean", padding_idx=0)
    counts = F.one_hot(ids, num_classes=4).sum(dim=1).float()
    length = ids.shape[1]  # counts the padding too
    matmul = F.linear(counts, weight.T) / length
    return bag, matmul


def _mean_padding_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    weight[0] = 0
    ids = torch.tensor([[1, 3, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]])
    bag = F.embedding_bag(ids, weight, mode="mean", padding_idx=0)
    counts = F.one_hot(ids, num_classes=4).sum(dim=1).float()
    counts[:, 0] = 0
    words = counts.sum(dim=1, keepdim=True).clamp(min=1)  # of each bag
    matmul = F.linear(counts, weight.T) / words
    return bag, matmul


MEAN_PADDING = Case(
    name="mean-with-padding",
    title="the mean of a padded or empty bag",
    claim="With `padding_idx`, the mean of a bag divides by the number of its words without the "
    "padding. A mean over all its ids counts the padding too. A bag without words is zeros.",
    reason="`nn.EmbeddingBag` leaves padding out of the sum and out of the number it divides by. A "
    "padding row of zeros adds nothing to the sum, but each padding id makes that number larger. "
    "By hand, the mean of no words is 0 / 0, and one NaN makes the loss of a whole batch NaN.",
    sides=("nn.EmbeddingBag, mode='mean'", "counts × nn.Linear / length"),
    expected="differ",
    problem=_mean_padding,
    fix=_mean_padding_fixed,
    fix_title="Divide each bag by the number of its words that are not padding, or by 1.",
    fix_sides=("nn.EmbeddingBag, mode='mean'", "counts × nn.Linear / words"),
    source=(BAG, issue(3194), issue(11739)),
    words="average, padding_idx, mode, length, NaN, empty document, division by zero, loss is nan",
    tolerance=1e-6,
)


def _weighted_mean(mode: str = "mean") -> Both:
    table = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([[1, 3], [2, 0]])  # two bags
    scores = torch.tensor([[3.0, 1.0], [1.0, 1.0]])
    total = scores.sum(dim=1, keepdim=True)  # of each bag
    try:
        bag = F.embedding_bag(
            ids,
            table,
            mode=mode,
            per_sample_weights=scores,
        )
        average: Value = bag / total
    except NotImplementedError as error:
        average = error
    rows = torch.zeros(2, 4).scatter_add(1, ids, scores)
    return average, F.linear(rows, table.T) / total


WEIGHTED_MEAN = Case(
    name="weighted-mean",
    title="per_sample_weights with mean",
    claim="`per_sample_weights` works with `mode='sum'` only. With `mode='mean'`, which is the "
    "default, it raises.",
    reason="A weighted mean could be divided by the number of words or by the sum of their "
    "weights, and PyTorch defines neither. A product leaves the choice to you.",
    sides=("nn.EmbeddingBag, mode='mean'", "scores × nn.Linear / sum of scores"),
    expected="raises",
    problem=_weighted_mean,
    fix=partial(_weighted_mean, mode="sum"),
    fix_title="Sum, then divide each bag by the number you want, here the sum of its weights.",
    fix_sides=("nn.EmbeddingBag, mode='sum' / sum of scores", "scores × nn.Linear / sum of scores"),
    source=(BAG_FUNCTION, issue(4068)),
    errors=(r"per_sample_weights is only supported for mode='sum'",),
    words="weighted average, tf-idf, mode",
)


def _offsets() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1, 3])  # one dimension: where does a bag end?
    try:
        bag: Value = F.embedding_bag(ids, weight, mode="sum")
    except ValueError as error:
        bag = error
    counts = torch.tensor([[0.0, 1.0, 0.0, 1.0]])
    return bag, F.linear(counts, weight.T)


def _offsets_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([1, 3])
    starts = torch.tensor([0])  # one bag, from the first id on
    bag = F.embedding_bag(ids, weight, offsets=starts, mode="sum")
    counts = torch.tensor([[0.0, 1.0, 0.0, 1.0]])
    return bag, F.linear(counts, weight.T)


OFFSETS = Case(
    name="bag-without-offsets",
    title="a flat list of ids without offsets",
    claim="`nn.EmbeddingBag` needs `offsets` for ids in one dimension. For ids in two dimensions "
    "it needs none: each row is a bag.",
    reason="Ids in one dimension do not show where a bag ends. `offsets` lists the positions where "
    "the bags start; the first is 0.",
    sides=SIDES,
    expected="raises",
    problem=_offsets,
    fix=_offsets_fixed,
    fix_title="Say where each bag starts.",
    source=(BAG,),
    errors=(
        r"offsets has to be a 1d tensor",
        r"offsets\[0\] has to be 0",
        r"offsets\[-1\] can not be greater than input's length",
        r"if input is 2d, then offsets has to be none",
    ),
    words="include_last_offset, 1D, variable length",
)


def _getrow() -> Both:
    counts = scipy.sparse.csr_array([[0, 3, 1, 0], [1, 0, 0, 2]])
    old = scipy.sparse.csr_matrix(counts).getrow(0)
    try:
        found: Value = torch.tensor(counts.getrow(0).toarray())
    except AttributeError as error:
        found = error
    return found, torch.tensor(old.toarray())


def _getrow_fixed() -> Both:
    counts = scipy.sparse.csr_array([[0, 3, 1, 0], [1, 0, 0, 2]])
    old = scipy.sparse.csr_matrix(counts).getrow(0)
    found = counts[[0]]  # counts[0] would have one dimension
    return torch.tensor(found.toarray()), torch.tensor(old.toarray())


GETROW = Case(
    name="getrow",
    title="csr_array has no getrow",
    claim="scipy's `csr_array` has no `getrow`: `counts.getrow(i)` raises `AttributeError`. A "
    "`csr_matrix` still has it.",
    reason="Sparse arrays replace sparse matrices in scipy and are indexed as NumPy arrays are. "
    "`counts[[i]]` is a row in two dimensions, as `getrow` gave it. `counts[i]` has one dimension "
    "and no `indices`.",
    sides=("csr_array, getrow", "csr_matrix, getrow"),
    expected="raises",
    problem=_getrow,
    fix=_getrow_fixed,
    fix_title="Index with a list of one row number: `counts[[i]]`.",
    fix_sides=("csr_array, counts[[i]]", "csr_matrix, getrow"),
    source=(
        (
            "scipy: from spmatrix to sparray",
            "https://docs.scipy.org/doc/scipy/reference/sparse.migration_to_sparray.html",
        ),
    ),
    errors=(r"'csr_array' object has no attribute 'get(?:row|col|nnz)'",),
    words="scipy, csr_matrix, sparse array, CSR, row of counts, CountVectorizer",
    see=TRY_IT,
)
