"""Every statement gives the lookup's rows and gradients, in the memory that was predicted."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import pytest
import torch
from scipy.stats import chisquare
from torch.nn import functional as F

from embviz.fact.dtypes import DTYPES
from embviz.system.devices import available_devices
from embviz.timing.measure.axes import SKEWS
from embviz.timing.measure.methods import METHODS
from embviz.timing.measure.rounds import Series
from embviz.timing.measure.tensors import MADE, SEED, Ready, draw_ids, learned, statement
from embviz.timing.measure.timed import Timed
from tests.timing.conftest import ROOT

MIB = 2**20


def possible(**fixed: Any) -> Iterator[Timed]:
    """Every method with every mode that it has."""
    for method, about in METHODS.items():
        # PyTorch has no CSR product for narrow dtypes on a CPU; the sweep reports that.
        if method != "sparse_matmul" or fixed.get("dtype", "float32") in ("float32", "float64"):
            yield from (Timed(method, mode=mode, **fixed) for mode in about.modes)


def small(dtype: str = "float32", device: str = "cpu") -> list[Timed]:
    """Small cases of every kind that PyTorch can compute."""
    sizes: dict[str, Any] = {"num_embeddings": 50, "embedding_dim": 6, "tokens": 70}
    return [*possible(**sizes, dtype=dtype, device=device)]


def call(source: str, names: dict[str, Any]) -> Any:
    """Run a statement as the timer does; what its last expression gives."""
    *first, last = source.split("; ")
    exec("; ".join(first), names)  # noqa: S102 - our own statements
    return exec(last, names) if " = " in last else eval(last, names)  # noqa: S102, S307


@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("device", available_devices())
def test_every_method_gives_what_the_lookup_gives(dtype: str, device: str, skew: str) -> None:
    """The lookup's rows bit for bit; forward tensors are shared."""
    for case in small(dtype, device):
        case = replace(case, ids=skew)
        ready = Ready(case)
        names, table = ready.names(case), Ready(case).shared("table")
        rows = F.embedding(draw_ids(case).to(device), table)
        output = call(statement(case).split(".backward")[0], names)
        assert output.dtype == table.dtype
        assert torch.equal(output, rows)
        again = ready.names(case)
        own = {name for name in MADE if name in names and names[name] is not again[name]}
        assert own == ({"table", "weight"} & {*names} if case.backward else set())


LEARNING = [
    case
    for dtype in DTYPES
    for case in small(dtype)
    if case.mode == "backward" or (case.backward and dtype == "float64")
]


@pytest.mark.parametrize("case", LEARNING, ids=str)
def test_every_mode_learns_what_the_lookup_learns(case: Timed) -> None:
    """The lookup's gradient, and a step by its optimizer's formula; then no gradient is left."""
    names = Ready(case).names(case)
    learns: Any = learned(case, names)

    def dense(one: torch.Tensor) -> torch.Tensor:
        one = one.to_dense() if one.is_sparse else one
        return (one.t() if case.record.learns == "weight" else one).double()

    table = Ready(case).shared("table").double().requires_grad_()
    F.embedding(draw_ids(case), table).backward(names["grad"].double())
    wanted: Any = table.grad
    first, *rest = statement(case).split("; ")
    if case.mode == "backward":
        call(first, names)
        assert learns.grad.is_sparse == (case.method == "lookup_sparse")
        assert not learns.grad.is_sparse or len(learns.grad._values()) == case.tokens
        # 70 tokens on 50 rows: a row has few summands, each of size 1 or so.
        close = 20 * torch.finfo(learns.dtype).eps * wanted.abs().max().item()
        assert torch.allclose(dense(learns.grad), wanted, rtol=0, atol=close)
        call("; ".join(rest), names)
    else:
        (group,) = names["optimizer"].param_groups
        assert group["lr"] * 1e6 < 0.01, "a million updates would change what is measured"
        group["lr"], before = 0.5, dense(learns.detach().clone())
        call(statement(case), names)
        step = wanted if case.mode == "sgd" else wanted / (wanted.abs() + 1e-8)
        assert torch.allclose(dense(learns.detach()), before - 0.5 * step, rtol=1e-9, atol=1e-4)
    assert learns.grad is None, "gradients of one call would be added to those of the next"


PEAKS = """
import ctypes, gc, json, re, sys
from dataclasses import replace
from pathlib import Path
import torch
from embviz.timing.measure.timed import Timed
from embviz.timing.measure.tensors import Ready, statement

def now(name):
    return 1024 * int(re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

def peak(case):
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again
    before = now("VmRSS")
    names = Ready(case).names(case)
    for _ in range(2):
        exec(statement(case), names)
    return now("VmHWM") - before

torch.set_num_threads(1)
cases = [Timed(**one) for one in json.loads(sys.argv[1])]
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
    cases += [one for one in possible(**sizes, dtype="bfloat16") if not one.backward]
    asked = json.dumps([*map(asdict, cases)])
    # What is freed goes back to the system at once, and is not counted twice.
    env = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
    done = subprocess.check_output([sys.executable, "-c", PEAKS, asked], cwd=ROOT, env=env)
    wrong = [
        f"{case}: {case.memory_bytes / MIB:.0f} MiB predicted, {taken / MIB:.0f} taken"
        for case, taken in zip(cases, json.loads(done), strict=True)
        if not 0.65 * case.memory_bytes <= taken <= 1.1 * case.memory_bytes + 5 * MIB
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("skew", SKEWS)
@pytest.mark.parametrize("rows", [1, 2, 2**27])
def test_ids_are_within_the_table(skew: str, rows: int) -> None:
    """The same for every method, however large the table."""
    case = Timed("lookup", rows, 1, 5000, ids=skew, cache="new")
    for ids in (draw_ids(case), *Series(case).draw(2)):
        assert ids.shape == (5000,)
        assert ids.dtype == torch.int64
        assert ids.device.type == "cpu"
        assert 0 <= ids.min() <= ids.max() < rows
    assert torch.equal(draw_ids(case), draw_ids(replace(case, method="module")))


@pytest.mark.parametrize("rows", [2, 4096])
def test_the_skews_are_what_they_say(rows: int) -> None:
    """Uniform ids are those of randint; Zipf's id k has its weight, by chi-square."""
    uniform, zipf, equal = (draw_ids(Timed("lookup", rows, 1, 2**18, ids=skew)) for skew in SKEWS)
    drawn = torch.randint(rows, (2**18,), generator=torch.Generator().manual_seed(SEED))
    assert torch.equal(uniform, drawn)
    assert equal.min() == equal.max()
    weights = (1 / torch.arange(1.0, rows + 1).double()).log1p()
    expected = 2**18 * weights / weights.sum()
    assert chisquare(zipf.bincount(minlength=rows), expected).pvalue > 0.001
