import ast
import dataclasses
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from scipy.stats import chisquare
from torch.nn import functional as F

from embviz.core.config import available_devices
from embviz.core.dtypes import DTYPES
from embviz.timing.cases import BAG, Case
from embviz.timing.methods import METHODS
from embviz.timing.settings import SKEWS
from embviz.timing.tensors import READY, SEED, Ready, draw_ids, inside, learned, statement

ROOT = Path(__file__).resolve().parents[2]
MIB = 2**20


def possible(**fixed: Any) -> Iterator[Case]:
    """Every method with every pass that it has."""
    for method, about in METHODS.items():
        for pass_ in about.passes:
            yield Case(method, pass_=pass_, **fixed)


def small(dtype: str = "float32", device: str = "cpu") -> list[Case]:
    """Small cases of every kind that PyTorch can compute."""
    cases = possible(num_embeddings=50, embedding_dim=6, tokens=70, dtype=dtype, device=device)
    # PyTorch has no CSR product for these on a CPU; the sweep reports that.
    no_csr = () if dtype in ("float32", "float64") else ("sparse_matmul",)
    return [case for case in cases if case.method not in no_csr]


def known(case: Case) -> str:
    """A case's name in pytest's output."""
    return f"{case.method}-{case.pass_}-{case.dtype}"


def value_of(source: str, names: dict[str, Any]) -> Any:
    """The value of a method's expression."""
    return eval(source, names)  # noqa: S307 - our own statements


def run(source: str, names: dict[str, Any], calls: int = 1) -> None:
    """Call a method's statement as the timer does."""
    code = compile(source, "timed", "exec")
    for _ in range(calls):
        exec(code, names)  # noqa: S102 - our own statements


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("device", available_devices())
def test_every_method_gives_what_the_lookup_gives(dtype: str, device: str) -> None:
    """Every method gives the lookup's rows, or their sums for each bag."""
    outputs = {}
    for case in small(dtype, device):
        if case.pass_ != "forward":
            continue
        names = Ready(case.point).names(case)
        table, ids = Ready(case.point)._shared("table"), draw_ids(case).to(device)
        rows = F.embedding(ids, table)
        output = value_of(statement(case), names)
        if case.record.bags:
            exact = torch.stack([bag.sum(0) for bag in torch.split(rows.double(), BAG)])
            assert output.dtype == table.dtype
            error = (output.double() - exact).abs().max().item()
            assert error <= 2 * BAG * torch.finfo(table.dtype).eps * rows.abs().max().item()
        else:
            assert output.dtype == rows.dtype
            assert torch.equal(output, rows), case
        outputs[case.method] = output
        if "out" in names:
            assert output.data_ptr() == names["out"].data_ptr()
    assert len(outputs) >= 7


@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("method", METHODS)
def test_ids_of_every_skew_give_the_lookups_rows(method: str, skew: str) -> None:
    """Every method is right for every kind of ids."""
    pass_ = METHODS[method].passes[0]
    case = Case(method, 9, 4, 40, ids=skew, pass_=pass_)
    ready = Ready(case.point)
    forward = statement(case).split(".backward")[0]
    output = value_of(forward, ready.names(case))
    rows = F.embedding(draw_ids(case), ready._shared("table"))
    if case.record.bags:
        rows = torch.stack([bag.sum(0) for bag in torch.split(rows, BAG)])
    assert torch.allclose(output, rows, rtol=1e-5, atol=1e-5)


def dense(gradient: torch.Tensor, case: Case) -> torch.Tensor:
    """A gradient as V x D numbers, whatever the method's layout."""
    gradient = gradient.to_dense() if gradient.is_sparse else gradient
    return gradient.t() if case.record.learns == "weight" else gradient


def reference_gradient(case: Case, grad: torch.Tensor) -> torch.Tensor:
    """The gradient of the lookup's table, in float64."""
    table = Ready(case.point)._shared("table").cpu().double().requires_grad_()
    output = F.embedding(draw_ids(case), table)
    if case.record.bags:
        output = torch.stack([bag.sum(0) for bag in torch.split(output, BAG)])
    output.backward(grad.cpu().double())  # type: ignore[no-untyped-call]
    gradient = table.grad
    assert isinstance(gradient, torch.Tensor)
    return gradient


LEARNING = [case for dtype in DTYPES for case in small(dtype) if case.pass_ != "forward"]


@pytest.mark.parametrize("case", [c for c in LEARNING if c.pass_ == "backward"], ids=known)
def test_every_backward_gives_the_lookups_dense_gradient(case: Case) -> None:
    """Every backward pass gives the lookup's gradient."""
    names = Ready(case.point).names(case)
    learns: Any = learned(case, names)
    first, *rest = statement(case).split("; ")
    run(first, names)
    assert learns.grad.is_sparse == (case.method == "lookup_sparse")
    held = learns.grad._values() if learns.grad.is_sparse else learns.grad
    assert len(held) == (case.tokens if learns.grad.is_sparse else len(learns))
    wanted = reference_gradient(case, names["grad"])
    error = (dense(learns.grad, case).double() - wanted).abs().max().item()
    # 70 tokens on 50 rows: a row has few summands, each of size 1 or so.
    assert error <= 20 * torch.finfo(learns.dtype).eps * wanted.abs().max().item()
    run("; ".join(rest), names)
    assert learns.grad is None, "gradients of one call would be added to those of the next"


@pytest.mark.parametrize(
    "case", [c for c in LEARNING if c.pass_ in ("sgd", "adam") and c.dtype == "float64"], ids=known
)
def test_every_step_moves_the_table_as_the_textbook_says(case: Case) -> None:
    """Every training step changes the table by its optimizer's formula."""
    names = Ready(case.point).names(case)
    learns: Any = learned(case, names)
    names["optimizer"].param_groups[0]["lr"] = 0.5
    before = dense(learns.detach().clone(), case)
    run(statement(case), names)
    gradient = reference_gradient(case, names["grad"])
    step = gradient if case.pass_ == "sgd" else gradient / (gradient.abs() + 1e-8)
    assert torch.allclose(dense(learns.detach(), case), before - 0.5 * step, rtol=1e-9, atol=1e-4)
    assert learns.grad is None


@pytest.mark.parametrize("pass_", ["backward", "sgd", "adam"])
def test_many_steps_leave_finite_numbers(pass_: str) -> None:
    """Weights stay finite over many steps."""
    for case in possible(num_embeddings=5, embedding_dim=2, tokens=40):
        if case.pass_ == pass_:
            names = Ready(case.point).names(case)
            run(statement(case), names, 100)
            assert learned(case, names).isfinite().all(), case


@pytest.mark.parametrize("case", small(), ids=known)
def test_tensors_have_the_bytes_that_were_predicted(case: Case) -> None:
    """Each tensor has the bytes that were predicted."""
    names = Ready(case.point).names(case)
    output = value_of(statement(case).split(".backward")[0], names)
    made = {name: value.nbytes for name, value in names.items() if hasattr(value, "nbytes")}
    if (csr := names.get("csr")) is not None:
        parts = (csr.crow_indices(), csr.col_indices(), csr.values())
        made["csr"] = sum(part.nbytes for part in parts)
    predicted = case.memory()
    assert output.nbytes == predicted["output"] == case.output_bytes
    assert made.get("out", output.nbytes) == output.nbytes
    assert made.get("grad", output.nbytes) == output.nbytes
    assert learned(case, names).nbytes == predicted["table"] == case.table_bytes
    assert made.get("one_hot", made.get("counts", case.one_hot_bytes)) == case.one_hot_bytes
    if "csr" in made:
        assert made["csr"] == predicted["ids"]
    if "ids" in made:
        assert made["ids"] + made.get("offsets", 0) == predicted["ids"]


PEAKS = """
import ctypes, gc, json, re, sys
from pathlib import Path
import torch
from embviz.timing.cases import Case
from embviz.timing.tensors import Ready, statement

libc = ctypes.CDLL(None)

def now(name):
    found = re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())
    return int(found.group(1)) * 1024

def peak(case):
    gc.collect()
    libc.malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again
    before = now("VmRSS")
    names = Ready(case.point).names(case)
    code = compile(statement(case), "timed", "exec")
    for _ in range(2):
        exec(code, names)
    return now("VmHWM") - before

torch.set_num_threads(1)
cases = [Case.from_dict(one) for one in json.loads(sys.argv[1])]
for case in cases:  # what a first call loads is not the case's
    peak(Case.from_dict(case.to_dict() | {"num_embeddings": 64, "embedding_dim": 8}))
    gc.freeze()
print(json.dumps([peak(case) for case in cases]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_predicted_memory_is_what_a_process_takes() -> None:
    """The predicted memory is close to that of a process."""
    cases = []
    for dtype in ("float32", "bfloat16"):  # in float32 a table of 16 MiB, a one-hot of 8 MiB
        fixed = {"num_embeddings": 2**15, "embedding_dim": 128, "tokens": 64, "dtype": dtype}
        cases += [
            case
            for case in possible(**fixed)
            if case.pass_ != "sgd"  # Adam's step holds more
            and (dtype == "float32" or case.pass_ == "forward")
            and (dtype == "float32" or case.method != "sparse_matmul")
        ]
    asked = json.dumps([case.to_dict() for case in cases])
    done = subprocess.run(
        [sys.executable, "-c", PEAKS, asked],
        cwd=ROOT,
        check=False,
        capture_output=True,
        # What is freed goes back to the system at once, and is not counted twice.
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"},
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    wrong = [
        f"{known(case)}: {case.memory_bytes / MIB:.0f} MiB predicted, {taken / MIB:.0f} taken"
        for case, taken in zip(cases, json.loads(done.stdout), strict=True)
        if not 0.65 * case.memory_bytes <= taken <= 1.1 * case.memory_bytes + 5 * MIB
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dtype", DTYPES)
def test_statements_are_whole_and_say_what_they_use(dtype: str) -> None:
    """A statement's line names exactly the tensors that it uses."""
    for case in [*possible(num_embeddings=50, embedding_dim=6, tokens=70, dtype=dtype)]:
        source, line = statement(case), inside(case)
        assert not set("{}") & set(source)
        used = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
        assert used <= set(Ready(case.point).names(case)), source
        assert line.startswith(source)
        assert line.count("\n") == 0
        _, _, ready = line.removeprefix(source).partition("with ")
        for name, words in READY.items():
            # Some labels begin like others: "out" is not "grad (the gradient of the output)".
            named = words in ready.removesuffix(" ready").split(", ") or f"{words}," in ready
            named |= ready.startswith(words) or ready.endswith(f"{words} ready")
            assert named == (name in used), f"{name} in {line!r}"


# --- the ids


@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("rows", [1, 2, 3, 1000, 2**27])
@pytest.mark.parametrize("tokens", [1, 7, 5000])
def test_ids_are_within_the_table(skew: str, rows: int, tokens: int) -> None:
    """Ids are within the table and the same for every method."""
    case = Case("lookup", rows, 1, tokens, ids=skew)
    ids = draw_ids(case)
    assert ids.shape == (tokens,)
    assert (ids.dtype, ids.device.type) == (torch.int64, "cpu")
    assert 0 <= ids.min() <= ids.max() < rows
    assert torch.equal(ids, draw_ids(case)), "two runs would time different ids"
    for other in ("matmul", "module"):
        assert torch.equal(ids, draw_ids(dataclasses.replace(case, method=other)))


def test_the_skews_are_what_they_say() -> None:
    """Uniform, Zipf and equal ids have their distributions."""
    uniform, zipf, equal = (
        draw_ids(Case("lookup", 1000, 1, 50_000, ids=skew)).bincount(minlength=1000).double()
        for skew in ("uniform", "zipf", "equal")
    )
    assert (equal > 0).sum() == 1
    assert (uniform > 0).sum() == 1000
    assert uniform.max() < 3 * uniform.mean()
    ids = torch.randint(1000, (50_000,), generator=torch.Generator().manual_seed(SEED))
    assert torch.equal(uniform, ids.bincount(minlength=1000).double())
    assert zipf.argmax() == 0


@pytest.mark.parametrize("rows", [2, 4096])
def test_zipf_ids_have_exactly_their_weights(rows: int) -> None:
    """Id k is drawn with probability 1 / ((k + 1) H(V)), by a chi-square test."""
    tokens = 2**18
    found = draw_ids(Case("lookup", rows, 1, tokens, ids="zipf")).bincount(minlength=rows)
    weights = [1 / (k + 1) for k in range(rows)]
    expected = [tokens * weight / sum(weights) for weight in weights]
    assert chisquare(found.numpy(), expected).pvalue > 0.001


def test_zipf_needs_no_tensor_of_all_rows() -> None:
    """No tensor is larger than the ids, however many rows the table has."""
    case = Case("lookup", 2**27, 1, 5000, ids="zipf")
    with torch.autograd.profiler.profile(profile_memory=True) as profile:
        ids = draw_ids(case)
    assert max(event.self_cpu_memory_usage for event in profile.function_events) == ids.nbytes
    harmonic = math.log(2**27) + 0.5772156649
    assert abs((ids == 0).double().mean() - 1 / harmonic) < 4 * (0.0519 * 0.9481 / 5000) ** 0.5
