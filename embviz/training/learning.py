"""Something that learns step by step: in slices of time, and seen as it was after fewer steps."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from copy import copy
from typing import Any, Self

from embviz.system import bounds


class Learning(ABC):
    """A training, or several at once that take each step together.

    Attributes:
        steps: steps taken.
        points: the history, the start first; each point has its `step`.
        failed: why it stopped, or "".
        keeps_past: whether `at` can show it as it was at an earlier step.
        models: how many models take each step.
    """

    steps = 0
    points: list[Any]
    failed = ""
    keeps_past = False
    models = 1

    @property
    def most_steps(self) -> int:
        """Steps that it may take here: those of several models count together."""
        return bounds.STEPS.value() // self.models

    @property
    def finished(self) -> bool:
        """Whether `advance` would do nothing."""
        return bool(self.failed) or self.steps >= self.most_steps

    def advance(self, steps: int, budget_s: float = math.inf) -> int:
        """Take up to `steps` steps, and stop after the one that ends past the budget.

        Returns:
            Steps taken: fewer at the end of the budget or of the training, or when it `failed`.
        """
        end, before = time.perf_counter() + budget_s, self.steps
        while self.steps < before + steps and not self.finished:
            self.step()
            if time.perf_counter() >= end:
                break
        return self.steps - before

    @abstractmethod
    def step(self) -> None:
        """Take one step, or say in `failed` why it cannot."""

    def at(self, steps: int) -> Self:
        """A copy to look at, as it was after at most so many steps; another thread may train on."""
        seen = copy(self)
        seen.steps = min(self.steps, steps)
        seen.points = [point for point in self.points if point.step <= steps]
        return seen
