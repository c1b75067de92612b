"""One sweep: its place in the queue, the worker process that measures it, and how it ends.

An `Engine` measures one sweep after another, and a file lock keeps it apart from those of other
processes: two sweeps at once would time each other. One worker stays warm between sweeps. Nothing
is measured in this process. A worker that ends, or hangs, costs the case under way.
"""

from __future__ import annotations

import contextlib
import os
import platform
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from functools import partial

from filelock import FileLock, Timeout

from embviz.system import bounds
from embviz.system.child import Child, ChildError
from embviz.system.data_folder import FILE_MODE, FOLDER_VARIABLE, data_folder, make_private
from embviz.system.machine import most_threads
from embviz.text.refused import Refused
from embviz.text.wording import counted, without_paths
from embviz.timing.measure.run import Run, check_lines
from embviz.timing.measure.timed import ROUNDS, Line, Timed

CASE_S = 20.0  # Seconds that a single call, or a case's preparation, may take.
START_S = 120.0  # Seconds in which a worker imports PyTorch, at most.
CLOSE_S = 1.5  # Seconds in which the sweeps of an engine end when it closes.
LOOK_S = 0.05  # Seconds between two looks at a sweep that measures.
Sink = Callable[[Line], object]


def lock() -> FileLock:
    """The lock that the running sweep of this user and machine holds, in the data folder.

    Raises:
        Refused: it cannot be written there.
    """
    folder = data_folder()
    with contextlib.suppress(OSError):
        make_private(folder)
    if not os.access(f"{folder}/", os.W_OK):  # With the slash, a file is refused too.
        raise Refused(f"Sweeps need a folder that can be written; set {FOLDER_VARIABLE}.")
    name = f"sweep-{platform.node()}.lock"  # Machines may share the folder.
    return FileLock(folder / name, mode=FILE_MODE)


class Sweep:
    """One sweep; every thread may read it while it runs.

    Args:
        cases: what to measure.
        sink: given each line of the run file as it comes, in the sweep's own thread.
        processes: fresh worker processes, each of which measures everything.
        question: the one that was pressed on the page, for the run file; else empty.

    Attributes:
        run: what was measured so far.
        state: `queued`, `starting`, `running`, `done`, `stopped` or `failed`.
        done: rounds that are complete.
        reason: the sentence that says why it failed, or was stopped by the time limit.
        trouble: the sentence of a sink that refused a line, and gets no more.
        limit_s: seconds of measuring after which it is stopped (EMBVIZ_SWEEP_SECONDS).
        stopping: set once somebody asked it to end.
        finished: set at its end.

    Raises:
        RunError: its file could not be read again.
    """

    def __init__(
        self,
        cases: Sequence[Timed],
        sink: Sink | None = None,
        processes: int = 1,
        question: str = "",
    ) -> None:
        check_lines(cases, processes)
        self.cases, self.processes, self.question, self._sink = cases, processes, question, sink
        self.run, self.state, self.reason, self.trouble = Run("this machine"), "queued", "", ""
        self.done, self.limit_s, self._began, self._ended = 0, bounds.SWEEP_S.value(), 0.0, 0.0
        self.stopping, self.finished = threading.Event(), threading.Event()
        self.cancel: Callable[[], object] = self.stopping.set

    def stop(self) -> None:
        """Ask the sweep to end; its times stay."""
        self.stopping.set()
        self.cancel()

    @property
    def active(self) -> bool:
        """Whether the sweep waits or runs."""
        return not self.finished.is_set()

    @property
    def rounds(self) -> tuple[int, int]:
        """Rounds that are complete, and planned, in all processes."""
        return self.done, self.processes * ROUNDS

    @property
    def seconds(self) -> float:
        """Seconds of measuring so far."""
        return (self._ended or time.monotonic()) - self._began if self._began else 0.0

    def begin(self) -> None:
        """Note that the machine is free: the sweep measures from now on."""
        self.state, self._began = "running", time.monotonic()

    def add(self, line: Line) -> None:
        """Keep one line of the run file; it has none before the machine is known.

        The first line, of the machine, gets the cases and the question of this sweep.
        """
        if line["type"] == "environment":
            if self.run.environment:
                return  # A later process tells of its machine again.
            line = line | {"question": self.question, "cases": [*map(asdict, self.cases)]}
        self.run.add(line)
        if self._sink and self.run.environment and not self.trouble:
            try:
                self._sink(line)
            except Refused as error:
                self.trouble = str(error)

    def skipped(self) -> list[int]:
        """The indices of the cases that failed: they are measured no more."""
        return [index for index, case in enumerate(self.cases) if case in self.run.failures]

    def finish(self, state: str, reason: str = "") -> None:
        """End the sweep in this state: `done`, `stopped` or `failed`."""
        self._ended, self.reason = time.monotonic(), reason
        if state == "done":
            self.done = self.rounds[1]
        try:
            self.add({"type": "end", "status": state, "wall_s": self.seconds, "reason": reason})
        finally:
            self.state = state
            self.finished.set()


class Engine:
    """Measures sweeps one after another, with one worker process that it keeps warm.

    Call `close` before the process ends: Python waits for the thread that measures.

    Args:
        case_s: seconds that one call may take.
        variables: of the worker, beside those of this process; None removes one.
    """

    def __init__(
        self, case_s: float = CASE_S, variables: Mapping[str, str | None] | None = None
    ) -> None:
        self._case_s, self._variables = case_s, variables
        self._pool = ThreadPoolExecutor(1, "embviz-sweep")  # One thread alone uses the worker.
        self._sweeps = list[Sweep]()
        self._worker: Child | None = None
        self._idle = threading.Timer(0, self._end_worker)

    def start(
        self,
        cases: Sequence[Timed],
        sink: Sink | None = None,
        processes: int = 1,
        question: str = "",
    ) -> Sweep:
        """Put a sweep into the queue and return at once; arguments as of `Sweep`.

        Raises:
            Refused: when it cannot even wait.
        """
        lock()
        sweep = Sweep(cases, sink, processes, question)
        most, limit = most_threads()
        if any(case.threads > most for case in cases):
            said = f"at most {counted(most, 'thread')} can run at once here: {limit}."
            raise Refused(said, {f"Use {most}": {"threads": most}}, "threads")
        if len(self._sweeps) >= (most := bounds.SWEEPS.value()):
            raise Refused(f"the queue is full ({counted(most, 'sweep')}): try again in a minute.")
        self._sweeps.append(sweep)
        future = self._pool.submit(self._run, sweep)
        sweep.cancel = future.cancel
        future.add_done_callback(partial(self._over, sweep))
        return sweep

    def warm(self) -> None:
        """Start the worker in the background, before the first sweep."""
        self._pool.submit(self._rest, self._start_worker)

    def close(self) -> None:
        """Stop all sweeps and end the worker, within two seconds whatever they do."""
        for sweep in list(self._sweeps):
            sweep.stop()
        # A sink hangs, or `close` was called before.
        with contextlib.suppress(TimeoutError, RuntimeError):
            self._pool.submit(self._end_worker).result(CLOSE_S)
        self._pool.shutdown(wait=False)
        self._idle.cancel()
        self._end_worker()

    def _over(self, sweep: Sweep, future: Future[tuple[str, str]]) -> None:
        self._sweeps.remove(sweep)
        sweep.finish(*(("stopped",) if future.cancelled() else future.result()))

    def _run(self, sweep: Sweep) -> tuple[str, str]:
        """Measure a sweep, and return its last state and the reason."""
        try:
            with lock().acquire(cancel_check=sweep.stopping.is_set):
                sweep.state = "starting"
                whole = all(self._measure(sweep, number) for number in range(sweep.processes))
            return "done" if whole else "stopped", sweep.reason
        except Timeout:  # Somebody stopped it while it waited.
            return "stopped", ""
        except Exception as error:  # A sweep must end, whatever happened, and say so.
            self._end_worker()  # The worker may still be measuring.
            kind = "" if isinstance(error, ChildError) else f"{type(error).__name__}: "
            return "failed", f"{kind}{without_paths(str(error))}."
        finally:
            self._rest(self._start_worker if sweep.stopping.is_set() else None)

    def _measure(self, sweep: Sweep, process: int) -> bool:
        """Have all cases measured by one process, or by others where it is lost.

        Returns:
            whether nobody stopped it.

        Raises:
            ChildError: a second worker is lost, or does not start, with no case as the cause.
        """
        if process:
            self._end_worker()
        first, lost = 0, False
        cases = [*map(asdict, sweep.cases)]
        while len(skip := sweep.skipped()) < len(cases):
            worker, now = self._start_worker(), None
            ready, heard = False, time.monotonic()
            try:
                asked = {"cases": cases, "skip": skip, "process": process, "first": first}
                worker.send(asked)
                while not self._stopped(sweep, ready):
                    line = worker.receive(LOOK_S) or {"type": ""}
                    if line["type"]:
                        ready, heard = True, time.monotonic()
                    elif time.monotonic() - heard > (most := self._case_s if ready else START_S):
                        raise ChildError(f"one call took longer than the {most:g} s allowed")
                    if line["type"] == "done":
                        return True
                    if line["type"] == "round":
                        first = line["round"] + 1
                        sweep.done = process * ROUNDS + first
                    elif line["type"] == "now":
                        now = line["case"]
                    elif line["type"] in ("environment", "times", "failure"):
                        sweep.add(line)
                return False
            except ChildError as error:
                self._end_worker()
                if now is not None:
                    reason = f"{without_paths(str(error))}."
                    sweep.add({"type": "failure", "case": now, "reason": reason})
                elif lost:
                    raise
                else:
                    lost = True
        return True

    def _stopped(self, sweep: Sweep, ready: bool) -> bool:
        """Whether a sweep is stopped, also by its time limit; then the worker has ended."""
        if sweep.state == "starting" and ready:
            sweep.begin()
        if sweep.seconds > sweep.limit_s:
            sweep.reason = (
                f"one sweep may take {sweep.limit_s:,} s here ({bounds.SWEEP_S.variable}), and "
                f"{sweep.done} of {counted(sweep.rounds[1], 'round')} fitted in."
            )
            sweep.stopping.set()
        if sweep.stopping.is_set():
            self._end_worker()
        return sweep.stopping.is_set()

    def _start_worker(self) -> Child:
        """The worker, started if there is none; it may not be ready, or have ended."""
        if self._worker is None:
            module = "embviz.timing.measure.process"
            self._worker = Child("the worker process", module, environment=self._variables)
        return self._worker

    def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def _rest(self, begin: Callable[[], object] | None) -> None:
        """Start a worker for the next sweep. It holds memory, so it ends if no sweep comes."""
        self._idle.cancel()
        end = partial(self._pool.submit, self._end_worker)
        self._idle = threading.Timer(bounds.IDLE_S.value(), end)
        self._idle.daemon = True
        self._idle.start()
        if begin:
            with contextlib.suppress(ChildError):  # The next sweep says why.
                begin()
