"""The clock `gpu` and all that rounds do with it, on a GPU that is not there."""

import gzip
import json
import weakref
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import median
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
from embviz.timing.measure.rounds import FLUSHED, IN_PLACEMENT, SPARSE_ADAM, Series, points_of
from embviz.timing.measure.run import CLOCKS, Run, RunError, read_run
from embviz.timing.measure.tensors import precision
from embviz.timing.measure.timed import PLACEMENTS, ROUNDS, Timed
from tests.timing.conftest import ROOT, Lines, named
from tests.timing.measure.fake_cuda import MIB, FakeCuda

Patch = pytest.MonkeyPatch
RECORDED = ROOT / "tests" / "gpu" / "recorded"
CASE = Timed("lookup", 9, 2, 3, device="cuda")
CANNOT = "A CUDA graph cannot hold it: "
HELD = f"{CANNOT}called a synchronizing CUDA operation."


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
    """A replay lasts about a millisecond, if the first guess was too short for it."""
    clock = gpu_clock(repeated(partial(cuda.kernel, work_s)), 5, MOST_CALLS)
    assert clock.calls == calls
    assert clock.replay(3) == pytest.approx([work_s] * 3)
    assert gpu_clock(repeated(partial(cuda.kernel, work_s)), 5, 3).calls == 3


def test_a_replay_that_is_not_timed_goes_before_each_timed_one(cuda: FakeCuda) -> None:
    """What comes in between takes no time; the GPU is waited for at the end alone."""
    clock = GpuClock(repeated(partial(cuda.kernel, 1.0)), 2)
    cuda.log.clear()
    assert clock.replay(2, partial(cuda.kernel, 100.0)) == [1.0, 1.0]
    assert cuda.log == ["replay", "default", "record", "replay", "record", "wait"] * 2


def test_a_capture_comes_after_calls_on_a_side_stream(cuda: FakeCuda) -> None:
    """What is prepared is prepared outside the capture; the graph holds the calls alone."""
    prepared = list[tuple[int, bool]]()
    prepare = repeated(partial(cuda.kernel, 1.0))

    def noted(calls: int) -> Callable[[], object]:
        prepared.append((calls, cuda.within))
        return prepare(calls)

    GpuClock(noted, 3)
    assert prepared == [(1, False), (1, False), (3, False)]
    assert cuda.log == ["side"] * 2 + ["wait"] + ["capture"] * 3


@pytest.mark.parametrize(
    ("waits", "said", "failed"),
    [
        ("seen", HELD, 0),
        ("unseen", f"{CANNOT}operation not permitted when stream is capturing.", 1),
    ],
)
def test_what_cannot_be_captured_says_why(
    cuda: FakeCuda, waits: str, said: str, failed: int
) -> None:
    """The first error is told, on one line, before a capture can fail where PyTorch sees it.

    Stream and mode are as before, and a capture works.
    """
    with pytest.raises(NotCaptured) as caught:
        GpuClock(repeated(partial(cuda.kernel, 1.0, waits)), 2)
    assert (str(caught.value), cuda.failed) == (said, failed)
    assert (cuda.current, cuda.mode) == ("default", "default")
    assert GpuClock(repeated(partial(cuda.kernel, 1.0)), 2).replay(1) == [1.0]


def test_a_graph_that_finds_no_memory_is_told() -> None:
    """What one waits is known already."""
    with pytest.raises(NotCaptured, match="CUDA out of memory"):
        GpuClock(repeated(full), 2)


def full() -> None:
    """No memory is left."""
    told = "Tried to allocate 9.00 GiB. GPU 0 has a total capacity of 8.00 GiB. Process 7 has 1 B."
    raise torch.OutOfMemoryError(f"CUDA out of memory. {told}")


def test_the_floor_has_both_clocks(cuda: FakeCuda, monkeypatch: Patch) -> None:
    """An empty kernel: what one waits, and its work; without a GPU there is none."""
    waited = iter(range(1000))
    monkeypatch.setattr(benchmark, "timer", lambda: next(waited))
    found = floor(partial(cuda.kernel, 7e-7))
    assert found == {"wait": [0.01] * 10, "gpu": pytest.approx([7e-7] * 10)}
    assert measure.gpu_floor.__wrapped__() is None


class Work:
    """Takes the place of tensors and statements: a call waits 10 µs, and the GPU works 2 µs."""

    def __init__(self, patch: Patch, fails: str = "", waits: str = "", ids: str = "") -> None:
        self.cuda: Any = torch.cuda
        self.now, self.fails, self.waits = 0.0, fails, waits
        self.seen, self.precisions = list[int](), set[tuple[str, str]]()
        patch.setattr(rounds, "Ready", lambda point: self)
        source = "for ids in batches: call(ids)" if ids else "call(case)"
        patch.setattr(rounds, "statement", lambda case: source)
        patch.setattr(benchmark, "timer", lambda: self.now)

    def names(self, case: Timed) -> dict[str, Any]:
        """The globals of a statement."""
        return {"call": self.call, "case": case}

    def call(self, given: Any) -> None:
        """One call; one method fails, one waits for the GPU."""
        method = getattr(given, "method", "")
        if method and method == self.fails:
            full()
        self.now += 1e-5
        asked = getattr(given, "precision", "highest")
        self.precisions.add((asked, torch.get_float32_matmul_precision()))
        self.seen.append(0 if method else given.data_ptr())
        self.cuda.kernel(2e-6, "seen" if method and method == self.waits else "")

    def measured(self, *methods: str, **fixed: Any) -> Lines:
        """All lines of a request."""
        cases = [Timed(one, 9, 2, 3, **{"device": "cuda"} | fixed) for one in methods]
        return named(cases, rounds.rounds(points_of(cases), 3))


def times_of(lines: Lines, method: str) -> Lines:
    """The lines of times of one method."""
    return [one for one in lines if one["type"] == "times" and one["case"].method == method]


def test_each_round_has_both_clocks(monkeypatch: Patch) -> None:
    """The control has them too; a case on a CPU has one."""
    work = Work(monkeypatch)
    times = times_of(work.measured("lookup"), "lookup")
    assert len(times) == 2 * ROUNDS
    for line in times:
        assert line["wait"] == pytest.approx([1e-5] * 2)
        assert line["gpu"] == pytest.approx([2e-6] * 2)
    assert not any({"gpu", "no_gpu"} & {*line} for line in work.measured("lookup", device="cpu"))


def test_tf32_is_allowed_around_its_cases_alone(monkeypatch: Patch) -> None:
    """For both clocks, and in the very round in which others have full precision."""
    work, names = Work(monkeypatch), ("highest", "high")
    cases = [Timed("matmul", 9, 2, 3, device="cuda", precision=one) for one in names]
    lines = named(cases, rounds.rounds(points_of(cases), 0))
    assert work.precisions == {("highest", "highest"), ("high", "high")}
    assert torch.get_float32_matmul_precision() == "highest"
    assert len([one for one in lines if one["type"] == "times"]) == 4 * ROUNDS
    with pytest.raises(torch.OutOfMemoryError), precision(cases[1]):
        full()
    assert torch.get_float32_matmul_precision() == "highest"


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
    Work(monkeypatch).measured("lookup")
    assert captured == [100] * (PLACEMENTS - 1)


def test_a_case_without_a_graph_goes_on(monkeypatch: Patch) -> None:
    """It has the time that one waits, and a sentence once in a placement; others have both."""
    lines = Work(monkeypatch, waits="matmul").measured("lookup", "matmul")
    assert [line for line in lines if line["type"] == "failure"] == []
    without = times_of(lines, "matmul")
    assert [line["round"] for line in without] == [*range(ROUNDS)]
    assert not any("gpu" in line for line in without)
    told = [line["round"] for line in without if line.get("no_gpu") == HELD]
    assert told == [*range(0, ROUNDS, IN_PLACEMENT)]
    assert all("gpu" in line for line in times_of(lines, "lookup"))


def test_a_full_gpu_loses_one_case(monkeypatch: Patch) -> None:
    """Its reason names no other process of the GPU; all others are measured."""
    lines = Work(monkeypatch, fails="matmul").measured("lookup", "matmul", "module")
    (failure,) = (line for line in lines if line["type"] == "failure")
    assert failure["reason"] == "CUDA out of memory. Tried to allocate 9.00 GiB"
    assert len(times_of(lines, "module")) == ROUNDS
    assert times_of(lines, "matmul") == []


def test_new_ids_come_to_the_place_that_a_graph_reads(monkeypatch: Patch) -> None:
    """Each call of a graph has a place of its own, and before each replay all get other ids."""
    work = Work(monkeypatch, ids="new")
    # The fake GPU's tensors are on the CPU.
    one = Series(Timed("lookup", 2**20, 2, 3, cache="new"))
    one.place({"call": work.call})
    work.seen.clear()
    one.capture()
    assert one.clock
    calls = one.clock.calls
    places = work.seen[-calls:]
    assert len({*places}) == calls > 1
    read = [one.batches.clone()]
    for _ in range(2):
        assert one.gpu_times() == pytest.approx([2e-6] * one.blocks)
        read.append(one.batches.clone())
    assert len({tuple(ids.flatten().tolist()) for ids in read}) == 3
    assert [ids.data_ptr() for ids in one.batches] == places, "the graph reads these"
    large = Series(Timed("lookup", 9, 2, 2**20, cache="new"))
    assert large.most_calls() == 8, "64 MiB of ids"


@pytest.mark.parametrize(
    ("method", "fixed", "why"),
    [
        ("lookup", {"cache": "cold"}, FLUSHED),
        ("lookup_sparse", {"mode": "adam"}, SPARSE_ADAM),
        ("lookup_sparse", {"mode": "sgd"}, ""),
        ("lookup", {"mode": "adam"}, ""),
    ],
)
def test_what_is_never_captured(
    method: str, fixed: dict[str, str], why: str, monkeypatch: Patch
) -> None:
    """There is no time of work, and a sentence says why; on a CPU nothing is missing."""
    work = Work(monkeypatch)
    flush = SimpleNamespace(zero_=lambda: None)
    monkeypatch.setattr(rounds, "flush_buffer", lambda device: flush)
    monkeypatch.setattr(budget, "flush_bytes", lambda device: 0)
    times = times_of(work.measured(method, **fixed), method)
    assert {"gpu" in line for line in times} == {not why}
    assert {line.get("no_gpu") for line in times} == ({None, why} if why else {None})
    on_cpu = times_of(work.measured(method, **fixed, device="cpu"), method)
    assert not any({"gpu", "no_gpu"} & {*line} for line in on_cpu)


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
    cases = [Timed("lookup", 2**16, 32, 2**14, device=one) for one in ("cuda", "cpu")]
    with pytest.raises(MemoryError) as caught:
        check_memory(cases[0], 8 * MIB)
    said = str(caught.value)
    for part in ("table 8.0 MiB", "output 2.0 MiB", "CUDA graph 2.0 MiB", "beside it 8.0 MiB"):
        assert part in said
    assert said.endswith("= 20.125 MiB, over the budget of 20.000 MiB (what is free on the GPU)")
    check_memory(cases[0], 0)
    parts = needed(Timed("onehot_matmul", 64, 8, 4, device="cuda"))
    assert parts["CUDA graph"] == parts["output"] + parts["one-hot"], "its calls build it"
    assert too_large([cases[:1]])
    cuda.free += 5 * MIB
    assert not too_large([cases[:1]])
    many = [Timed("lookup", 2**16 + k, 32, 2**14, device="cpu") for k in range(9)]
    assert not rounds.too_large(points_of([cases[0], *many]))


FLOOR = {"wait": [6e-6], "gpu": [7e-7]}
ENVIRONMENT = {"type": "environment", "floor": FLOOR, "cases": [asdict(CASE)]}
TIMES = {
    **{"type": "times", "case": 0, "process": 0, "placement": 0, "round": 0, "again": False},
    **{"wait": [1e-5, 1.1e-5], "gpu": [2e-6]},
}
WITHOUT = {name: one for name, one in TIMES.items() if name != "gpu"} | {"no_gpu": HELD}


def file_of(*lines: Any) -> bytes:
    """JSON lines."""
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def test_both_clocks_stand_in_a_run_file() -> None:
    """They are read as written; a run's figures are those of the clock `wait`."""
    run = read_run(file_of(ENVIRONMENT, TIMES, WITHOUT), "r")
    lines = [*map(json.loads, run.to_bytes().splitlines())]
    assert lines[0]["floor"] == FLOOR
    assert [(one["gpu"], one["no_gpu"]) for one in lines[1:]] == [([2e-6], None), (None, HELD)]
    assert seconds_of(run, "wait") == [1e-5, 1.1e-5] * 2
    assert seconds_of(run, "gpu") == [2e-6]
    assert [*run.points["high"]] == [1.1e-5]


def seconds_of(run: Run, clock: str) -> list[float]:
    """All times by one clock."""
    return [*run.times.loc[run.times["clock"] == clock, "seconds"]]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (TIMES | {"gpu": []}, "gpu"),
        (TIMES | {"gpu": [-1.0]}, "gpu.0"),
        (TIMES | {"gpu": ["fast"]}, "gpu.0"),
        (TIMES | {"no_gpu": 5}, "no_gpu"),
        (ENVIRONMENT | {"floor": {"wait": [1.0]}}, "floor.gpu"),
        (ENVIRONMENT | {"floor": {"wait": [1.0] * 101, "gpu": [1.0]}}, "floor.wait"),
    ],
)
def test_a_stranger_s_clock_is_refused(line: dict[str, Any], field: str) -> None:
    """The first wrong field is named."""
    before = [] if line["type"] == "environment" else [ENVIRONMENT]
    with pytest.raises(RunError, match=f"line {1 + len(before)}: {field}: "):
        read_run(file_of(*before, line), "r")


def test_a_recorded_run_of_a_gpu_has_both_clocks() -> None:
    """An H200's: at 65,536 rows one waits 6 times as long for a matmul, which is 57 times the work.

    Only a case on the GPU has the second clock; an empty kernel is quicker than any case by both.
    """
    run = read_run(gzip.decompress((RECORDED / "cost.jsonl.gz").read_bytes()), "cost")
    assert (run.environment["gpus"], run.failures) == (["NVIDIA H200"], {})
    ratios = []
    for clock in CLOCKS:
        times = run.times[run.times["clock"] == clock]
        found = times.groupby("case")["seconds"].median()
        on_gpu = {case: time for case, time in found.items() if case.device == "cuda"}
        assert len(on_gpu) == len(run.cases) / 2
        assert len(found) == (len(on_gpu) if clock == "gpu" else len(run.cases))
        assert min(on_gpu.values()) > median(run.environment["floor"][clock])
        large = {case.method: time for case, time in on_gpu.items() if case.num_embeddings == 65536}
        ratios.append(large["matmul"] / large["lookup"])
    assert ratios == pytest.approx([6.15, 57.0], rel=0.01)


@pytest.mark.parametrize("path", [*RECORDED.glob("*.jsonl.gz")], ids=lambda path: path.name)
def test_all_recorded_runs_can_be_read(path: Path) -> None:
    """Each is whole: all of its cases were measured, and it says how it ended."""
    run = read_run(gzip.decompress(path.read_bytes()), path.name)
    assert run.measured == run.cases
    assert run.end
    assert {*run.times["clock"]} == {*CLOCKS}
