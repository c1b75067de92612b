"""Claims about the two layers that are wrong, or not always right."""

from __future__ import annotations

import math
import warnings

import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.case import GRADIENTS, ROUTES, Both, Case, Input, Value, docs, issue

EMBEDDING = docs("nn.Embedding")
LINEAR = docs("nn.Linear")
MSE = docs("nn.MSELoss")


def _order(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids, order = torch.tensor([3, 1, 0]), torch.tensor([2, 0, 1])
    rows_reordered = F.embedding(ids, weight)[order]
    ids_reordered = F.embedding(ids[order], weight)
    return rows_reordered, ids_reordered


def _order_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    positions = torch.arange(9, dtype=dtype).reshape(3, 3)  # one a place
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


def _replace(dtype: torch.dtype, steps: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([3, 0])
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    optimizer = torch.optim.SGD([table, linear], lr=0.25)
    for _ in range(steps):
        optimizer.zero_grad()
        F.embedding(ids, table).pow(2).sum().backward()  # type: ignore[no-untyped-call]
        F.linear(one_hot, linear).pow(2).sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return table.detach(), linear.detach().T


def _replace_fixed(dtype: torch.dtype, steps: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([3, 0])
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
    table = nn.Parameter(weight.clone())
    optimizer = torch.optim.SGD([table], lr=0.25)
    for _ in range(steps):
        optimizer.zero_grad()
        F.embedding(ids, table).pow(2).sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    linear_weight = table.detach().T.clone()  # the other layer, trained
    lookup = F.embedding(ids, table.detach())
    matmul = F.linear(one_hot, linear_weight)
    return lookup, matmul


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
    fix_title="Exchange the layers at any time by copying the weight, transposed; here after "
    "training.",
    fix_sides=("nn.Embedding, trained", "one-hot × nn.Linear with its weight"),
    source=(EMBEDDING, LINEAR),
    inputs=(Input("steps", "Steps of training", 3, low=0, high=20),),
    words="equivalent, difference between Embedding and Linear, one-hot, optimizer",
    see=("training", "Train both routes in lockstep"),
)


def _replace_linear(dtype: torch.dtype, value: float) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    inputs = torch.tensor([[value, 0.0, 2.0, 0.0]], dtype=dtype)
    try:
        lookup: Value = F.embedding(inputs, weight)
    except RuntimeError as error:
        lookup = error
    return lookup, F.linear(inputs, weight.T)


def _replace_linear_fixed(dtype: torch.dtype, value: float) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    inputs = torch.tensor([[value, 0.0, 2.0, 0.0]], dtype=dtype)
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
    inputs=(Input("value", "First of the 4 inputs", 0.5, options=(0.5, 1.0, -2.0)),),
    errors=(
        r"expected tensor for argument #1 'indices' to have one of the following scalar types",
    ),
    words="real-valued, continuous inputs, features, float, regression, replace, when to use",
    see=("bag_of_words", "See a weighted sum of rows"),
)


def _encodes(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([3, 1, 0, 2])  # as many ids as rows
    lookup = F.embedding(ids, weight)
    matmul = F.linear(ids.to(dtype), weight.T)
    return lookup, matmul


def _encodes_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([3, 1, 0, 2])
    lookup = F.embedding(ids, weight)
    one_hot = F.one_hot(ids, num_classes=4)
    matmul = F.linear(one_hot.to(dtype), weight.T)
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


def _faster(dtype: torch.dtype, outputs: int) -> Both:
    weight = torch.arange(outputs, dtype=dtype).reshape(1, outputs)
    ids = torch.tensor([0])  # one token, and a table of one row
    one_hot = F.one_hot(ids, num_classes=1)
    read_by_lookup = ids.numel() * weight.shape[1]
    read_by_matmul = one_hot.numel() * weight.shape[1]
    return read_by_lookup, read_by_matmul


def _faster_fixed(dtype: torch.dtype, outputs: int) -> Both:
    weight = torch.arange(outputs, dtype=dtype).reshape(1, outputs)
    ids = torch.tensor([0])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=1).to(dtype), weight.T)
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
    inputs=(Input("outputs", "Numbers in a row", 3, low=1, high=64),),
    words="speed, slow, performance, benchmark, quicker, tiny vocabulary",
    see=("timing", "Time it yourself"),
)


def _grad_fn(dtype: torch.dtype, dimensions: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.full([2] * dimensions, 3)
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    lookup = F.embedding(ids, table)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
    return type(lookup.grad_fn).__name__, type(matmul.grad_fn).__name__


def _grad_fn_fixed(dtype: torch.dtype, dimensions: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.full([2] * dimensions, 3)
    table = nn.Parameter(weight.clone())
    linear = nn.Parameter(weight.T.clone())
    lookup = F.embedding(ids, table)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), linear)
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
    inputs=(
        Input(
            "dimensions",
            "Dimensions of the ids",
            1,
            options=(0, 1, 2),
            help="The Linear's function has another name for each.",
        ),
    ),
    words="EmbeddingBackward0, SqueezeBackward4, MmBackward0, UnsafeViewBackward0, "
    "AddmmBackward0, ViewBackward0",
    see=("training", "Compare the gradients of a step"),
)


def _small(dtype: torch.dtype, rows: int) -> Both:
    random = torch.Generator().manual_seed(123)
    table = torch.empty(rows, 16, dtype=dtype)
    nn.init.normal_(table, generator=random)
    linear = torch.empty(16, rows, dtype=dtype)
    nn.init.kaiming_uniform_(linear, a=math.sqrt(5), generator=random)
    return round(float(table.abs().max()), 3), round(float(linear.abs().max()), 3)


def _small_fixed(dtype: torch.dtype, rows: int) -> Both:
    random = torch.Generator().manual_seed(123)
    linear = torch.empty(16, rows, dtype=dtype)
    nn.init.kaiming_uniform_(linear, a=math.sqrt(5), generator=random)
    table = linear.T.clone()  # start the table as a Linear starts
    return round(float(table.abs().max()), 3), round(float(linear.abs().max()), 3)


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
    inputs=(Input("rows", "Rows of the table", 1000, options=(10, 100, 1000, 5000)),),
    words="initialization, init, reset_parameters, normal, kaiming, uniform, std",
)


def _loss(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    target = torch.zeros(2, 3, dtype=dtype)
    prediction = F.embedding(torch.tensor([3, 1]), weight)
    loss = nn.MSELoss  # no parentheses: this is the class, not a loss
    try:
        value: Value = str(loss(prediction, target))
    except RuntimeError as error:
        value = error
    return value, nn.MSELoss()(prediction, target)


def _loss_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    target = torch.zeros(2, 3, dtype=dtype)
    prediction = F.embedding(torch.tensor([3, 1]), weight)
    loss = nn.MSELoss()
    return loss(prediction, target), (prediction - target).pow(2).mean()


LOSS = Case(
    name="loss-without-parentheses",
    title="the loss without parentheses: loss = nn.MSELoss",
    claim="`nn.MSELoss` is a class. Called with prediction and target, it takes them for its old "
    "arguments `size_average` and `reduce`, and raises on tensors of more than one value.",
    reason="It needs each argument to be true or false, and several numbers are neither. With one "
    "number each, it makes a module and warns, but not of this mistake. Embedding and Linear have "
    "no part in it.",
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
    ),
    words="MSELoss, CrossEntropyLoss, criterion, class, ambiguous",
)


def _loss_of_one(dtype: torch.dtype) -> Both:
    prediction = torch.tensor([2.0], dtype=dtype)  # one number
    target = torch.tensor([5.0], dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # shown below
        made = nn.MSELoss(prediction, target)
    loss = nn.MSELoss()(prediction, target)
    return type(made).__name__, type(loss).__name__


def _loss_of_one_fixed(dtype: torch.dtype) -> Both:
    prediction = torch.tensor([2.0], dtype=dtype)
    target = torch.tensor([5.0], dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            value: Value = str(nn.MSELoss(prediction, target))
        except UserWarning as warning:
            value = warning
    loss = nn.MSELoss()
    return value, loss(prediction, target)


LOSS_OF_ONE = Case(
    name="loss-of-one-number",
    title="the loss without parentheses, of one number each",
    claim="`nn.MSELoss(prediction, target)` of one number each raises nothing: it makes a module. "
    "PyTorch warns that `size_average` and `reduce` will be deprecated, although you wrote "
    "neither.",
    reason="`size_average` and `reduce` are the first two arguments of the class, and one number "
    "is true or false. The mistake shows later: a module has no `backward`.",
    sides=("type of nn.MSELoss(prediction, target)", "type of nn.MSELoss()(prediction, target)"),
    expected="differ",
    problem=_loss_of_one,
    fix=_loss_of_one_fixed,
    fix_expected="raises",
    fix_title="Make the loss first: `loss = nn.MSELoss()`. Warnings turned into errors, as "
    "`python -W error` does, show the line of the mistake.",
    fix_sides=("nn.MSELoss(prediction, target)", "nn.MSELoss()(prediction, target)"),
    source=(MSE, ("Python: warnings", "https://docs.python.org/3/library/warnings.html")),
    errors=(
        r"size_average and reduce args will be deprecated",
        r"'\w{1,40}loss' object has no attribute 'backward'",
    ),
    words="MSELoss, CrossEntropyLoss, criterion, class, warning, UserWarning, deprecated",
    needs="process",
)


def _max(largest: int) -> Both:
    idx = torch.tensor([0, largest, 1])
    num_idx = max(idx) + 1
    return num_idx, int(idx.max()) + 1


def _max_fixed(largest: int) -> Both:
    idx = torch.tensor([0, largest, 1])
    num_idx = int(idx.max()) + 1
    weight = torch.zeros(num_idx, 3)
    return num_idx, len(weight)


MAX = Case(
    name="max-is-a-tensor",
    title="num_idx = max(idx) + 1 is a tensor",
    is_true=lambda problem, _fix: isinstance(problem.left, torch.Tensor),
    claim="`max(idx) + 1` of a tensor is a tensor again, not a Python number, though PyTorch takes "
    "it as a size nearly everywhere.",
    reason="`max` iterates over the tensor and returns one of its elements, which are tensors. The "
    "problems show later: JSON refuses it, and a dict does not find it as a key. With ids in two "
    "dimensions, these elements are rows.",
    sides=("max(idx) + 1", "int(idx.max()) + 1"),
    expected="differ",
    problem=_max,
    fix=_max_fixed,
    fix_title="Use the tensor's own `max` and convert it: `int(idx.max()) + 1`.",
    fix_sides=("int(idx.max()) + 1", "rows of a table made with it"),
    source=(
        docs("torch.max"),
        docs("Tensor.item"),
    ),
    inputs=(Input("largest", "Largest id", 3, low=1, high=99),),
    errors=(r"object of type tensor is not json serializable",),
    words="num_embeddings, item, int, size",
)


def _max_rows(largest: int) -> Both:
    one_row = torch.tensor([[0, largest, 1]])
    two_rows = torch.tensor([[0, largest, 1], [1, 0, 0]])
    try:
        value: Value = max(two_rows)
    except RuntimeError as error:
        value = error
    return max(one_row), value


def _max_rows_fixed(largest: int) -> Both:
    one_row = torch.tensor([[0, largest, 1]])
    two_rows = torch.tensor([[0, largest, 1], [1, 0, 0]])
    return int(one_row.max()), int(two_rows.max())


MAX_ROWS = Case(
    name="max-of-rows",
    title="max(idx) of ids in two dimensions",
    claim="Python's `max` takes ids in two dimensions as rows. One row, such as the playground "
    "makes, is returned whole, without an error. Of several rows with more than one id, `max` "
    "raises.",
    reason="`max` compares the elements, here rows, and with one row there is nothing to compare. "
    "To compare two rows gives one answer for each place, and `max` needs a single one. Rows of "
    "one id give one.",
    sides=("max(idx) of one row", "max(idx) of two rows"),
    expected="raises",
    problem=_max_rows,
    fix=_max_rows_fixed,
    fix_title="Use the tensor's own `max`, which takes ids of any shape: `int(idx.max())`.",
    fix_sides=("int(idx.max()) of one row", "int(idx.max()) of two rows"),
    source=(docs("torch.max"),),
    inputs=(Input("largest", "Largest id", 3, low=1, high=99),),
    errors=(r"bool(?:ean)? value of tensor with more than one value is ambiguous",),
    words="num_embeddings, num_idx, 2D, batch, shape",
)


def _max_view(add: int) -> Both:
    idx = torch.tensor([0, 3, 1])
    before = idx.clone()
    num_idx = max(idx)  # the element itself, still inside idx
    num_idx += add
    return before, idx


def _max_view_fixed(add: int) -> Both:
    idx = torch.tensor([0, 3, 1])
    before = idx.clone()
    num_idx = int(idx.max())
    num_idx += add
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
    inputs=(Input("add", "Number to add", 1, low=1, high=9),),
    words="in-place, +=, alias, memory, my ids are changing",
)
