"""Cases about the weight: -0.0, NaN, inf, subnormals, a bias, its place in memory, its seed."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.case import LOOKUP, Both, Case, Input, Value, docs

LINEAR = docs("nn.Linear")
ACCURACY = docs("Numerical accuracy", "notes/numerical_accuracy")
VIEWS = docs("Tensor views", "tensor_view")
FLUSH = docs("torch.set_flush_denormal")

_SPECIAL = Input(
    "value",
    "Value in that row",
    "inf",
    options=("inf", "-inf", "nan"),
    help="0 times each of them is NaN.",
)


def _minus_zero(dtype: torch.dtype, row: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    weight[row, 1] = -0.0
    ids = torch.tensor([0, 1, 2, 3])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), weight.T)
    return lookup, matmul


def _minus_zero_fixed(dtype: torch.dtype, row: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    weight[row, 1] = -0.0
    weight = weight + 0.0  # turns -0.0 into 0.0 and changes nothing else
    ids = torch.tensor([0, 1, 2, 3])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), weight.T)
    return lookup, matmul


MINUS_ZERO = Case(
    name="minus-zero",
    title="-0.0 in the weight",
    claim="The lookup returns -0.0 unchanged. The product, if the table has several rows, returns "
    "0.0: the same number with another sign bit.",
    reason="-0.0 + 0.0 is 0.0, and 0 times a positive number of another row is 0.0. The next case "
    "shows the same where those zeros are negative too. `torch.equal` calls -0.0 and 0.0 equal, "
    "but their bits differ, and so does 1 / x.",
    expected="differ",
    problem=_minus_zero,
    fix=_minus_zero_fixed,
    fix_title="Add 0.0 to the weight once.",
    source=(LINEAR, docs("torch.signbit")),
    inputs=(Input("row", "Row that holds -0.0", 1, low=0, high=3),),
    words="negative zero, signed zero, signbit, sign",
)


def _minus_zero_terms(dtype: torch.dtype, row: int, start: float = -0.0) -> Both:
    # 0 times a negative number is -0.0.
    weight = -torch.arange(1, 13, dtype=dtype).reshape(4, 3)
    weight[row, 1] = -0.0
    ids = torch.tensor([0, 1, 2, 3])
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
    terms = one_hot[:, :, None] * weight  # what each output is the sum of
    total = torch.full((4, 3), start, dtype=dtype)  # -0.0 + x is x
    for place in range(4):
        total = total + terms[:, place]
    matmul = F.linear(one_hot, weight.T)
    return total, matmul


MINUS_ZERO_TERMS = Case(
    name="minus-zero-among-negatives",
    title="-0.0 where all zeros are negative",
    claim="With negative numbers in the other rows, every term of the sum is -0.0, and so is their "
    "sum. The product still returns 0.0.",
    reason="-0.0 + -0.0 is -0.0. So the product adds at least one 0.0 that is not a term: a sum "
    "that starts at 0.0 gives its bits. We know this from the bits alone, on the CPU.",
    sides=("the terms, added one by one", "one-hot × nn.Linear"),
    expected="differ",
    problem=_minus_zero_terms,
    fix=partial(_minus_zero_terms, start=0.0),
    fix_title="Start the sum at 0.0, and it has the bits of the product.",
    fix_sides=("the terms, added to 0.0", "one-hot × nn.Linear"),
    source=(LINEAR, docs("torch.signbit")),
    inputs=(Input("row", "Row that holds -0.0", 1, low=0, high=3),),
    words="negative zero, signed zero, signbit, sign, accumulator, kernel",
)


def _seen(dtype: torch.dtype, value: str) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    weight[1, 1] = float(value)
    ids = torch.tensor([1, 0])  # the first token looks up that row
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), weight.T)
    return lookup, matmul


def _seen_fixed(dtype: torch.dtype, value: str) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    weight[1, 1] = float(value)
    weight = weight.nan_to_num()  # inf becomes a large finite number, NaN 0
    ids = torch.tensor([1, 0])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), weight.T)
    return lookup, matmul


SEEN = Case(
    name="inf-in-seen-row",
    title="inf or NaN in a row that is looked up",
    claim="A token that looks up a row with inf or NaN gets it from both routes. In that column, "
    "every other token gets NaN from the product and its own number from the lookup.",
    reason="For that token the inf is multiplied by 1, and all other numbers are finite. For the "
    "others it is multiplied by 0: 0 · inf is NaN, and so is 0 · NaN. The other columns do not "
    "contain it.",
    expected="differ",
    problem=_seen,
    fix=_seen_fixed,
    fix_title="Replace inf and NaN before the product.",
    source=(ACCURACY, docs("torch.nan_to_num")),
    inputs=(_SPECIAL,),
    words="infinity, NaN, loss is nan, overflow, nan_to_num",
)


def _unseen(dtype: torch.dtype, row: int, value: str) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    weight[row, 1] = float(value)
    ids = torch.tensor([0, 1])  # that row is not looked up
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), weight.T)
    return lookup, matmul


def _unseen_fixed(dtype: torch.dtype, row: int, value: str) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    weight[row, 1] = float(value)
    ids = torch.tensor([0, 1])
    lookup = F.embedding(ids, weight)
    # Multiply only the rows that are looked up: no 0 * inf is computed.
    rows, place = torch.unique(ids, return_inverse=True)
    one_hot = F.one_hot(place, num_classes=len(rows)).to(dtype)
    matmul = F.linear(one_hot, weight[rows].T)
    return lookup, matmul


UNSEEN = Case(
    name="inf-in-unseen-row",
    title="inf or NaN in a row that is not looked up",
    claim="An inf or NaN in the weight makes its column of the product NaN for every token that "
    "does not look up its row. The lookup of such a token never reads it.",
    reason="The product multiplies that row by 0, and both 0 · inf and 0 · NaN are NaN. A sum that "
    "contains NaN is NaN, but each column is a separate sum.",
    expected="differ",
    problem=_unseen,
    fix=_unseen_fixed,
    fix_title="Multiply only the rows that are looked up.",
    source=(ACCURACY, LINEAR),
    inputs=(
        Input("row", "Row that holds it (ids 0 and 1 are looked up)", 2, low=2, high=3),
        _SPECIAL,
    ),
    words="infinity, NaN, loss is nan, 0 * inf, overflow",
)


def _subnormals(dtype: torch.dtype) -> Both:
    smallest = torch.finfo(dtype).smallest_normal
    # From -1.5 to 1.25 times the smallest normal number.
    weight = torch.arange(-6, 6, dtype=dtype).reshape(4, 3) * smallest / 4
    ids = torch.tensor([0, 1, 2, 3])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), weight.T)
    return lookup, matmul


def _subnormals_fixed(dtype: torch.dtype) -> Both:
    smallest = torch.finfo(dtype).smallest_normal
    weight = torch.arange(-6, 6, dtype=dtype).reshape(4, 3) * smallest / 4
    weight = torch.where(weight.abs() < smallest, 0, weight)
    ids = torch.tensor([0, 1, 2, 3])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), weight.T)
    return lookup, matmul


SUBNORMALS = Case(
    name="subnormals",
    title="subnormal numbers",
    claim="By default, subnormal weights survive both routes in float32 and float64 on the CPU. "
    "Subnormal numbers, such as 1e-40 in float32, are so close to 0 that they keep fewer digits.",
    reason="1 times a subnormal number is that number, unless the processor is set to treat it as "
    "0. Products in bfloat16 and those after `torch.set_flush_denormal(True)` may do that: see "
    "the next cases.",
    expected="same",
    problem=_subnormals,
    fix=_subnormals_fixed,
    fix_title="To be safe on every machine, set them to 0 yourself.",
    source=(FLUSH, ACCURACY),
    words="denormal, underflow, tiny, 1e-40, very small numbers",
)


def _subnormals_bfloat16() -> Both:
    weight = (torch.arange(12.0).reshape(4, 3) * 1e-39).bfloat16()
    ids = torch.tensor([0, 1, 2, 3])
    lookup = F.embedding(ids, weight)
    # A processor with bfloat16 instructions reads a subnormal as 0.
    smallest = torch.finfo(torch.bfloat16).smallest_normal
    as_read = torch.where(weight.abs() < smallest, 0, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).bfloat16(), as_read.T)
    return lookup, matmul


def _subnormals_bfloat16_fixed() -> Both:
    weight = (torch.arange(12.0).reshape(4, 3) * 1e-39).bfloat16()
    ids = torch.tensor([0, 1, 2, 3])
    lookup = F.embedding(ids, weight)
    one_hot = F.one_hot(ids, num_classes=4).float()  # float32 keeps them
    matmul = F.linear(one_hot, weight.float().T).bfloat16()
    return lookup, matmul


SUBNORMALS_BFLOAT16 = Case(
    name="subnormals-bfloat16",
    title="subnormal numbers in bfloat16",
    claim="Processors with bfloat16 instructions read subnormal bfloat16 weights as 0 in a "
    "product; the lookup copies them. Subnormal numbers are so close to 0 that they keep fewer "
    "digits.",
    reason="Those instructions treat subnormals as 0 whatever `torch.set_flush_denormal` says. "
    "PyTorch uses them only for products that are large enough. The result depends on the "
    "machine and the size, so it is imitated here.",
    sides=(LOOKUP, "one-hot × nn.Linear, imitated"),
    expected="differ",
    problem=_subnormals_bfloat16,
    fix=_subnormals_bfloat16_fixed,
    fix_title="Multiply in float32 and round the result.",
    fix_sides=(LOOKUP, "one-hot × nn.Linear in float32, rounded"),
    source=(ACCURACY,),
    words="denormal, underflow, bf16, AMX, AVX-512",
    emulated=True,
)


def _flush(dtype: torch.dtype, flush: bool = True) -> Both:
    smallest = torch.finfo(dtype).smallest_normal
    weight = torch.arange(12, dtype=dtype).reshape(4, 3) * smallest / 16
    ids = torch.tensor([0, 1, 2, 3])
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
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
    "that they keep fewer digits.",
    reason="The switch tells the processor to treat subnormals as 0. It acts on one thread only: "
    "see the next case. A lookup copies and computes nothing.",
    expected="differ",
    problem=_flush,
    fix=partial(_flush, flush=False),
    fix_title="Leave the switch off if the bits must agree.",
    source=(FLUSH,),
    words="denormal, subnormal, DAZ, FTZ, set_flush_denormal",
    needs="flush",
)


def _flush_threads(dtype: torch.dtype, flush: bool = True) -> Both:
    subnormal = torch.finfo(dtype).smallest_normal / 2
    weight = torch.full((64, 64), subnormal, dtype=dtype)
    ids = torch.arange(64)
    one_hot = F.one_hot(ids, num_classes=64).to(dtype)
    F.linear(one_hot, weight.T)  # starts PyTorch's threads
    torch.set_flush_denormal(flush)
    many = F.linear(one_hot, weight.T)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    one = F.linear(one_hot, weight.T)
    torch.set_num_threads(threads)
    torch.set_flush_denormal(False)  # the default
    return one[::8, ::16], many[::8, ::16]  # a sample of 32


FLUSH_PER_THREAD = Case(
    name="flush-to-zero-per-thread",
    title="flush-to-zero is a switch per thread",
    claim="`torch.set_flush_denormal(True)` acts on the thread that calls it. PyTorch's threads "
    "that were started earlier still keep subnormal weights. So one product is 0 in some places "
    "only.",
    reason="The switch is a setting of the processor that each thread has for itself. A large "
    "product is divided among several threads, and only the calling thread treats subnormals as "
    "0.",
    sides=("product in the calling thread alone", "product in all of PyTorch's threads"),
    expected="differ",
    problem=_flush_threads,
    fix=partial(_flush_threads, flush=False),
    fix_title="Leave the switch off if the bits must agree.",
    source=(FLUSH, docs("torch.set_num_threads")),
    words="denormal, subnormal, DAZ, FTZ, set_flush_denormal, multithreading, intra-op",
    needs="flush threads",
)


def _bias(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    bias = torch.tensor([0.5, 0.0, -0.5], dtype=dtype)
    ids = torch.tensor([0, 1, 2])
    lookup = F.embedding(ids, weight)
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
    matmul = F.linear(one_hot, weight.T, bias)
    return lookup, matmul


def _bias_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    bias = torch.tensor([0.5, 0.0, -0.5], dtype=dtype)
    ids = torch.tensor([0, 1, 2])
    lookup = F.embedding(ids, weight + bias)  # added to every row
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
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


def _shared(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    embedding = nn.Embedding.from_pretrained(weight)  # type: ignore[no-untyped-call]
    before = embedding.weight.clone()
    linear_weight = nn.Parameter(embedding.weight.T)  # the same memory
    optimizer = torch.optim.SGD([linear_weight], lr=0.5)
    one_hot = F.one_hot(torch.tensor([0, 2]), num_classes=4).to(dtype)
    F.linear(one_hot, linear_weight).sum().backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return before, embedding.weight.detach()


def _shared_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    embedding = nn.Embedding.from_pretrained(weight)  # type: ignore[no-untyped-call]
    before = embedding.weight.clone()
    linear_weight = nn.Parameter(embedding.weight.T.clone())
    optimizer = torch.optim.SGD([linear_weight], lr=0.5)
    one_hot = F.one_hot(torch.tensor([0, 2]), num_classes=4).to(dtype)
    F.linear(one_hot, linear_weight).sum().backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return before, embedding.weight.detach()


SHARED = Case(
    name="shared-storage",
    title="transposed and shared: Parameter(weight.T)",
    claim="`nn.Parameter(weight.T)` makes no copy. So training the Linear also changes the "
    "Embedding, even a frozen one.",
    reason="`.T` is another view of the same memory, and `nn.Parameter` keeps that memory. Two "
    "layers that share memory always agree, so comparing them proves nothing.",
    sides=("Embedding before training the Linear", "Embedding after it"),
    expected="differ",
    problem=_shared,
    fix=_shared_fixed,
    fix_title="Copy with `.T.clone()`.",
    source=(VIEWS, docs("nn.parameter.Parameter")),
    words="weight tying, view, memory, data_ptr, transpose, storage, optimizer, my weight is "
    "changing by itself",
)


def _transpose(dtype: torch.dtype) -> Both:
    weight = torch.arange(9, dtype=dtype).reshape(3, 3)  # a square
    ids = torch.tensor([0, 1])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=3).to(dtype), weight)
    return lookup, matmul


def _transpose_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(9, dtype=dtype).reshape(3, 3)
    ids = torch.tensor([0, 1])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=3).to(dtype), weight.T)
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


def _non_contiguous(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(3, 4).T  # a view
    ids = torch.tensor([3, 0])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), weight.T)
    return lookup, matmul


def _non_contiguous_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(3, 4).T.contiguous()
    ids = torch.tensor([3, 0])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).to(dtype), weight.T)
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


def _view(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    try:
        view: Value = weight.T.view(-1)
    except RuntimeError as error:
        view = error
    reshaped = weight.T.reshape(-1)  # copies if it must
    return view, reshaped


def _view_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    view = weight.T.contiguous().view(-1)
    reshaped = weight.T.reshape(-1)
    return view, reshaped


VIEW = Case(
    name="view-of-a-transpose",
    title="view() of a transposed weight",
    claim="`.view(-1)` raises on a transposed weight. `.reshape(-1)` copies it instead, so the "
    "result no longer shares memory with the weight.",
    reason="A view reads the same memory in another way, and its numbers must lie at even "
    "distances. Those of a flattened transpose do not. Compare `data_ptr()` to see whether two "
    "tensors share memory.",
    sides=("weight.T.view(-1)", "weight.T.reshape(-1)"),
    expected="raises",
    problem=_view,
    fix=_view_fixed,
    fix_title="Use `.reshape()`, or call `.contiguous()` first, which copies the numbers into "
    "order.",
    fix_sides=("weight.T.contiguous().view(-1)", "weight.T.reshape(-1)"),
    source=(VIEWS, docs("Tensor.view")),
    errors=(r"view size is not compatible with input tensor's size and stride",),
    words="contiguous, reshape, data_ptr, strides, non-contiguous",
)


def _seed(dtype: torch.dtype) -> Both:
    torch.manual_seed(123)  # cell 1
    in_order = nn.Embedding(4, 3, dtype=dtype).weight.detach()  # cell 2
    nn.Linear(4, 3, dtype=dtype)  # cell 3
    # The same cells in another order: 1, 3, 2.
    torch.manual_seed(123)
    nn.Linear(4, 3, dtype=dtype)
    another_order = nn.Embedding(4, 3, dtype=dtype).weight.detach()
    return in_order, another_order


def _seed_fixed(dtype: torch.dtype) -> Both:
    torch.manual_seed(123)  # cell 2, which now sets its own seed
    in_order = nn.Embedding(4, 3, dtype=dtype).weight.detach()
    nn.Linear(4, 3, dtype=dtype)  # cell 3
    # The same cells in another order: 3, 2.
    nn.Linear(4, 3, dtype=dtype)
    torch.manual_seed(123)
    another_order = nn.Embedding(4, 3, dtype=dtype).weight.detach()
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
