"""The clock `gpu`: the seconds that a GPU works for one call, without Python and the launch.

A CUDA graph holds some calls of a statement. It is replayed between two events, right behind an
untimed replay: so the GPU does not wait for Python in between. The gaps between the kernels of a
graph count as work. The clock `wait` is in `rounds`, and what a case needs is made there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

BLOCK_S = 0.001  # Seconds of work in one replay, where a graph may hold so many calls.
MOST_CALLS = 200  # Calls in one graph: to capture one takes as long as to call it.
SHORTEST_S = 1e-9  # Seconds of one call at least: no event gives a zero to divide by.
REASON = 120  # Characters of PyTorch's own words in a sentence.

# Prepares so many calls outside the clock; what it returns makes them, on the current stream.
Prepare = Callable[[int], Callable[[], object]]


class NotCaptured(Exception):
    """The sentence that says why a statement has no time of the clock `gpu`."""


class GpuClock:
    """One statement in a CUDA graph, with `calls` of it. It keeps the memory that they took.

    The tensors of what is prepared must stay where they are.

    Raises:
        NotCaptured: the graph cannot hold it, or finds no memory.
    """

    def __init__(self, prepare: Prepare, calls: int) -> None:
        cuda: Any = torch.cuda  # Some of its functions have no types.
        self.calls, self._graph = calls, cuda.CUDAGraph()
        self._begin, self._end = (cuda.Event(enable_timing=True) for _ in range(2))
        try:
            # A capture that fails leaves its own stream as the current one; this one comes back.
            with cuda.stream(cuda.current_stream()):
                self._capture(prepare, cuda)
        except RuntimeError as error:
            raise NotCaptured(why_not(error)) from None

    def _capture(self, prepare: Prepare, cuda: Any) -> None:
        side = cuda.Stream()
        side.wait_stream(cuda.current_stream())
        with cuda.stream(side):
            prepare(1)()  # sets up what a graph cannot hold
            again = prepare(1)
            # A call that waits for the GPU makes a capture fail, and then PyTorch gives no memory
            # back until the process ends. So it is an error before.
            cuda.set_sync_debug_mode("error")
            try:
                again()
            finally:
                cuda.set_sync_debug_mode("default")
        cuda.current_stream().wait_stream(side)
        call = prepare(self.calls)
        cuda.synchronize()
        with cuda.graph(self._graph):
            call()

    def replay(self, times: int, before: Callable[[], object] | None = None) -> list[float]:
        """Seconds of work of one call in each replay; `before` is called before each, untimed."""
        seconds = []
        for _ in range(times):
            self._graph.replay()
            if before is not None:
                before()
            self._begin.record()
            self._graph.replay()
            self._end.record()
            torch.cuda.synchronize()
            taken = self._begin.elapsed_time(self._end) / 1e3  # it counts milliseconds
            seconds.append(max(taken / self.calls, SHORTEST_S))
        return seconds


def gpu_clock(prepare: Prepare, guess: int, most: int) -> GpuClock:
    """The clock whose replay takes about BLOCK_S, with at most so many calls; `guess` are fewer."""
    few = GpuClock(prepare, min(guess, most))
    wanted = min(round(BLOCK_S / few.replay(1)[0]), most)
    return GpuClock(prepare, wanted) if wanted > 2 * few.calls else few


def why_not(error: BaseException) -> str:
    """PyTorch's first error as a sentence: those that follow it only say that there was one."""
    while error.__context__ is not None:
        error = error.__context__
    said = str(error).strip().partition("\n")[0].removeprefix("CUDA error: ").rstrip(".")
    if len(said) > REASON:
        said = f"{said[: REASON - 1]}…"
    return f"A CUDA graph cannot hold it: {said or type(error).__name__}."
