"""One block of calls at a time, by the clock of `torch.utils.benchmark`.

Interleaving several statements needs single blocks; `torch.utils.benchmark.Timer` measures one
statement until it is done.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable
from typing import Any

from torch.utils import benchmark

FEWEST = 3  # blocks of a calibration
BLOCK_S = 0.0003  # of a calibration: short, so that some of them find the core free
TOTAL_S = 0.006
SHORTEST_S = 1e-9  # of a block: no clock gives a zero to divide by


class Blocks(timeit.Timer):
    """A timer for single blocks; it synchronizes a GPU before it reads the clock."""

    def __init__(
        self, source: str, names: dict[str, Any], clock: Callable[[], float] = benchmark.timer
    ) -> None:
        super().__init__(source, timer=clock, globals=names)

    def seconds(self, number: int) -> float:
        """Seconds for one call, over a block of `number` calls."""
        return max(self.timeit(number), SHORTEST_S) / number


def fastest(source: str, names: dict[str, Any]) -> float:
    """Seconds for one call in the fastest block, which other work disturbed least."""
    timer = Blocks(source, names)
    timer.seconds(1)
    once = timer.seconds(2)
    number = max(1, round(BLOCK_S / once))
    blocks = max(FEWEST, min(20, round(TOTAL_S / (once * number))))
    return min(timer.seconds(number) for _ in range(blocks))
