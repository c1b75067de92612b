"""The measuring process: cases in on stdin, results out on stdout, one JSON value a line.

`python -m embviz time --worker`. It is apart from the server, whose threads would compete
with the timed calls for Python's lock. A line in is a request (see `Request`) or
`{"cancel": true}`. Lines out are `ready`, `now` (a case that is about to be called), `times`
(one round of one case), `failure` and, after each request, `done`. Its parent has checked the
cases. When stdin ends, the parent is gone: the process ends at once, even in a call that hangs.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from embviz.timing.cases import Case

# Beyond the budget of a point: PyTorch itself, its work buffers, rounding by the allocator.
SPARE_BYTES = 1 << 30
STACK_BYTES = 16 << 20  # of each OpenMP thread
FLUSH_S = 0.2  # the parent that wakes up for a line takes time from what is measured


@dataclass(frozen=True)
class Request:
    """The rounds that a worker is asked to measure.

    Attributes:
        points: the cases of each point. A point without cases keeps its place for the anchor.
        anchor: the case that is measured at every point, or None.
        first: the round to begin with: not 0 after a worker was lost.
    """

    points: tuple[tuple[Case, ...], ...]
    anchor: Case | None = None
    first: int = 0

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Request:
        """A request from JSON."""
        anchor = given["anchor"]
        return cls(
            tuple(tuple(map(Case.from_dict, point)) for point in given["points"]),
            None if anchor is None else Case.from_dict(anchor),
            given["first"],
        )

    def to_dict(self) -> dict[str, Any]:
        """The request for JSON."""
        return {
            "points": [[case.to_dict() for case in point] for point in self.points],
            "anchor": None if self.anchor is None else self.anchor.to_dict(),
            "first": self.first,
        }


class Output:
    """Writes lines to the real stdout; anything that a library prints goes to stderr."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # a library that prints must not garble the protocol
        self._file.write("\n")  # ends a line that a library has begun; the reader skips it
        self._flushed_at = 0.0

    def write(self, line: dict[str, Any], at_once: bool = True) -> None:
        """Write one line, at once or with the next lines."""
        self._file.write(json.dumps(line) + "\n")
        if at_once or time.monotonic() - self._flushed_at > FLUSH_S:
            self._file.flush()
            self._flushed_at = time.monotonic()


class Requests:
    """The requests that come in on stdin."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self.cancelled = threading.Event()

    def read(self, stream: BinaryIO) -> None:
        """Take lines until there are no more; then end the process, also while a call hangs."""
        status = 1
        try:
            for line in stream:
                self._take(json.loads(line))
            status = 0
        except Exception:
            traceback.print_exc()
            sys.stderr.flush()
        finally:  # a worker that no longer listens would be an orphan
            os._exit(status)

    def next(self) -> Request:
        """Wait for the next request."""
        return self._waiting.get()

    def _take(self, given: Any) -> None:
        if "cancel" in given:
            self.cancelled.set()
            return
        self.cancelled.clear()
        self._waiting.put(Request.from_dict(given))


def limit_memory() -> None:
    """Make an allocation far over the budget an error in this process."""
    with contextlib.suppress(OSError):  # Linux only: out of memory, the system ends this process
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    try:
        import resource
    except ImportError:  # no such limit on this system; only the prediction protects
        return
    import torch

    from embviz.timing.groups import budget_bytes

    if not torch.cuda.is_available():  # CUDA reserves address space that counts as data
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = budget_bytes() + SPARE_BYTES + (os.cpu_count() or 1) * STACK_BYTES
        if hard == resource.RLIM_INFINITY or wanted < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def serve(hostname: bool = True) -> int:
    """Answer requests until stdin ends; an error ends the process with one line on stderr.

    Args:
        hostname: whether the environment may have the machine's name.
    """
    output, requests = Output(), Requests()
    # First of all, so that the process ends with its parent even while PyTorch is imported.
    threading.Thread(target=requests.read, args=(sys.stdin.buffer,), daemon=True).start()
    try:
        _answer(output, requests, hostname)
    except Exception as error:
        print(f"embviz: {error}", file=sys.stderr, flush=True)
    os._exit(2)  # a plain exit would wait for the thread that reads


def _answer(output: Output, requests: Requests, hostname: bool) -> None:
    from embviz.core.machine import default_threads, environment
    from embviz.timing.calibration import calibrate
    from embviz.timing.measure import Cancelled, Measuring

    limit_memory()
    usual = ("cpu", "float32", default_threads())
    calibrations = {usual: calibrate(*usual)}
    output.write({"type": "ready", "environment": environment(hostname)})

    def announce(case: Case) -> None:
        output.write({"type": "now", "case": case.to_dict()})

    while True:
        asked = requests.next()
        measuring = Measuring(calibrations, announce, requests.cancelled.is_set)
        with contextlib.suppress(Cancelled):
            for result in measuring.rounds(asked.points, asked.anchor, asked.first):
                for line in result.lines():
                    output.write(line, at_once=False)
        del measuring  # its tensors
        output.write(
            {
                "type": "done",
                "cancelled": requests.cancelled.is_set(),
                "calibrations": list(calibrations.values()),
            }
        )
