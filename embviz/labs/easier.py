"""An easier question before the first step of each lab, for students who start slowly.

Each has numbers of its own, so that it tells nothing about the steps.
"""

from __future__ import annotations

import numpy as np
import torch

from embviz.labs import code
from embviz.labs.asking import fence, listed, numbers
from embviz.labs.drawing import UNKNOWN, Grid, blank, cells_of, filled, short
from embviz.labs.question import Question

WORDS = ["bread", "egg", "milk", "rice", "salt", "soup", "tea"]
COLOURS = ["blue", "brown", "green", "grey", "pink", "red", "white"]


def row(random: np.random.Generator) -> Question:
    """A row that stands beside its word."""
    words = sorted(random.permutation(WORDS)[:4].tolist())
    table = torch.from_numpy(random.permutation(np.arange(1, 10))[:8].reshape(4, 2))
    place = int(random.integers(1, 3))
    word, right = words[place], table[place]
    return numbers(
        "Easier: find a row",
        f"A table has one row for each word:\n\n{fence(table, words)}\n\nWhich 2 numbers stand in "
        f"the row of `{word}`?",
        right,
        {
            "That is the row above it.": table[place - 1],
            "That is the row below it.": table[place + 1],
            "You read down a column. A row goes from left to right.": table[place : place + 2, 0],
        },
        hints=(f"Find `{word}` at the left of the table.", "Read its line from left to right."),
        why=f"The row of `{word}` is {listed(right)}. To find the row of a word is a *lookup*.",
        small=(Grid("table", blank(4, 2), words, marked=cells_of([place], 2)),),
        picture=(
            Grid("table", filled(table), words, marked=cells_of([place], 2)),
            "→",
            Grid("its row", filled(right), [word]),
        ),
    )


def bag(random: np.random.Generator) -> Question:
    """How often one word comes."""
    first, *others = random.permutation(COLOURS)[:3].tolist()
    times = int(random.choice([2, 4]))
    sentence = random.permutation([first] * times + others).tolist()
    places = [(0, place) for place, word in enumerate(sentence) if word == first]
    return numbers(
        "Easier: count one word",
        f"The sentence is `{' '.join(sentence)}`. How often does `{first}` come in it?",
        sentence.count(first),
        {
            "That is how many words the sentence has.": len(sentence),
            "That is how many different words the sentence has.": len({*sentence}),
            "It comes more than once.": 1,
        },
        hints=("Read the sentence word by word.", f"Make a stroke for each `{first}`."),
        why=f"`{first}` comes {times} times. This number is its *count*.",
        start=(Grid("sentence", [sentence]),),
        small=(Grid("sentence", [sentence], marked=places[:1]),),
        picture=(
            Grid("sentence", [sentence], marked=places),
            "→",
            Grid("count", [[str(times)]], heads=[first]),
        ),
    )


def learns(random: np.random.Generator) -> Question:
    """The gradient of one number."""
    weight = int(random.integers(3, 10))
    lines = (
        f"w = torch.tensor({weight}., requires_grad=True)",
        "(w * w).backward()",
        "print(w.grad)",
    )
    right = code.printed(lines)
    loss = Grid("w", [[str(weight)]]), "→", Grid("w * w", [[str(weight * weight)]])
    return numbers(
        "Easier: the gradient of a square",
        code.asked(lines),
        right,
        {
            "You forgot the 2: the derivative of `w * w` is `2 * w`.": weight,
            "That is `w * w`. How fast does it grow with `w`?": weight * weight,
            "That is the way `w` moves. The gradient points the other way.": -right,
            "That is the derivative of `2 * w`.": 2,
        },
        hints=(
            "If `w` grows a little, how fast does `w * w` grow?",
            "The derivative of `w * w` is `2 * w`.",
        ),
        why=f"2 · {weight} = {short(right)}:\n\n{code.shown(right)}",
        small=loss,
        picture=(*loss, "→", Grid("w.grad", [[short(right)]])),
    )


def cost(random: np.random.Generator) -> Question:
    """The bytes of a row."""
    size, columns = torch.float32.itemsize, 4 * int(random.integers(3, 16))
    right = torch.zeros(columns).nbytes
    heads = ["numbers", "× bytes", "= bytes"]
    cells = [str(columns), str(size), str(right)]
    return numbers(
        "Easier: the bytes of a row",
        f"A row of a table has {columns} numbers. Each is a `float32`: it has {size} bytes. How "
        "many **bytes** does the row have?",
        right,
        {
            "That is how many numbers the row has.": columns,
            "You added. Each of the numbers has its own bytes.": columns + size,
            "You divided. Are there more bytes than numbers, or fewer?": columns // size,
            "That is for numbers of 8 bytes each.": 8 * columns,
        },
        hints=("How many bytes do two of the numbers have?", "Multiply."),
        why=f"{columns} · {size} = {right} bytes.",
        start=(Grid("a row", [[*cells[:2], UNKNOWN]], heads=heads),),
        small=(Grid("a row of 2 numbers", [["2", str(size), str(2 * size)]], heads=heads),),
        picture=(Grid("a row", [cells], heads=heads, marked=[(0, 2)]),),
    )
