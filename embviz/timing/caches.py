"""What happens before a timed block, outside the clock: nothing, new ids, or flushed caches.

New ids are drawn at random for each call, so a row that comes again was last read by chance. The
cache then holds what it would hold in a program that looks up new ids. Flushing pushes out all
data of the program, its code too. Nothing is chosen here: `series` asks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch.utils import benchmark

from embviz.core.layers import check_range
from embviz.core.machine import cache_bytes
from embviz.timing.cases import Case
from embviz.timing.clock import SHORTEST_S, Blocks
from embviz.timing.settings import SKEWS
from embviz.timing.tensors import SEED, Ready, statement

USUAL_CACHE = 64 << 20  # bytes, where the system does not say
FLUSH = 1.25  # bytes written for each byte of the last-level cache

Clock = Callable[[], float]


class RenewedBlocks(Blocks):
    """Blocks whose every call has ids of its own.

    Args:
        source: a loop over `batches`.
        names: its globals; `batches` is added before each block.
        draw: gives the ids of so many calls.
        clock: in seconds.
    """

    def __init__(
        self,
        source: str,
        names: dict[str, Any],
        draw: Callable[[int], list[Any]],
        clock: Clock = benchmark.timer,
    ) -> None:
        super().__init__(source, names, clock)
        self._names, self._draw = names, draw

    def seconds(self, number: int) -> float:
        """Seconds for one call, over a block of `number` calls."""
        self._names["batches"] = self._draw(number)
        return max(self.timeit(1), SHORTEST_S) / number


class FlushedBlocks(Blocks):
    """Blocks whose every call begins with flushed caches.

    Args:
        source: one call.
        names: its globals.
        flush: fills the caches with other data.
        clock: in seconds.
    """

    def __init__(
        self,
        source: str,
        names: dict[str, Any],
        flush: Callable[[], object],
        clock: Clock = benchmark.timer,
    ) -> None:
        super().__init__(source, names, clock)
        self._flush = flush

    def seconds(self, number: int) -> float:
        """Seconds for one call, over `number` calls that are timed one by one."""
        total = 0.0
        for _ in range(number):
            self._flush()
            total += self.timeit(1)
        return max(total, SHORTEST_S) / number


class Batches:
    """New ids for each call: drawn as the case says, and within its table."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._generator = torch.Generator().manual_seed(SEED)
        self._drawn = torch.empty(0, case.tokens, dtype=torch.int64)

    def draw(self, calls: int) -> list[Any]:
        """Ids (N), int64, for each of `calls` calls; they overwrite the ids drawn before."""
        case, rows = self._case, self._case.num_embeddings
        if len(self._drawn) < calls:
            self._drawn = torch.empty(calls, case.tokens, dtype=torch.int64)
        drawn = self._drawn[:calls]
        SKEWS[case.ids].draw(drawn.view(-1), rows, self._generator)
        check_range(drawn, rows)
        return list(drawn.to(case.device).unbind())


def blocks(case: Case, ready: Ready) -> Blocks:
    """The timer of a case, with what its cache asks for before each block."""
    source, names = statement(case), ready.names(case)
    if case.cache_record.renews:
        return RenewedBlocks(source, names, Batches(case).draw)
    if case.cache_record.flushes:
        return FlushedBlocks(source, names, _flush_buffer(case.device).zero_)
    return Blocks(source, names)


def flush_bytes(device: str) -> int:
    """Bytes of the buffer that flushes the caches: more than the last one holds."""
    return int(FLUSH * (cache_bytes(device) or USUAL_CACHE))


@cache
def _flush_buffer(device: str) -> torch.Tensor:
    return torch.empty(flush_bytes(device), dtype=torch.uint8, device=device)
