"""Four traps of `nn.Embedding.from_pretrained`; each line shown is run on a weight of its own.

It transposes nothing, copies nothing, freezes by default, and is a class method: called on a
module, it builds another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

_MAKE = "embedding = nn.Embedding.from_pretrained("
RIGHT = f"{_MAKE}linear.weight.detach().t().clone(), freeze=False)"


@dataclass(frozen=True)
class Trap:
    """Lines that mislead.

    Attributes:
        title: the fact that they overlook.
        code: the lines.
        look: lines that use both layers; the last one is an expression.
        right: its value after `RIGHT`, as PyTorch prints it.
    """

    title: str
    code: str
    look: str
    right: str

    @property
    def outcome(self) -> str:
        """The value after `code`, on the PyTorch installed here."""
        return value_of(self.code, self.look)

    @property
    def holds(self) -> bool:
        """Whether these lines give another value here, and `RIGHT` gives the right one."""
        is_right = value_of(RIGHT, self.look) == self.right
        return is_right and self.outcome != self.right


def value_of(code: str, look: str) -> str:
    """The value of `look` after `code`, for a `Linear.weight` of 1 to 12, shape (3, 4)."""
    linear = nn.Linear(4, 3, bias=False, device="meta")  # draws nothing
    linear.weight = nn.Parameter(torch.arange(1.0, 13).reshape(3, 4))
    names: dict[str, Any] = {"nn": nn, "torch": torch, "linear": linear}
    *lines, last = look.split("\n")
    with torch.random.fork_rng(devices=[]), torch.enable_grad():  # nn.Embedding(4, 3) draws
        exec("\n".join([code, *lines]), names)  # noqa: S102 - a text of ours
        return str(eval(last, names))  # noqa: S307 - a text of ours


ROW = "embedding.weight.data[0]  # of word 0"
TRAPS = (
    Trap("It transposes nothing", f"{_MAKE}linear.weight)", ROW, "tensor([1., 5., 9.])"),
    Trap(
        "It copies nothing",
        f"{_MAKE}linear.weight.t(), freeze=False)",
        "embedding.weight.data[0, 0] = 0\nlinear.weight.data[0, 0]",
        "tensor(1.)",
    ),
    Trap(
        "It freezes by default: give freeze=False",
        f"{_MAKE}linear.weight.t().clone())",
        "embedding(torch.tensor([0])).requires_grad",
        "True",
    ),
    Trap(
        "It is a class method: embedding stays as it was, and the new module is lost",
        "embedding = nn.Embedding(4, 3)\nembedding.from_pretrained(linear.weight.t())",
        ROW,
        "tensor([1., 5., 9.])",
    ),
)
