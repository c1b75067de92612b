"""One point, measured: its methods interleaved, the first of them twice.

For the worker process alone, where nothing else runs. Every method at a point
takes its turn in every round, so a machine that slows down slows all of them;
the first is measured a second time under another name, and how far the two
differ is the noise below which nothing is claimed. Warm-up is discarded; all
other times are kept. Memory is predicted first, and what is over the budget is
a failure with the arithmetic, not an attempt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import torch

from embviz.core import bounds
from embviz.core.wording import format_bytes, printable
from embviz.timing.cases import Case
from embviz.timing.clock import Blocks
from embviz.timing.floor import Floor, Prediction
from embviz.timing.methods import Ready, statement
from embviz.timing.results import Failure, Measurement, Result

BUDGET_VARIABLE = bounds.TIMING.variable
BLOCK_S = 0.0015  # a block lasts at least so long, so that reading the clock costs nothing
SERIES_S = 0.045  # timed for each method at a point, at least
ROUNDS = 12
FEWEST_BLOCKS = 5  # of a slow call: five, or as many as fit into SLOW_S, but three at least
SLOW_S = 1.0
REASON_LIMIT = 300


class Cancelled(Exception):
    """The sweep was stopped; what was measured until then stands."""


@dataclass
class _Series:
    """One method at a point, while it is measured."""

    case: Case
    timer: Blocks
    control: bool = False
    number: int = 1
    once_s: float = 0.0  # one call, as the warm-up found it
    blocks_a_round: int = 1
    rounds: int = ROUNDS
    times: list[float] = field(default_factory=list)
    prediction: Prediction | None = None
    peak_bytes: int | None = None

    def result(self) -> Measurement:
        predicted = self.prediction
        return Measurement(
            self.case,
            tuple(self.times),
            self.number,
            None if predicted is None else predicted.seconds,
            "" if predicted is None else predicted.dominant,
            self.control,
            self.peak_bytes,
        )


def budget_bytes() -> int:
    """What one point may hold, in bytes (EMBVIZ_TIMING_BUDGET_MIB)."""
    return bounds.TIMING.value() * bounds.MIB


def measure_point(
    cases: Sequence[Case],
    floors: dict[tuple[str, str, int], Floor],
    announce: Callable[[Case], None],
    cancelled: Callable[[], bool],
) -> Iterator[Result]:
    """Measure the methods of one point, interleaved.

    Args:
        cases: the same sizes, device, dtype and pass; each another method.
        floors: calibrations by device, dtype and threads; what is missing is added.
        announce: told of each case before its first call, and before each slow call, so
            that the parent knows what hangs.
        cancelled: asked between blocks.

    Yields:
        A measurement or a failure for each case, and the control's measurement.

    Raises:
        Cancelled: when `cancelled()` said so.
    """
    torch.set_num_threads(cases[0].threads)
    ready, series = Ready(cases[0].point), list[_Series]()
    for case in cases:
        if cancelled():
            raise Cancelled
        announce(case)
        try:
            _check_memory(case, ready, [one.case for one in series if not one.control])
            prepared = _prepare(case, ready, floors)
        except Exception as error:  # whatever PyTorch says is the result of this case
            yield Failure(case, _reason(error))
            continue
        if not series:  # the control takes its turn right after the first method
            series.append(prepared)
            series.append(replace(prepared, control=True, times=[]))
        else:
            series.append(prepared)
    yield from _take_turns(series, announce, cancelled)
    for one in series:
        if one.times:
            yield one.result()


def _check_memory(case: Case, ready: Ready, others: Sequence[Case]) -> None:
    """Refuse, before anything is allocated, what does not fit beside the point's other methods."""
    budget = budget_bytes()
    held = ready.shared_bytes + sum(one.memory_bytes for one in others if one.pass_ != "forward")
    needed = case.memory_bytes - (ready.found_bytes(case) if case.pass_ == "forward" else 0)
    if held + needed > budget:
        parts = " + ".join(f"{name} {format_bytes(size)}" for name, size in case.memory().items())
        beside = f", and the other methods of this point hold {format_bytes(held)}" if held else ""
        raise MemoryError(
            f"needs {parts} = {format_bytes(case.memory_bytes)}{beside}, over the budget of "
            f"{format_bytes(budget)} ({BUDGET_VARIABLE})"
        )


def _prepare(case: Case, ready: Ready, floors: dict[tuple[str, str, int], Floor]) -> _Series:
    """Tensors, warm-up, and how many calls a block and blocks a round this method needs."""
    key = (case.device, case.dtype, case.threads)
    if key not in floors:
        floors[key] = Floor.calibrate(*key)
    series = _Series(case, Blocks(statement(case), globals=ready.names(case)))
    on_cuda = case.device == "cuda"
    if on_cuda:
        torch.cuda.reset_peak_memory_stats()
    series.timer.seconds(1)  # the first call sets up what later ones find ready
    if on_cuda:
        series.peak_bytes = torch.cuda.max_memory_allocated()
    once = series.timer.seconds(1)
    if once < BLOCK_S:  # a single call is too short to judge by
        number = max(1, min(100, int(BLOCK_S / 10 / once)))
        once = series.timer.seconds(number)
        once = min(once, series.timer.seconds(max(number, int(BLOCK_S / 4 / once))))
    series.number, series.once_s = max(1, round(BLOCK_S / once)), once
    block = series.number * once
    wanted = max(SERIES_S, min(FEWEST_BLOCKS * block, SLOW_S)) / block
    series.rounds = max(3, min(ROUNDS, round(wanted)))
    series.blocks_a_round = max(1, round(wanted / series.rounds))
    series.prediction = floors[key].predict(case)
    return series


def _take_turns(
    series: list[_Series], announce: Callable[[Case], None], cancelled: Callable[[], bool]
) -> Iterator[Failure]:
    """Round after round, a few blocks of every method; a slow one sits out the last rounds."""
    for turn in range(ROUNDS):
        # The control and its twin swap places, so that neither always comes first.
        order = series if turn % 2 == 0 else [*series[1::-1], *series[2:]]
        for one in order:
            if turn >= one.rounds:
                continue
            for _ in range(one.blocks_a_round):
                if cancelled():
                    raise Cancelled
                slow = one.number == 1 and one.once_s > 10 * BLOCK_S
                if slow:
                    announce(one.case)
                try:
                    if not slow:  # after another method this one's data has left the cache
                        one.timer.seconds(1)
                    one.times.append(one.timer.seconds(one.number))
                except Exception as error:  # out of memory, say, now that others hold some
                    one.rounds, one.times = 0, []
                    yield Failure(one.case, _reason(error))
                    break


def _reason(error: Exception) -> str:
    """An error as one printable sentence."""
    first = str(error).strip().splitlines()[0] if str(error).strip() else ""
    text = f"{type(error).__name__}: {first}" if not isinstance(error, MemoryError) else first
    if isinstance(error, MemoryError) and not first:
        text = "the memory that the worker may use is full"
    return "".join(printable(c) for c in text)[:REASON_LIMIT]


def timed_seconds(results: Sequence[Result]) -> float:
    """Seconds spent inside timed blocks."""
    return sum(
        sum(one.times_s) * one.number_per_run for one in results if isinstance(one, Measurement)
    )
