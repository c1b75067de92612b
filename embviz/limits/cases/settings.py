"""Cases about settings of PyTorch: deterministic algorithms, the compiler."""

from __future__ import annotations

from functools import partial

import torch
from torch.nn import functional as F

from embviz.limits.case import Both, Case, docs

DETERMINISTIC_DOCS = docs("torch.use_deterministic_algorithms")
RANDOMNESS = docs("Reproducibility", "notes/randomness")


def _deterministic(dtype: torch.dtype) -> Both:
    ids = torch.arange(20_480) % 2_048  # each id ten times
    table = torch.zeros(2_048, 2, dtype=dtype, requires_grad=True)
    seed = torch.Generator().manual_seed(0)
    fractions = torch.rand(20_480, 2, generator=seed, dtype=dtype)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    lookup = F.embedding(ids, table)
    (once,) = torch.autograd.grad(lookup, table, fractions)
    torch.set_num_threads(threads)
    # As use_deterministic_algorithms(True), but loads no compiler.
    torch.set_deterministic_debug_mode("error")
    runs: list[torch.Tensor] = []
    for _ in range(4):
        lookup = F.embedding(ids, table)
        runs += torch.autograd.grad(lookup, table, fractions)
    torch.set_deterministic_debug_mode("default")
    return once.repeat(4, 1), torch.cat(runs)


def _deterministic_fixed(dtype: torch.dtype) -> Both:
    ids = torch.arange(20_480) % 2_048
    table = torch.zeros(2_048, 2, dtype=dtype, requires_grad=True)
    seed = torch.Generator().manual_seed(0)
    fractions = torch.rand(20_480, 2, generator=seed, dtype=dtype)
    lookup = F.embedding(ids, table)
    (gradient,) = torch.autograd.grad(lookup, table, fractions)
    by_hand = torch.zeros_like(gradient)
    for some in fractions.view(10, 2_048, 2):  # one token of each id
        by_hand += some
    return gradient, by_hand


DETERMINISTIC = Case(
    name="deterministic-backward",
    title="deterministic algorithms: the gradient of repeated ids",
    claim="On the CPU, the gradient of `nn.Embedding` with repeated ids is the same in every run, "
    "on one thread or on all. `torch.use_deterministic_algorithms(True)` changes no bit of it.",
    reason="Rounded sums depend on their order. The gradient has the bits of the sum in the order "
    "of the tokens, as the code below shows. So the number of threads does not matter.",
    sides=("gradient on one thread, four times", "four runs, deterministic, on all threads"),
    expected="same",
    problem=_deterministic,
    fix=_deterministic_fixed,
    fix_title="Check it by hand: add each token's gradient to its row, in the order of the tokens.",
    fix_sides=("gradient of nn.Embedding", "gradient by hand"),
    source=(DETERMINISTIC_DOCS, RANDOMNESS),
    words="use_deterministic_algorithms, reproducible, nondeterministic, duplicate, seed, same "
    "gradient twice",
    needs="process",
)


def _index_backward(mode: str = "default") -> Both:
    ids = torch.arange(50_000) % 4
    weight = torch.zeros(4, 32, requires_grad=True)
    seed = torch.Generator().manual_seed(0)
    fractions = torch.rand(50_000, 32, generator=seed)
    # "error": use_deterministic_algorithms(True), but loads no compiler.
    torch.set_deterministic_debug_mode(mode)
    runs: list[torch.Tensor] = []
    for _ in range(5):
        (gradient,) = torch.autograd.grad(weight[ids], weight, fractions)
        runs.append(gradient[:, :4])  # a sample
    torch.set_deterministic_debug_mode("default")
    return runs[0].repeat(4, 1), torch.cat(runs[1:])


INDEX_BACKWARD = Case(
    name="index-backward-varies",
    title="indexing with ids: a gradient that changes from run to run",
    claim="`weight[ids]` is a lookup too. On a CPU with several threads, its float32 gradient with "
    "many repeated ids changes from run to run. That of `nn.Embedding` does not.",
    reason="Several threads add to the same rows, and their timing decides the order of a rounded "
    "sum. They add by `index_put` with `accumulate=True`, which PyTorch's documentation lists as "
    "nondeterministic on the CPU.",
    sides=("gradient of weight[ids], one run", "four more runs"),
    expected="differ",
    problem=_index_backward,
    fix=partial(_index_backward, mode="error"),
    fix_title="Call `torch.use_deterministic_algorithms(True)`, or use `nn.Embedding`.",
    source=(DETERMINISTIC_DOCS, docs("Tensor.index_put_")),
    words="use_deterministic_algorithms, reproducible, deterministic, nondeterministic, duplicate, "
    "indexing, fancy index, race, atomic",
    needs="threads",
)


def _deterministic_gpu(dtype: torch.dtype) -> Both:
    ids = torch.arange(20_480, device="cuda") % 2_048
    table = torch.zeros(2_048, 2, dtype=dtype, device="cuda")
    table.requires_grad_()
    fractions = torch.rand(20_480, 2, dtype=dtype).cuda()
    # As use_deterministic_algorithms(True), but loads no compiler.
    torch.set_deterministic_debug_mode("error")
    runs: list[torch.Tensor] = []
    for _ in range(5):
        lookup = F.embedding(ids, table)
        runs += torch.autograd.grad(lookup, table, fractions)
    torch.set_deterministic_debug_mode("default")
    return runs[0].repeat(4, 1).cpu(), torch.cat(runs[1:]).cpu()


def _deterministic_gpu_fixed(dtype: torch.dtype) -> Both:
    ids = torch.arange(20_480, device="cuda") % 2_048
    table = torch.zeros(2_048, 2, dtype=dtype, device="cuda")
    fractions = torch.rand(20_480, 2, dtype=dtype).cuda()
    # As use_deterministic_algorithms(True), but loads no compiler.
    torch.set_deterministic_debug_mode("error")
    runs = [table.index_add(0, ids, fractions) for _ in range(5)]
    torch.set_deterministic_debug_mode("default")
    return runs[0].repeat(4, 1).cpu(), torch.cat(runs[1:]).cpu()


DETERMINISTIC_GPU = Case(
    name="deterministic-backward-on-a-gpu",
    title="deterministic algorithms on a GPU",
    claim="With `torch.use_deterministic_algorithms(True)`, repeated runs on one GPU give the same "
    "gradient of `nn.Embedding`, also with repeated ids.",
    reason="PyTorch's documentation lists the operations whose result may change from run to run. "
    "On CUDA it names `index_add` and the gradient of `index_select`. It does not name "
    "`nn.Embedding`.",
    sides=("gradient of nn.Embedding, one run", "four more runs"),
    expected="same",
    problem=_deterministic_gpu,
    fix=_deterministic_gpu_fixed,
    fix_title="Add the gradients with `index_add`: with the switch, its runs are the same too.",
    fix_sides=("index_add, one run", "four more runs"),
    source=(DETERMINISTIC_DOCS, RANDOMNESS),
    words="CUDA, use_deterministic_algorithms, reproducible, nondeterministic, atomicAdd",
    needs="cuda",
)


def _compiled() -> Both:
    import torch._dynamo.config as dynamo
    import torch._inductor.utils as inductor  # the compiler

    weight = torch.arange(12.0).reshape(4, 3) / 7
    ids = torch.tensor([3, 1])
    dynamo.suppress_errors = False  # no fallback
    compiled = torch.compile(
        lambda ids, weight: (
            F.embedding(ids, weight),
            F.one_hot(ids, num_classes=4).float() @ weight,
        ),
        fullgraph=True,
        dynamic=False,
        options={"cpp.vec_isa_ok": False},  # short code: no vectors
    )
    _, (code,) = inductor.run_and_get_code(compiled, ids, weight)
    lines = [line.strip() for line in code.splitlines()]
    # in_ptr1 and arg1_1 are the weight; (2, 4) is the one-hot's shape.
    lookup = [line for line in lines if "in_ptr1[" in line]
    matmul = [line for line in lines if "((2, 4)" in line or ".mm(" in line]
    return "\n".join(lookup), "\n".join(matmul)


def _compiled_fixed() -> Both:
    weight = torch.arange(12.0).reshape(4, 3) / 7
    ids = torch.tensor([3, 1])
    compiled = torch.compile(
        lambda ids, weight: (
            F.embedding(ids, weight),
            F.one_hot(ids, num_classes=4).float() @ weight,
        ),
        fullgraph=True,
        dynamic=False,
        options={"cpp.vec_isa_ok": False},
    )
    lookup, matmul = compiled(ids, weight)
    eager = F.embedding(ids, weight)
    return torch.stack([eager, eager]), torch.stack([lookup, matmul])


COMPILED = Case(
    name="torch-compile",
    title="torch.compile does not turn the product into a lookup",
    claim="On the CPU, `torch.compile` leaves this `one_hot(ids) @ weight` a matrix product. Its "
    "code fills the whole one-hot and multiplies it. For `nn.Embedding` it writes a loop that "
    "reads one number of the weight for each output. The bits of both are the same.",
    reason="On the left, `in_ptr1` is the weight, `tmp0` is an id and 3 is the length of a row. On "
    "the right, `extern_kernels.mm` is the matrix product that also runs without the compiler. "
    "Its first factor has the shape of the one-hot: 2 ids, 4 rows.",
    sides=("generated code of nn.Embedding", "generated code of one_hot @ weight"),
    expected="differ",
    problem=_compiled,
    fix=_compiled_fixed,
    fix_title="Write the lookup yourself: the compiler does not, and the bits are the same.",
    fix_sides=("nn.Embedding without the compiler, twice", "both routes, compiled"),
    source=(docs("torch.compile"), docs("nn.Embedding")),
    words="compiler, inductor, dynamo, gather, codegen, generated code, optimize, fuse, C++",
    needs="compiler",
)
