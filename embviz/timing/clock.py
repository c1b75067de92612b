"""PyTorch's own timer, asked for one block at a time."""

from __future__ import annotations

from typing import Any

from torch.utils import benchmark

FEWEST = 3  # blocks of a calibration
BLOCK_S = 0.0003  # of a calibration: short, so that some of them find the core free
TOTAL_S = 0.006


class Blocks(benchmark.Timer):
    """A timer for single blocks; it synchronizes a GPU before it reads the clock.

    The public methods of `torch.utils.benchmark.Timer` measure one statement until it is done;
    interleaving several needs single blocks.
    """

    def seconds(self, number: int) -> float:
        """Seconds for one call, over a block of `number` calls."""
        return self._timeit(number) / number


def fastest(source: str, names: dict[str, Any]) -> float:
    """Seconds for one call at best: what a machine can do, not what else it was doing."""
    timer = Blocks(source, globals=names)
    timer.seconds(1)
    once = timer.seconds(2)
    number = max(1, round(BLOCK_S / once))
    blocks = max(FEWEST, min(20, round(TOTAL_S / (once * number))))
    return min(timer.seconds(number) for _ in range(blocks))
