"""Steps that end in lines of PyTorch: the lines that are shown are the lines that run.

Each has small numbers of its own, so that it tells nothing about the other steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional as F

from embviz.labs.asking import listed, numbers
from embviz.labs.counts import Bag
from embviz.labs.drawing import Grid, cells_of, filled
from embviz.labs.letters import Letters
from embviz.labs.question import Question

ROWS, DIM = 4, 2
TITLE = "Run it in your head"


def printed(lines: Sequence[str]) -> torch.Tensor:
    """The last tensor that these lines of Python print; it runs them.

    >>> printed(["x = torch.tensor([1, 2])", "print(x + 1)"])
    tensor([2, 3])
    """
    seen = list[torch.Tensor]()
    exec("\n".join(lines), {"torch": torch, "F": F, "print": seen.append})  # noqa: S102 - its own
    return seen[-1]


def shown(text: object) -> str:
    """Lines of Python, or what they print, as a block of code."""
    return f"```python\n{text!s}\n```"


def asked(lines: Sequence[str]) -> str:
    """The prompt that asks what these lines print."""
    text = "\n".join(lines)
    names = "`F` is `torch.nn.functional`. " if "F." in text else ""
    return (
        f"{names}Do not run these lines yet:\n\n{shown(text)}\n\nWhat does the last line print? "
        "Write only its numbers, or all that PyTorch prints."
    )


def _drawn(given: Letters | Bag) -> tuple[torch.Tensor, int, int]:
    """A table of 4 x 2 different digits, and two ids, the larger one first; none is 0."""
    random = np.random.default_rng((given.seed, *b"code"))
    digits = random.permutation(np.arange(1, 10))[: ROWS * DIM]
    low, high = sorted(random.permutation(np.arange(1, ROWS))[:2].tolist())
    return torch.from_numpy(digits.reshape(ROWS, DIM)), high, low


def _grid(table: torch.Tensor, *marked: int) -> Grid:
    labels = [f"row {place}" for place in range(ROWS)]
    return Grid("table", filled(table), labels, marked=cells_of(marked, table.shape[1]))


def lookup(given: Letters) -> Question:
    """`F.embedding`."""
    table, high, low = _drawn(given)
    lines = (
        f"table = torch.tensor({table.tolist()})",
        f"print(F.embedding(torch.tensor([{high}, {low}]), table))",
    )
    right = printed(lines)
    return numbers(
        TITLE,
        asked(lines),
        right,
        {
            "You counted the rows from 1. The first row is row 0.": table[[high - 1, low - 1]],
            "Those rows are in the order of the table. The output has the order of the ids.": (
                table[[low, high]]
            ),
            "You wrote column by column. The output has one row for each id.": right.T,
        },
        per="row by row",
        hints=(
            "Each id picks one row. The rows stay in the order of the ids.",
            f"Go to row {high} first. The first row of the table is row 0.",
        ),
        why=f"Id {high} picks {listed(table[high])}, then id {low} picks {listed(table[low])}:"
        f"\n\n{shown(right)}",
        small=(_grid(table, 0), "id 0 →", Grid("row 0", filled(table[0]))),
        picture=(_grid(table, high, low), "→", Grid("printed", filled(right))),
    )


def bag(given: Bag) -> Question:
    """`F.embedding_bag`, with an id that comes twice."""
    table, high, low = _drawn(given)
    ids = torch.tensor([high, low, high])
    lines = (
        f"table = torch.tensor({table.tolist()}).float()",
        f'print(F.embedding_bag(torch.tensor([{ids.tolist()}]), table, mode="sum"))',
    )
    right, rows = printed(lines), table[ids].float()
    return numbers(
        TITLE,
        asked(lines),
        right,
        {
            "You took each id once. One of them comes twice.": rows[:2].sum(0),
            "That is the mean of the rows. The line asks for their sum.": rows.mean(0),
            "That is the larger number of each column. The line asks for the sum.": rows.amax(0),
            "You counted the rows from 1. The first row is row 0.": table[ids - 1].sum(0),
        },
        tolerance=0.05,
        per="one for each column",
        hints=(
            "Write down the row of each id, also a second time. Then add them.",
            f"There are {len(ids)} rows to add, one for each id.",
        ),
        why=f"The rows are {', '.join(listed(row) for row in rows)}; they are added column by "
        f"column:\n\n{shown(right)}",
        small=(_grid(table, 0), "ids 0 0 →", Grid("their sum", filled(2 * table[0]))),
        picture=(_grid(table, high, low), "→", Grid("printed", filled(right))),
    )


def gradient(given: Letters) -> Question:
    """The gradient of a sum of looked-up numbers: how often each is looked up."""
    table, high, low = _drawn(given)
    weight = table.flatten()[:ROWS].float()
    ids = torch.tensor([high, low, high])
    cells = filled(weight)[0]
    lines = (
        f"w = torch.tensor([{', '.join(f'{cell}.' for cell in cells)}], requires_grad=True)",
        f"w[torch.tensor({ids.tolist()})].sum().backward()",
        "print(w.grad)",
    )
    right = printed(lines)
    labels = [f"place {place}" for place in range(ROWS)]
    return numbers(
        TITLE,
        asked(lines),
        right,
        {
            "One place comes twice, but you counted it once.": (right > 0).float(),
            "Those are the numbers that were added. How fast does the sum grow with each?": (
                right * weight
            ),
            "You counted from 1. The first number has place 0.": right.roll(-1),
            "That is 1 for every number. Not every number is in the sum.": [1.0] * ROWS,
        },
        per="one for each number of w",
        hints=(
            "Which numbers of `w` are in the sum, and how often?",
            "If a number in the sum grows by 1, how much does the sum grow?",
        ),
        why=f"The sum has `w[{high}]` twice and `w[{low}]` once. The gradient of a number says how "
        f"often it is in the sum:\n\n{shown(right)}",
        small=(Grid("w", [[cell] for cell in cells], labels),),
        picture=(
            Grid("w", [[cell] for cell in cells], labels),
            "→",
            Grid("w.grad", filled(right)),
        ),
    )
