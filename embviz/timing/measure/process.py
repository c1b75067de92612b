"""The measuring process, `python -m embviz.timing.measure.process`: cases in, times out.

It is apart from the server, whose threads would compete with the timed calls for Python's lock,
and it imports PyTorch and numpy alone. A line in is a request: `cases` (all of the sweep), `skip`
(indices of those that are left out), `process` and `first` (the round to begin with). Lines out are
`ready`, and for each request `environment`, the lines of `rounds`, and `done`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from queue import SimpleQueue

from embviz.system import bounds
from embviz.system.machine import most_threads
from embviz.timing.measure.ceilings import calibrate, floor
from embviz.timing.measure.timed import Line, Timed

# Bytes beyond the budget: PyTorch itself, its work buffers, rounding by the allocator.
SPARE_BYTES = 1 << 30
STACK_BYTES = 16 << 20  # Bytes of the stack of an OpenMP thread.


class Output:
    """Writes lines to the real stdout; anything that a library prints goes to stderr."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        self._file.write("\n")  # ends a line that a library has begun; the reader skips it

    def write(self, line: Line) -> None:
        """Write one line; times go with the next other line, because the parent wakes up for it."""
        self._file.write(json.dumps(line) + "\n")
        if line["type"] != "times":
            self._file.flush()


def _read(requests: SimpleQueue[Line]) -> None:
    """Take requests until stdin ends, with the parent; then end the process, even in a call."""
    try:
        for line in sys.stdin.buffer:
            requests.put(json.loads(line))
    finally:
        os._exit(0)


def _limit_memory() -> None:
    """Make an allocation far over the budget an error in this process."""
    import torch

    with suppress(OSError):  # Linux only: out of memory, the system ends this process
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    with suppress(ImportError):  # This system has no such limit.
        import resource

        wanted = bounds.TIMING.value() * bounds.MIB + SPARE_BYTES
        wanted += most_threads()[0] * STACK_BYTES
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        # CUDA reserves address space that counts as data.
        if not torch.cuda.is_available() and (hard == resource.RLIM_INFINITY or wanted < hard):
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def _calibrated(cases: list[Timed]) -> Iterator[Line]:
    """A calibration of each device, dtype and number of threads."""
    for key in dict.fromkeys((case.device, case.dtype, case.threads) for case in cases):
        with suppress(Exception):  # The cases say why.
            yield calibrate(*key)


@cache
def gpu_floor() -> dict[str, list[float]] | None:
    """Seconds of an empty kernel by both clocks, once in a process; None without a GPU."""
    import torch

    with suppress(Exception):  # the cases say why
        return floor(torch.zeros(1, device="cuda").zero_)
    return None


def _answer(output: Output, requests: SimpleQueue[Line]) -> None:
    from embviz.system.machine import default_threads, environment
    from embviz.timing.measure import rounds
    from embviz.timing.measure.budget import too_large

    _limit_memory()
    calibrate("cpu", "float32", default_threads())  # the usual one, before anybody waits
    output.write({"type": "ready"})
    while True:
        request = requests.get()
        cases = [Timed(**fields) for fields in request["cases"]]
        points = rounds.points_of(cases, skip=request["skip"])
        left = [series.case for point in points for series in point]
        facts = environment(hostname=False) | {"remade": too_large(left)}
        facts |= {"date": datetime.now(UTC).isoformat(timespec="seconds")}
        if any(case.device == "cuda" for case in cases):
            facts["floor"] = gpu_floor()
        output.write({"type": "environment", **facts, "calibrations": [*_calibrated(left)]})
        for line in rounds.rounds(points, request["process"], request["first"]):
            output.write(line)
        del points  # This frees the tensors.
        output.write({"type": "done"})


def main() -> None:
    """Answer requests until stdin ends; an error ends the process with one line on stderr."""
    output, requests = Output(), SimpleQueue[Line]()
    # First of all, so that the process ends with its parent even while PyTorch is imported.
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    try:
        _answer(output, requests)
    except Exception as error:
        print(f"embviz: {error}", file=sys.stderr, flush=True)
    os._exit(2)  # a plain exit would wait for the thread that reads


if __name__ == "__main__":
    main()
