"""Takes the place of `torch.cuda`: a GPU whose kernels last as long as a test says.

What PyTorch does when a capture fails is done here too: a first error, a second one at the end of
the capture, and the capture's stream stays the current one. Most calls that wait for the GPU are
errors before, if that is asked for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

MIB = 1 << 20
WAITS = "CUDA error: operation not permitted when stream is capturing\nSearch for `cudaError'"
WAITED = "called a synchronizing CUDA operation"
BROKEN = "CUDA error: operation failed due to a previous error during capture"


class Graph:
    """A CUDA graph: the kernels that it holds."""

    def __init__(self, cuda: "FakeCuda") -> None:
        self.cuda, self.kernels = cuda, list[float]()

    def replay(self) -> None:
        """All kernels at once."""
        self.cuda.log.append("replay")
        self.cuda.now += sum(self.kernels)


class Event:
    """An event; it reads the GPU's time."""

    def __init__(self, cuda: "FakeCuda", enable_timing: bool) -> None:
        self.cuda, self.enabled, self.at = cuda, enable_timing, 0.0

    def record(self) -> None:
        """Read it."""
        self.cuda.log.append("record")
        self.at = self.cuda.now

    def elapsed_time(self, end: "Event") -> float:
        """Milliseconds until another one."""
        assert self.enabled
        return (end.at - self.at) * 1e3


class FakeCuda:
    """A GPU.

    Attributes:
        now: seconds of work since it began.
        log: what was done: `replay`, `record`, `wait`, and the stream of each kernel.
        is_there: whether there is one.
        free: bytes.
        failed: captures that failed.
    """

    def __init__(self) -> None:
        self.now, self.log, self.is_there = 0.0, list[str](), True
        self.free, self.reserved = 8 * 1024 * MIB, 0
        self.current, self.capturing, self.broken = "default", Graph(self), False
        self.within, self.mode, self.failed = False, "default", 0
        self.reset_peak_memory_stats = lambda: None
        self.memory_allocated = self.max_memory_allocated = lambda: 0

    def kernel(self, seconds: float, waits: str = "") -> None:
        """Run one, or put it into the graph that is captured.

        Args:
            seconds: of work.
            waits: whether the call waits for the GPU: no, `seen` or `unseen` by PyTorch's check.
        """
        self.log.append(self.current)
        if waits == "seen" and self.mode == "error":
            raise RuntimeError(WAITED)
        if not self.within:
            self.now += seconds
        elif waits:
            self.broken = True
            raise RuntimeError(WAITS)
        else:
            self.capturing.kernels.append(seconds)

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
        assert not self.within

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

    def CUDAGraph(self) -> Graph:  # noqa: N802
        """An empty one."""
        return Graph(self)

    def Event(self, enable_timing: bool = False) -> Event:  # noqa: N802
        """A new one."""
        return Event(self, enable_timing)

    def graph(self, graph: Graph) -> "Capture":
        """A capture."""
        return Capture(self, graph)


class Capture:
    """A capture of calls in a graph."""

    def __init__(self, cuda: FakeCuda, graph: Graph) -> None:
        self.cuda, self.graph = cuda, graph

    def __enter__(self) -> None:
        cuda = self.cuda
        self.before, cuda.current = cuda.current, "capture"
        cuda.capturing, cuda.within, cuda.broken = self.graph, True, False

    def __exit__(self, *_: object) -> None:
        self.cuda.within = False
        if self.cuda.broken:
            self.cuda.failed += 1
            raise RuntimeError(BROKEN)
        self.cuda.current = self.before
