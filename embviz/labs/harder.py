"""A harder question beside the steps of each lab, for students who are quick.

It needs no more than the lab's first steps. Each has numbers of its own, so that it tells nothing
about the steps.
"""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional as F

from embviz.fact.cost import ID_BYTES
from embviz.labs import code
from embviz.labs.asking import COMMAS, fence, listed, numbers
from embviz.labs.drawing import UNKNOWN, Grid, blank, cells_of, filled, hidden, short
from embviz.labs.easier import COLOURS
from embviz.labs.question import Question

RATE = 0.1  # Learning rate of the step.


def row(random: np.random.Generator) -> Question:
    """A row with two numbers that are not 0, times a table."""
    table = torch.from_numpy(random.integers(1, 5, (4, 2)))
    places = random.permutation(4)[:2].tolist()
    factors = torch.zeros(4, dtype=table.dtype)
    factors[places] = torch.tensor([2, 3])
    (two, three), right = table[places], factors @ table
    return numbers(
        "Harder: two rows at once",
        "A row of 4 numbers is multiplied by a table. It is not one-hot: two of its numbers are "
        "not 0. Each line has one of the 4 numbers, and beside it one row of the table:\n\n"
        f"{fence(torch.cat([factors[:, None], table], 1))}\n\nMultiply each row by the number to "
        "its left, and add all rows. Which 2 numbers do you get?",
        right,
        {
            "You took both rows once. Multiply them by 2 and by 3 first.": two + three,
            "You swapped the 2 and the 3.": 3 * two + 2 * three,
            "You took only the row beside the 2.": 2 * two,
            "You took only the row beside the 3.": 3 * three,
            "You added all rows of the table.": table.sum(0),
        },
        hints=(
            "A row beside a 0 changes nothing.",
            "Write 2 times one row, below it 3 times the other one. Then add each column.",
        ),
        why=f"2 times {listed(two)} and 3 times {listed(three)} are together {listed(right)}. One "
        "matmul adds rows, each as often as its number says.",
        small=(Grid("beside a 0", filled(0 * two)), "+", Grid("and another", filled(0 * two))),
        picture=(
            Grid("table", filled(table), marked=cells_of(places, 2)),
            "×",
            Grid("numbers", filled(factors[:, None]), marked=cells_of(places, 1)),
            "→",
            Grid("sum", filled(right)),
        ),
    )


def bag(random: np.random.Generator) -> Question:
    """The counts of two words, from the sum of their rows."""
    words = random.permutation(COLOURS)[:2].tolist()
    counts = torch.from_numpy(random.permutation([2, 3, 4, 5])[:2])
    # Other counts fit one output alone: 2 more and 1 less, or 1 less and `many` more.
    many = int(random.integers(2, 5))
    rows = torch.tensor([[1, many], [2, 1]])
    total = counts @ rows
    return numbers(
        "Harder: find the counts",
        f"Two words have these rows:\n\n{fence(rows, words)}\n\nA sentence has no other words. "
        f"Each row is multiplied by the count of its word, and their sum is {listed(total)}. How "
        "often does each word come?",
        counts,
        {
            "You swapped the counts: the first is that of the upper word.": counts.flip(0),
            "You took each word once. Is the sum of both rows large enough?": [1, 1],
            "The first number of the sum fits, the second one does not.": counts
            + torch.tensor([2, -1]),
            "The second number of the sum fits, the first one does not.": counts
            + torch.tensor([-1, many]),
        },
        per="in the order of the table",
        hints=(
            "Try some counts: multiply, add, and compare with both numbers of the sum.",
            "Write an equation for each number of the sum. The counts are the unknowns.",
        ),
        why=f"The counts are {listed(counts)}: {counts[0]} times {listed(rows[0])} and {counts[1]} "
        f"times {listed(rows[1])} are together {listed(total)}. From the sum of a bag one can "
        "sometimes tell the words, but never their order.",
        start=(Grid("rows", filled(rows), words), "→", Grid("sum", filled(total))),
        small=(Grid("each word once", filled(rows), words), "→", Grid("sum", filled(rows.sum(0)))),
        picture=(
            Grid("rows", filled(rows), words),
            "×",
            Grid("counts", filled(counts[:, None]), marked=cells_of([0, 1], 1)),
            "→",
            Grid("sum", filled(total)),
        ),
    )


def learns(random: np.random.Generator) -> Question:
    """One step of SGD, with a number that is looked up three times and one that is not."""
    weight = random.permutation(np.arange(2, 10))[:2].tolist()
    place = int(random.integers(2))
    lines = (
        f"w = torch.tensor([{weight[0]}., {weight[1]}.], requires_grad=True)",
        f"optimizer = torch.optim.SGD([w], lr={RATE})",
        f"w[torch.tensor([{place}, {place}, {place}])].square().sum().backward()",
        "optimizer.step()",
        "print(w.detach())",
    )
    right, looked_up, once = code.printed(lines), weight[place], 2 * weight[place]

    def moved(by: float) -> list[float]:
        """Both numbers, if the one that is looked up moves so far."""
        return [number + by * (at == place) for at, number in enumerate(weight)]

    labels = [f"w[{at}]" for at in range(2)]
    before = Grid("before", [[str(number)] for number in weight], labels)
    after = Grid("after", filled(right[:, None]), labels, marked=[(place, 0)])
    return numbers(
        "Harder: one step of SGD",
        code.asked(lines),
        right,
        {
            f"You counted `w[{place}]` once. It is in the sum at three places.": (
                moved(-RATE * once)
            ),
            "You forgot the 2: the derivative of `w * w` is `2 * w`.": moved(-RATE * 3 * looked_up),
            "You went the wrong way: a step goes against the gradient.": moved(RATE * 3 * once),
            "You forgot the learning rate.": moved(-3 * once),
            "You moved both numbers. Only one of them is in the sum.": (
                [number - RATE * 6 * number for number in weight]
            ),
        },
        tolerance=0.006,
        hints=(
            f"How often is `w[{place}]` in the sum? Each time adds `2 * w[{place}]` to its "
            "gradient.",
            "SGD subtracts the learning rate times the gradient.",
        ),
        why=f"Each of the three places gives 2 · {looked_up} = {once}. The gradient is "
        f"{once} + {once} + {once} = {3 * once}, and the step is {RATE} · {3 * once} = "
        f"{short(RATE * 3 * once)}. The other number is not in the sum, so it stays:\n\n"
        f"{code.shown(right)}",
        start=(before, "→", hidden(after)),
        small=(before, "→", Grid("after", blank(2, 1), labels, marked=[(place, 0)])),
        picture=(before, "→", after),
    )


def cost(random: np.random.Generator) -> Question:
    """The bytes of a sparse gradient."""
    rows, columns, tokens = (
        step * int(random.integers(*ends))
        for step, ends in ((1_000, (7, 20)), (4, (2, 9)), (2, (8, 20)))
    )
    table = torch.empty(rows, columns, requires_grad=True)  # Only its size counts.
    F.embedding(torch.arange(tokens), table, sparse=True).sum().backward()  # type: ignore[no-untyped-call]
    assert table.grad is not None
    kept = table.grad.coalesce()
    parts = kept.indices().nbytes, kept.values().nbytes
    size = table.itemsize
    heads = ["ids", "numbers", "in all"]
    all_bytes = Grid(
        "bytes", [[f"{n:,}" for n in (*parts, sum(parts))]], heads=heads, marked=[(0, 2)]
    )
    return numbers(
        "Harder: a sparse gradient",
        f"A table has {rows:,} rows and {columns} columns. You look up {tokens} different ids, and "
        "train with `nn.Embedding(..., sparse=True)`. The gradient then keeps only the rows that "
        f"were looked up: for each its id, an `int64` of {ID_BYTES} bytes, and its numbers, "
        f"`float32` of {size} bytes.\n\nHow many **bytes** does this gradient keep?",
        sum(parts),
        {
            "That is the gradient without `sparse=True`: it has all rows.": table.nbytes,
            "You forgot the ids.": parts[1],
            "Those are the ids alone.": parts[0],
            f"An id has {ID_BYTES} bytes, not {size}.": parts[1] + tokens * size,
            "That is for one id. There are more.": ID_BYTES + columns * size,
        },
        per=COMMAS,
        hints=(
            "How many bytes do the numbers of one row have? And its id?",
            "All rows need as many bytes as the first.",
        ),
        why=f"One row has {columns} · {size} = {columns * size} bytes, and with its id "
        f"{columns * size + ID_BYTES}. All {tokens} have {tokens} · {columns * size + ID_BYTES} = "
        f"{sum(parts):,} bytes. Without `sparse=True` the gradient has {table.nbytes:,} bytes.",
        start=(hidden(all_bytes),),
        small=(Grid("bytes of 1 id", [[str(ID_BYTES), UNKNOWN, UNKNOWN]], heads=heads),),
        picture=(all_bytes,),
    )
