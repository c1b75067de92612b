"""Numbers and tables inside prompts and explanations, in plain marks."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from embviz.labs.answers import written


def row(numbers: torch.Tensor) -> str:
    """Numbers in a list.

    >>> row(torch.tensor([1.0, -0.25]))
    '`[1, -0.25]`'
    """
    return f"`[{', '.join(short(value) for value in numbers.tolist())}]`"


def listed(numbers: torch.Tensor) -> tuple[float, ...]:
    """A vector's numbers as an answer has them."""
    return tuple(float(value) for value in numbers.tolist())


def short(value: float) -> str:
    """A number without needless digits, to 6 of them.

    >>> short(3.0), short(1 / 3)
    ('3', '0.333333')
    """
    return written(float(value))


def grid(table: torch.Tensor, labels: Sequence[str], heads: Sequence[str] = ()) -> str:
    """A table as a block of code, one labelled line a row, numbers flush right.

    >>> print(grid(torch.tensor([[1.0, 12.0], [-3.0, 4.0]]), ["a", "bc"]))
    ```
    a    1 12
    bc  -3  4
    ```
    """
    cells = [[short(value) for value in line] for line in table.tolist()]
    head = [list(heads)] if heads else []
    wide = max(len(cell) for line in [*head, *cells] for cell in line)
    left = max(map(len, labels))
    lines = [
        f"{label:<{left}}  " + " ".join(f"{cell:>{wide}}" for cell in line)
        for label, line in zip([""] * len(head) + list(labels), [*head, *cells], strict=True)
    ]
    return "\n".join(["```", *lines, "```"])


def plus(parts: Sequence[float]) -> str:
    """A sum as one writes it.

    >>> plus([1.0, -2.0])
    '1 + (-2)'
    """
    shown = [short(part) for part in parts]
    return " + ".join(f"({part})" if part.startswith("-") else part for part in shown)
