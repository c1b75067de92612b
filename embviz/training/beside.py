"""A training of both routes and, on demand, the same training in float64 beside it.

The two tell whether rounding parts the routes: float64 rounds 2**29 times finer than float32. This
module does not explain a difference; it only trains.
"""

from __future__ import annotations

import math
import time

from embviz.training.lockstep import Lockstep


class Beside:
    """One training, and perhaps its twin in float64, which first catches up.

    Attributes:
        single: the training.
        double: the same training in float64; None until `add` was called.
        refusal: why there is no twin, or `""`.
    """

    def __init__(self, single: Lockstep) -> None:
        self.single = single
        self.double: Lockstep | None = None
        self.refusal = ""

    def add(self) -> None:
        """Begin the training in float64; if its memory is over the budget, set `refusal`."""
        try:
            self.double = self.double or self.single.in_float64()
        except ValueError as error:
            self.refusal = str(error)

    @property
    def is_behind(self) -> bool:
        """Whether the training in float64 has steps to catch up."""
        double = self.double
        return double is not None and not double.finished and double.steps < self.single.steps

    @property
    def steps(self) -> int:
        """Steps of the training; while its twin is behind, the twin's."""
        chosen = self.double if self.double is not None and self.is_behind else self.single
        return chosen.steps

    @property
    def finished(self) -> bool:
        """Whether `advance` would do nothing."""
        return self.single.finished and not self.is_behind

    def advance(self, steps: int, budget_s: float = math.inf) -> int:
        """Take up to `steps` steps, and stop after the one that ends past the budget.

        Returns:
            Steps taken.
        """
        end, taken = time.perf_counter() + budget_s, 0
        while taken < steps and not self.finished:
            if self.double is not None and self.is_behind:
                taken += self.double.advance(1)
            else:
                taken += self.single.advance(1)
                if self.double is not None:
                    self.double.advance(1)
            if time.perf_counter() >= end:
                break
        return taken
