"""What the two sides of a case gave, and whether that is the same.

Tensors are the same when shape, dtype and every bit pattern are: -0.0 is not 0.0, and a NaN is
itself where its bits are. Everything is computed from the values, which are kept. No tolerance is
assumed: one applies only where a case's fix asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch

from embviz.core.comparison import bits
from embviz.core.dtypes import dtype_name
from embviz.limits.case import Case, Value

_WORDS = {
    "same": "the two sides agree",
    "differ": "the two sides differ",
    "raises": "an error",
    "not run": "not run here",
}


def verdict_words(verdict: str) -> str:
    """A verdict in words for a reader: "differ" is "the two sides differ"."""
    return _WORDS[verdict]


@dataclass(frozen=True, eq=False)  # tensors have no == of one answer
class Outcome:
    """What both sides gave.

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
        """What came out: "raises" if a side is an error, else "same" or "differ"."""
        if isinstance(self.left, Exception) or isinstance(self.right, Exception):
            return "raises"
        if self._tensors is None:
            same = type(self.left) is type(self.right) and self.left == self.right
            return "same" if same else "differ"
        left, right = self._tensors
        alike = self.differs is not None and left.dtype == right.dtype
        return "same" if alike and not bool(self.differs.any()) else "differ"  # type: ignore[union-attr]

    @cached_property
    def differs(self) -> torch.Tensor | None:
        """Bool, of the sides' one shape: True where they differ; None if they have no one shape."""
        if self._tensors is None:
            return None
        left, right = self._tensors
        if left.shape != right.shape or left.layout != right.layout or left.is_sparse:
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
            return f"{_short(self.left)} and {_short(self.right)}"
        left, right = self._tensors
        if left.layout != right.layout:
            return f"layouts {left.layout} and {right.layout}"
        if left.shape != right.shape:
            return f"shapes {tuple(left.shape)} and {tuple(right.shape)}"
        differing = self.count
        if not left.numel():
            numbers = f"no values: both have shape {tuple(left.shape)}"
        elif differing:
            verb = "differs" if differing == 1 else "differ"
            numbers = f"{self.how_many} {verb}{self._how_far(left, right)}"
        elif self.tolerance:
            numbers = f"{_all(left)} within {self.tolerance:g}"
        else:
            numbers = f"{_all(left)}, bit for bit"
        if left.dtype != right.dtype:
            return f"dtypes {dtype_name(left.dtype)} and {dtype_name(right.dtype)}; {numbers}"
        return numbers

    @property
    def count(self) -> int:
        """How many values differ; 0 where the sides are no tensors of one shape."""
        return 0 if self.differs is None else int(self.differs.sum())

    @property
    def how_many(self) -> str:
        """How many values differ, like "3 of 12 values"; "" where none can be counted."""
        if not self.count or not isinstance(self.left, torch.Tensor):
            return ""
        total = self.left.numel()
        return f"{self.count} of {total} values" if total > 1 else "the one value"

    @property
    def _tensors(self) -> tuple[torch.Tensor, torch.Tensor] | None:
        if isinstance(self.left, torch.Tensor) and isinstance(self.right, torch.Tensor):
            return self.left, self.right
        return None

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


@dataclass(frozen=True, eq=False)  # tensors have no == of one answer
class Proof:
    """Everything about one case, proved now.

    Attributes:
        case: which one.
        given: the inputs it was proved with, by name; `dtype` as a word.
        problem: what its problem gave; None if not run.
        fixed: what its fix gave; None if not run.
        not_run: why it was not run, or "".
        emulated: whether hardware was imitated.
        seconds: how long both took.
    """

    case: Case
    given: dict[str, object]
    problem: Outcome | None
    fixed: Outcome | None
    not_run: str = ""
    emulated: bool = False
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """The problem's verdict, or "not run"."""
        return "not run" if self.problem is None else self.problem.verdict

    @property
    def holds(self) -> bool | None:
        """Whether problem and fix gave what the case claims; None if not run."""
        if self.problem is None or self.fixed is None:
            return None
        as_claimed = self.problem.verdict == self.case.expected
        return as_claimed and self.fixed.verdict == self.case.fix_expected

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
            line = f"differ: {outcome.how_many or outcome.detail}"
        else:
            line = "same, bit for bit" if isinstance(outcome.left, torch.Tensor) else "same"
        return f"{line} (emulated)" if self.emulated else line


def shown(value: Value) -> str:
    """A value as the page shows it and as its script prints it: PyTorch's own words.

    >>> shown(IndexError("index out of range in self"))
    'IndexError: index out of range in self'
    """
    if isinstance(value, Exception):
        first = (str(value).strip().splitlines() or [""])[0]
        return f"{type(value).__name__}: {first}"
    return str(value)


def _all(values: torch.Tensor) -> str:
    count = values.numel()
    return f"all {count} values are the same" if count > 1 else "the one value is the same"


def _short(value: Value) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    return shown(value)
