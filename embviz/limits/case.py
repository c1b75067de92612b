"""One way in which lookup and product part ways, or are said to: the record of it.

A case holds two functions, `problem` and `fix`. Each is a few lines of plain PyTorch that return
what two sides gave. This module only describes them: nothing here runs one (`prove` does) or
judges what came out (`outcome` does).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

# What one side gave. An exception is a result like any other: it is what a reader would see.
Value = torch.Tensor | str | bool | int | float | Exception
Both = tuple[Value, Value]

NEEDS = ("", "process", "cuda", "tf32")

# The usual pair of sides.
LOOKUP, MATMUL = "nn.Embedding", "one-hot × nn.Linear"
ROUTES = (LOOKUP, MATMUL)
DOCS = "https://docs.pytorch.org/docs/stable/"
ISSUES = "https://github.com/pytorch/pytorch/issues/"


def docs(label: str, page: str) -> tuple[str, str]:
    """A page of PyTorch's documentation as a source: what to call it, and its address."""
    return label, f"{DOCS}{page}.html"


def issue(number: int) -> tuple[str, str]:
    """An issue of pytorch/pytorch as a source: what to call it, and its address."""
    return f"pytorch issue {number}", f"{ISSUES}{number}"


@dataclass(frozen=True)
class Input:
    """Something a reader may change.

    Attributes:
        name: the parameter of the case's functions.
        label: what it is, in words.
        default: what it is at first.
        options: a closed choice; or
        low: the least whole number it may be, and
        high: the greatest.
        help: what to look for when it changes.
    """

    name: str
    label: str
    default: object
    options: tuple[object, ...] = ()
    low: int | None = None
    high: int | None = None
    help: str = ""


@dataclass(frozen=True)
class Case:
    """One case: what is claimed, why, the code that shows it and the code that mends it.

    Attributes:
        name: for links, like `inf-in-unseen-row`.
        group: the heading above it in the list, the same for all cases of a module.
        title: a few words, without markup.
        claim: one true sentence; for float32 and float64 alike where it names no dtype.
        reason: why, in two sentences.
        sides: what the first and the second value are.
        expected: what `problem` shows: "same", "differ" or "raises".
        problem: the code that shows it; takes the inputs by name, and `dtype` if it has one.
        fix: the code that mends it, likewise.
        fix_expected: what `fix` shows: "same"; "raises" for the clear error it promises; or
            "differ" where the problem is that two things come out the same which should not, so
            that the fix is to make them differ. Only a case that expects "same" may say so.
        fix_title: what the fix does, as a short imperative.
        source: (label, address) of documentation pages or issues that speak of it.
        fix_sides: what the first and the second value of `fix` are; None if as `sides`.
        inputs: what a reader may change.
        errors: regular expressions of error texts that lead here.
        words: further words that people search for.
        needs: "", "process" (it sets state of the whole process), "cuda" (a CUDA device) or
            "tf32" (one that has TF32).
        tolerance: largest difference that the fix may leave; 0 is bit for bit.
        emulated: whether it imitates hardware that need not be there.
        see: (page, words) of another page that goes further.
    """

    name: str
    group: str
    title: str
    claim: str
    reason: str
    sides: tuple[str, str]
    expected: str
    problem: Callable[..., Both]
    fix: Callable[..., Both]
    fix_expected: str
    fix_title: str
    source: tuple[tuple[str, str], ...]
    fix_sides: tuple[str, str] | None = None
    inputs: tuple[Input, ...] = ()
    errors: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    needs: str = ""
    tolerance: float = 0.0
    emulated: bool = False
    see: tuple[str, str] | None = None

    @property
    def sides_of_fix(self) -> tuple[str, str]:
        """What the first and the second value of `fix` are."""
        return self.sides if self.fix_sides is None else self.fix_sides
