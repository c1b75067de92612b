import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from scipy.stats import chisquare
from torch.nn import functional as F

from embviz.core.config import available_devices
from embviz.core.dtypes import DTYPES
from embviz.timing.case import BAG, Case
from embviz.timing.methods import METHODS, SKEWS
from embviz.timing.rounds import Series
from embviz.timing.tensors import MADE, SEED, Ready, draw_ids, learned, statement

ROOT = Path(__file__).resolve().parents[2]
MIB = 2**20


def possible(**fixed: Any) -> Iterator[Case]:
    """Every method with every mode that it has."""
    for method, about in METHODS.items():
        for mode in about.modes:
            yield Case(method, mode=mode, **fixed)


def small(dtype: str = "float32", device: str = "cpu") -> list[Case]:
    """Small cases of every kind that PyTorch can compute."""
    cases = possible(num_embeddings=50, embedding_dim=6, tokens=70, dtype=dtype, device=device)
    # PyTorch has no CSR product for these on a CPU; the sweep reports that.
    wide = dtype in ("float32", "float64")
    return [case for case in cases if wide or case.method != "sparse_matmul"]


def known(case: Case) -> str:
    """A case's name in pytest's output."""
    return f"{case.method}-{case.mode}-{case.dtype}"


def output_of(case: Case, names: dict[str, Any]) -> torch.Tensor:
    """What the forward expression gives."""
    source = statement(case).removeprefix("for ids in batches: ").split(".backward")[0]
    output: torch.Tensor = eval(source, names)  # noqa: S307 - our own statements
    return output


def run(source: str, names: dict[str, Any]) -> None:
    """Call a statement as the timer does."""
    exec(source, names)  # noqa: S102 - our own statements


def rows_of(case: Case, table: torch.Tensor) -> torch.Tensor:
    """The lookup's rows, or their sums for each bag in float64."""
    rows = F.embedding(draw_ids(case).to(table.device), table)
    if case.record.bags:
        rows = torch.stack([bag.sum(0) for bag in torch.split(rows.double(), BAG)])
    return rows


@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("device", available_devices())
def test_every_method_gives_what_the_lookup_gives(dtype: str, device: str, skew: str) -> None:
    """The lookup's rows bit for bit, or their sums for each bag; forward tensors are shared."""
    for case in small(dtype, device):
        case = replace(case, ids=skew)
        ready = Ready(case)
        names, table = ready.names(case), Ready(case).shared("table")
        rows, output = rows_of(case, table), output_of(case, names)
        assert output.dtype == table.dtype
        if case.record.bags:
            error = (output.double() - rows).abs().max().item()
            assert error <= 8 * torch.finfo(table.dtype).eps * rows.abs().max().item()
        else:
            assert torch.equal(output, rows), case
        if "out" in names:
            assert output.data_ptr() == names["out"].data_ptr()
        again = ready.names(case)
        shared = [name for name in MADE if name in names and names[name] is again[name]]
        own = {"table", "weight"} if case.backward else set()
        assert {*shared} == {name for name in MADE if name in names} - own


def dense(gradient: torch.Tensor, case: Case) -> torch.Tensor:
    """A gradient as V x D numbers, whatever the method's layout."""
    gradient = gradient.to_dense() if gradient.is_sparse else gradient
    return gradient.t() if case.record.learns == "weight" else gradient


def reference_gradient(case: Case, grad: torch.Tensor) -> torch.Tensor:
    """The gradient of the lookup's table, in float64."""
    table = Ready(case).shared("table").double().requires_grad_()
    rows_of(case, table).backward(grad.double())  # type: ignore[no-untyped-call]
    assert table.grad is not None
    return table.grad


LEARNING = [case for dtype in DTYPES for case in small(dtype) if case.mode != "forward"]


@pytest.mark.parametrize("case", [c for c in LEARNING if c.mode == "backward"], ids=known)
def test_every_backward_gives_the_lookups_dense_gradient(case: Case) -> None:
    """Every backward pass gives the lookup's gradient, of a parameter of its own."""
    ready = Ready(case)
    names = ready.names(case)
    learns: Any = learned(case, names)
    assert learns is not learned(case, ready.names(case))
    first, *rest = statement(case).split("; ")
    run(first, names)
    assert learns.grad.is_sparse == (case.method == "lookup_sparse")
    if learns.grad.is_sparse:
        assert len(learns.grad._values()) == case.tokens
    wanted = reference_gradient(case, names["grad"])
    error = (dense(learns.grad, case).double() - wanted).abs().max().item()
    # 70 tokens on 50 rows: a row has few summands, each of size 1 or so.
    assert error <= 20 * torch.finfo(learns.dtype).eps * wanted.abs().max().item()
    run("; ".join(rest), names)
    assert learns.grad is None, "gradients of one call would be added to those of the next"


@pytest.mark.parametrize(
    "case", [c for c in LEARNING if c.mode in ("sgd", "adam") and c.dtype == "float64"], ids=known
)
def test_every_step_moves_the_table_as_the_textbook_says(case: Case) -> None:
    """A training step changes the table by its optimizer's formula; many leave finite numbers."""
    names = Ready(case).names(case)
    learns: Any = learned(case, names)
    rate = names["optimizer"].param_groups[0]["lr"]
    names["optimizer"].param_groups[0]["lr"] = 0.5
    before = dense(learns.detach().clone(), case)
    run(statement(case), names)
    gradient = reference_gradient(case, names["grad"])
    step = gradient if case.mode == "sgd" else gradient / (gradient.abs() + 1e-8)
    assert torch.allclose(dense(learns.detach(), case), before - 0.5 * step, rtol=1e-9, atol=1e-4)
    assert learns.grad is None
    assert rate * 1e6 < 0.01, "a million updates would change what is measured"


PEAKS = """
import ctypes, gc, json, re, sys
from dataclasses import replace
from pathlib import Path
import torch
from embviz.timing.case import Case
from embviz.timing.rounds import Series
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
    names = Ready(case).names(case)
    code = compile(statement(case), "timed", "exec")
    for _ in range(2):
        exec(code, names)
    return now("VmHWM") - before

torch.set_num_threads(1)
cases = [Case(**one) for one in json.loads(sys.argv[1])]
for case in cases:  # what a first call loads is not the case's
    peak(replace(case, num_embeddings=64, embedding_dim=8))
    gc.freeze()
print(json.dumps([peak(case) for case in cases]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_predicted_memory_is_what_a_process_takes() -> None:
    """The predicted memory is close to that of a process."""
    # In float32 a table of 16 MiB, a one-hot of 8 MiB. Adam's step holds more than SGD's.
    sizes: dict[str, Any] = {"num_embeddings": 2**15, "embedding_dim": 128, "tokens": 64}
    cases = [case for case in possible(**sizes) if case.mode != "sgd"]
    narrow = possible(**sizes, dtype="bfloat16")
    cases += [c for c in narrow if c.mode == "forward" and c.method != "sparse_matmul"]
    done = subprocess.run(
        [sys.executable, "-c", PEAKS, json.dumps([asdict(case) for case in cases])],
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


@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("rows", [1, 2, 2**27])
def test_ids_are_within_the_table(skew: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for every method, however large the table; ids of a faulty draw are refused."""
    case = Case("lookup", rows, 1, 5000, ids=skew, cache="new")
    ids = draw_ids(case)
    assert (ids.shape, ids.dtype, ids.device.type) == ((5000,), torch.int64, "cpu")
    assert 0 <= ids.min() <= ids.max() < rows
    assert torch.equal(ids, draw_ids(replace(case, method="module")))
    faulty = replace(SKEWS[skew], draw=lambda ids, rows, _: ids.fill_(rows))
    monkeypatch.setitem(SKEWS, skew, faulty)
    for draw in (lambda: draw_ids(case), lambda: Series(case).draw(2)):
        with pytest.raises(IndexError, match=f"{rows:,}"):
            draw()


@pytest.mark.parametrize("rows", [2, 4096])
def test_the_skews_are_what_they_say(rows: int) -> None:
    """Uniform ids are those of randint; Zipf's id k has its weight, by chi-square."""
    tokens = 2**18
    uniform, zipf, equal = (
        draw_ids(Case("lookup", rows, 1, tokens, ids=skew)) for skew in ("uniform", "zipf", "equal")
    )
    drawn = torch.randint(rows, (tokens,), generator=torch.Generator().manual_seed(SEED))
    assert torch.equal(uniform, drawn)
    assert len(equal.unique()) == 1
    weights = (1 / torch.arange(1.0, rows + 1).double()).log1p()
    expected = tokens * weights / weights.sum()
    assert chisquare(zipf.bincount(minlength=rows), expected).pvalue > 0.001
