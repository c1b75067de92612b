"""The loop of a training that is taken in single steps: when it goes on, and when it stops.

It takes no step itself: a training is a subclass with `_step`.
"""

from __future__ import annotations

import math
import time

from embviz.core import bounds


class Stepwise:
    """A training that is taken a few steps at a time.

    Attributes:
        most: steps of one training; EMBVIZ_MAX_STEPS may allow fewer.
        steps: steps taken.
        failed: why training stopped, or `""`.
    """

    most = math.inf
    steps = 0
    failed = ""

    @property
    def finished(self) -> bool:
        """Whether `advance` would do nothing."""
        return bool(self.failed) or self.steps >= min(self.most, bounds.STEPS.value())

    def advance(self, steps: int, budget_s: float = math.inf) -> int:
        """Take up to `steps` steps, and stop after the one that ends past the budget.

        Returns:
            Steps taken: fewer at the end of the budget or of the training, or when it `failed`.
        """
        end, before = time.perf_counter() + budget_s, self.steps
        while self.steps < before + steps and not self.finished:
            self._step()
            if time.perf_counter() >= end:
                break
        return self.steps - before

    def _step(self) -> None:
        """Take one step and count it in `steps`, or set `failed`."""
        raise NotImplementedError
