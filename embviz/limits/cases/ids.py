"""Cases about ids: out of range, negative, of another type or device, or none at all."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from embviz.limits.case import Both, Case, Input, Value, docs, issue

EMBEDDING = docs("nn.Embedding")
ONE_HOT = docs("F.one_hot")


def _out_of_range(dtype: torch.dtype, id: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)  # rows 0 to 3
    ids = torch.tensor([0, id])
    try:
        lookup: Value = F.embedding(ids, weight)
    except IndexError as error:
        lookup = error
    try:
        matmul: Value = F.one_hot(ids, num_classes=4).to(dtype) @ weight
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


def _out_of_range_fixed(dtype: torch.dtype, id: int) -> Both:
    rows = id + 1  # as many as the largest id needs
    weight = torch.arange(3 * rows, dtype=dtype).reshape(rows, 3)
    ids = torch.tensor([0, id])
    lookup = F.embedding(ids, weight)
    matmul = F.one_hot(ids, num_classes=rows).to(dtype) @ weight
    return lookup, matmul


OUT_OF_RANGE = Case(
    name="out-of-range",
    title="an id that has no row",
    card="With 4 rows the ids run from 0 to 3; id 4 is an error.",
    claim="With 4 rows the ids run from 0 to 3. On the CPU, a larger id raises `IndexError` in "
    "`nn.Embedding` and `RuntimeError` in `F.one_hot`.",
    reason="`num_embeddings` is the number of rows, so the largest id is one less. On the CPU both "
    "routes check every id, each with its own error message.",
    expected="raises",
    problem=_out_of_range,
    fix=_out_of_range_fixed,
    fix_title="Make the table with (largest id + 1) rows.",
    source=(EMBEDDING, issue(93880)),
    inputs=(Input("id", "An id that is too large", 4, low=4, high=99),),
    errors=(r"index out of range in self", r"class values must be smaller than num_classes"),
    words="index out of range, vocabulary size, num_embeddings, off by one, token",
)


def _negative(dtype: torch.dtype, id: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0, id])  # weight[ids] would count from the end
    try:
        lookup: Value = F.embedding(ids, weight)
    except IndexError as error:
        lookup = error
    try:
        matmul: Value = F.one_hot(ids, num_classes=4).to(dtype) @ weight
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


def _negative_fixed(dtype: torch.dtype, id: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0, id]) % 4  # from the end, as weight[ids] does
    lookup = F.embedding(ids, weight)
    matmul = F.one_hot(ids, num_classes=4).to(dtype) @ weight
    return lookup, matmul


NEGATIVE = Case(
    name="negative",
    title="a negative id",
    claim="Both routes refuse a negative id. `weight[ids]` accepts it and counts from the end.",
    reason="A negative id is nearly always a mark for padding or a mistake, so neither route "
    "guesses a row. `padding_idx=-1` does not help: it names the last row, not the id -1.",
    expected="raises",
    problem=_negative,
    fix=_negative_fixed,
    fix_title="To count from the end, convert negative ids to row numbers first.",
    source=(EMBEDDING, issue(14844)),
    inputs=(Input("id", "A negative id", -1, low=-4, high=-1),),
    errors=(r"class values must be non-negative", r"index out of range in self"),
    words="-1, padding, ignore_index",
)


def _float_ids(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0.0, 2.0])  # as from a data frame or a scaler
    try:
        lookup: Value = F.embedding(ids, weight)
    except RuntimeError as error:
        lookup = error
    try:
        matmul: Value = F.one_hot(ids, num_classes=4).to(dtype) @ weight
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


def _float_ids_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0.0, 2.0]).long()
    lookup = F.embedding(ids, weight)
    matmul = F.one_hot(ids, num_classes=4).to(dtype) @ weight
    return lookup, matmul


FLOAT_IDS = Case(
    name="float-ids",
    title="ids that are floats",
    card="Both routes refuse the id 2.0: ids are integers.",
    claim="Ids must be whole-number tensors. `nn.Embedding` takes int64 or int32, `F.one_hot` "
    "takes int64, and both refuse floats, even whole ones such as 2.0.",
    reason="An id is a row number, and there is no row 1.5. Floats often come from "
    "`torch.Tensor(list)`, from NumPy, or from an embedding placed after another layer.",
    expected="raises",
    problem=_float_ids,
    fix=_float_ids_fixed,
    fix_title="Convert the ids to int64 with `.long()`.",
    source=(EMBEDDING, issue(116598)),
    errors=(
        r"expected tensor for argument #1 'indices' to have one of the following scalar types: "
        r"long, int",
        r"expected tensor for argument #1 'indices' to have scalar type long",
        r"one_hot is only applicable to index",
    ),
    words="FloatTensor, expected Long, scalar type, dtype, long, int16, bool",
)


def _int32_ids(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0, 2], dtype=torch.int32)
    lookup = F.embedding(ids, weight)
    try:
        matmul: Value = F.one_hot(ids, num_classes=4).to(dtype) @ weight
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


def _int32_ids_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0, 2], dtype=torch.int32)
    lookup = F.embedding(ids, weight)
    matmul = F.one_hot(ids.long(), num_classes=4).to(dtype) @ weight
    return lookup, matmul


INT32_IDS = Case(
    name="int32-ids",
    title="int32 ids and int64 ids",
    claim="`nn.Embedding` takes int32 and int64 ids; `F.one_hot` takes int64 only.",
    reason="int32 ids need half the memory, and the lookup reads both. `F.one_hot` accepts int64 "
    "only, and its result is int64 too.",
    expected="raises",
    problem=_int32_ids,
    fix=_int32_ids_fixed,
    fix_title="Give `F.one_hot` int64 ids with `.long()`.",
    source=(ONE_HOT, issue(86162)),
    errors=(r"one_hot is only applicable to index tensor",),
    words="LongTensor, IntTensor, int",
)


def _list_ids(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = [3, 1]  # a Python list
    try:
        lookup: Value = F.embedding(ids, weight)  # type: ignore[arg-type]
    except TypeError as error:
        lookup = error
    try:
        one_hot = F.one_hot(ids, num_classes=4).to(dtype)  # type: ignore[arg-type]
        matmul: Value = one_hot @ weight
    except TypeError as error:
        matmul = error
    return lookup, matmul


def _list_ids_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([3, 1])
    lookup = F.embedding(ids, weight)
    matmul = F.one_hot(ids, num_classes=4).to(dtype) @ weight
    return lookup, matmul


LIST_IDS = Case(
    name="list-of-ids",
    title="ids in a Python list",
    claim="Both routes take a tensor of ids. A list, a tuple or a NumPy array raises `TypeError`, "
    "even if it holds whole numbers.",
    reason="PyTorch's functions do not convert lists: convert them once, when you read the data. "
    "`torch.tensor` makes int64 from whole numbers. Pad texts of different lengths to one length "
    "first.",
    expected="raises",
    problem=_list_ids,
    fix=_list_ids_fixed,
    fix_title="Make a tensor: `torch.tensor(ids)`.",
    source=(EMBEDDING, docs("torch.tensor")),
    errors=(
        r"argument '(?:indices|input)' \(position \d\) must be tensor, not",
        r"'list' object has no attribute '(?:dim|size|shape|to|long|device)'",
    ),
    words="numpy, array, tuple, convert, TypeError, not list",
)


def _empty(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    nothing = torch.tensor([])  # PyTorch makes floats of an empty list
    try:
        lookup: Value = F.embedding(nothing, weight)
    except RuntimeError as error:
        lookup = error
    try:
        matmul: Value = F.one_hot(nothing.long()).to(dtype) @ weight
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


def _empty_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([], dtype=torch.int64)
    lookup = F.embedding(ids, weight)
    matmul = F.one_hot(ids, num_classes=4).to(dtype) @ weight
    return lookup, matmul


EMPTY = Case(
    name="empty-input",
    title="no ids at all",
    claim="`torch.tensor([])` is a float tensor, which `nn.Embedding` refuses. Without ids, "
    "`F.one_hot` cannot infer `num_classes`. With int64 ids and `num_classes`, both routes "
    "return shape (0, 3) for an empty text.",
    reason="An empty list does not show the type of its numbers, so PyTorch chooses float. A text "
    "without tokens is valid input: both routes return a table with no rows and 3 columns.",
    expected="raises",
    problem=_empty,
    fix=_empty_fixed,
    fix_title="State the dtype of the ids and the number of classes.",
    source=(EMBEDDING, ONE_HOT),
    errors=(
        r"can not infer total number of classes from empty tensor",
        r"expected tensor for argument #1 'indices' to have one of",
    ),
    words="empty, zero tokens, empty text, empty batch",
)


def _absent(dtype: torch.dtype, largest: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0, largest])  # id 3, the last row, does not occur
    lookup = F.embedding(ids, weight)
    try:
        matmul: Value = F.one_hot(ids).to(dtype) @ weight
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


def _absent_fixed(dtype: torch.dtype, largest: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0, largest])
    lookup = F.embedding(ids, weight)
    matmul = F.one_hot(ids, num_classes=len(weight)).to(dtype) @ weight
    return lookup, matmul


ABSENT = Case(
    name="one-hot-without-classes",
    title="one_hot without num_classes",
    card="The one-hot row ends at the batch's largest id, so it is too short for the weight.",
    claim="Without `num_classes`, a one-hot row has only (largest id in the batch + 1) places. So "
    "the product fails for every batch without the table's last id.",
    reason="`F.one_hot` sees the ids, not the table, and takes the number of classes from the "
    "largest id. It works while every batch has the last id, and fails on the first batch "
    "without it.",
    expected="raises",
    problem=_absent,
    fix=_absent_fixed,
    fix_title="Always pass `num_classes`, the number of rows of the table.",
    source=(ONE_HOT,),
    inputs=(
        Input("largest", "Largest id in this batch (the table has rows 0 to 3)", 2, low=0, high=2),
    ),
    errors=(r"mat1 and mat2 shapes cannot be multiplied", r"size mismatch, m1"),
    words="num_classes, last id, wrong shape, batch, shapes cannot be multiplied",
)


def _on_a_gpu(dtype: torch.dtype, id: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0, id])
    # Run on the CPU. On a GPU it ends in "device-side assert triggered".
    try:
        lookup: Value = F.embedding(ids.cpu(), weight.cpu())
    except IndexError as error:
        lookup = error
    try:
        one_hot = F.one_hot(ids.cpu(), num_classes=4).to(dtype)
        matmul: Value = one_hot @ weight.cpu()
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


def _on_a_gpu_fixed(dtype: torch.dtype, id: int) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([0, id])
    bad = ids[(ids < 0) | (ids >= len(weight))]
    try:
        if len(bad):  # before the GPU sees them
            raise IndexError(f"ids {bad.tolist()} have no row")
        lookup: Value = F.embedding(ids, weight)
        matmul: Value = F.one_hot(ids, num_classes=4).to(dtype) @ weight
    except IndexError as error:
        lookup = matmul = error
    return lookup, matmul


ON_A_GPU = Case(
    name="out-of-range-on-a-gpu",
    title="out of range on a GPU: device-side assert",
    claim="On a GPU an id out of range ends in “device-side assert triggered”: a check in the "
    "GPU's program failed. Every later CUDA call of that process then fails. On the CPU, as "
    "here, the same code names the error.",
    reason="A GPU runs later than the line of Python that started it, so the traceback often "
    "points to another line. After a failed check the process cannot use the GPU again. So it is "
    "never tried here: this is the CPU's check of the same ids.",
    sides=("nn.Embedding, on the CPU", "one-hot × nn.Linear, on the CPU"),
    expected="raises",
    problem=_on_a_gpu,
    fix=_on_a_gpu_fixed,
    fix_expected="raises",
    fix_title="Check the ids before they go to the GPU, and name the wrong ids in the error.",
    fix_sides=("nn.Embedding, its ids checked", "one-hot × nn.Linear, its ids checked"),
    source=(issue(19120), issue(93880)),
    inputs=(Input("id", "An id out of range", 4, options=(4, 99, -1)),),
    errors=(
        r"device-side assert",
        r"srcindex < srcselectdimsize",
        r"indexselect(?:small|large)index",
        r"cuda_launch_blocking",
        r"cudaerrorassert",
        r"vectorized_gather_kernel|ind >= 0 && ind < ind_dim_size",
        # The CPU's errors for the same ids, here and in the fix.
        r"index out of range in self",
        r"class values must be (?:smaller|non-negative)",
        r"\] have no row",
    ),
    words="CUDA error, cublas, assertion failed, GPU crash",
)


# Only a real second device shows this. The "meta" device, which every machine has, raises no error:
# in PyTorch 2.13 a product or lookup of CPU and meta tensors returns uninitialized memory.
def _devices(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3).to("cuda")
    ids = torch.tensor([3, 1])  # still on the CPU
    try:
        lookup: Value = F.embedding(ids, weight)
    except RuntimeError as error:
        lookup = error
    try:
        one_hot = F.one_hot(ids, num_classes=4).to(dtype)
        matmul: Value = one_hot @ weight
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


def _devices_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3).to("cuda")
    ids = torch.tensor([3, 1]).to(weight.device)
    lookup = F.embedding(ids, weight).cpu()
    one_hot = F.one_hot(ids, num_classes=4).to(weight)  # dtype and device
    matmul = (one_hot @ weight).cpu()
    return lookup, matmul


DEVICES = Case(
    name="different-devices",
    title="ids on the CPU, the table on a GPU",
    claim="Ids and table must be on one device, like the two factors of a product. With the table "
    "on a GPU and the ids on the CPU, both routes raise `RuntimeError`.",
    reason="A GPU computes with its own memory, and PyTorch never moves a tensor by itself. "
    "`model.to('cuda')` moves the weights, but not your ids or a tensor made in `forward`.",
    expected="raises",
    problem=_devices,
    fix=_devices_fixed,
    fix_title="Move the ids to the device of the table: `ids.to(weight.device)`.",
    source=(docs("CUDA semantics", "notes/cuda"), docs("Tensor.to")),
    errors=(
        r"expected all tensors to be on the same device",
        r"found at least two devices",
        r"expected object of device type \w{1,10} but got device type",
        r"input, output and indices must be on the current device",
        r"input type \(torch\.[\w.]{1,30}\) and weight type \(torch\.[\w.]{1,30}\) should be",
    ),
    words="cuda:0 and cpu, same device, GPU, to(device), move",
    needs="cuda",
)
