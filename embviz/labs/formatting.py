"""Numbers and tables inside prompts and explanations, in the markup of `labs.markup`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch

from embviz.labs.answers import written


def row(numbers: torch.Tensor) -> str:
    """Numbers in a list.

    >>> row(torch.tensor([1.0, -0.25]))
    '`[1, -0.25]`'
    """
    return f"`[{', '.join(map(short, numbers.tolist()))}]`"


def short(value: float | torch.Tensor) -> str:
    """A number to 6 digits, without zeros at its end.

    >>> short(3.0), short(1 / 3)
    ('3', '0.333333')
    """
    return written(float(value))


def grid(table: torch.Tensor, labels: Iterable[str], heads: Sequence[str] = ()) -> str:
    """A table as a block of code: a labelled line for each row, numbers aligned on the right.

    >>> print(grid(torch.tensor([[1.0, 12.0], [-3.0, 4.0]]), ["a", "bc"]))
    ```
    a    1 12
    bc  -3  4
    ```
    """
    lines = [[label, *map(short, line)] for label, line in zip(labels, table.tolist(), strict=True)]
    if heads:
        lines.insert(0, ["", *heads])
    left = max(len(line[0]) for line in lines)
    width = max(len(cell) for line in lines for cell in line[1:])
    shown = [
        f"{label:<{left}}  " + " ".join(f"{cell:>{width}}" for cell in cells)
        for label, *cells in lines
    ]
    return "\n".join(["```", *shown, "```"])


def plus(parts: torch.Tensor) -> str:
    """A sum in writing.

    >>> plus(torch.tensor([1.0, -2.0]))
    '1 + (-2)'
    """
    shown = [short(part) for part in parts.tolist()]
    return " + ".join(f"({part})" if part.startswith("-") else part for part in shown)
