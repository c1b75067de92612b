"""The record of one case: a way in which lookup and product differ, or are said to differ.

A case holds two functions, `problem` and `fix`. Each is a few lines of plain PyTorch that return
the values of two sides. This module does not run them (`prove` does) and does not compare their
values (`outcome` does).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

# The value of one side. An exception is a value too: it is what a reader would see.
Value = torch.Tensor | str | bool | int | float | Exception
Both = tuple[Value, Value]

LOOKUP = "nn.Embedding"
ROUTES = (LOOKUP, "one-hot × nn.Linear")
GRADIENTS = ("gradient of nn.Embedding", "gradient of nn.Linear, transposed")


def docs(label: str, page: str = "") -> tuple[str, str]:
    """A page of PyTorch's documentation as a source: its name and its address.

    Without `page`, the page of the function or class that `label` names.

    >>> docs("F.one_hot")[1].rpartition("/")[2]
    'torch.nn.functional.one_hot.html'
    """
    if not page:
        name = label.removeprefix("torch.")
        page = f"generated/torch.{name.replace('F.', 'nn.functional.')}"
    return label, f"https://docs.pytorch.org/docs/stable/{page}.html"


def issue(number: int) -> tuple[str, str]:
    """An issue of pytorch/pytorch as a source: its name and its address."""
    return f"pytorch issue {number}", f"https://github.com/pytorch/pytorch/issues/{number}"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case: the claim, the reason, the code that shows it and the code that fixes it.

    Attributes:
        name: for links, like `inf-in-unseen-row`.
        title: a few words, without markup.
        claim: one to three true sentences.
        reason: why, in two or three sentences.
        sides: names of the first and the second value.
        expected: the verdict of `problem`: "same", "differ" or "raises".
        problem: the code that shows it. A parameter has a default value, or the function is a
            `partial` with all values.
        fix: the code that fixes it. It may be a `partial` of the same function with another
            value, such as an optimizer's eps.
        fix_expected: the verdict of `fix`: "same", or "differ" where two results are the same
            that should differ.
        fix_title: what the fix does, as a short imperative.
        source: (label, address) of documentation pages or issues about it.
        fix_sides: names of the two values of `fix`; None if they are `sides`.
        errors: regular expressions of error texts that lead here.
        words: further words that people search for, in one text.
        needs: a key of `isolated.CHECKS` if it sets state of the whole process, like "process" or
            "threads"; "" if it does not.
        tolerance: largest difference that the fix may leave; 0 is bit for bit.
        see: (page, words) of another page with more about it.
        card: one sentence of what happens, for the page's first screen; "" keeps it off that.
        is_true: of a saying: whether it is true, given the outcomes of `problem` and `fix`.
    """

    name: str
    title: str
    claim: str
    reason: str
    expected: str
    problem: Callable[..., Both]
    fix: Callable[..., Both]
    fix_title: str
    source: tuple[tuple[str, str], ...]
    sides: tuple[str, str] = ROUTES
    fix_expected: str = "same"
    fix_sides: tuple[str, str] | None = None
    errors: tuple[str, ...] = ()
    words: str = ""
    needs: str = ""
    tolerance: float = 0.0
    see: tuple[str, str] | None = None
    card: str = ""
    is_true: Callable[[Any, Any], bool] | None = None

    @property
    def group(self) -> str:
        """The heading above it in the list: the name of its module."""
        function = getattr(self.problem, "func", self.problem)
        return function.__module__.rpartition(".")[2].capitalize()

    @property
    def sides_of_fix(self) -> tuple[str, str]:
        """Names of the first and the second value of `fix`."""
        return self.sides if self.fix_sides is None else self.fix_sides
