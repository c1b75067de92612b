"""The clock `gpu` and all that rounds do with it, on a GPU that is not there.

`tests/gpu` has the same on a real one.
"""

import gzip
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.utils import benchmark

from embviz.system.bounds import TIMING
from embviz.timing.measure import budget, gpu, rounds
from embviz.timing.measure import process as measure
from embviz.timing.measure.budget import RESERVE_BYTES, check_memory, needed, too_large
from embviz.timing.measure.ceilings import floor
from embviz.timing.measure.gpu import MOST_CALLS, GpuClock, NotCaptured, gpu_clock
from embviz.timing.measure.rounds import FLUSHED, IN_PLACEMENT, SPARSE_ADAM, Series
from embviz.timing.measure.run import CLOCKS, read_run
from embviz.timing.measure.timed import PLACEMENTS, ROUNDS, Timed
from tests.timing.conftest import ROOT
from tests.timing.measure.calls import (
    WORK_S,
    Calls,
    cases_of,
    failures,
    measured,
    rounds_of,
    times_of,
)
from tests.timing.measure.fake_cuda import MIB, WAITED, FakeCuda

Patch = pytest.MonkeyPatch
RECORDED = ROOT / "tests" / "gpu" / "recorded"
HELD = f"A CUDA graph cannot hold it: {WAITED}."


@pytest.fixture(autouse=True)
def cuda(monkeypatch: Patch) -> FakeCuda:
    """The GPU in the place of `torch.cuda`."""
    made = FakeCuda()
    monkeypatch.setattr(torch, "cuda", made)
    return made


def repeated(call: Callable[[], object]) -> gpu.Prepare:
    """Prepares nothing; makes calls one after another."""

    def prepare(calls: int) -> Callable[[], object]:
        return lambda: [call() for _ in range(calls)]

    return prepare


@pytest.mark.parametrize(
    ("work_s", "calls"), [(2e-6, MOST_CALLS), (40e-6, 25), (0.7e-3, 5), (3e-3, 5)]
)
def test_it_tells_the_work_of_one_call(cuda: FakeCuda, work_s: float, calls: int) -> None:
    """A replay lasts about a millisecond, if the first guess was too short for it.

    One that is not timed goes before each; what comes in between takes no time. The calls go to a
    side stream, then into the capture, which holds nothing else.
    """
    clock = gpu_clock(repeated(partial(cuda.kernel, work_s)), 5, MOST_CALLS)
    assert clock.calls == calls
    assert cuda.log[-3 - calls :] == ["side"] * 2 + ["wait"] + ["capture"] * calls or calls == 5
    cuda.log.clear()
    assert clock.replay(2, partial(cuda.kernel, 100.0)) == pytest.approx([work_s] * 2)
    assert cuda.log == ["replay", "default", "record", "replay", "record", "wait"] * 2
    assert gpu_clock(repeated(partial(cuda.kernel, work_s)), 5, 3).calls == 3


def test_what_cannot_be_captured_says_why(cuda: FakeCuda) -> None:
    """The error is told, on one line, before a capture can fail; then a capture works."""
    with pytest.raises(NotCaptured) as caught:
        GpuClock(repeated(partial(cuda.kernel, 1.0, waits=True)), 2)
    assert str(caught.value) == HELD
    later = RuntimeError("another one, because of the first")
    later.__context__ = RuntimeError("CUDA error: not permitted.\nand more lines")
    assert gpu.why_not(later) == "A CUDA graph cannot hold it: not permitted."
    assert (cuda.current, cuda.mode) == ("default", "default")
    assert "capture" not in cuda.log
    assert GpuClock(repeated(partial(cuda.kernel, 1.0)), 2).replay(1) == [1.0]


def test_the_floor_has_both_clocks(cuda: FakeCuda, monkeypatch: Patch) -> None:
    """An empty kernel: what one waits, and its work; without a GPU there is none."""
    waited = iter(range(1000))
    monkeypatch.setattr(benchmark, "timer", lambda: next(waited))
    found = floor(partial(cuda.kernel, 7e-7))
    assert found == {"wait": [0.01] * 10, "gpu": pytest.approx([7e-7] * 10)}
    assert measure.gpu_floor.__wrapped__() is None


FULL = "CUDA out of memory. Tried to allocate 9.00 GiB. GPU 0 has 8.00 GiB. Process 7 has 1."


def test_each_round_has_both_clocks(monkeypatch: Patch) -> None:
    """The control too. A case without a graph has the wait alone, and says why in each placement.

    One that finds no memory is lost alone; its reason names no other process of the GPU.
    """
    Calls(monkeypatch, 1e-5, waits="matmul", indexing=torch.OutOfMemoryError(FULL))
    lines = measured(cases_of("lookup", "matmul", "indexing", device="cuda"))
    (failure,) = failures(lines)
    assert failure["reason"] == "CUDA out of memory. Tried to allocate 9.00 GiB"
    assert rounds_of(lines, "lookup") == rounds_of(lines, "matmul") == [*range(ROUNDS)]
    for line in times_of(lines, "lookup"):
        assert line["wait"] == pytest.approx([1e-5] * 2)
        assert line["gpu"] == pytest.approx([WORK_S] * 2)
    without = times_of(lines, "matmul")
    assert not any("gpu" in line for line in without)
    told = [line["round"] for line in without if line.get("no_gpu") == HELD]
    assert told == [*range(0, ROUNDS, IN_PLACEMENT)]


def test_tf32_is_allowed_around_its_cases_alone(monkeypatch: Patch) -> None:
    """For both clocks, and in the very round in which others have full precision."""
    calls = Calls(monkeypatch, module=torch.OutOfMemoryError(FULL))
    cases = cases_of("matmul", device="cuda")
    cases += cases_of("matmul", "module", device="cuda", precision="high")
    lines = measured(cases)
    assert calls.precisions == {("highest", "highest"), ("high", "high")}
    assert torch.get_float32_matmul_precision() == "highest", "also after one that fails"
    assert len(times_of(lines, "matmul")) == 4 * ROUNDS


def test_each_placement_is_captured_anew(monkeypatch: Patch) -> None:
    """With as many calls as the first; a graph of tensors that are gone holds no memory."""
    captured, clocks, clock = list[int](), list[weakref.ref[GpuClock]](), GpuClock

    def noted(*given: Any) -> GpuClock:
        assert [one() for one in clocks] == [None] * len(clocks)
        captured.append(given[1])
        made = clock(*given)
        clocks.append(weakref.ref(made))
        return made

    monkeypatch.setattr(rounds, "GpuClock", noted)
    Calls(monkeypatch, 1e-5)
    measured(cases_of("lookup", device="cuda"))
    assert captured == [100] * (PLACEMENTS - 1)


def test_new_ids_come_to_the_place_that_a_graph_reads(cuda: FakeCuda, monkeypatch: Patch) -> None:
    """Each call of a graph has a place of its own, and before each replay all get other ids."""
    seen = list[int]()

    def call(ids: torch.Tensor) -> None:
        seen.append(ids.data_ptr())
        cuda.kernel(WORK_S)

    monkeypatch.setattr(rounds, "statement", lambda case: "for ids in batches: call(ids)")
    series = Series(Timed("lookup", 2**20, 2, 3, cache="new"))  # The fake GPU's are on the CPU.
    series.place({"call": call})
    seen.clear()
    series.capture()
    assert series.clock
    places = seen[-series.clock.calls :]
    assert len({*places}) == series.clock.calls > 1
    read = [series.batches.clone()]
    for _ in range(2):
        assert series.gpu_times() == pytest.approx([WORK_S] * series.blocks)
        read.append(series.batches.clone())
    assert len({tuple(ids.flatten().tolist()) for ids in read}) == 3
    assert [ids.data_ptr() for ids in series.batches] == places, "the graph reads these"
    large = Series(Timed("lookup", 9, 2, 2**20, cache="new"))
    assert large.most_calls() == 8, "64 MiB of ids"


@pytest.mark.parametrize(
    ("method", "fixed", "why"),
    [
        ("lookup", {"cache": "cold"}, FLUSHED),
        ("lookup_sparse", {"mode": "adam"}, SPARSE_ADAM),
        ("lookup_sparse", {"mode": "sgd"}, None),
        ("lookup", {"mode": "adam"}, None),
    ],
)
def test_what_is_never_captured(
    method: str, fixed: dict[str, str], why: str | None, monkeypatch: Patch
) -> None:
    """There is no time of work, and a sentence says why; on a CPU nothing is missing."""
    Calls(monkeypatch, 1e-5)
    flush = SimpleNamespace(zero_=lambda: None)
    monkeypatch.setattr(rounds, "flush_buffer", lambda device: flush)
    monkeypatch.setattr(budget, "flush_bytes", lambda device: 0)
    for device, told in (("cuda", why), ("cpu", None)):
        times = times_of(measured(cases_of(method, device=device, **fixed)), method)
        assert {line.get("no_gpu") for line in times} == {None, told}
        assert {"gpu" in line for line in times} == {device == "cuda" and not why}


def test_the_budget_on_a_gpu_is_what_is_free_there(cuda: FakeCuda, monkeypatch: Patch) -> None:
    """With what the process holds already; a bound that the host has set stays; else the usual."""
    monkeypatch.delenv(TIMING.variable, raising=False)
    cuda.free, cuda.reserved = 100 * MIB + RESERVE_BYTES, 28 * MIB
    assert budget.budget("cuda") == (128 * MIB, "what is free on the GPU")
    assert budget.budget("cpu") == (TIMING.local * MIB, TIMING.variable)
    cuda.is_there = False
    assert budget.budget("cuda") == (TIMING.local * MIB, TIMING.variable)
    cuda.free, cuda.is_there = 0, True
    assert budget.budget("cuda") == (0, "what is free on the GPU")
    cuda.free = 8192 * MIB
    monkeypatch.setenv(TIMING.variable, "64")
    assert budget.budget("cuda") == (64 * MIB, TIMING.variable)
    monkeypatch.delenv(TIMING.variable)
    monkeypatch.setenv("EMBVIZ_HOSTED", "1")
    assert budget.budget("cuda") == (TIMING.hosted * MIB, TIMING.variable)


def test_a_refusal_names_the_gpu(cuda: FakeCuda, monkeypatch: Patch) -> None:
    """What a graph takes counts; CPU and GPU do not share their memory."""
    monkeypatch.delenv(TIMING.variable, raising=False)
    cuda.free = 20 * MIB + RESERVE_BYTES
    large, *many = [
        Timed("lookup", 2**16 + k, 32, 2**14, device="cpu" if k else "cuda") for k in range(10)
    ]
    with pytest.raises(MemoryError) as caught:
        check_memory(large, 8 * MIB)
    assert str(caught.value) == (
        "needs table 8.0 MiB + ids 128.0 KiB + output 2.0 MiB + CUDA graph 2.0 MiB + what is "
        "measured beside it 8.0 MiB = 20.125 MiB, over the budget of 20.000 MiB (what is free on "
        "the GPU)"
    )
    check_memory(large, 0)
    parts = needed(Timed("onehot_matmul", 64, 8, 4, device="cuda"))
    assert parts["CUDA graph"] == parts["output"] + parts["one-hot"], "its calls build it"
    assert too_large([large])
    cuda.free += 5 * MIB
    assert not too_large([large, *many])


@pytest.mark.parametrize("path", [*RECORDED.glob("*.jsonl.gz")], ids=lambda path: path.name)
def test_all_recorded_runs_can_be_read(path: Path) -> None:
    """Each is whole: all of its cases were measured, by both clocks, and it says how it ended."""
    run = read_run(gzip.decompress(path.read_bytes()), path.name)
    assert run.measured == run.cases
    assert run.end
    assert {*run.times["clock"]} == {*CLOCKS}
