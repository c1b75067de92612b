"""Cases about precision: float16, bfloat16, autocast, TF32, and dtypes that do not match."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.case import LOOKUP, ROUTES, Both, Case, Input, Value, docs, issue

ACCURACY = docs("Numerical accuracy", "notes/numerical_accuracy")
AMP = docs("torch.amp", "amp")
TF32_NOTE = docs("TensorFloat-32 on Ampere devices", "notes/cuda")
ONE_HOT = docs("F.one_hot")
_FLOATS = "(?:half|bfloat16|float|double)"


def _float16() -> Both:
    weight = (torch.arange(12.0).reshape(4, 3) / 7).half()
    ids = torch.tensor([3, 1, 1])
    lookup = F.embedding(ids, weight)
    matmul = F.linear(F.one_hot(ids, num_classes=4).half(), weight.T)
    return lookup, matmul


def _float16_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3) / 7
    ids = torch.tensor([3, 1, 1])
    lookup = F.embedding(ids, weight).half()
    one_hot = F.one_hot(ids, num_classes=4).float()
    matmul = F.linear(one_hot, weight.T).half()
    return lookup, matmul


FLOAT16 = Case(
    name="float16",
    title="float16, forward",
    claim="In float16 the forward pass of both routes is the same, bit for bit, if all weights are "
    "finite and none is -0.0.",
    reason="For each output, a one-hot row picks one number: 1 times it, plus zeros, needs no "
    "rounding if the product reads the weight as it is. TF32 and “medium” precision round the "
    "weight of a float32 product first: see below. The sums of a backward pass do round.",
    expected="same",
    problem=_float16,
    fix=_float16_fixed,
    fix_title="Keep the table in float32 and round the rows that are looked up.",
    fix_sides=("nn.Embedding in float32, rounded", "one-hot × nn.Linear in float32, rounded"),
    source=(ACCURACY,),
    words="half, fp16, mixed precision",
    see=("timing", "Time it yourself"),
)


def _bfloat16_gradient(repeats: int) -> Both:
    ids = torch.zeros(repeats, dtype=torch.int64)  # one id, many times
    table = nn.Parameter(torch.zeros(4, 1, dtype=torch.bfloat16))
    lookup = F.embedding(ids, table)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(torch.zeros(1, 4))
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T.bfloat16()  # a sum in float32, rounded once


def _bfloat16_gradient_fixed(repeats: int) -> Both:
    ids = torch.zeros(repeats, dtype=torch.int64)
    table = nn.Parameter(torch.zeros(4, 1))  # float32
    lookup = F.embedding(ids, table).bfloat16()
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(torch.zeros(1, 4))
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T


BFLOAT16_GRADIENT = Case(
    name="bfloat16-gradient",
    title="bfloat16: a token repeated more than 256 times",
    claim="In bfloat16 on the CPU, the gradient of an id that occurs often stops growing: 300 "
    "gradients of 1 add up to 256.",
    reason="The backward pass of `nn.Embedding` adds one token after another in bfloat16, which "
    "keeps 8 binary digits. So it rounds 256 + 1 back to 256. A product that sums in float32 "
    "rounds once, at the end.",
    sides=("gradient of nn.Embedding in bfloat16", "gradient of nn.Linear, summed in float32"),
    expected="differ",
    problem=_bfloat16_gradient,
    fix=_bfloat16_gradient_fixed,
    fix_title="Keep the table in float32 and round after the lookup.",
    fix_sides=("gradient of nn.Embedding in float32", "gradient of nn.Linear in float32"),
    source=(ACCURACY,),
    inputs=(Input("repeats", "How often the id occurs", 300, options=(260, 300, 600, 2000)),),
    words="bf16, accumulation, backward, repeated tokens, frequent token",
)


def _autocast() -> Both:
    weight = torch.arange(12.0).reshape(4, 3) / 7
    ids = torch.tensor([3, 1])
    one_hot = F.one_hot(ids, num_classes=4).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        lookup = F.embedding(ids, weight)
        matmul = F.linear(one_hot, weight.T)
    return lookup, matmul


def _autocast_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3) / 7
    ids = torch.tensor([3, 1])
    one_hot = F.one_hot(ids, num_classes=4).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        lookup = F.embedding(ids, weight)
        with torch.autocast("cpu", enabled=False):
            matmul = F.linear(one_hot, weight.T)
    return lookup, matmul


AUTOCAST = Case(
    name="autocast",
    title="autocast rounds the product alone",
    claim="`torch.autocast` lowers the precision of chosen operations. Inside it, "
    "here on the CPU, a product of float32 numbers is computed in bfloat16, and the lookup stays "
    "in float32. It leaves float64 unchanged on both routes.",
    reason="Autocast has a list of operations that it runs in lower precision. `linear` is on "
    "it; `embedding` is not, because it computes nothing. So the two results differ in dtype and "
    "in the digits kept.",
    expected="differ",
    problem=_autocast,
    fix=_autocast_fixed,
    fix_title="Switch autocast off for the product.",
    source=(AMP,),
    words="amp, mixed precision, bf16, GradScaler",
)


def _tf32(column: int) -> Both:
    weight = torch.zeros(2, 3)
    weight[1, column] = 1024.5
    ids = torch.tensor([1])
    lookup = F.embedding(ids, weight)
    # TF32 keeps 10 of the 23 bits after the point: rounded by hand here.
    bits = weight.view(torch.int32)
    rounded = ((bits + 0x1000) & -0x2000).view(torch.float32)
    matmul = F.linear(F.one_hot(ids, num_classes=2).float(), rounded.T)
    return lookup, matmul


def _tf32_fixed(column: int) -> Both:
    weight = torch.zeros(2, 3)
    weight[1, column] = 1024.5
    ids = torch.tensor([1])
    lookup = F.embedding(ids, weight)
    # On a GPU: torch.set_float32_matmul_precision("highest").
    matmul = F.linear(F.one_hot(ids, num_classes=2).float(), weight.T)
    return lookup, matmul


TF32 = Case(
    name="tf32",
    title="TF32: an identity product that is wrong",
    claim="TF32 computes float32 products with fewer digits. With TF32 switched on, a GPU "
    "that has it returns 1025 for a weight of 1024.5; the lookup returns 1024.5. float64 is not "
    "affected.",
    reason="TF32 rounds the factors of a product to 10 binary digits after the point, even if the "
    "other factor is 1. A lookup multiplies nothing. Here the rounding is done by hand.",
    sides=(LOOKUP, "one-hot × nn.Linear, imitated"),
    expected="differ",
    problem=_tf32,
    fix=_tf32_fixed,
    fix_title="Leave the precision of float32 products at “highest”, the default.",
    fix_sides=ROUTES,
    source=(issue(53635), TF32_NOTE),
    inputs=(Input("column", "Column that holds 1024.5", 0, low=0, high=2),),
    words="TensorFloat32, Ampere, allow_tf32, set_float32_matmul_precision, rounding",
    emulated=True,
)


def _tf32_gpu(precision: str = "high") -> Both:
    weight = torch.full((64, 64), 1024.5, device="cuda")
    ids = torch.arange(64, device="cuda")
    one_hot = F.one_hot(ids, num_classes=64).float()
    torch.set_float32_matmul_precision(precision)
    lookup = F.embedding(ids, weight)
    matmul = F.linear(one_hot, weight.T.contiguous())
    torch.set_float32_matmul_precision("highest")  # the default
    return lookup[:2, :3].cpu(), matmul[:2, :3].cpu()


TF32_GPU = Case(
    name="tf32-on-a-gpu",
    title="TF32 on this machine's GPU",
    claim="On a GPU with TF32, `torch.set_float32_matmul_precision('high')` makes a float32 "
    "product of one-hot rows round the weight; the lookup does not. NVIDIA GPUs have TF32 since "
    "2020, from capability 8.0 on.",
    reason="TF32 reads 10 binary digits after the point of each float32. This "
    "case is not imitated: it runs on the GPU, and does not run on a machine without one.",
    expected="differ",
    problem=_tf32_gpu,
    fix=partial(_tf32_gpu, precision="highest"),
    fix_title="Set the precision back to “highest”, the default.",
    source=(issue(58688), TF32_NOTE),
    words="TensorFloat32, Ampere, allow_tf32, CUDA",
    needs="cuda tf32",
)


def _medium(precision: str = "medium") -> Both:
    weight = torch.full((64, 64), 1024.5)
    ids = torch.arange(64)
    one_hot = F.one_hot(ids, num_classes=64).float()
    torch.set_float32_matmul_precision(precision)
    lookup = F.embedding(ids, weight)
    matmul = F.linear(one_hot, weight.T)
    torch.set_float32_matmul_precision("highest")  # the default
    return lookup[::8, ::16], matmul[::8, ::16]  # a sample of 32


MEDIUM = Case(
    name="medium-precision-on-a-cpu",
    title="“medium” precision on this machine's CPU",
    claim="On a CPU with AMX units for bfloat16, `torch.set_float32_matmul_precision('medium')` "
    "makes a float32 product of 64 one-hot rows round the weight: 1024.5 becomes 1024. The lookup "
    "returns 1024.5.",
    reason="The setting lets float32 products run in bfloat16, which keeps 8 binary digits. 1 "
    "times the rounded weight is the rounded weight. PyTorch does so only for products that are "
    "large enough: 4 rows of 4 numbers stay exact.",
    expected="differ",
    problem=_medium,
    fix=partial(_medium, precision="highest"),
    fix_title="Leave the precision of float32 products at “highest”, the default.",
    source=(docs("torch.set_float32_matmul_precision"), ACCURACY),
    words="bf16, AMX, oneDNN, mkldnn, rounding, set_float32_matmul_precision, reduced precision",
    needs="amx",
)


def _mixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12.0).reshape(4, 3).half()
    ids = torch.tensor([3, 1])
    lookup = F.embedding(ids, weight)  # ids have no precision
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
    try:
        matmul: Value = F.linear(one_hot, weight.T)
    except RuntimeError as error:
        matmul = error
    return lookup, matmul


def _mixed_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12.0).reshape(4, 3).half()
    ids = torch.tensor([3, 1])
    lookup = F.embedding(ids, weight).to(dtype)
    one_hot = F.one_hot(ids, num_classes=4).to(dtype)
    matmul = F.linear(one_hot, weight.T.to(dtype))
    return lookup, matmul


MIXED = Case(
    name="dtype-mismatch",
    title="a float16 weight and a one-hot of another dtype",
    claim="A product needs both factors in one dtype and raises otherwise. The lookup takes a "
    "weight of any dtype, because ids have no precision.",
    reason="PyTorch does not convert the factors of a matrix product by itself. This happens if a "
    "model is converted to float16 (`model.half()`) and its input is not.",
    expected="raises",
    problem=_mixed,
    fix=_mixed_fixed,
    fix_title="Convert both to one dtype with `.to(dtype)`.",
    fix_sides=("nn.Embedding, converted", "one-hot × nn.Linear, its weight converted"),
    source=(AMP, docs("nn.Linear")),
    errors=(
        r"expected m1 and m2 to have the same dtype",
        r"mat1 and mat2 must have the same dtype",
        r"self and mat2 must have the same dtype",
        rf"expected scalar type {_FLOATS} but found {_FLOATS}",
    ),
    words="half, Half, BFloat16, convert, cast",
)


def _one_hot_is_int64(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    one_hot = F.one_hot(torch.tensor([3, 1]), num_classes=4)
    by_hand = (one_hot[:, :, None] * weight).sum(dim=1)
    try:
        matmul: Value = one_hot @ weight
    except RuntimeError as error:
        matmul = error
    return by_hand, matmul


def _one_hot_is_int64_fixed(dtype: torch.dtype) -> Both:
    weight = torch.arange(12, dtype=dtype).reshape(4, 3)
    ids = torch.tensor([3, 1])
    lookup = F.embedding(ids, weight)
    matmul = F.one_hot(ids, num_classes=4).to(weight.dtype) @ weight
    return lookup, matmul


ONE_HOT_IS_INT64 = Case(
    name="one-hot-is-int64",
    title="one_hot returns int64",
    claim="`F.one_hot` returns int64. A matrix product with a float weight (`@` or `F.linear`) "
    "refuses it; `*` converts it.",
    reason="The function has no `dtype` argument. `*` converts both tensors to one dtype, a matrix "
    "product converts nothing. Each 0 and each 1 takes 8 bytes.",
    sides=("one_hot * weight, summed", "one_hot @ weight"),
    expected="raises",
    problem=_one_hot_is_int64,
    fix=_one_hot_is_int64_fixed,
    fix_title="Convert it with `.to(weight.dtype)`.",
    fix_sides=ROUTES,
    source=(ONE_HOT, issue(53785)),
    errors=(
        r"expected m1 and m2 to have the same dtype, but got: long",
        r"mat1 and mat2 must have the same dtype, but got long",
        r"expected scalar type long but found",
        rf"expected scalar type {_FLOATS} but found long",
    ),
    words="Long and Float, long int != float, convert, float(), out of memory",
)
