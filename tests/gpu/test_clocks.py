"""Both clocks against those of PyTorch, and what they say where nothing differs."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils import benchmark

from embviz.system.child import Child
from embviz.timing.measure.gpu import GpuClock
from embviz.timing.measure.rounds import Series
from embviz.timing.measure.run import CLOCKS
from embviz.timing.measure.tensors import Ready, statement
from embviz.timing.measure.timed import Timed
from embviz.timing.tell.statistics import judge
from tests.gpu.measured import case, run_of, show, sweep

CASES = [
    case("lookup", 4096),
    case("lookup", 2**20),
    case("lookup", 4096, 65536),
    case("index_select", 65536),
    case("matmul", 64),
    case("matmul", 4096),
    case("matmul", 65536),
    case("onehot_matmul", 4096),
    case("matmul_table", 65536, 4096, dtype="float16"),
    case("lookup", 65536, mode="backward"),
    case("lookup_sparse", 65536, mode="backward"),
    case("matmul", 4096, mode="backward"),
]
TURNS = 24  # blocks of each clock, in turns
PLACED = 3  # times that all tensors are made anew
RUNS, FALSE = 20, 1  # of a null test: how many, and how many may tell equal points apart
# PyTorch says so where its check for calls that wait is first used.
pytestmark = pytest.mark.filterwarnings("ignore:Synchronization debug mode:UserWarning")
WORK = ("kernel", "gpu_memset", "gpu_memcpy")  # what the profiler calls the work of a GPU


def placed(one: Timed) -> Series:
    """A case with tensors and both clocks."""
    series = Series(one)
    series.place(Ready(one).names(one))
    series.capture()
    assert series.clock is not None, series.no_gpu
    return series


def profiled(folder: Path, call: Callable[[], object]) -> list[tuple[float, float]]:
    """Begin and end, in µs, of all that the GPU did for a call, in order."""
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as traced:
        call()
        torch.cuda.synchronize()
    file = folder / "trace.json"
    traced.export_chrome_trace(str(file))
    found = json.loads(file.read_text())["traceEvents"]
    return sorted((one["ts"], one["ts"] + one["dur"]) for one in found if one.get("cat") in WORK)


def by_profiler(clock: GpuClock, folder: Path) -> dict[str, float]:
    """What the profiler sees of one replay, in µs of one call: its kernels, and the gaps too."""
    seen = profiled(folder, lambda: clock.replay(1))
    last = seen[len(seen) // 2 :]  # the first half is the replay that is not timed
    kernels = sum(end - begin for begin, end in last)
    span = max(end for _, end in last) - last[0][0]
    return {
        "kernels": kernels / clock.calls,
        "span": span / clock.calls,
        "count": len(last) / clock.calls,
    }


@pytest.mark.filterwarnings("ignore")  # of the profiler, about itself
def test_the_work_is_what_the_profiler_sees(tmp_path: Path) -> None:
    """`gpu` is within 5 % and 0.5 µs of kernels and gaps, for 11 of 12 cases."""
    close, found = 0, dict[str, Any]()
    for one in CASES:
        series = placed(one)
        assert series.clock
        ours = 1e6 * float(np.median([series.clock.replay(1)[0] for _ in range(TURNS)]))
        theirs = by_profiler(series.clock, tmp_path)
        close += abs(ours - theirs["span"]) <= 0.05 * theirs["span"] + 0.5
        found[f"{one.method} {one.mode} {one.num_embeddings} {one.tokens}"] = {"gpu": ours} | theirs
    show("profiler", found)
    assert close >= len(CASES) - 1, found


def test_the_wait_is_what_pytorch_s_timer_sees() -> None:
    """`wait` is within 5 % of `torch.utils.benchmark`, in turns, for 11 of 12 cases."""
    found = dict[str, float]()
    for one in CASES:
        ratios = list[float]()
        for _ in range(PLACED):
            series = placed(one)
            timer = benchmark.Timer(statement(one), globals=series.names, num_threads=one.threads)

            def theirs() -> list[float]:
                number = series.number  # noqa: B023 - called in this turn
                return [timer.timeit(number).median for _ in range(series.blocks)]  # noqa: B023

            clocks = [series.times, theirs]
            for _ in range(TURNS):
                turn = {one: float(np.median(one())) for one in random.sample(clocks, 2)}
                ratios.append(turn[series.times] / turn[theirs])
        found[f"{one.method} {one.mode} {one.num_embeddings} {one.tokens}"] = float(
            np.median(ratios)
        )
    show("wait", found)
    assert sum(abs(ratio - 1) <= 0.05 for ratio in found.values()) >= len(CASES) - 1, found


def test_equal_points_are_not_told_apart(child: Child) -> None:
    """Equal lookups in tables of their own: at most one run of 20 is false, by each clock."""
    sizes = (65536, 65537, 65538)
    cases = [case(name, rows, 4096) for name in ("lookup", "index_select") for rows in sizes]
    alike = [(one, first) for first in cases[::3] for one in cases if one.method == first.method]
    alike = [(one, first) for one, first in alike if one != first]
    false, compared, ratios = dict.fromkeys(CLOCKS, 0), 0, list[float]()
    for _ in range(RUNS):
        run = run_of(sweep(child, cases))
        for clock in false:
            found = judge(run.sample_medians(clock), alike)
            false[clock] += bool(found.told.any())
            compared += len(found)
            if clock == "gpu":
                ratios += [*found.ratio]
    show("null", {"false": false, "compared": compared, "gpu": ratios})
    assert compared >= 4 * RUNS
    assert max(false.values()) <= FALSE, false
