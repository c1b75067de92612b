"""The values of a case's two sides, and whether they are the same.

Tensors are the same if shape, dtype and every bit pattern are: -0.0 is not 0.0, and a NaN is the
same as a NaN with the same bits. Everything is computed from the values, which are kept. A
tolerance applies only if the case's fix asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch

from embviz.core.comparison import bits
from embviz.core.dtypes import dtype_name
from embviz.limits.case import Case, Value


@dataclass(frozen=True, eq=False)  # `==` of tensors gives no single answer
class Outcome:
    """The values of both sides.

    Attributes:
        left: of the first side.
        right: of the second.
        tolerance: largest difference of two numbers that still counts as the same; 0 is none.
    """

    left: Value
    right: Value
    tolerance: float = 0.0

    @cached_property
    def verdict(self) -> str:
        """Returns "raises" if a side is an error, else "same" or "differ"."""
        if isinstance(self.left, Exception) or isinstance(self.right, Exception):
            return "raises"
        if self._tensors is None:
            same = type(self.left) is type(self.right) and self.left == self.right
        else:
            left, right = self._tensors
            same = self.differs is not None and left.dtype == right.dtype and not self.count
        return "same" if same else "differ"

    @cached_property
    def differs(self) -> torch.Tensor | None:
        """Bool, of the tensors' shape: True where they differ; None if there is no one shape."""
        if self._tensors is None:
            return None
        left, right = self._tensors
        if left.shape != right.shape:
            return None
        if left.dtype != right.dtype:
            left, right = left.double(), right.double()
        mask = bits(left) != bits(right)
        if self.tolerance:
            mask &= ~((left.double() - right.double()).abs() <= self.tolerance)
        return mask

    @cached_property
    def detail(self) -> str:
        """One line with numbers: how many values differ and by how much, or the error."""
        errors = [shown(v) for v in (self.left, self.right) if isinstance(v, Exception)]
        if errors:
            return " · ".join(dict.fromkeys(errors))
        if self._tensors is None:
            if self.verdict == "same":
                return f"both are {shown(self.left)}"
            return f"{shown(self.left)} and {shown(self.right)}"
        left, right = self._tensors
        if left.shape != right.shape:
            return f"shapes {tuple(left.shape)} and {tuple(right.shape)}"
        numbers = self._numbers(left, right)
        if left.dtype != right.dtype:
            return f"dtypes {dtype_name(left.dtype)} and {dtype_name(right.dtype)}; {numbers}"
        return numbers

    @property
    def count(self) -> int:
        """How many values differ; 0 if the sides are not tensors of one shape."""
        return 0 if self.differs is None else int(self.differs.sum())

    @property
    def how_many(self) -> str:
        """How many values differ, like "3 of 12 values"; "" if none can be counted."""
        if not self.count or not isinstance(self.left, torch.Tensor):
            return ""
        total = self.left.numel()
        return f"{self.count} of {total} values" if total > 1 else "the one value"

    @property
    def _tensors(self) -> tuple[torch.Tensor, torch.Tensor] | None:
        if isinstance(self.left, torch.Tensor) and isinstance(self.right, torch.Tensor):
            return self.left, self.right
        return None

    def _numbers(self, left: torch.Tensor, right: torch.Tensor) -> str:
        total = left.numel()
        if not total:
            return f"no values: both have shape {tuple(left.shape)}"
        if self.count:
            verb = "differs" if self.count == 1 else "differ"
            return f"{self.how_many} {verb}{self._how_far(left, right)}"
        same = f"all {total} values are the same" if total > 1 else "the one value is the same"
        return f"{same} within {self.tolerance:g}" if self.tolerance else f"{same}, bit for bit"

    def _how_far(self, left: torch.Tensor, right: torch.Tensor) -> str:
        assert self.differs is not None
        a, b = left[self.differs].double(), right[self.differs].double()
        nan = int((a.isnan() != b.isnan()).sum())
        if nan:
            return f": {nan} {'is' if nan == 1 else 'are'} NaN on one side only"
        if a.isnan().any():
            return " in the bits of NaN"
        far = float((a - b).abs().max())
        if far == 0:
            return " in the sign of zero alone"
        return f", by at most {far:.3g}"


@dataclass(frozen=True, eq=False)  # `==` of tensors gives no single answer
class Proof:
    """One case, run once.

    Attributes:
        case: which one.
        problem: the values of its problem; None if not run.
        fixed: the values of its fix; None if not run.
        not_run: why it was not run, or "".
        seconds: how long both took.
    """

    case: Case
    problem: Outcome | None
    fixed: Outcome | None
    not_run: str = ""
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """The problem's verdict, or "not run"."""
        return "not run" if self.problem is None else self.problem.verdict

    @property
    def saying(self) -> str:
        """Of a saying that was run, "true" or "false"; else ""."""
        if self.case.is_true is None or self.problem is None or self.fixed is None:
            return ""
        return "true" if self.case.is_true(self.problem, self.fixed) else "false"

    @property
    def holds(self) -> bool | None:
        """Whether problem and fix have the verdicts that the case claims; None if not run.

        An error that the code of a case does not catch, which is then both sides, refutes it.
        """
        if self.problem is None or self.fixed is None:
            return None
        verdicts = [
            "broken" if isinstance(one.left, Exception) and one.left is one.right else one.verdict
            for one in (self.problem, self.fixed)
        ]
        return verdicts == [self.case.expected, self.case.fix_expected]

    @property
    def line(self) -> str:
        """The verdict in one line: "differ: 3 of 12 values", "raises IndexError"."""
        outcome = self.problem
        if outcome is None:
            return self.not_run
        if outcome.verdict == "raises":
            sides = (outcome.left, outcome.right)
            names = [type(value).__name__ for value in sides if isinstance(value, Exception)]
            return f"raises {' and '.join(dict.fromkeys(names))}"
        if outcome.verdict == "differ":
            return f"differ: {outcome.how_many or outcome.detail}"
        return "same, bit for bit" if isinstance(outcome.left, torch.Tensor) else "same"


def shown(value: Value) -> str:
    """A value as the page shows it and as its script prints it: PyTorch's own words.

    >>> shown(IndexError("index out of range in self"))
    'IndexError: index out of range in self'
    """
    if isinstance(value, Exception):
        first = (str(value).strip().splitlines() or [""])[0]
        return f"{type(value).__name__}: {first}"
    return str(value)
