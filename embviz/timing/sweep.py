"""Sweeps as the rest of embviz sees them: start, watch, stop; and the worker behind them.

The one `Engine` of a process keeps one worker process warm. A sweep waits in the queue of this
machine, sends its cases point by point, and collects the results. A case that takes too long, or a
worker that dies, costs that case alone: the rest goes to a new worker.
"""

from __future__ import annotations

import contextlib
import datetime
import threading
import time
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from embviz.core import activity, bounds
from embviz.core.child import Child, ChildError
from embviz.timing.cases import MAX_CASES, Case, CaseError, too_many
from embviz.timing.queue import QueueFull, Ticket
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.runs import read_result
from embviz.timing.series import ROUNDS
from embviz.timing.worker import Request

CASE_S = 20.0  # a single call, or a case's preparation, may take so long
START_S = 120.0  # a worker may take so long to import PyTorch
STOP_S = 0.25  # a call that lasts longer after Stop is ended with its worker
CLOSE_S = 1.5  # for sweeps to end by themselves when their engine closes

Sink = Callable[[dict[str, Any]], None]
Watcher = Callable[["Sweep"], None]  # called when a sweep waits, begins and is over


class Worker(Child):
    """The measuring process.

    Args:
        options: further options of `time --worker`.

    Attributes:
        environment: facts about its machine; empty until it is ready.
    """

    def __init__(self, *options: str) -> None:
        super().__init__("the worker process", "time", "--worker", *options)
        self.environment: dict[str, Any] = {}

    def wait_ready(self, stopped: threading.Event) -> None:
        """Wait until it has imported PyTorch and knows its machine.

        Raises:
            ChildError: it did not start in time.
        """
        end = time.monotonic() + START_S
        while not self.environment and not stopped.is_set():
            line = self.receive(0.05)
            if line is not None and line.get("type") == "ready":
                self.environment = line["environment"]
            elif time.monotonic() > end:
                raise ChildError(f"the worker did not start within {START_S:.0f} s")


class Sweep:
    """One sweep: its cases, its progress and its results; safe to read while it runs.

    Attributes:
        state: `queued`, `starting`, `running`, `done`, `stopped` or `failed`.
        place: position in the machine's queue and its length, while queued.
        groups: of points, each measured in rounds of its own, because they fill the memory.
        error: the sentence that says why the whole sweep failed.
        limit_s: seconds of measuring after which it is stopped (EMBVIZ_SWEEP_SECONDS).
        cut: the sentence that says so, if it was.
        first_s: seconds from Start to the first measurement.
        wall_s: seconds of measuring, without the wait in the queue.
        stopping: set once somebody asked it to end.
        finished: set at its end.
    """

    def __init__(
        self, cases: Sequence[Case], sink: Sink | None = None, watcher: Watcher | None = None
    ) -> None:
        if not cases:
            raise CaseError("a sweep needs at least one case.")
        if len(cases) > MAX_CASES:
            raise too_many(len(cases))
        self.cases = list(cases)
        self._sink, self._watcher = sink, watcher
        self.limit_s = bounds.SWEEP_S.value()
        self.cut = ""
        self.state = "queued"
        self.place = (0, 0)
        self._found: dict[tuple[Case, bool, bool], Result] = {}
        self._rounds_of_groups: list[int] = []
        self.groups = 1
        self.error = ""
        self.environment: dict[str, Any] = {}
        self.activity = activity.Activity()
        self.floors: list[dict[str, Any]] = []
        self.date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self.first_s: float | None = None
        self.wall_s = 0.0
        self._asked = self._began = time.monotonic()
        self.stopping = threading.Event()
        self.finished = threading.Event()

    def stop(self) -> None:
        """Ask it to end; its results stay."""
        self.stopping.set()

    def stop_in_time(self) -> None:
        """Stop it once it has measured for `limit_s`: others wait in the queue."""
        if self.state == "running" and not self.stopping.is_set():
            if time.monotonic() - self._began < self.limit_s:
                return
            bounds.SWEEP_S.refused()
            self.cut = (
                f"one sweep may take {self.limit_s:,} s here ({bounds.SWEEP_S.variable}), and "
                f"{self.rounds[0]} of {self.rounds[1]} rounds fitted in."
            )
            self.stop()

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return not self.finished.is_set()

    @property
    def results(self) -> list[Result]:
        """Measurements and failures so far, in the order of the cases; the anchor last."""
        places = {case: place for place, case in enumerate(self.cases)}
        found = list(self._found.items())
        found.sort(key=lambda one: (one[0][2], places.get(one[0][0], 0), one[0][1]))
        return [result for _, result in found]

    @property
    def rounds(self) -> tuple[int, int]:
        """Rounds that are measured, and rounds of the whole sweep."""
        return sum(self._rounds_of_groups), self.groups * ROUNDS

    @property
    def timed_s(self) -> float:
        """Seconds inside timed blocks."""
        return sum(one.timed_s for one in list(self.results) if isinstance(one, Measurement))

    @property
    def seconds_left(self) -> float | None:
        """Estimated from the rounds that are measured."""
        done, total = self.rounds
        if self.state != "running" or done < 2:
            return None
        return (time.monotonic() - self._began) / done * (total - done)

    def add(self, result: Result) -> None:
        """Keep a result: a failure instead of all blocks of its case, or one more round."""
        if isinstance(result, Failure):
            for key in [key for key in self._found if key[0] == result.case and not key[2]]:
                del self._found[key]
            self._found[result.case, False, False] = result
        else:
            if self.first_s is None:
                self.first_s = time.monotonic() - self._asked
            key = (result.case, result.control, result.anchor)
            before = self._found.get(key)
            if isinstance(before, Failure):
                return
            self._found[key] = before.with_rounds(result) if before else result
            if self._rounds_of_groups:
                self._rounds_of_groups[-1] = max(self._rounds_of_groups[-1], len(result.rounds) - 1)
        self._write(result.to_dict())

    def next_group(self) -> None:
        """A group of points begins."""
        if self._rounds_of_groups:
            self._rounds_of_groups[-1] = ROUNDS
        self._rounds_of_groups.append(0)

    @property
    def round(self) -> int:
        """The round under way in this group."""
        return self._rounds_of_groups[-1]

    def begin(self, environment: dict[str, Any]) -> None:
        """The worker is ready."""
        threads = sorted({case.threads for case in self.cases})
        ran = {"threads": threads[0] if len(threads) == 1 else [*map(str, threads)]}
        self.environment = {**environment, **activity.now(), **ran}  # a warm worker's are old
        self.state, self._began = "running", time.monotonic()
        self._write(self.header())
        self.watch()

    def finish(self, state: str, error: str = "") -> None:
        """End it in this state."""
        if self.state == "running":
            self.wall_s = time.monotonic() - self._began
        self.state, self.error = state, error
        if state == "done" and self._rounds_of_groups:
            self._rounds_of_groups[-1] = ROUNDS
        try:
            if self.environment:
                self._write(self.end_line())
        except Exception as failure:  # `finished` must be set all the same
            self.state, self.error = "failed", f"{type(failure).__name__}: {failure}"
        self.finished.set()
        self.watch()

    def watch(self) -> None:
        """Call the watcher."""
        if self._watcher is not None:
            self._watcher(self)

    def _write(self, line: dict[str, Any]) -> None:
        if self._sink is not None:
            sink, self._sink = self._sink, None  # a sink that fails is not called again
            sink(line)
            self._sink = sink

    def header(self) -> dict[str, Any]:
        """The environment line of its run file."""
        return {"type": "environment", "date": self.date, **self.environment}

    def end_line(self) -> dict[str, Any]:
        """The last line of its run file."""
        end = {
            "type": "end",
            "status": self.state,
            "wall_s": self.wall_s,
            "timed_s": self.timed_s,
            "first_point_s": self.first_s,
            **self.activity.to_dict(),
            "floors": self.floors,
        }
        return {**end, "reason": self.cut} if self.cut else end


class Engine:
    """The sweeps of this process: one worker, kept warm between them.

    Args:
        idle_s: seconds after which an unused worker ends (EMBVIZ_WORKER_IDLE_S).
        case_s: seconds that one call may take.
        options: further options of the worker.
    """

    def __init__(
        self, idle_s: float | None = None, case_s: float = CASE_S, options: Sequence[str] = ()
    ) -> None:
        self._options = options
        self._worker: Worker | None = None
        self._in_use = threading.Lock()
        self._idle_s = bounds.IDLE_S.value() if idle_s is None else idle_s
        self._case_s = case_s
        self._reaper: threading.Timer | None = None
        self._sweeps: set[Sweep] = set()
        self._closed = False

    def start(
        self, cases: Sequence[Case], sink: Sink | None = None, watcher: Watcher | None = None
    ) -> Sweep:
        """Put a sweep into the queue and return at once.

        Args:
            cases: what to measure; cases of one point next to each other.
            sink: given each line of the run file as it comes, in the sweep's own thread.
            watcher: given the sweep when it waits, begins and is over.

        Raises:
            CaseError, QueueFull: (ValueErrors) when it cannot even wait.
        """
        sweep, ticket = Sweep(cases, sink, watcher), Ticket()
        self._sweeps.add(sweep)
        try:
            sweep.watch()
            threading.Thread(target=self._run, args=(sweep, ticket), daemon=True).start()
        except BaseException:  # without a thread the ticket would stay in the queue for ever
            self._sweeps.discard(sweep)
            ticket.give_back()
            raise
        return sweep

    def warm(self) -> None:
        """Start the worker in the background, before the first sweep."""
        threading.Thread(target=self._warm, daemon=True).start()

    def close(self) -> None:
        """Stop all sweeps and end the worker, within a few seconds whatever they do."""
        sweeps, end = list(self._sweeps), time.monotonic() + CLOSE_S
        for sweep in sweeps:
            sweep.stop()
        for sweep in sweeps:
            sweep.finished.wait(timeout=max(0.0, end - time.monotonic()))
        held = self._in_use.acquire(timeout=max(0.1, end - time.monotonic()))
        self._closed = True  # from now on no thread starts another worker
        self._end_worker()
        if held:
            self._in_use.release()

    def _warm(self) -> None:
        with contextlib.suppress(ChildError), self._in_use:
            self._ready_worker(threading.Event())
            self._reap_later()

    def _run(self, sweep: Sweep, ticket: Ticket) -> None:
        def moved(place: int, length: int) -> None:
            sweep.place = (place, length)

        try:
            if not ticket.wait(moved, sweep.stopping.is_set):
                sweep.finish("stopped")
                return
            with self._in_use:
                sweep.state = "starting"
                try:
                    self._measure(sweep)
                except BaseException:  # its worker may still be measuring
                    self._end_worker()
                    raise
                finally:
                    self._reap_later()
        except QueueFull as error:
            sweep.finish("failed", str(error))
        except Exception as error:  # a sweep must end, whatever happened, and say so
            sweep.finish("failed", f"{type(error).__name__}: {error}")
        finally:
            ticket.give_back()
            self._sweeps.discard(sweep)

    def _measure(self, sweep: Sweep) -> None:
        groups = grouped(sweep.cases)
        sweep.groups = len(groups)
        several = len({case.group for case in sweep.cases}) > 1
        anchor = sweep.cases[0] if several else None
        for group in groups:
            left = group
            sweep.next_group()
            while left and not sweep.stopping.is_set():
                try:
                    worker = self._ready_worker(sweep.stopping)
                except ChildError as error:
                    sweep.finish("failed", f"{error}.")
                    return
                if sweep.stopping.is_set():
                    break
                if sweep.state != "running":
                    sweep.begin(worker.environment)
                asked = Request(tuple(left), anchor, sweep.round)
                with sweep.activity.beside(worker.pid):
                    left = self._measure_group(sweep, worker, asked)
        sweep.finish("stopped" if sweep.stopping.is_set() else "done")

    def _measure_group(self, sweep: Sweep, worker: Worker, asked: Request) -> list[Case]:
        """Have a group measured; returns the cases that are left when its worker was lost."""
        now, heard = asked.cases[0], time.monotonic()
        failed: set[Case] = set()
        asked_to_stop: float | None = None
        try:
            worker.send(asked.to_dict())
            while True:
                line = worker.receive(0.02 if asked_to_stop else 0.1)
                if line is not None:
                    heard = time.monotonic()
                    if line["type"] == "done":
                        sweep.floors = line["floors"]
                        return []
                    if line["type"] == "now":
                        now = Case.from_dict(line["case"])
                    else:
                        result = read_result(line)
                        if isinstance(result, Failure):
                            failed.add(result.case)
                        sweep.add(result)
                sweep.stop_in_time()
                if sweep.stopping.is_set() and asked_to_stop is None:
                    asked_to_stop = time.monotonic()
                    worker.send({"cancel": True})
                if asked_to_stop is not None and time.monotonic() - asked_to_stop > STOP_S:
                    self._end_worker()
                    return []
                if time.monotonic() - heard > self._case_s:
                    raise ChildError(f"one call took longer than the {self._case_s:g} s allowed")
        except ChildError as error:
            self._end_worker()
            left = [case for case in asked.cases if case not in failed]
            if left:  # else the next one broke it
                broken = now if now in left else left[0]
                sweep.add(Failure(broken, f"{error}."))
                left.remove(broken)
            return left

    def _ready_worker(self, stopped: threading.Event) -> Worker:
        """The warm worker, or a new one."""
        if self._reaper is not None:
            self._reaper.cancel()
        worker = self._worker
        if worker is None or not worker.alive:
            self._end_worker()
            if self._closed:
                raise ChildError("the server is closing")
            worker = self._worker = Worker(*self._options)
        if not worker.environment:
            try:
                worker.wait_ready(stopped)
            except ChildError:
                self._end_worker()
                raise
        return worker

    def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def _reap_later(self) -> None:
        """End the worker when it has not been used for a while: it holds memory."""
        if self._reaper is not None:
            self._reaper.cancel()
        self._reaper = threading.Timer(self._idle_s, self._reap)
        self._reaper.daemon = True
        self._reaper.start()

    def _reap(self) -> None:
        if self._in_use.acquire(blocking=False):  # else it is in use again
            try:
                self._end_worker()
            finally:
                self._in_use.release()


def grouped(cases: Sequence[Case]) -> list[list[Case]]:
    """The cases in groups of points whose tensors fit into memory together, in their order."""
    budget = bounds.TIMING.value() * bounds.MIB
    groups, held = list[list[Case]](), 0
    for _, those in groupby(cases, key=lambda case: case.group):
        point = list(those)
        needed = sum(case.memory_bytes for case in point)
        if not groups or held + needed > budget:
            groups.append([])
            held = 0
        groups[-1] += point
        held += needed
    return groups
