"""Runs the program of a case and its fix on a layer, and says whether they came out as expected.

Each proof runs in a thread of its own: the switches for gradients, autocast and subnormals belong
to a thread, so a caller's switches do not matter and the case's own end with it. A case that sets
state of the whole process is for `own_process`.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from embviz.fact.comparison import bits
from embviz.fact.dtypes import dtype_name
from embviz.limits.case import BEFORE_A_FIX, PRELUDE, Case, end_of, paragraphs
from embviz.text.wording import counted


@dataclass(frozen=True, eq=False)  # `==` of tensors gives no single answer
class Outcome:
    """The results of both sides of a program: tensors, errors or other values.

    Two tensors are the same if shape, dtype and all bit patterns are: -0.0 is not 0.0. Two other
    values are the same if type and value are.
    """

    left: Any
    right: Any

    @property
    def errors(self) -> tuple[str, str]:
        """The error of each side as Python prints it, "" for a side without one."""
        sides = self.left, self.right
        left, right = (shown(side) if isinstance(side, Exception) else "" for side in sides)
        return left, right

    @cached_property
    def differs(self) -> torch.Tensor | None:
        """Bool, of the tensors' shape: True where they differ; None if there is no one shape.

        Numbers of two dtypes are compared in float64.
        """
        left, right = self.left, self.right
        if not self._tensors or left.shape != right.shape:
            return None
        if left.dtype != right.dtype:
            left, right = left.double(), right.double()
        return bits(left) != bits(right)

    @property
    def count(self) -> int:
        """The number of values that differ; a shape, a dtype or another value counts as 1."""
        if self.differs is None:
            same = not self._tensors and type(self.left) is type(self.right)
            return int(not (same and self.left == self.right))
        return int(self.differs.sum()) or int(self.left.dtype != self.right.dtype)

    @property
    def verdict(self) -> str:
        """Returns "raises" if a side is an error, else "same" or "differ"."""
        return "raises" if any(self.errors) else "differ" if self.count else "same"

    def meets(self, case: Case) -> bool:
        """Whether exactly the sides that the case names raised, or its number of values differ."""
        for pattern, error in zip(case.raises, self.errors, strict=True):
            if (pattern or error) and not _is(pattern, error):
                return False
        if any(case.raises):
            return True
        return self.count == case.differ and (not case.apart or self.far >= case.apart)

    def sentence(self, sides: tuple[str, str]) -> str:
        """The result: which side raised what, or how many values differ.

        >>> Outcome(torch.zeros(2), torch.ones(2)).sentence(("a", "b"))
        '2 of 2 values differ, by at most 1.'
        """
        kinds = [error.partition(":")[0] for error in self.errors]
        if any(kinds):
            named = zip(sides, kinds, strict=True)
            return f"{', '.join(f'{side} raises {kind}' for side, kind in named if kind)}."
        if self.differs is None:
            if self._tensors:
                return f"The shapes differ: {tuple(self.left.shape)}, {tuple(self.right.shape)}."
            says = f"{shown(self.left)} and {shown(self.right)} differ"
            return f"{says if self.count else f'Both are {shown(self.left)}'}."
        dtypes = dict.fromkeys(dtype_name(side.dtype) for side in (self.left, self.right))
        note = f" The dtypes are {' and '.join(dtypes)}." if len(dtypes) > 1 else ""
        total, off = self.left.numel(), int(self.differs.sum())
        if off:
            verb = "differs" if off == 1 else "differ"
            return f"{off:,} of {counted(total, 'value')} {verb}{self._how_far()}.{note}"
        same = f"All {total:,} values are the same" if total > 1 else "The value is the same"
        return f"{same}, bit for bit.{note}"

    @cached_property
    def far(self) -> float:
        """The largest difference of two tensors of one shape that differ; NaN if one has NaN."""
        left, right = (side[self.differs].double() for side in (self.left, self.right))
        return float((left - right).abs().max())

    def _how_far(self) -> str:
        if math.isnan(self.far):
            return ": NaN on one side"
        return f", by at most {self.far:.3g}" if self.far else " in the sign of zero alone"

    @property
    def _tensors(self) -> bool:
        return isinstance(self.left, torch.Tensor) and isinstance(self.right, torch.Tensor)


@dataclass(frozen=True, eq=False)
class Proof:
    """One case, run once.

    Attributes:
        case: which one.
        problem: what its program gave; None if it was not run to its end.
        lacks: what this machine lacks to run it, or "".
        recorded: the machine whose results these are, or "" for this one.
        failed: how the case's own process failed, or "".
        mistyped: the error of the fix on a layer, or "".
    """

    case: Case
    problem: Outcome | None = None
    lacks: str = ""
    failed: str = ""
    recorded: str = ""
    mistyped: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether all came out as the case expects; None if it cannot run here."""
        if self.lacks:
            return None
        if self.problem is None:
            return False if self.failed else None
        return self.comes_out and not self.mistyped

    @property
    def comes_out(self) -> bool:
        """Whether its program came out as the case expects, here or where it was recorded."""
        return self.problem is not None and self.problem.meets(self.case)

    @property
    def told(self) -> str:
        """The result in a sentence, or why there is none."""
        if self.problem is None:
            return f"Failed: {self.failed}." if self.failed else f"Cannot run here: {self.lacks}."
        said = self.problem.sentence(self.case.sides)
        return f"Recorded on {self.recorded}: {said}" if self.recorded else said


def prove(case: Case) -> Proof:
    """Run a case in a new thread: its fix, then its program.

    The fix goes first: after an error on a GPU nothing of a process works there.
    """
    if lacks := case.lacks():
        return Proof(case, lacks=lacks)
    with ThreadPoolExecutor(1) as thread:
        mistyped = thread.submit(run_typed, case.typed).result()
        left, right = thread.submit(run, case.program).result()
    return Proof(case, Outcome(left, right), mistyped=mistyped)


def run(text: str) -> tuple[Any, Any]:
    """Run PRELUDE and a program; return its `left` and `right`, each a value or an error."""
    names: dict[str, Any] = {}
    exec(PRELUDE, names)  # noqa: S102 - our own constant
    left, right = paragraphs(text)
    return _side(left, "left", names), _side(right, "right", names)


def run_typed(text: str) -> str:
    """Run BEFORE_A_FIX and a fix; return its error as Python prints it, or "".

    The layers draw from PyTorch's generator, which stays as it was.
    """
    with torch.random.fork_rng(devices=[]):
        try:
            exec(BEFORE_A_FIX + text, {})  # noqa: S102 - our own constants
        except Exception as error:
            return shown(error)
    return ""


def _side(paragraph: str, name: str, names: dict[str, Any]) -> Any:
    try:
        exec(paragraph, names)  # noqa: S102 - our own constant
        value = names[name]
    except Exception as error:
        # Its frames would keep all tensors of the program.
        error.__traceback__ = error.__context__ = error.__cause__ = None
        return error
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _is(pattern: str, error: str) -> bool:
    """Whether it is an error of that class, with that message."""
    kinds = pattern.partition(":")[0] == error.partition(":")[0]
    return kinds and end_of(pattern.split("…"), error) > 0


def shown(value: Any) -> str:
    """A value in PyTorch's own words; an error as Python prints it.

    >>> shown(IndexError("index out of range in self"))
    'IndexError: index out of range in self'
    """
    return f"{type(value).__name__}: {value}" if isinstance(value, Exception) else str(value)
