"""The part that runs inside a Dask worker: facts about its machine, one sweep, and stop.

A sweep is measured by the same engine and the same worker process as a local one. Its lines go to
the client as Dask events: those of a run file, and `state`, `batch` and `end`. The Dask process
does not import PyTorch.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from embviz import __version__
from embviz.core import machine
from embviz.timing.cases import MAX_CASES, Case
from embviz.timing.queue import busy
from embviz.timing.runs import to_line
from embviz.timing.sweep import Engine, Sweep

PROTOCOL = 2  # of the lines; it grows when an older client would misread them
LOOK_S = 0.1
BEAT_S = 2.0  # an empty message comes at least so often
MOST_PROCESSES = 100

_guard = threading.Lock()
_engines: list[Engine] = []  # one at most; it keeps its worker process warm
_running: dict[str, Sweep] = {}  # by run


def facts() -> dict[str, Any]:
    """What the client shows of this machine, as plain values."""
    return {
        "protocol": PROTOCOL,
        "embviz": __version__,
        "torch": _version("torch"),
        "cpu": machine.cpu_name(),
        "cores": machine.usable_cores(),
        "threads": machine.default_threads(),
        "most_threads": machine.most_threads()[0],
        "gpus": _gpus(),
        "busy": bool(_running) or busy(),
    }


def measure(text: str) -> None:
    """One sweep: the task that the client sends to one named machine.

    Args:
        text: a JSON object with `run`, `topic`, `cases`, `processes` and `limit_s`.
    """
    from distributed import get_worker

    asked = json.loads(text)
    worker, run, attempt = get_worker(), str(asked["run"]), secrets.token_hex(4)
    key = worker.get_current_task()

    def send(lines: list[dict[str, Any]]) -> None:
        texts = [*map(to_line, lines)]  # as texts: Dask's own format makes tuples of lists
        worker.log_event(str(asked["topic"]), {"run": run, "attempt": attempt, "lines": texts})

    def wanted() -> bool:
        """Whether client and scheduler still wait: a cancelled task goes on until it looks."""
        task = worker.state.tasks.get(key)
        alive = worker.status.name in ("running", "paused")
        return alive and task is not None and task.state not in ("cancelled", "resumed")

    passing = _Passing()
    try:
        sweep = _start(asked, passing)
    except Exception as error:  # the client must hear why
        send([{"type": "end", "status": "failed", "error": str(error) or type(error).__name__}])
        return
    _running[run] = sweep
    try:
        _pass_on(sweep, passing, send, wanted)
    finally:
        del _running[run]


def stop(run: str) -> bool:
    """End this run and its measuring process at once; False where it is not measured here."""
    sweep = _running.get(run)
    if sweep is not None:
        _engines[0].kill(sweep)
    return sweep is not None


class _Passing:
    """A sink whose lines wait in a queue; `batch` lines say where the others belong."""

    def __init__(self) -> None:
        self.lines: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._sweep: Sweep | None = None
        self._batches = 0

    def watch(self, sweep: Sweep) -> None:
        """Take the sweep before its first line; end a wait when it begins or ends."""
        self._sweep = sweep
        self.lines.put({})

    def append(self, line: dict[str, Any]) -> None:
        """Keep one line."""
        assert self._sweep is not None
        count = self._sweep.batches
        if line["type"] in ("times", "failure") and count != self._batches:
            self._batches = count
            named = {"process": self._sweep.process, "count": count}
            self.lines.put({"type": "batch", **named, "planned": self._sweep.planned})
        if line["type"] != "end":  # `_pass_on` sends it, also where nothing was measured
            self.lines.put(line)

    def take(self, timeout_s: float) -> list[dict[str, Any]]:
        """The lines that have come; waits for the first one."""
        found = list[dict[str, Any]]()
        try:
            found.append(self.lines.get(timeout=timeout_s))
            while True:
                found.append(self.lines.get_nowait())
        except queue.Empty:
            return [line for line in found if line]


def _start(asked: Mapping[str, Any], passing: _Passing) -> Sweep:
    given, processes = asked["cases"], asked["processes"]
    if not isinstance(given, list) or len(given) > MAX_CASES:
        raise ValueError(f"a sweep is a list of at most {MAX_CASES:,} cases.")
    if type(processes) is not int or not 1 <= processes <= MOST_PROCESSES:
        raise ValueError(f"a sweep has 1 to {MOST_PROCESSES} processes.")
    cases = [Case.from_dict(one) for one in given]
    with _guard:
        if not _engines:
            _engines.append(Engine(variables=_set_by_dask()))
    sweep = _engines[0].start(cases, passing, passing.watch, processes)
    sweep.limit_s = min(sweep.limit_s, int(asked["limit_s"]))
    return sweep


def _set_by_dask() -> dict[str, None]:
    """The variables that Dask's nanny sets for its own work, each with None: `Engine` removes them.

    With `MALLOC_TRIM_THRESHOLD_` a large allocation takes two to three times as long.
    """
    import dask.config
    from distributed import get_worker

    if get_worker().nanny is None:  # only the nanny sets them
        return {}
    given = dask.config.get("distributed.nanny.pre-spawn-environ", {})
    return {name: None for name, value in given.items() if os.environ.get(name) == str(value)}


def _pass_on(
    sweep: Sweep,
    passing: _Passing,
    send: Callable[[list[dict[str, Any]]], None],
    wanted: Callable[[], bool],
) -> None:
    """Send what the sweep says until it is over."""
    told, sent = ("", (0, 0)), 0.0
    while True:
        over = sweep.finished.is_set()
        lines = passing.take(0.001 if over else LOOK_S)
        now = (sweep.state, sweep.place)
        if now != told and now[0] in ("queued", "starting"):
            told = now
            lines.insert(0, {"type": "state", "state": now[0], "place": list(now[1])})
        if over:
            lines.append({**sweep.end_line(), "error": sweep.error})
        if lines or time.monotonic() - sent > BEAT_S:
            send(lines)
            sent = time.monotonic()
        if over:
            return
        if not wanted():
            _engines[0].kill(sweep)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


@cache
def _gpus() -> list[str]:
    """NVIDIA's GPUs by name."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    asked = [tool, "--query-gpu=name", "--format=csv,noheader"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=2)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []
