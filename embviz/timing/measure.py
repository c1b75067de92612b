"""One point, measured: its methods interleaved, the first of them twice.

It runs in the worker process, where nothing else runs. In every round each method is timed for a
few blocks, so a slow second of the machine does not hit one alone. The first method is measured a
second time as the A/A control: the difference of the two is the noise, and smaller differences are
not reported. Warm-up is discarded; all other times are kept. Memory is predicted first: a case over
the budget is a failure with the arithmetic, and nothing is allocated.
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
from embviz.timing.results import Failure, Measurement, Result
from embviz.timing.tensors import Ready, statement

BUDGET_VARIABLE = bounds.TIMING.variable
BLOCK_S = 0.0015  # a block lasts at least so long: many calls share one reading of the clock
SERIES_S = 0.045  # timed for each method at a point, at least
ROUNDS = 12
FEWEST_BLOCKS = 5  # of a slow call: five, or as many as fit into SLOW_S, but three at least
SLOW_S = 1.0
REASON_LIMIT = 300


class Cancelled(Exception):
    """The sweep was stopped; its results stay."""


@dataclass
class _Series:
    """One method at a point, while it is measured."""

    case: Case
    timer: Blocks
    prediction: Prediction
    control: bool = False
    number: int = 1
    once_s: float = 0.0  # one call, in the warm-up
    blocks_a_round: int = 1
    rounds: int = ROUNDS
    times: list[float] = field(default_factory=list)
    peak_bytes: int | None = None

    @property
    def slow(self) -> bool:
        """Whether one call lasts longer than several blocks of a quick method."""
        return self.number == 1 and self.once_s > 10 * BLOCK_S

    def result(self) -> Measurement:
        """The measurement of all times so far."""
        return Measurement(
            self.case,
            tuple(self.times),
            self.number,
            self.prediction.seconds,
            self.prediction.dominant,
            self.control,
            self.peak_bytes,
        )


def budget_bytes() -> int:
    """Bytes that one point may hold (EMBVIZ_TIMING_BUDGET_MIB)."""
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
        floors: calibrations by device, dtype and threads; a missing one is added.
        announce: called with a case before its first call and before each slow call, so that the
            parent knows which case hangs.
        cancelled: asked between blocks.

    Yields:
        A measurement or a failure for each case, and the control's measurement.

    Raises:
        Cancelled: when `cancelled()` is true.
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
        except Exception as error:  # any error of PyTorch is the result of this case
            yield Failure(case, _reason(error))
            continue
        series.append(prepared)
        if len(series) == 1:  # the control comes right after the first method
            series.append(replace(prepared, control=True, times=[]))
    yield from _interleave(series, announce, cancelled)
    for one in series:
        if one.times:
            yield one.result()


def _check_memory(case: Case, ready: Ready, others: Sequence[Case]) -> None:
    """Refuse a case that does not fit beside the point's other methods.

    Raises:
        MemoryError: with the arithmetic, before anything is allocated.
    """
    budget = budget_bytes()
    held = ready.shared_bytes + sum(one.memory_bytes for one in others if one.backward)
    needed = case.memory_bytes - (0 if case.backward else ready.found_bytes(case))
    if held + needed > budget:
        parts = " + ".join(f"{name} {format_bytes(size)}" for name, size in case.memory().items())
        beside = f", and the other methods of this point hold {format_bytes(held)}" if held else ""
        raise MemoryError(
            f"needs {parts} = {format_bytes(case.memory_bytes)}{beside}, over the budget of "
            f"{format_bytes(budget)} ({BUDGET_VARIABLE})"
        )


def _prepare(case: Case, ready: Ready, floors: dict[tuple[str, str, int], Floor]) -> _Series:
    """Make the tensors, warm up, and choose the calls in a block and the blocks in a round."""
    key = (case.device, case.dtype, case.threads)
    if key not in floors:
        floors[key] = Floor.calibrate(*key)
    timer = Blocks(statement(case), ready.names(case))
    series = _Series(case, timer, floors[key].predict(case))
    on_cuda = case.device == "cuda"
    if on_cuda:
        torch.cuda.reset_peak_memory_stats()
    timer.seconds(1)  # the first call sets up what later ones find ready
    if on_cuda:
        series.peak_bytes = torch.cuda.max_memory_allocated()
    once = timer.seconds(1)
    if once < BLOCK_S:  # a single call is too short to judge by
        number = max(1, min(100, int(BLOCK_S / 10 / once)))
        once = timer.seconds(number)
        once = min(once, timer.seconds(max(number, int(BLOCK_S / 4 / once))))
    series.number, series.once_s = max(1, round(BLOCK_S / once)), once
    block = series.number * once
    wanted = max(SERIES_S, min(FEWEST_BLOCKS * block, SLOW_S)) / block
    series.rounds = max(3, min(ROUNDS, round(wanted)))
    series.blocks_a_round = max(1, round(wanted / series.rounds))
    return series


def _interleave(
    series: list[_Series], announce: Callable[[Case], None], cancelled: Callable[[], bool]
) -> Iterator[Failure]:
    """Time a few blocks of every method in each round; a slow one leaves the last rounds out."""
    for number in range(ROUNDS):
        # The control and the first method change places, so that neither always comes first.
        order = series if number % 2 == 0 else [*series[1::-1], *series[2:]]
        for one in order:
            if number >= one.rounds:
                continue
            for _ in range(one.blocks_a_round):
                if cancelled():
                    raise Cancelled
                if one.slow:
                    announce(one.case)
                try:
                    if not one.slow:  # another method's data may have taken its place in a cache
                        one.timer.seconds(1)
                    one.times.append(one.timer.seconds(one.number))
                except Exception as error:  # out of memory, say, now that others hold some
                    one.rounds, one.times = 0, []
                    yield Failure(one.case, _reason(error))
                    break


def _reason(error: Exception) -> str:
    """An error as one printable sentence."""
    text = next(iter(str(error).strip().splitlines()), "")
    if not isinstance(error, MemoryError):
        text = f"{type(error).__name__}: {text}"
    text = text or "the memory that the worker may use is full"
    return "".join(printable(c) for c in text)[:REASON_LIMIT]
