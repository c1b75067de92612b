"""Sweeps as the rest of embviz sees them: start, watch, stop; and the worker behind them.

The one `Engine` of a process keeps one worker process warm. A sweep waits in the queue of this
machine, sends groups of points, each measured in rounds, and collects the results. A case that
takes too long, or ends its worker, is lost alone: the rest goes to a new worker and keeps its
rounds.
"""

from __future__ import annotations

import contextlib
import datetime
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from embviz.core import bounds, machine
from embviz.core.child import Child, ChildError
from embviz.core.wording import without_paths
from embviz.timing.cases import MAX_CASES, Case, CaseError, too_many
from embviz.timing.chart_lines import question
from embviz.timing.groups import Points, anchor_of, grouped
from embviz.timing.intervals import FEWEST
from embviz.timing.queue import QueueFull, Ticket
from embviz.timing.results import ROUNDS, Failure, Pool, Result
from embviz.timing.runs import MAX_LINES, Run, read_result
from embviz.timing.worker import Request

CASE_S = 20.0  # a single call, or a case's preparation, may take so long
START_S = 120.0  # a worker may take so long to import PyTorch
STOP_S = 0.25  # a call that lasts longer after Stop is ended with its worker
CLOSE_S = 1.5  # for sweeps to end by themselves when their engine closes

MOST_LOST = 3  # workers of one sweep that end while no case is known to be the cause
Watcher = Callable[["Sweep"], None]  # called when a sweep waits, begins and is over


class Worker(Child):
    """The measuring process.

    Args:
        options: further options of `time --worker`.
        variables: that it gets beside those of this process; None removes one.

    Attributes:
        environment: facts about its machine; empty until it is ready.
    """

    def __init__(self, *options: str, variables: Mapping[str, str | None]) -> None:
        super().__init__("the worker process", "time", "--worker", *options, environment=variables)
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


class Sink(Protocol):
    """Keeps a run file; see `RunFile`."""

    def append(self, line: dict[str, Any]) -> None:
        """Take one more line."""


class Sweep:
    """One sweep: its cases, its progress and its results; safe to read while it runs.

    Attributes:
        state: `queued`, `starting`, `running`, `done`, `stopped` or `failed`.
        place: position in the machine's queue and its length, while queued.
        processes: fresh worker processes, each of which measures everything.
        error: the sentence that says why the whole sweep failed.
        limit_s: seconds of measuring after which it is stopped (EMBVIZ_SWEEP_SECONDS).
        cut: the sentence that says so, if it was.
        arrived: whether any time has come.
        wall_s: seconds of measuring, without the wait in the queue.
        failed: cases that gave no time.
        lost: workers that ended while no case was known to be the cause.
        planned: rounds of all groups of points in all processes; 0 while it is not known.
        stopping: set once somebody asked it to end.
        finished: set at its end.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        sink: Sink | None = None,
        watcher: Watcher | None = None,
        processes: int = 1,
    ) -> None:
        if not cases:
            raise CaseError("a sweep needs at least one case.")
        if len(cases) > MAX_CASES:
            raise too_many(len(cases))
        _check_lines(cases, processes)
        self.cases = list(cases)
        self.processes = processes
        self._sink, self._watcher = sink, watcher
        self.limit_s = bounds.SWEEP_S.value()
        self.cut = ""
        self.state = "queued"
        self.place = (0, 0)
        self._pool = Pool()
        self.failed: set[Case] = set()
        self.lost = 0
        self.process = 0
        self._rounds: list[int] = []  # measured in each batch
        self._anchored = set[int]()  # batches that measured the anchor
        self.planned = processes * len(grouped(self.cases)) * ROUNDS
        self.error = ""
        self.environment: dict[str, Any] = {}
        self.calibrations: list[dict[str, Any]] = []
        self.date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self.arrived = False
        self.wall_s = 0.0
        self._began = time.monotonic()
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
        """Measurements and failures so far, as `Pool` sorts them.

        An anchor that a batch lacks is left out: it would not cover that batch's points.
        """
        batches = sum(rounds >= FEWEST for rounds in self._rounds)
        return [
            one for one in self._pool.results if not one.key[2] or len(self._anchored) >= batches
        ]

    @property
    def rounds(self) -> tuple[int, int]:
        """Rounds that are measured, and `planned`."""
        return sum(self._rounds), self.planned

    @property
    def seconds_left(self) -> float | None:
        """Estimated from the rounds that are measured."""
        done, total = self.rounds
        if self.state != "running" or done < 2:
            return None
        return (time.monotonic() - self._began) / done * (total - done)

    def add(self, result: Result) -> None:
        """Keep one more round of a case, or a failure instead of all its rounds."""
        if isinstance(result, Failure):
            self.failed.add(result.case)
        else:
            self.arrived = True
            blocks = {(self.process, n): times for (_, n), times in result.blocks.items()}
            result = replace(result, blocks=blocks)
            if result.anchor:
                self._anchored.add(len(self._rounds))
            if self._rounds:
                self._rounds[-1] = max(self._rounds[-1], *(number for _, number in blocks))
        self._pool.add(result)
        if self._sink is not None:
            for line in result.lines():
                self._sink.append(line)

    def next_batch(self, process: int) -> None:
        """The rounds of a group of points begin, in this process."""
        if self._rounds:
            self._rounds[-1] = ROUNDS
        self._rounds.append(0)
        self.process = process

    @property
    def batches(self) -> int:
        """Groups of points that were begun, in all processes."""
        return len(self._rounds)

    @property
    def round(self) -> int:
        """The round under way in this group."""
        return self._rounds[-1]

    def begin(self, environment: dict[str, Any]) -> None:
        """The worker is ready."""
        threads = sorted({case.threads for case in self.cases})
        ran = {"threads": threads[0] if len(threads) == 1 else [*map(str, threads)]}
        self.opened({**environment, **machine.busy(), **ran})  # a warm worker's are old

    def opened(self, environment: dict[str, Any]) -> None:
        """Measuring begins on a machine with these facts."""
        self.environment = environment
        self.state, self._began = "running", time.monotonic()
        if self._sink is not None:
            self._sink.append(self.header())
        self.watch()

    def finish(self, state: str, error: str = "") -> None:
        """End it in this state."""
        if self.state == "running":
            self.wall_s = time.monotonic() - self._began
        self.state, self.error = state, error
        if state == "done" and self._rounds:
            self._rounds[-1] = ROUNDS
        try:
            if self.environment and self._sink is not None:
                self._sink.append(self.end_line())
        except Exception as failure:  # `finished` must be set all the same
            self.state, self.error = "failed", f"{type(failure).__name__}: {failure}"
        self.finished.set()
        self.watch()

    def watch(self) -> None:
        """Call the watcher."""
        if self._watcher is not None:
            self._watcher(self)

    def run(self, name: str) -> Run:
        """The run so far; it equals the one in its file."""
        end = None if self.state in ("queued", "starting", "running") else self.end_line()
        return Run(name, self.header(), tuple(self.results), end)

    def header(self) -> dict[str, Any]:
        """The environment line of its run file."""
        named = {"date": self.date, "question": question(self.cases)}
        return {"type": "environment", **named, **self.environment}

    def end_line(self) -> dict[str, Any]:
        """The last line of its run file."""
        reason = {"reason": self.cut} if self.cut else {}
        end = {"type": "end", "status": self.state, "wall_s": self.wall_s, **reason}
        return end | {"calibrations": self.calibrations}


def _check_lines(cases: Sequence[Case], processes: int) -> None:
    """Refuse a run whose file nobody could read."""
    points = len({case.group for case in cases})  # each has a control
    lines = processes * ROUNDS * (len(cases) + points + 1)
    if lines > MAX_LINES - 2:
        raise CaseError(
            f"{len(cases):,} cases in {processes:,} processes give up to {lines:,} lines; "
            f"a run file may have {MAX_LINES:,} at most."
        )


class Engine:
    """The sweeps of this process: one worker, kept warm between them.

    Args:
        idle_s: seconds after which an unused worker ends (EMBVIZ_WORKER_IDLE_S).
        case_s: seconds that one call may take.
        options: further options of the worker.
        variables: of the worker, as `Worker` takes them.
    """

    def __init__(
        self,
        idle_s: float | None = None,
        case_s: float = CASE_S,
        options: Sequence[str] = (),
        variables: Mapping[str, str | None] | None = None,
    ) -> None:
        self._options, self._variables = options, variables or {}
        self._worker: Worker | None = None
        self._in_use = threading.Lock()
        self._idle_s = bounds.IDLE_S.value() if idle_s is None else idle_s
        self._case_s = case_s
        self._reaper: threading.Timer | None = None
        self._sweeps: set[Sweep] = set()
        self._closed = False

    def start(
        self,
        cases: Sequence[Case],
        sink: Sink | None = None,
        watcher: Watcher | None = None,
        processes: int = 1,
    ) -> Sweep:
        """Put a sweep into the queue and return at once.

        Args:
            cases: what to measure; cases of one point next to each other.
            sink: given each line of the run file as it comes, in the sweep's own thread.
            watcher: given the sweep when it waits, begins and is over.
            processes: fresh worker processes, each of which measures everything.

        Raises:
            CaseError, QueueFull: (ValueErrors) when it cannot even wait.
        """
        sweep, ticket = Sweep(cases, sink, watcher, processes), Ticket()
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

    def kill(self, sweep: Sweep) -> None:
        """Stop this sweep, and end the worker at once if it measures it."""
        sweep.stop()
        if sweep.state == "running":
            self._end_worker()

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
        except ChildError as error:
            sweep.finish("failed", f"{error}.")
        except Exception as error:  # a sweep must end, whatever happened, and say so
            sweep.finish("failed", f"{type(error).__name__}: {error}")
        finally:
            ticket.give_back()
            self._sweeps.discard(sweep)

    def _measure(self, sweep: Sweep) -> None:
        groups, anchor = grouped(sweep.cases), anchor_of(sweep.cases)
        for process in range(sweep.processes):
            for points in groups:
                if sweep.stopping.is_set():
                    break
                if process != sweep.process:
                    self._end_worker()
                sweep.next_batch(process)
                self._measure_rounds(sweep, points, anchor)
        sweep.finish("stopped" if sweep.stopping.is_set() else "done")

    def _measure_rounds(self, sweep: Sweep, points: Points, anchor: Case | None) -> None:
        """Have a group measured, by another worker where one is lost.

        Raises:
            ChildError: no worker starts, or too many are lost.
        """
        while True:
            left = tuple(
                tuple(case for case in point if case not in sweep.failed) for point in points
            )
            if not any(left):
                return
            worker = self._ready_worker(sweep.stopping)
            if sweep.stopping.is_set():
                return
            if sweep.state != "running":
                sweep.begin(worker.environment)
            used = None if anchor in sweep.failed else anchor
            if self._ask(sweep, worker, Request(left, used, sweep.round)):
                return

    def _ask(self, sweep: Sweep, worker: Worker, asked: Request) -> bool:
        """Have a request measured; False when the worker was lost."""
        now: Case | None = None  # under way, as far as it is known
        heard = time.monotonic()
        asked_to_stop: float | None = None
        try:
            worker.send(asked.to_dict())
            while True:
                line = worker.receive(0.02 if asked_to_stop else 0.1)
                if line is not None:
                    heard = time.monotonic()
                    if line["type"] == "done":
                        sweep.calibrations = line["calibrations"]
                        return True
                    if line["type"] == "now":
                        now = Case.from_dict(line["case"])
                    else:
                        sweep.add(result := read_result(line))
                        if result.case == now:
                            now = None
                sweep.stop_in_time()
                if sweep.stopping.is_set() and asked_to_stop is None:
                    asked_to_stop = time.monotonic()
                    worker.send({"cancel": True})
                if asked_to_stop is not None and time.monotonic() - asked_to_stop > STOP_S:
                    self._end_worker()
                    return True
                if time.monotonic() - heard > self._case_s:
                    raise ChildError(f"one call took longer than the {self._case_s:g} s allowed")
        except ChildError as error:
            self._end_worker()
            if sweep.stopping.is_set():
                return True
            if any(now in point for point in asked.points) and now is not None:
                sweep.add(Failure(now, f"{without_paths(str(error))}."))
            else:
                sweep.lost += 1
                if sweep.lost > MOST_LOST:
                    raise
            return False

    def _ready_worker(self, stopped: threading.Event, again: bool = True) -> Worker:
        """The warm worker, or a new one; with `again`, a second one if that is killed at once."""
        if self._reaper is not None:
            self._reaper.cancel()
        worker = self._worker
        if worker is None or not worker.alive:
            self._end_worker()
            if self._closed:
                raise ChildError("the server is closing")
            worker = self._worker = Worker(*self._options, variables=self._variables)
        if not worker.environment:
            try:
                worker.wait_ready(stopped)
            except ChildError:
                killed = worker.killed
                self._end_worker()
                if again and killed:
                    return self._ready_worker(stopped, again=False)
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
