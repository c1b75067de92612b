"""The measuring process: cases in on stdin, results out on stdout, one JSON value a line.

`python -m embviz time --worker`. It is apart from the server, whose threads would compete
with the timed calls for Python's lock. A line in is a list of cases or `{"cancel": true}`. Lines
out are `ready`, `now` (a case that is about to be called), `measurement`, `failure` and, after each
request, `done`. Its parent has checked the cases. When stdin ends, the parent is gone: the process
ends at once, even in the middle of a call that hangs.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import traceback
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

from embviz.timing.cases import Case

# Beyond the budget of a point: PyTorch itself, its work buffers, rounding by the allocator.
SPARE_BYTES = 1 << 30
STACK_BYTES = 16 << 20  # of each OpenMP thread


class Output:
    """Writes lines to the real stdout; anything that a library prints goes to stderr."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # a library that prints must not garble the protocol

    def write(self, line: dict[str, Any]) -> None:
        """Write one line at once."""
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


class Requests:
    """The requests that come in on stdin."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[list[Case]] = queue.SimpleQueue()
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

    def next(self) -> list[Case]:
        """Wait for the next request's cases."""
        return self._waiting.get()

    def _take(self, given: Any) -> None:
        if isinstance(given, dict):
            self.cancelled.set()
            return
        self.cancelled.clear()
        self._waiting.put([Case.from_dict(one) for one in given])


def limit_memory() -> None:
    """Make an allocation far over the budget an error in this process."""
    with contextlib.suppress(OSError):  # Linux only: out of memory, the system ends this process
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    try:
        import resource
    except ImportError:  # no such limit on this system; only the prediction protects
        return
    import torch

    from embviz.timing.measure import budget_bytes

    if not torch.cuda.is_available():  # CUDA reserves address space that counts as data
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = budget_bytes() + SPARE_BYTES + (os.cpu_count() or 1) * STACK_BYTES
        if hard == resource.RLIM_INFINITY or wanted < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def serve() -> int:
    """Answer requests until stdin ends; an error ends the process with one line on stderr."""
    output, requests = Output(), Requests()
    # First of all, so that the process ends with its parent even while PyTorch is imported.
    threading.Thread(target=requests.read, args=(sys.stdin.buffer,), daemon=True).start()
    try:
        _answer(output, requests)
    except Exception as error:
        print(f"embviz: {error}", file=sys.stderr, flush=True)
    os._exit(2)  # a plain exit would wait for the thread that reads


def _answer(output: Output, requests: Requests) -> None:
    from embviz.core.environment import Environment
    from embviz.timing.floor import Floor
    from embviz.timing.measure import Cancelled, measure_point

    limit_memory()
    usual = ("cpu", "float32", default_threads())
    floors = {usual: Floor.calibrate(*usual)}
    output.write({"type": "ready", "environment": Environment.capture().to_dict()})

    def announce(case: Case) -> None:
        output.write({"type": "now", "case": case.to_dict()})

    while True:
        cases = requests.next()
        with contextlib.suppress(Cancelled):
            for _, group in groupby(cases, key=lambda case: case.group):
                point = measure_point(list(group), floors, announce, requests.cancelled.is_set)
                for result in point:
                    output.write(result.to_dict())
        output.write(
            {
                "type": "done",
                "cancelled": requests.cancelled.is_set(),
                "floors": [floor.to_dict() for floor in floors.values()],
            }
        )


def default_threads() -> int:
    """PyTorch's threads for a sweep: one core less than there are, for everything else."""
    try:
        import psutil

        cores = psutil.cpu_count(logical=False)
    except ImportError:
        cores = None
    return max(1, (cores or os.cpu_count() or 1) - 1)
