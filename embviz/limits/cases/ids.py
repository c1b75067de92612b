"""Cases about ids: without a row, of another type, or a batch without the largest one."""

from __future__ import annotations

from functools import partial

import torch
from torch.nn import functional as F

from embviz.limits.case import Both, Case, Value, docs, issue

EMBEDDING = docs("nn.Embedding")
ONE_HOT = docs("F.one_hot")


def _out_of_range(rows: int = 4) -> Both:
    weight = torch.arange(3.0 * rows).reshape(rows, 3)
    ids = torch.tensor([0, 4])
    try:
        lookup: Value = F.embedding(ids, weight)
    except IndexError as error:
        lookup = error
    try:
        matmul: Value = F.one_hot(ids, num_classes=rows).float() @ weight
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


OUT_OF_RANGE = Case(
    name="out-of-range",
    title="an id that has no row",
    card="With 4 rows the ids run from 0 to 3; id 4 is an error.",
    claim="With 4 rows the ids run from 0 to 3. On the CPU, a larger or a negative id raises "
    "`IndexError` in `nn.Embedding` and `RuntimeError` in `F.one_hot`.",
    reason="`num_embeddings` is the number of rows, so the largest id is one less. `weight[ids]` "
    "takes -1 as the last row; these two do not. On a GPU, which this case does not use, such an "
    "id ends in “device-side assert triggered”, and every later CUDA call of that process fails: "
    "run the code on the CPU to see which id it was. Ids and table on two devices are another "
    "error of a GPU, “Expected all tensors to be on the same device”: `ids.to(weight.device)`.",
    expected="raises",
    problem=_out_of_range,
    fix=partial(_out_of_range, rows=5),
    fix_title="Make the table with (largest id + 1) rows.",
    source=(EMBEDDING, issue(93880), issue(19120)),
    errors=(
        r"index out of range in self",
        r"class values must be (?:smaller than num_classes|non-negative)",
        # Of a GPU.
        r"device-side assert",
        r"srcindex < srcselectdimsize",
        r"indexselect(?:small|large)index",
        r"cuda_launch_blocking",
        r"cudaerrorassert",
        r"vectorized_gather_kernel|ind >= 0 && ind < ind_dim_size",
        r"expected all tensors to be on the same device",
        r"found at least two devices",
        r"expected object of device type \w{1,10} but got device type",
        r"input, output and indices must be on the current device",
    ),
    words="index out of range, vocabulary size, num_embeddings, off by one, token, negative id, "
    "-1, padding, ignore_index, CUDA error, cublas, assertion failed, GPU crash, cuda:0 and cpu, "
    "same device, to(device), model on GPU",
)


def _ids_of(dtype: torch.dtype) -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([0, 2], dtype=dtype)
    try:
        lookup: Value = F.embedding(ids, weight)
    except RuntimeError as error:
        lookup = error
    try:
        matmul: Value = F.one_hot(ids, num_classes=4).float() @ weight
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


_int64_ids = partial(_ids_of, dtype=torch.int64)


FLOAT_IDS = Case(
    name="float-ids",
    title="ids that are no integer tensor",
    card="Both routes refuse the id 2.0: ids are integers.",
    claim="Both routes refuse ids that are floats, even whole ones such as 2.0, and ids in a list "
    "or a NumPy array.",
    reason="An id is a row number, and there is no row 1.5. Floats come from `torch.Tensor(list)`, "
    "from NumPy, and from an empty text, because `torch.tensor([])` is float; with int64 and "
    "`num_classes`, both routes give an empty text a table of no rows.",
    expected="raises",
    problem=partial(_ids_of, dtype=torch.float32),
    fix=_int64_ids,
    fix_title="Convert the ids to int64 with `.long()`; make a tensor of a list with "
    "`torch.tensor(ids)`.",
    source=(EMBEDDING, docs("torch.tensor"), issue(116598)),
    errors=(
        r"expected tensor for argument #1 'indices' to have one of the following scalar types: "
        r"long, int",
        r"expected tensor for argument #1 'indices' to have scalar type long",
        r"one_hot is only applicable to index",
        r"argument '(?:indices|input)' \(position \d\) must be tensor, not",
        r"'list' object has no attribute '(?:dim|size|shape|to|long|device)'",
        r"can not infer total number of classes from empty tensor",
    ),
    words="FloatTensor, expected Long, scalar type, dtype, long, int16, bool, numpy, array, list, "
    "tuple, convert, TypeError, empty, zero tokens, empty text, empty batch",
)


INT32_IDS = Case(
    name="int32-ids",
    title="int32 ids and int64 ids",
    claim="`nn.Embedding` takes int32 and int64 ids; `F.one_hot` takes int64 only.",
    reason="int32 ids need half the memory, and the lookup reads both. `F.one_hot` accepts int64 "
    "only, and its result is int64 too.",
    expected="raises",
    problem=partial(_ids_of, dtype=torch.int32),
    fix=_int64_ids,
    fix_title="Give `F.one_hot` int64 ids with `.long()`.",
    source=(ONE_HOT, issue(86162)),
    errors=(r"one_hot is only applicable to index tensor",),
    words="LongTensor, IntTensor, int",
)


def _absent(num_classes: int = -1) -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([0, 2])  # id 3, the last row, does not occur
    lookup = F.embedding(ids, weight)
    try:
        one_hot = F.one_hot(ids, num_classes).float()
        matmul: Value = one_hot @ weight
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


ABSENT = Case(
    name="one-hot-without-classes",
    title="one_hot without num_classes",
    card="The one-hot row ends at the batch's largest id, so it is too short for the weight.",
    claim="Without `num_classes` (or with its default -1), a one-hot row has only (largest id in "
    "the batch + 1) places. So the product fails for every batch without the table's last id.",
    reason="`F.one_hot` sees the ids, not the table, and takes the number of classes from the "
    "largest id. It works while every batch has the last id, and fails on the first batch "
    "without it.",
    expected="raises",
    problem=_absent,
    fix=partial(_absent, num_classes=4),
    fix_title="Always pass `num_classes`, the number of rows of the table.",
    source=(ONE_HOT,),
    errors=(r"mat1 and mat2 shapes cannot be multiplied", r"size mismatch, m1"),
    words="num_classes, last id, wrong shape, batch, shapes cannot be multiplied",
)


# Only a real second device shows this. The "meta" device, which every machine has, raises no error:
# in PyTorch 2.13 a product or lookup of CPU and meta tensors returns uninitialized memory.
