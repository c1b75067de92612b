"""The clock `gpu`: the seconds that a GPU works for one call, without Python and the launch.

A CUDA graph holds some calls of a statement. It is replayed between two events, right behind an
untimed replay: so the GPU does not wait for Python in between. The gaps between the kernels of a
graph count as work. The clock `wait` is in `rounds`, and what a case needs is made there.

Only public names of `torch.cuda` are used. It is an argument everywhere, so that a machine without
a GPU can test this with something that takes its place.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import benchmark

BLOCK_S = 0.001  # Seconds of work in one replay, where a graph may hold so many calls.
MOST_CALLS = 200  # Calls in one graph: to capture one takes as long as to call it.
WARM_CALLS = 2  # Calls before a capture: they set up what a graph cannot hold.
SHORTEST_S = 1e-9  # Seconds of one call at least: no event gives a zero to divide by.
FLOOR_BLOCKS, FLOOR_CALLS = 10, 100  # Blocks of the floor, and calls in each.

# Prepares so many calls outside the clock; what it returns makes them, on the current stream.
Prepare = Callable[[int], Callable[[], object]]


class NotCaptured(Exception):
    """The sentence that says why a statement has no time of the clock `gpu`."""


class GpuClock:
    """One statement in a CUDA graph, which keeps the memory that its calls took.

    Args:
        prepare: prepares calls of the statement; its tensors must stay where they are.
        calls: in one replay.
        cuda: `torch.cuda`.

    Raises:
        NotCaptured: the graph cannot hold the statement; captures and calls after it work.
    """

    def __init__(self, prepare: Prepare, calls: int, cuda: Any = torch.cuda) -> None:
        self.calls, self._cuda, self._graph = calls, cuda, cuda.CUDAGraph()
        self._begin, self._end = (cuda.Event(enable_timing=True) for _ in range(2))
        side = cuda.Stream()
        side.wait_stream(cuda.current_stream())
        with cuda.stream(side):
            prepare(WARM_CALLS)()
        cuda.current_stream().wait_stream(side)
        call = prepare(calls)
        cuda.synchronize()
        try:
            # A capture that fails leaves its own stream as the current one; this one comes back.
            with cuda.stream(cuda.current_stream()), cuda.graph(self._graph):
                call()
        except RuntimeError as error:
            raise NotCaptured(_why(error)) from None

    def replay(self, times: int, before: Callable[[], object] | None = None) -> list[float]:
        """Seconds of work of one call in each replay; `before` is called before each, untimed."""
        found = []
        for _ in range(times):
            self._graph.replay()
            if before is not None:
                before()
            self._begin.record()
            self._graph.replay()
            self._end.record()
            self._cuda.synchronize()
            taken = self._begin.elapsed_time(self._end) / 1e3  # it counts milliseconds
            found.append(max(taken / self.calls, SHORTEST_S))
        return found


def gpu_clock(prepare: Prepare, guess: int, most: int, cuda: Any = torch.cuda) -> GpuClock:
    """The clock whose replay takes about BLOCK_S, with at most so many calls; `guess` are fewer."""
    few = GpuClock(prepare, min(guess, most), cuda)
    wanted = min(round(BLOCK_S / few.replay(1)[0]), most)
    return GpuClock(prepare, wanted, cuda) if wanted > 2 * few.calls else few


def floor(empty: Callable[[], object], cuda: Any = torch.cuda) -> dict[str, list[float]]:
    """Seconds of an empty kernel, such as `zero_` of one number, by the clocks `wait` and `gpu`."""
    waits = timeit.Timer(empty, timer=benchmark.timer).repeat(FLOOR_BLOCKS, FLOOR_CALLS)
    plain = timeit.Timer(empty)
    clock = GpuClock(lambda calls: lambda: plain.timeit(calls), FLOOR_CALLS, cuda)
    return {"wait": [one / FLOOR_CALLS for one in waits], "gpu": clock.replay(FLOOR_BLOCKS)}


def _why(error: BaseException) -> str:
    """PyTorch's first error as a sentence: those that follow it only say that there was one."""
    while error.__context__ is not None:
        error = error.__context__
    said = str(error).strip().partition("\n")[0].removeprefix("CUDA error: ").rstrip(".")
    return f"A CUDA graph cannot hold it: {said[:100] or type(error).__name__}."
