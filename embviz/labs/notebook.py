"""A notebook for each lab, to take along: a student runs its lines of PyTorch, alone or in a class.

It has the lines of the lab's own questions, with their numbers and without what they print, and
then both routes beside each other. Jupyter and Colab open it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from embviz.labs.catalogue import LABS, questions

LINES = re.compile("```python\n(.+?)\n```", re.DOTALL)  # the lines that a question shows
IMPORTS = "import torch\nfrom torch.nn import functional as F"
GUESS = "**Say first what the last line prints.** Then run it."
# What comes after the lines of the questions, by lab: what to do, and lines of Python.
MORE = {
    "row": (
        "The same rows in two ways. Change the ids. Which line uses every row of the table?",
        "table = torch.tensor([[4, 1], [3, 5], [2, 7], [6, 8]])\n"
        "ids = torch.tensor([3, 1])\n"
        "print(F.embedding(ids, table))\n"
        "print(F.one_hot(ids, len(table)) @ table)",
    ),
    "bag": (
        "The same sum in two ways. Write an id twice. Are both lines still equal?",
        "table = torch.tensor([[4.0, 1.0], [3.0, 5.0], [2.0, 7.0], [6.0, 8.0]])\n"
        "ids = torch.tensor([[3, 1, 0]])\n"
        'print(F.embedding_bag(ids, table, mode="sum"))\n'
        "counts = F.one_hot(ids, len(table)).sum(1).float()\n"
        "print(counts @ table)",
    ),
    "learns": (
        "The same gradient in two ways. Look up row 3 once more. Which numbers change?",
        "ids = torch.tensor([3, 1])\n"
        "table = torch.ones(4, 2, requires_grad=True)\n"
        "F.embedding(ids, table).sum().backward()\n"
        "print(table.grad)\n"
        "again = torch.ones(4, 2, requires_grad=True)\n"
        "(F.one_hot(ids, len(again)).float() @ again).sum().backward()\n"
        "print(again.grad)",
    ),
    "cost": (
        "Both routes, timed on this machine. Double `rows`. Which time grows?",
        "from timeit import timeit\n\n"
        "rows, columns = 20_000, 64\n"
        "table, ids = torch.rand(rows, columns), torch.randint(rows, (64,))\n"
        "one_hot = F.one_hot(ids, rows).float()\n"
        "print(timeit(lambda: F.embedding(ids, table), number=20) / 20)\n"
        "print(timeit(lambda: one_hot @ table, number=20) / 20)",
    ),
}


def notebook(lab: str, seed: int) -> bytes:
    """The notebook of a lab as a file, of nbformat 4.

    Args:
        lab: its key in `LABS`.
        seed: of the numbers of its questions.
    """
    cells = [_cell("markdown", f"# {LABS[lab].title}\n\nFive minutes with PyTorch.")]
    cells += [_cell("code", IMPORTS)]
    for lines in lines_of(lab, seed):
        cells += [_cell("markdown", GUESS), _cell("code", lines)]
    task, lines = MORE[lab]
    cells += [_cell("markdown", task), _cell("code", lines)]
    python = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    made = {"nbformat": 4, "nbformat_minor": 4, "metadata": python, "cells": cells}
    return json.dumps(made, indent=1).encode()


def lines_of(lab: str, seed: int) -> Iterator[str]:
    """The lines of Python in the questions of a lab, before anything is answered."""
    for question in questions(lab, seed):
        yield from LINES.findall(question.prompt)


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})
