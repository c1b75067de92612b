"""Cases for sweeps, and waits for sweeps and worker processes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from embviz.timing import queue
from embviz.timing.cases import Case, plan
from embviz.timing.results import Failure, Measurement
from embviz.timing.runs import Run
from embviz.timing.sweep import Engine, Sweep

ROOT = Path(__file__).resolve().parents[2]
SOON_S = 60.0  # for waits that end at once on a quiet machine
AT_ONCE_S = 10.0  # for waits that no call delays: a case of SLOW's size takes eight calls
# Half a TFLOP in one call, in 640 MiB: seconds on any CPU core.
SLOW = Case("matmul", 4096, 8192, 8192)


Lines = list[dict[str, Any]]  # of a run file


def points(*rows: int) -> list[Case]:
    """Two quick methods at each of these sizes."""
    return plan("vocab", rows, ["lookup", "matmul"], ["cpu"], embedding_dim=4, tokens=4)


def until(true: Callable[[], Any], seconds: float = SOON_S) -> Any:
    """Wait until `true()` is true; returns its value."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)
    return found


def worker_pid(engine: Engine) -> int | None:
    """The process id of the engine's worker, if it runs."""
    worker = engine._worker
    return worker.pid if worker is not None and worker.alive else None


def until_slow(pid: int | None) -> int:
    """The worker's process id, once it holds the 640 MiB of SLOW."""
    assert pid is not None
    until(lambda: psutil.Process(pid).memory_info().rss > 2**29)
    return pid


def script(code: str, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A Python process whose queue of sweeps is in the folder."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, queue.FOLDER_VARIABLE: str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def finished(sweep: Sweep) -> Sweep:
    """The sweep, once it is over."""
    assert sweep.finished.wait(SOON_S), f"still {sweep.state}, {len(sweep.results)} results"
    return sweep


def measured(sweep: Sweep | Run) -> list[Case]:
    """The cases that were measured, in order, without controls and anchor."""
    return [r.case for r in sweep.results if isinstance(r, Measurement) and not r.helps]


def failed(sweep: Sweep) -> list[Failure]:
    """The failures, each with a reason that is a sentence."""
    failures = [one for one in sweep.results if isinstance(one, Failure)]
    for one in failures:
        assert one.reason.isprintable()
        assert 10 < len(one.reason) < 400
        assert "Traceback" not in one.reason
    return failures


def is_gone(pid: int) -> bool:
    """Whether a process has ended; a zombie has."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
