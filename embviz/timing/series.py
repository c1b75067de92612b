"""One case, ready to be timed: its tensors, its calls in a block, its blocks in a round.

Memory is predicted first: a case over the budget is refused with the arithmetic, and nothing is
allocated. Cases are not interleaved here (see `measure`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from embviz.core import bounds
from embviz.core.wording import format_apart, format_bytes
from embviz.timing.caches import blocks, flush_bytes
from embviz.timing.calibration import calibrate
from embviz.timing.cases import Case
from embviz.timing.clock import Blocks
from embviz.timing.groups import budget_bytes
from embviz.timing.physical import Key, key_of
from embviz.timing.results import ROUNDS, Measurement
from embviz.timing.tensors import Ready

BUDGET_VARIABLE = bounds.TIMING.variable
BLOCK_S = 0.0015  # a block lasts at least so long, so that reading the clock costs nothing
ROUND_S = 0.004  # timed for each method in a round, at least
FLUSHED_BLOCKS = 3  # of one call each in a round: flushing takes far longer than the call
SLOW_S = 3.0  # of a slow call: as many of ROUNDS rounds as fit, but three at least
Calibrations = dict[Key, dict[str, Any]]


@dataclass
class Series:
    """One case while it is measured.

    Attributes:
        case: what is timed.
        timer: of its statement.
        number: calls in a block.
        once_s: seconds of one call, in the warm-up.
        blocks: in a round.
        rounds: of ROUNDS, in which it is measured.
        again: whether it is the A/A control.
        anchor: whether it is the anchor.
        peak_bytes: of GPU memory, where the device counts them.
    """

    case: Case
    timer: Blocks
    number: int = 1
    once_s: float = 0.0
    blocks: int = 1
    rounds: int = ROUNDS
    again: bool = False
    anchor: bool = False
    peak_bytes: int | None = None

    @property
    def slow(self) -> bool:
        """Whether one call lasts longer than several blocks of a quick method."""
        return self.number == 1 and self.once_s > 10 * BLOCK_S

    def warm_up(self) -> None:
        """Call after another method: that method's data is in the cache now."""
        if not self.case.cache_record.flushes:
            self.timer.seconds(self.number if self.case.cache_record.renews else 1)

    def result(self, times: Sequence[float], number: int) -> Measurement:
        """The blocks of round `number`."""
        return Measurement(
            self.case, {(0, number): tuple(times)}, self.again, self.anchor, self.peak_bytes
        )


def prepare(case: Case, ready: Ready, calibrations: Calibrations, held: int) -> Series:
    """Make the tensors, warm up, and choose the calls in a block and the blocks in a round.

    Args:
        case: what will be timed.
        ready: the tensors of its point.
        calibrations: by device, dtype and threads; a missing one is added.
        held: bytes that other cases of the point hold.

    Raises:
        MemoryError: it does not fit; nothing was allocated.
    """
    _check_memory(case, ready, held)
    key = key_of(case)
    if key not in calibrations:
        calibrations[key] = calibrate(*key)
    torch.set_num_threads(case.threads)
    timer = blocks(case, ready)
    series = Series(case, timer)
    on_cuda = case.device == "cuda"
    if on_cuda:
        torch.cuda.reset_peak_memory_stats()
    timer.seconds(1)  # the first call sets up what later ones find ready
    if on_cuda:
        series.peak_bytes = torch.cuda.max_memory_allocated()
    once = timer.seconds(1)
    if case.cache_record.flushes:
        series.once_s, series.blocks = once, FLUSHED_BLOCKS
        return series
    if once < BLOCK_S:  # a single call is too short to judge by
        number = max(1, min(100, int(BLOCK_S / 10 / once)))
        once = timer.seconds(number)
        once = min(once, timer.seconds(max(number, int(BLOCK_S / 4 / once))))
    series.number, series.once_s = max(1, round(BLOCK_S / once)), once
    block = series.number * once
    series.blocks = max(1, round(ROUND_S / block))
    series.rounds = max(3, min(ROUNDS, int(SLOW_S / block)))
    return series


def _check_memory(case: Case, ready: Ready, held: int) -> None:
    budget = budget_bytes()
    parts = case.memory()
    if case.cache_record.flushes:
        parts["flushing buffer"] = flush_bytes(case.device)
    total = sum(parts.values())
    needed = total - (0 if case.backward else ready.found_bytes(case))
    if held + needed > budget:
        sizes = " + ".join(f"{name} {format_bytes(size)}" for name, size in parts.items())
        needs, allowed = format_apart(held + needed, budget)
        own = f" {format_bytes(total)}, with what is measured beside it" if held else ""
        raise MemoryError(
            f"needs {sizes} ={own} {needs}, over the budget of {allowed} ({BUDGET_VARIABLE})"
        )
