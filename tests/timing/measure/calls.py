"""Takes the place of tensors and statements, so that rounds measure calls of known seconds."""

from typing import Any

import pytest
import torch
from torch.utils import benchmark

from embviz.timing.measure import rounds
from embviz.timing.measure.rounds import points_of
from embviz.timing.measure.timed import Timed
from tests.timing.conftest import Lines, named

WORK_S = 2e-6  # Seconds that a fake GPU works for a call.


class Calls:
    """A call moves a clock of its own by so many seconds.

    Args:
        patch: of the test.
        seconds: of a call.
        fails: calls of a lookup after which it fails.
        waits: the method that waits for the GPU.
        others: seconds of a method's call, or the error that it raises.
    """

    def __init__(
        self,
        patch: pytest.MonkeyPatch,
        seconds: float = 0.001,
        fails: float = 1e9,
        waits: str = "",
        **others: Any,
    ) -> None:
        self.now, self.calls, self.fails, self.waits = 0.0, 0, fails, waits
        self.seconds, self.others, self.precisions = seconds, others, set[tuple[str, str]]()
        self.placed = list[str]()  # The methods that got tensors, in order.
        patch.setattr(rounds, "Ready", lambda point: self)
        patch.setattr(rounds, "statement", lambda case: "call(case)")
        patch.setattr(benchmark, "timer", lambda: self.now)

    def names(self, case: Timed) -> dict[str, Any]:
        """The globals of a statement."""
        self.placed.append(case.method)
        return {"call": self.call, "case": case}

    def call(self, case: Timed) -> None:
        """One call."""
        self.calls += case.method == "lookup"
        if case.method == "lookup" and self.calls > self.fails:
            raise RuntimeError("/home/ada/cpu.cpp: cannot allocate memory\nand more lines")
        taken = self.others.get(case.method, self.seconds)
        if isinstance(taken, Exception):
            raise taken
        assert torch.get_num_threads() == case.threads
        self.precisions.add((case.precision, torch.get_float32_matmul_precision()))
        self.now += taken
        if case.device == "cuda":
            cuda: Any = torch.cuda
            cuda.kernel(WORK_S, waits=case.method == self.waits)


def cases_of(*methods: str, rows: tuple[int, ...] = (9,), **others: Any) -> list[Timed]:
    """Cases of some points."""
    return [Timed(method, size, 2, 3, **others) for size in rows for method in methods]


def measured(cases: list[Timed]) -> Lines:
    """All lines of a request."""
    return named(cases, rounds.rounds(points_of(cases), 3))


def times_of(lines: Lines, method: str) -> Lines:
    """The lines of times of a method, those of its control among them."""
    times = [line for line in lines if line["type"] == "times"]
    return [line for line in times if line["case"].method == method]


def rounds_of(lines: Lines, method: str, again: bool = False) -> list[int]:
    """The rounds in which a method was measured."""
    return [line["round"] for line in times_of(lines, method) if line["again"] == again]


def failures(lines: Lines) -> Lines:
    """Those of cases that failed."""
    return [line for line in lines if line["type"] == "failure"]
