"""How much longer a row takes that is read at random from a large table than one in the cache.

For a few sizes of the table, rows that are new in each call are timed against the same rows in
each call. Sizes between them are interpolated, larger ones take the largest. No case is timed.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch

from embviz.timing.caches import RenewedBlocks

SIZES = tuple(2**k for k in range(18, 29, 2))  # bytes of a table
LINE = 64  # bytes of a cache line: memory is read in whole ones
LINES = (1, 16)  # of the rows that are timed
ROWS, CALLS, BLOCKS = 512, 20, 6


class RandomRows:
    """The extra seconds of random rows on one device; a size is timed when it is first needed."""

    def __init__(self, device: str) -> None:
        self._device = device
        self.extra_s: dict[int, tuple[float, ...]] = {}

    def seconds(self, row_bytes: int, table_bytes: int) -> float:
        """Extra seconds of one row of `row_bytes` from a table of `table_bytes`.

        Raises:
            MemoryError: or what PyTorch raises where a table of that size does not fit.
        """
        near = {max((s for s in SIZES if s <= table_bytes), default=SIZES[0])}
        near.add(min((s for s in SIZES if s >= table_bytes), default=SIZES[-1]))
        for size in near - self.extra_s.keys():
            self.extra_s[size] = tuple(self._measure(size, lines) for lines in LINES)
        sizes = sorted(near)
        few, many = (
            float(np.interp(math.log(table_bytes), np.log(sizes), values))
            for values in zip(*(self.extra_s[size] for size in sizes), strict=True)
        )
        # The first line waits for memory; the next ones are fetched ahead.
        lines = -(-row_bytes // LINE)
        return few + (lines - LINES[0]) * max(0.0, many - few) / (LINES[1] - LINES[0])

    def _measure(self, size: int, lines: int) -> float:
        width = lines * LINE // torch.float32.itemsize
        rows = size // (lines * LINE)
        table = torch.ones(rows, width, device=self._device)  # zeros might share one page
        out = torch.empty(ROWS, width, device=self._device)
        names = {"torch": torch, "table": table, "out": out}
        generator = torch.Generator().manual_seed(0)

        def draw(calls: int) -> list[torch.Tensor]:
            drawn = torch.empty(calls, ROWS, dtype=torch.int64)
            drawn.random_(0, rows, generator=generator)
            return list(drawn.to(self._device).unbind())

        again = draw(1)
        new, same = _quickest(names, draw), _quickest(names, lambda calls: calls * again)
        return max(0.0, new - same) / ROWS


def _quickest(names: dict[str, object], draw: Callable[[int], list[torch.Tensor]]) -> float:
    source = "for ids in batches: torch.index_select(table, 0, ids, out=out)"
    timer = RenewedBlocks(source, names, draw)
    timer.seconds(CALLS)
    return min(timer.seconds(CALLS) for _ in range(BLOCKS))
