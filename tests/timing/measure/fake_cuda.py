"""Takes the place of `torch.cuda`: a GPU whose kernels last as long as a test says.

A call that waits for the GPU is an error where that is asked for, as in PyTorch. A real GPU is in
`tests/gpu`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

MIB = 1 << 20
WAITED = "called a synchronizing CUDA operation"


class FakeCuda:
    """A GPU.

    Attributes:
        now: seconds of work since it began.
        log: what was done: `replay`, `record`, `wait`, and the stream of each kernel.
        is_there: whether there is one.
        free: bytes.
    """

    def __init__(self) -> None:
        self.now, self.log, self.is_there = 0.0, list[str](), True
        self.free, self.reserved = 8 * 1024 * MIB, 0
        self.current, self.mode = "default", "default"
        self.kernels: list[float] | None = None  # Of the graph that is captured.
        self.reset_peak_memory_stats = lambda: None
        self.memory_allocated = self.max_memory_allocated = lambda: 0

    def kernel(self, seconds: float, waits: bool = False) -> None:
        """Run one, or put it into the graph that is captured; a call may wait for the GPU."""
        self.log.append(self.current)
        if waits and self.mode == "error":
            raise RuntimeError(f"{WAITED}\nand more lines")
        if self.kernels is None:
            self.now += seconds
        else:
            self.kernels.append(seconds)

    def set_sync_debug_mode(self, mode: str) -> None:
        """Whether a call that waits is an error."""
        self.mode = mode

    def is_available(self) -> bool:
        """Whether there is one."""
        return self.is_there

    def mem_get_info(self) -> tuple[int, int]:
        """Bytes that are free, and all."""
        return self.free, 2 * self.free

    def memory_reserved(self) -> int:
        """Bytes that this process holds."""
        return self.reserved

    def synchronize(self) -> None:
        """Wait for it."""
        self.log.append("wait")
        assert self.kernels is None

    def Stream(self) -> Any:  # noqa: N802 - as in torch.cuda
        """Another stream."""
        return SimpleNamespace(name="side", wait_stream=lambda other: None)

    def current_stream(self) -> Any:
        """The current one."""
        return SimpleNamespace(name=self.current, wait_stream=lambda other: None)

    @contextmanager
    def stream(self, one: Any) -> Iterator[None]:
        """Makes a stream the current one."""
        before, self.current = self.current, one.name
        try:
            yield
        finally:
            self.current = before

    def CUDAGraph(self) -> Any:  # noqa: N802
        """An empty graph."""
        graph = SimpleNamespace(kernels=list[float]())

        def replay() -> None:
            self.log.append("replay")
            self.now += sum(graph.kernels)

        graph.replay = replay
        return graph

    @contextmanager
    def graph(self, graph: Any) -> Iterator[None]:
        """A capture, in a stream of its own."""
        before, self.current, self.kernels = self.current, "capture", graph.kernels
        try:
            yield
        finally:
            self.current, self.kernels = before, None

    def Event(self, enable_timing: bool = False) -> Any:  # noqa: N802
        """An event, which reads the GPU's time."""
        assert enable_timing
        event = SimpleNamespace(at=0.0)

        def record() -> None:
            self.log.append("record")
            event.at = self.now

        event.record = record
        event.elapsed_time = lambda end: (end.at - event.at) * 1e3
        return event
