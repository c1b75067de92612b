"""Four facts about `nn.Embedding.from_pretrained`; each line shown is run on copies.

It transposes nothing, copies nothing, freezes by default, and is a class method: called on a
module, it builds another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

_MAKE = "embedding = nn.Embedding.from_pretrained("
RIGHT = f"{_MAKE}linear.weight.detach().t().clone(), freeze=False)"
# A sentence about the module that a line made, and whether it is in the trap.
Seen = tuple[str, bool]
# Looks at a module and at `linear.weight`.
Look = Callable[[nn.Embedding, Any], Seen]


@dataclass(frozen=True)
class Fact:
    """A line of code and another one, both tried out.

    Attributes:
        title: the fact, in a few words.
        code: a line that misleads.
        outcome: its result here.
        right_outcome: the result of `RIGHT` here.
        holds: whether both results are as the fact says.
    """

    title: str
    code: str
    outcome: str
    right_outcome: str
    holds: bool


def facts() -> list[Fact]:
    """Try out four facts on a `Linear.weight` of 1 to 12, shape (3, 4)."""
    found = []
    for title, code, look in LINES:
        outcome, is_trapped = _tried(code, look)
        right_outcome, is_still_trapped = _tried(RIGHT, look)
        holds = is_trapped and not is_still_trapped
        found.append(Fact(title, code, outcome, right_outcome, holds))
    return found


def _tried(code: str, look: Look) -> Seen:
    linear = nn.Linear(4, 3, bias=False, device="meta")
    linear.weight = nn.Parameter(torch.arange(1.0, 13).reshape(3, 4))
    names: dict[str, Any] = {"nn": nn, "linear": linear}
    with torch.random.fork_rng(devices=[]), torch.enable_grad():  # nn.Embedding(4, 3) draws
        exec(code, names)  # noqa: S102 - a text of ours
        return look(names["embedding"], linear.weight)


def _first_row(embedding: nn.Embedding, own: torch.Tensor) -> Seen:
    shape, first = tuple(embedding.weight.shape), embedding.weight[0]
    return f"The shape is {shape}. Word 0 gets {first.tolist()}.", torch.equal(first, own[0])


@torch.no_grad()
def _after_a_write(embedding: nn.Embedding, own: torch.Tensor) -> Seen:
    embedding.weight[0, 0] = 0
    after = float(own[0, 0])
    return f"After embedding.weight[0, 0] = 0, linear.weight[0, 0] is {after}.", after != 1


def _trains(embedding: nn.Embedding, _: torch.Tensor) -> Seen:
    output = embedding(torch.tensor([0]))
    made_by = type(output.grad_fn).__name__
    return f"requires_grad is {output.requires_grad}, grad_fn {made_by}.", output.grad_fn is None


def _kept_row(embedding: nn.Embedding, own: torch.Tensor) -> Seen:
    first = embedding.weight[0].tolist()
    return (
        f"Word 0 gets [{', '.join(f'{value:.4g}' for value in first)}].",
        first != own[:, 0].tolist(),
    )


# The title of each fact, a line that misleads, and what looks at the module that it makes.
LINES: list[tuple[str, str, Look]] = [
    ("It transposes nothing", f"{_MAKE}linear.weight)", _first_row),
    ("It copies nothing", f"{_MAKE}linear.weight.t(), freeze=False)", _after_a_write),
    ("It freezes by default: give freeze=False", f"{_MAKE}linear.weight.t().clone())", _trains),
    (
        "It is a class method: the 4 × 3 table of nn.Embedding(4, 3) is thrown away",
        "embedding = nn.Embedding(4, 3)\nembedding.from_pretrained(linear.weight.t())",
        _kept_row,
    ),
]
