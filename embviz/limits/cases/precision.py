"""Cases about precision: float16, bfloat16, autocast, and dtypes that do not match."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.case import ROUTES, Both, Case, Value, docs, issue

ACCURACY = docs("Numerical accuracy", "notes/numerical_accuracy")
AMP = docs("torch.amp", "amp")
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
    "rounding if the product reads the weight as it is. TF32 on a GPU and “medium” precision "
    "round the weight of a float32 product first. The sums of a backward pass do round.",
    expected="same",
    problem=_float16,
    fix=_float16_fixed,
    fix_title="Keep the table in float32 and round the rows that are looked up.",
    fix_sides=("nn.Embedding in float32, rounded", "one-hot × nn.Linear in float32, rounded"),
    source=(ACCURACY,),
    words="half, fp16, mixed precision",
    see=("timing", "Time it yourself"),
)


def _bfloat16_gradient(dtype: torch.dtype = torch.bfloat16) -> Both:
    ids = torch.zeros(300, dtype=torch.int64)  # one id, many times
    table = nn.Parameter(torch.zeros(4, 1, dtype=dtype))
    lookup = F.embedding(ids, table)
    (table_gradient,) = torch.autograd.grad(lookup.sum(), table)
    linear = nn.Parameter(torch.zeros(1, 4))
    matmul = F.linear(F.one_hot(ids, num_classes=4).float(), linear)
    (linear_gradient,) = torch.autograd.grad(matmul.sum(), linear)
    return table_gradient, linear_gradient.T.to(dtype)  # summed in float32


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
    fix=partial(_bfloat16_gradient, dtype=torch.float32),
    fix_title="Keep the table in float32, and round the rows that are looked up.",
    fix_sides=("gradient of nn.Embedding in float32", "gradient of nn.Linear in float32"),
    source=(ACCURACY,),
    words="bf16, accumulation, backward, repeated tokens, frequent token",
)


def _autocast(enabled: bool = True) -> Both:
    weight = torch.arange(12.0).reshape(4, 3) / 7
    ids = torch.tensor([3, 1])
    one_hot = F.one_hot(ids, num_classes=4).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        lookup = F.embedding(ids, weight)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
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
    fix=partial(_autocast, enabled=False),
    fix_title="Switch autocast off for the product.",
    source=(AMP,),
    words="amp, mixed precision, bf16, GradScaler",
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
    "large enough. TF32, with “high” on NVIDIA GPUs since 2020, rounds to 11 binary digits.",
    expected="differ",
    problem=_medium,
    fix=partial(_medium, precision="highest"),
    fix_title="Leave the precision of float32 products at “highest”, the default.",
    source=(docs("torch.set_float32_matmul_precision"), ACCURACY),
    words="bf16, AMX, oneDNN, mkldnn, rounding, set_float32_matmul_precision, reduced precision, "
    "TF32, TensorFloat32, Ampere, allow_tf32",
    needs="amx",
)


def _one_hot_is_int64() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    one_hot = F.one_hot(torch.tensor([3, 1]), num_classes=4)
    by_hand = (one_hot[:, :, None] * weight).sum(dim=1)
    try:
        matmul: Value = one_hot @ weight
    except RuntimeError as error:
        matmul = error
    return by_hand, matmul


def _one_hot_is_int64_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3)
    ids = torch.tensor([3, 1])
    lookup = F.embedding(ids, weight)
    matmul = F.one_hot(ids, num_classes=4).to(weight.dtype) @ weight
    return lookup, matmul


ONE_HOT_IS_INT64 = Case(
    name="one-hot-is-int64",
    title="one_hot returns int64: two dtypes in a product",
    claim="`F.one_hot` returns int64. A matrix product (`@` or `F.linear`) needs both factors in "
    "one dtype and refuses it beside a float weight; `*` converts it.",
    reason="The function has no `dtype` argument. `*` converts both tensors to one dtype, a matrix "
    "product converts nothing: a float32 one-hot and a float16 weight raise too, as after "
    "`model.half()`. A lookup takes a weight of any dtype. Each 0 and each 1 takes 8 bytes.",
    sides=("one_hot * weight, summed", "one_hot @ weight"),
    expected="raises",
    problem=_one_hot_is_int64,
    fix=_one_hot_is_int64_fixed,
    fix_title="Convert it with `.to(weight.dtype)`.",
    fix_sides=ROUTES,
    source=(ONE_HOT, issue(53785)),
    errors=(
        r"expected m1 and m2 to have the same dtype",
        r"(?:mat1|self) and mat2 must have the same dtype",
        rf"expected scalar type (?:long|{_FLOATS}) but found (?:long|{_FLOATS})",
    ),
    words="dtype mismatch, half, BFloat16, cast, Long and Float, long int != float, convert, "
    "float(), out of memory",
)
