"""Claims about the two layers that are wrong, or not always right."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.case import GRADIENTS, LOOKUP, ROUTES, Both, Case, Value, docs, issue

EMBEDDING = docs("nn.Embedding")
LINEAR = docs("nn.Linear")
MSE = docs("nn.MSELoss")


def _order() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids, order = torch.tensor([3, 1, 0]), torch.tensor([2, 0, 1])
    rows_reordered = F.embedding(ids, weight)[order]
    ids_reordered = F.embedding(ids[order], weight)
    return rows_reordered, ids_reordered


def _order_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    positions = torch.arange(9.0).reshape(3, 3)  # one a place
    ids, order = torch.tensor([3, 1, 0]), torch.tensor([2, 0, 1])
    rows_reordered = (F.embedding(ids, weight) + positions)[order]
    ids_reordered = F.embedding(ids[order], weight) + positions
    return rows_reordered, ids_reordered


ORDER = Case(
    name="order-and-context",
    title="“Embedding understands order and context, Linear does not”",
    is_true=lambda problem, _fix: problem.verdict == "differ",
    claim="Neither does: if you reorder the ids, the rows are reordered, and nothing else changes.",
    reason="Each id is looked up alone, and a product of one-hot rows picks the same rows. Order "
    "and context come from what follows, such as a vector for each position, or attention.",
    sides=("rows reordered after the lookup", "ids reordered before it"),
    expected="same",
    problem=_order,
    fix=_order_fixed,
    fix_expected="differ",
    fix_title="Add a vector for each position, on either route: then another order gives other "
    "rows.",
    fix_sides=("rows with positions, reordered after", "ids reordered, then positions added"),
    source=(EMBEDDING,),
    words="context, word order, position, attention, permutation, contextual, shuffle",
    see=("context", "Static against contextual"),
)


def _replace() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([3, 0])
    one_hot = F.one_hot(ids, num_classes=4).float()
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    optimizer = torch.optim.SGD([table, linear], lr=0.25)
    for _ in range(3):
        optimizer.zero_grad()
        F.embedding(ids, table).pow(2).sum().backward()  # type: ignore[no-untyped-call]
        F.linear(one_hot, linear).pow(2).sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return table.detach(), linear.detach().T


def _replace_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([3, 0])
    lookup = F.embedding(ids, weight)
    linear_weight = weight.T.clone()  # of the other layer
    one_hot = F.one_hot(ids, num_classes=4).float()
    return lookup, F.linear(one_hot, linear_weight)


REPLACE = Case(
    name="linear-cannot-replace",
    title="“Linear cannot replace Embedding”",
    is_true=lambda problem, _fix: problem.verdict == "differ",
    claim="It can, forward and backward. With the same weight and one-hot rows, a Linear without "
    "bias trains to the same table, except for rounding.",
    reason="The lookup is that product without the multiplications by zero. A Linear needs "
    "one-hot rows: for each token as many numbers as the table has rows. It also has none of "
    "the arguments of `nn.Embedding`.",
    sides=("nn.Embedding after training", "nn.Linear after it, transposed"),
    expected="same",
    problem=_replace,
    fix=_replace_fixed,
    fix_title="Exchange the layers at any time by copying the weight, transposed.",
    fix_sides=(LOOKUP, "one-hot × nn.Linear with its weight"),
    source=(EMBEDDING, LINEAR),
    words="equivalent, difference between Embedding and Linear, one-hot, optimizer",
    see=("training", "Train both routes in lockstep"),
)


def _replace_linear() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    inputs = torch.tensor([[0.5, 0.0, 2.0, 0.0]])
    try:
        lookup: Value = F.embedding(inputs, weight)
    except RuntimeError as error:
        lookup = error
    return lookup, F.linear(inputs, weight.T)


def _replace_linear_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    inputs = torch.tensor([[0.5, 0.0, 2.0, 0.0]])
    all_rows = torch.tensor([[0, 1, 2, 3]])
    lookup = F.embedding_bag(
        all_rows,
        weight,
        mode="sum",
        per_sample_weights=inputs,
    )
    return lookup, F.linear(inputs, weight.T)


REPLACE_LINEAR = Case(
    name="embedding-cannot-replace",
    title="“Embedding can replace Linear”",
    is_true=lambda problem, _fix: problem.verdict == "same",
    claim="Only if the inputs are ids or their one-hot rows. An `nn.Linear` takes any real "
    "numbers; a table has no row 0.5, and `nn.Embedding` refuses floats.",
    reason="A lookup needs a row for each possible input. One float32 number has `2**32` bit "
    "patterns, and each further input multiplies them by as many. A Linear computes its output, "
    "so D numbers an input are enough.",
    sides=("nn.Embedding, given real numbers", "nn.Linear, given real numbers"),
    expected="raises",
    problem=_replace_linear,
    fix=_replace_linear_fixed,
    fix_title="Use the Linear. Its output is the sum of all rows, each times its input, as "
    "`nn.EmbeddingBag` can compute it too.",
    fix_sides=("nn.EmbeddingBag, all rows weighted", "nn.Linear, given real numbers"),
    source=(EMBEDDING, LINEAR),
    errors=(
        r"expected tensor for argument #1 'indices' to have one of the following scalar types",
    ),
    words="real-valued, continuous inputs, features, float, regression, replace, when to use",
    see=("bag_of_words", "See a weighted sum of rows"),
)


def _encodes() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([3, 1, 0, 2])  # as many ids as rows
    lookup = F.embedding(ids, weight)
    matmul = F.linear(ids.float(), weight.T)
    return lookup, matmul


def _encodes_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([3, 1, 0, 2])
    lookup = F.embedding(ids, weight)
    one_hot = F.one_hot(ids, num_classes=4)
    matmul = F.linear(one_hot.float(), weight.T)
    return lookup, matmul


ENCODES = Case(
    name="one-hot-inside-linear",
    title="“the one-hot encoding is done in the nn.Linear layer”",
    is_true=lambda problem, _fix: problem.verdict == "same",
    claim="It is not: the layer multiplies the numbers that it is given. Four ids, given as floats "
    "to a layer of four inputs, are one input row, and the output is one sum of all rows.",
    reason="`nn.Linear` computes `input @ weight.T`, plus the bias, and knows nothing of ids. With "
    "another number of ids it raises an error about shapes, and with int64 ids one about dtypes. "
    "The encoding is a step of its own.",
    sides=("nn.Embedding, given ids", "nn.Linear, given ids as floats"),
    expected="differ",
    problem=_encodes,
    fix=_encodes_fixed,
    fix_title="Encode the ids before the layer, with `F.one_hot`.",
    fix_sides=("nn.Embedding, given ids", "nn.Linear, given one-hot rows"),
    source=(LINEAR, docs("F.one_hot")),
    words="encode, encoding, inside, automatic, where, ids into Linear",
)


def _faster() -> Both:
    weight = torch.tensor([[1.0, 2.0, 3.0]])
    ids = torch.tensor([0])  # one token, and a table of one row
    one_hot = F.one_hot(ids, num_classes=1)
    read_by_lookup = ids.numel() * weight.shape[1]
    read_by_matmul = one_hot.numel() * weight.shape[1]
    return read_by_lookup, read_by_matmul


def _faster_fixed() -> Both:
    weight = torch.tensor([[1.0, 2.0, 3.0]])
    ids = torch.tensor([0])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=1).float(), weight.T)
    return lookup, matmul


FASTER = Case(
    name="always-faster",
    title="“Embedding is always faster”",
    is_true=lambda problem, _fix: problem.left < problem.right,
    claim="It does not always do less work. With a table of one row, the lookup of a token reads "
    "exactly as many numbers of the weight as the product does.",
    reason="A lookup saves reading the other rows, and here there are none. This is a proof about "
    "the work, and it says nothing about the time: measure that on the Timing page.",
    sides=("numbers read by nn.Embedding", "numbers read by one-hot × nn.Linear"),
    expected="same",
    problem=_faster,
    fix=_faster_fixed,
    fix_title="At this size, choose the one that is easier to read: the values are the same too.",
    fix_sides=ROUTES,
    source=(EMBEDDING,),
    words="speed, slow, performance, benchmark, quicker, tiny vocabulary",
    see=("timing", "Time it yourself"),
)


def _grad_fn() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([3, 3])
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    lookup = F.embedding(ids, table)
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    return type(lookup.grad_fn).__name__, type(matmul.grad_fn).__name__


def _grad_fn_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([3, 3])
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    lookup = F.embedding(ids, table)
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T


GRAD_FN = Case(
    name="grad-fn-differs",
    title="“the grad_fn differs, so they differ”",
    is_true=lambda _problem, fix: fix.verdict == "differ",
    claim="The `grad_fn` of the two outputs have different names. The gradients that they compute "
    "are the same, except for rounding.",
    reason="`grad_fn` names the function that runs in the backward pass, not its result. One adds "
    "rows into a table, the other multiplies, and both add up the same numbers.",
    sides=("grad_fn of nn.Embedding", "grad_fn of one-hot × nn.Linear"),
    expected="differ",
    problem=_grad_fn,
    fix=_grad_fn_fixed,
    fix_title="Compare the gradients instead of the names.",
    fix_sides=GRADIENTS,
    source=(docs("Autograd mechanics", "notes/autograd"),),
    words="EmbeddingBackward0, SqueezeBackward4, MmBackward0, UnsafeViewBackward0, "
    "AddmmBackward0, ViewBackward0",
    see=("training", "Compare the gradients of a step"),
)


def _small() -> Both:
    random = torch.Generator().manual_seed(123)
    table = torch.empty(1000, 16)
    nn.init.normal_(table, generator=random)
    linear = torch.empty(16, 1000)
    nn.init.kaiming_uniform_(linear, a=math.sqrt(5), generator=random)
    return table.abs().max(), linear.abs().max()


def _small_fixed() -> Both:
    random = torch.Generator().manual_seed(123)
    linear = torch.empty(16, 1000)
    nn.init.kaiming_uniform_(linear, a=math.sqrt(5), generator=random)
    table = linear.T.clone()  # start the table as a Linear starts
    return table.abs().max(), linear.abs().max()


SMALL = Case(
    name="embeddings-start-small",
    title="“embeddings start small”",
    is_true=lambda problem, _fix: problem.left <= problem.right,
    claim="They do not: `nn.Embedding` starts with random numbers of mean 0 and standard deviation "
    "1, whatever its size. `nn.Linear` starts small, within ±1/√inputs.",
    reason="An output of a Linear sums over all inputs, so its weights shrink with their number. A "
    "lookup picks one row. A layer that starts with the other layer's init trains differently.",
    sides=("largest |weight| of nn.Embedding", "largest |weight| of nn.Linear"),
    expected="differ",
    problem=_small,
    fix=_small_fixed,
    fix_title="Start both from one tensor.",
    source=(issue(3121), LINEAR),
    words="initialization, init, reset_parameters, normal, kaiming, uniform, std",
)


def _loss() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    target = torch.zeros(2, 3)
    prediction = F.embedding(torch.tensor([3, 1]), weight)
    loss = nn.MSELoss  # no parentheses: this is the class, not a loss
    try:
        value: Value = str(loss(prediction, target))
    except RuntimeError as error:
        value = error
    return value, nn.MSELoss()(prediction, target)


def _loss_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    target = torch.zeros(2, 3)
    prediction = F.embedding(torch.tensor([3, 1]), weight)
    loss = nn.MSELoss()
    return loss(prediction, target), (prediction - target).pow(2).mean()


LOSS = Case(
    name="loss-without-parentheses",
    title="the loss without parentheses: loss = nn.MSELoss",
    claim="`nn.MSELoss` is a class. Called with prediction and target, it takes them for its old "
    "arguments `size_average` and `reduce`, and raises on tensors of more than one value.",
    reason="It needs each argument to be true or false, and several numbers are neither. With one "
    "number each, it makes a module and warns that `size_average` and `reduce` will be deprecated. "
    "Embedding and Linear have no part in it.",
    sides=("nn.MSELoss(prediction, target)", "nn.MSELoss()(prediction, target)"),
    expected="raises",
    problem=_loss,
    fix=_loss_fixed,
    fix_title="Make the loss first: `loss = nn.MSELoss()`.",
    fix_sides=("nn.MSELoss()(prediction, target)", "mean of the squares by hand"),
    source=(MSE,),
    errors=(
        r"bool(?:ean)? value of tensor with more than one value is ambiguous",
        r"type object '\w{1,40}loss' has no attribute 'backward'",
        r"'\w{1,40}loss' object has no attribute 'backward'",
        r"size_average and reduce args will be deprecated",
    ),
    words="MSELoss, CrossEntropyLoss, criterion, class, ambiguous",
)


def _max() -> Both:
    idx = torch.tensor([0, 3, 1])
    num_idx = idx.max() + 1  # max(idx) + 1 is a tensor too
    return num_idx, int(idx.max()) + 1


def _max_fixed() -> Both:
    idx = torch.tensor([0, 3, 1])
    num_idx = int(idx.max()) + 1
    weight = torch.zeros(num_idx, 3)
    return num_idx, len(weight)


MAX = Case(
    name="max-is-a-tensor",
    title="num_idx = idx.max() + 1 is a tensor",
    is_true=lambda problem, _fix: isinstance(problem.left, torch.Tensor),
    claim="`idx.max() + 1` and `max(idx) + 1` are tensors, not Python numbers, though PyTorch "
    "takes them as `num_embeddings` and nearly everywhere as a size. They count enough rows for "
    "these ids, not for larger ones that come later.",
    reason="The problems show later: JSON refuses it, and a dict does not find it as a key. "
    "Python's `max` takes ids in two dimensions as rows: of one row it returns that row, of "
    "several it raises.",
    sides=("idx.max() + 1", "int(idx.max()) + 1"),
    expected="differ",
    problem=_max,
    fix=_max_fixed,
    fix_title="Use the tensor's own `max`, which takes ids of any shape, and convert it: "
    "`int(idx.max()) + 1`.",
    fix_sides=("int(idx.max()) + 1", "rows of a table made with it"),
    source=(
        docs("torch.max"),
        docs("Tensor.item"),
    ),
    errors=(r"object of type tensor is not json serializable",),
    words="num_embeddings, num_idx, item, int, size, max(idx), 2D, batch",
)


def _max_view() -> Both:
    idx = torch.tensor([0, 3, 1])
    before = idx.clone()
    num_idx = max(idx)  # the element itself, still inside idx
    num_idx += 1
    return before, idx


def _max_view_fixed() -> Both:
    idx = torch.tensor([0, 3, 1])
    before = idx.clone()
    num_idx = int(idx.max())
    num_idx += 1
    return before, idx


MAX_VIEW = Case(
    name="max-is-a-view",
    title="num_idx = max(idx), then num_idx += 1",
    claim="`max(idx)` is a view of the largest id, so `num_idx += 1` changes the ids themselves.",
    reason="The element shares memory with its tensor, and `+=` changes a tensor in place. The "
    "next lookup then asks for a row that does not exist.",
    sides=("idx before", "idx after"),
    expected="differ",
    problem=_max_view,
    fix=_max_view_fixed,
    fix_title="Convert to a Python number first.",
    source=(docs("Tensor views", "tensor_view"),),
    words="in-place, +=, alias, memory, my ids are changing",
)
