"""Four facts about `nn.Embedding.from_pretrained`, each tried out live, with the right line.

It transposes nothing, copies nothing, freezes by default, and is a classmethod: called on a
module, it leaves that module unchanged. Each fact runs on copies. Nothing here draws a random
number or changes its argument.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from embviz.bag.layers import check_weight
from embviz.core.fact import Fact

_SHOWN = 4  # numbers of a row in an outcome
# `.t().contiguous()` copies nothing if the weight has one row or one column.
_SAME = {True: "data_ptr() is that of linear.weight", False: "data_ptr() is another"}
_RIGHT = """\
table = linear.weight.detach().t().clone(memory_format=torch.contiguous_format)
nn.Embedding.from_pretrained(table, freeze=False)"""


def facts(weight: torch.Tensor) -> list[Fact]:
    """Try out four facts on a `Linear.weight`.

    Args:
        weight: shape (D, V), finite, float32 or float64; it is not changed.

    Raises:
        WeightError: another shape or dtype, or NaN or inf.
    """
    check_weight(weight, weight.shape[-1] if weight.dim() else 1)
    weight = weight.detach()
    return [
        _transposes_nothing(weight),
        _copies_nothing(weight),
        _freezes(weight),
        _makes_new(weight),
    ]


_from_pretrained: Callable[..., nn.Embedding] = nn.Embedding.from_pretrained


def _transposed(weight: torch.Tensor) -> torch.Tensor:
    """A contiguous copy of the transpose, shape (V, D)."""
    return weight.t().clone(memory_format=torch.contiguous_format)


def _transposes_nothing(weight: torch.Tensor) -> Fact:
    dim, columns = weight.shape
    wrong, right = _from_pretrained(weight), _from_pretrained(_transposed(weight), freeze=False)
    last = torch.tensor([columns - 1])
    got = f"word 0 gets {_numbers(wrong(torch.tensor([0]))[0])}, row 0 of Linear.weight"
    met, after = columns <= dim, f"word {columns - 1} gets numbers"
    try:
        wrong(last)
        if met:
            after = f"no id raises an error, because there are {dim:,} rows for {columns:,} words"
    except IndexError as error:
        met, after = not met, f"word {columns - 1} raises IndexError: {error}"
    found = right(torch.arange(columns))
    return Fact(
        "It transposes nothing",
        "nn.Embedding.from_pretrained(linear.weight)",
        f"A table of {tuple(wrong.weight.shape)}, not {(columns, dim)}: {got}; {after}.",
        _RIGHT,
        f"A table of {tuple(right.weight.shape)}: word 0 gets {_numbers(found[0])}, column 0 of "
        "Linear.weight.",
        met and torch.equal(wrong.weight, weight) and torch.equal(found, weight.t()),
    )


@torch.no_grad()
def _copies_nothing(weight: torch.Tensor) -> Fact:
    own = weight.clone()
    view, copy = (_from_pretrained(table, freeze=False) for table in (own.t(), _transposed(own)))
    shared, again = (part.weight.data_ptr() == own.data_ptr() for part in (view, copy))
    before = float(own[0, 0])
    view.weight[0, 0] = 0.0 if before else 1.0
    moved, kept = float(own[0, 0]), float(copy.weight[0, 0])
    return Fact(
        "It copies nothing",
        "nn.Embedding.from_pretrained(linear.weight.t(), freeze=False)",
        f"{_SAME[shared]}: writing to the embedding's first number turned the linear layer's "
        f"{before:.4f} into {moved:.4f}.",
        _RIGHT,
        f"{_SAME[again]}: its first number stayed {kept:.4f}.",
        shared and not again and moved != before and kept == before,
    )


def _freezes(weight: torch.Tensor) -> Fact:
    frozen, free = (
        _from_pretrained(_transposed(weight), freeze=freeze) for freeze in (True, False)
    )
    with torch.enable_grad():
        output, learning = frozen(torch.tensor([0])), free(torch.tensor([0]))
    try:
        output.sum().backward()
        refused = "backward() went through"
    except RuntimeError as error:
        refused = f"backward() raises RuntimeError: {error}"
    name = type(learning.grad_fn).__name__ if learning.grad_fn is not None else "None"
    return Fact(
        "It freezes by default",
        "nn.Embedding.from_pretrained(table)(ids).grad_fn",
        f"requires_grad is {frozen.weight.requires_grad}, grad_fn is {output.grad_fn}; {refused}.",
        "nn.Embedding.from_pretrained(table, freeze=False)(ids).grad_fn",
        f"requires_grad is {free.weight.requires_grad}, grad_fn is {name}.",
        not frozen.weight.requires_grad
        and output.grad_fn is None
        and "raises" in refused
        and free.weight.requires_grad
        and learning.grad_fn is not None,
    )


def _makes_new(weight: torch.Tensor) -> Fact:
    table = _transposed(weight)
    # As nn.Embedding(V, D, padding_idx=0), which would draw from the global generator.
    embedding, filled = (_from_pretrained(table + 1, freeze=False, padding_idx=0) for _ in range(2))
    made: nn.Embedding = embedding.from_pretrained(table)  # type: ignore[no-untyped-call]
    unchanged = torch.equal(embedding.weight, table + 1)
    with torch.no_grad():
        filled.weight.copy_(table)
    return Fact(
        "It makes a new module",
        "embedding = nn.Embedding(V, D, padding_idx=0)\nembedding.from_pretrained(table)",
        f"embedding is {'unchanged' if unchanged else 'changed'}: from_pretrained is a "
        f"classmethod. What it returned, {'another' if made is not embedding else 'the same'} "
        f"module with padding_idx {made.padding_idx}, was thrown away.",
        "with torch.no_grad():\n    embedding.weight.copy_(table)",
        f"The same module holds the table: padding_idx is {filled.padding_idx}, requires_grad "
        f"{filled.weight.requires_grad}.",
        unchanged
        and made is not embedding
        and made.padding_idx is None
        and torch.equal(filled.weight, table)
        and filled.weight.requires_grad,
    )


def _numbers(row: torch.Tensor) -> str:
    shown = [f"{value:.4f}" for value in row[:_SHOWN].tolist()]
    more = f", … {len(row):,} numbers" if len(row) > _SHOWN else ""
    return f"[{', '.join(shown)}{more}]"
