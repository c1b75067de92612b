"""What a sweep on a GPU does with odd cases; each is lost, or lacks a clock, alone."""

import json
from typing import Any

import pytest
import torch

from embviz.system.child import Child
from embviz.timing.measure.gpu import GpuClock, NotCaptured
from embviz.timing.measure.rounds import FLUSHED, SPARSE_ADAM
from embviz.timing.measure.run import read_run
from embviz.timing.measure.timed import ROUNDS
from tests.gpu.measured import Lines, case, show, sweep

# PyTorch says so where its check for calls that wait is first used.
pytestmark = pytest.mark.filterwarnings("ignore:Synchronization debug mode:UserWarning")


def lines_of(lines: Lines, index: int, kind: str = "times") -> Lines:
    """The lines of a kind and of the case with this index."""
    return [line for line in lines if line["type"] == kind and line["case"] == index]


def test_every_mode_has_both_clocks(child: Child) -> None:
    """Training steps too; SparseAdam cannot be captured, and the others do not notice."""
    cases = [
        case("lookup", 4096),
        case("lookup_sparse", 4096, mode="adam"),
        case("lookup", 4096, mode="adam"),
        case("lookup", 4096, mode="sgd"),
        case("lookup_sparse", 4096, mode="sgd"),
        case("lookup", 4096, 5000, mode="backward"),
        case("lookup", 4096, 16),
        case("lookup", 4096, 17),
        case("lookup", 65536, cache="new"),
        case("lookup", 65536, cache="cold"),
        case("sparse_matmul", 4096),
    ]
    lines = sweep(child, cases)
    assert [line for line in lines if line["type"] == "failure"] == []
    work, why = dict[str, float](), dict[str, str]()
    for index, one in enumerate(cases):
        name = f"{one.method} {one.mode} {one.tokens} {one.cache}"
        of = [line for line in lines_of(lines, index) if not line["again"]]
        assert len(of) >= ROUNDS // 2, one
        if with_work := [min(line["gpu"]) for line in of if "gpu" in line]:
            assert len(with_work) == len(of)
            assert all(line["peak_bytes"] > 0 for line in of)
            work[name] = 1e6 * sorted(with_work)[len(with_work) // 2]
        else:
            why[name] = of[0]["no_gpu"]
    show("work", {"us": work, "not": why})
    known = {"lookup_sparse adam 256 same": SPARSE_ADAM, "lookup forward 256 cold": FLUSHED}
    assert why == known
    assert work["lookup forward 16 same"] > 2 * work["lookup forward 17 same"]
    environment, *_ = lines
    assert all(0 < min(environment["floor"][clock]) < 1e-3 for clock in ("wait", "gpu"))
    whole = "".join(f"{json.dumps(line)}\n" for line in lines)
    assert read_run(whole.encode(), "r").measured == sorted(cases)


@pytest.mark.parametrize("odd", ["item", "nonzero", "unique", "copy"])
def test_a_capture_that_fails_leaves_the_process_usable(odd: str) -> None:
    """Its error says why; memory, random numbers, stream, calls and captures are as before."""
    table, ids = torch.ones(9, 4, device="cuda"), torch.arange(3, device="cuda")
    wait: dict[str, Any] = {
        "item": lambda: table.sum().item(),
        "nonzero": lambda: torch.nonzero(ids),
        "unique": lambda: torch.unique(ids),
        "copy": lambda: torch.arange(3).to("cuda"),
    }
    stream, held = torch.cuda.current_stream(), list[int]()
    for _ in range(3):
        with pytest.raises(NotCaptured) as caught:
            GpuClock(lambda calls: wait[odd], 1)
        torch.cuda.empty_cache()
        held.append(torch.cuda.memory_reserved())
    show("said", str(caught.value))
    show("held", held)
    assert held[0] == held[-1], "a capture that fails keeps its memory"
    assert torch.rand(4, device="cuda").isfinite().all()
    assert torch.cuda.current_stream() == stream
    assert table[ids].sum().item() == 12
    assert GpuClock(lambda calls: lambda: table[ids], 1).replay(1)[0] < 1e-3
