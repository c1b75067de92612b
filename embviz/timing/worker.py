"""The measuring process: cases in on stdin, results out on stdout, one JSON object a line.

`python -m embviz time --worker`. It is a process of its own because a thread of
a busy server measures the server. A line in is one case, a list of cases, or
`{"cancel": true}`; lines out are `ready`, `now` (a case about to be called),
`measurement`, `failure` and, after each request, `done`. What is not a case is
refused in a sentence and never run. When stdin ends, so does the process, even
in the middle of a call that hangs: its parent is gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import time
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

from embviz.timing.cases import MAX_CASES, Case, CaseError, quoted, too_many

MAX_LINE_BYTES = 4_000_000
# Beyond the budget of a point: PyTorch itself, its work buffers, rounding by the allocator.
SPARE_BYTES = 1 << 30
STACK_BYTES = 16 << 20  # of each OpenMP thread


class Output:
    """Where the lines go: the real stdout, which nothing else may write to."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # a library that prints must not garble the protocol
        self._lock = threading.Lock()

    def say(self, line: dict[str, Any]) -> None:
        """Write one line at once."""
        with self._lock:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()


class Requests:
    """What is asked on stdin, checked as it arrives."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._waiting: queue.SimpleQueue[list[Case]] = queue.SimpleQueue()
        self.cancelled = threading.Event()

    def read(self, stream: BinaryIO) -> None:
        """Take lines until there are no more; then end the process, whatever it is doing."""
        try:
            self._read(stream)
        finally:  # a worker that no longer listens would be an orphan
            os._exit(0)

    def _read(self, stream: BinaryIO) -> None:
        while line := stream.readline(MAX_LINE_BYTES + 1):
            if len(line) > MAX_LINE_BYTES:
                while line and not line.endswith(b"\n"):  # the rest of the endless line
                    line = stream.readline(MAX_LINE_BYTES)
                self._refuse(None, f"a line is longer than the {MAX_LINE_BYTES:,} bytes allowed.")
                self._waiting.put([])  # every request is answered by a `done`
            elif line.strip():
                self._take(line)

    def next(self) -> list[Case]:
        """Wait for the next request's cases."""
        return self._waiting.get()

    def _take(self, line: bytes) -> None:
        try:
            given = json.loads(line)
        except (ValueError, RecursionError):
            self._refuse(
                None, f"{quoted(line.strip()[:80].decode('utf-8', 'replace'))} is not JSON."
            )
            self._waiting.put([])
            return
        if isinstance(given, dict) and given.get("cancel") is True:
            self.cancelled.set()
            return
        wanted = given if isinstance(given, list) else [given]
        cases = []
        if len(wanted) > MAX_CASES:
            self._refuse(None, str(too_many(len(wanted))))
            wanted = []
        for one in wanted:
            try:
                cases.append(Case.from_dict(one))
            except CaseError as error:
                self._refuse(one, str(error))
        self.cancelled.clear()
        self._waiting.put(cases)

    def _refuse(self, given: object, reason: str) -> None:
        self._output.say({"type": "failure", "case": _echo(given), "reason": reason})


def _echo(given: object) -> object:
    """What was refused, as it came, where that is short and JSON (NaN is none)."""
    try:
        short = len(json.dumps(given, allow_nan=False)) < 1000
    except (ValueError, RecursionError):
        return None
    return given if short else None


def limit_memory() -> None:
    """Make an allocation far over the budget an error instead of the machine's trouble."""
    with contextlib.suppress(OSError):  # Linux alone: where memory runs out, this one goes
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    try:
        import resource
    except ImportError:  # no such limit on this system; the prediction alone protects
        return
    import torch

    from embviz.timing.measure import budget_bytes

    if not torch.cuda.is_available():  # CUDA reserves address space that counts as data
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = budget_bytes() + SPARE_BYTES + (os.cpu_count() or 1) * STACK_BYTES
        if hard == resource.RLIM_INFINITY or wanted < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def serve() -> int:
    """Measure what is asked until stdin ends."""
    output = Output()
    requests = Requests(output)
    # First of all, so that the process ends with its parent even while PyTorch is imported.
    threading.Thread(target=requests.read, args=(sys.stdin.buffer,), daemon=True).start()
    from embviz.core.environment import Environment
    from embviz.timing.floor import Floor
    from embviz.timing.measure import Cancelled, measure_point, timed_seconds

    try:
        limit_memory()
    except ValueError as error:  # the budget in the environment is none
        print(f"embviz: {error}", file=sys.stderr, flush=True)
        os._exit(2)  # a plain exit would wait for the thread that reads
    usual = ("cpu", "float32", default_threads())
    floors = {usual: Floor.calibrate(*usual)}
    output.say(
        {"type": "ready", "pid": os.getpid(), "environment": Environment.capture().to_dict()}
    )
    while True:
        cases = requests.next()
        started, timed, cancelled = time.perf_counter(), 0.0, False
        with contextlib.suppress(Cancelled):
            for _, group in groupby(cases, key=lambda case: case.group):
                results = measure_point(
                    list(group),
                    floors,
                    lambda case: output.say({"type": "now", "case": case.to_dict()}),
                    requests.cancelled.is_set,
                )
                for result in results:
                    timed += timed_seconds([result])
                    output.say(result.to_dict())
        cancelled = requests.cancelled.is_set()
        output.say(
            {
                "type": "done",
                "cancelled": cancelled,
                "timed_s": timed,
                "wall_s": time.perf_counter() - started,
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
