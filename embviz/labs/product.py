"""The last steps of the lab "One row of a table": the product, its work, and both layers."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from embviz.fact.comparison import Comparison
from embviz.fact.cost import Cost
from embviz.labs.asking import Step, choice, fence, listed, numbers
from embviz.labs.drawing import UNKNOWN, Grid, Picture, blank, cells_of, filled
from embviz.labs.letters import Letters
from embviz.labs.question import Question

HEADS = ("1-hot", "row", "", "")  # Headings of the product's table.


def product(given: Letters) -> Question:
    """One one-hot row times the table."""
    table, rows = given.table, len(given.chars)
    place = given.chars.index(given.other)
    hot = F.one_hot(torch.tensor(place), rows).float()
    right = hot @ table
    other = table[next(k for k in range(rows) if k not in (place, given.first_id))]
    return numbers(
        "Multiply it out",
        "Each line has one number of a one-hot row, and beside it one row of the table:\n\n"
        f"{fence(torch.cat([hot[:, None], table], 1), (), HEADS)}\n\n"
        "Multiply each row by the number to its left. Then add all rows. "
        f"Which {given.dim} numbers do you get?",
        right,
        {
            "You added all rows, as if every number of the one-hot row were 1.": table.sum(0),
            "That is the next row: your 1 is one place too far.": table.roll(-1, 0)[place],
            "That is the row before: your 1 is one place too early.": table.roll(1, 0)[place],
            "Not everything is 0: one of the numbers in the one-hot row is 1.": [0.0] * given.dim,
        },
        hints=(
            "A row times 0 is all zeros, and adding zeros changes nothing.",
            "Only one row is multiplied by 1. Which one?",
        ),
        why=f"{rows - 1} of the {rows} rows were multiplied by 0, and one by 1: {listed(right)}. "
        f"That is row {place}. A lookup reads this row directly: "
        f"{listed(given.layers.lookup(torch.tensor(place)))}.",
        small=(
            Grid("number", [["0"]]),
            "×",
            Grid("a row", filled(other)),
            "=",
            Grid("product", filled(0 * other)),
        ),
        picture=(
            given.grid(place),
            "×",
            Grid("one-hot row", filled(hot[:, None]), marked=cells_of([place], 1)),
            "=",
            Grid("products", filled(hot[:, None] * table), marked=cells_of([place], given.dim)),
            "→",
            Grid("sum", filled(right)),
        ),
    )


def waste(given: Letters) -> Question:
    """Multiplications by a zero of a one-hot row."""
    letters, rows, dim = len(given.text), len(given.chars), given.dim
    cost = Cost(letters, rows, dim, given.table.element_size())
    counts = [[str(dim), str(dim * (rows - 1))]] * letters
    return numbers(
        "The work of the matmul",
        f"Each of the {letters} letters of `{given.text}` becomes a one-hot row, and each one-hot "
        f"row is multiplied by the table of {rows} rows and {dim} columns. This is a "
        "matmul (matrix multiplication): each number of a one-hot row is multiplied by all numbers "
        "of one row of the table.\n\nMany numbers of a "
        "one-hot row are 0. How many of these multiplications are **by such a 0**?",
        cost.multiplications_by_zero,
        {
            "Those are all the multiplications, with the few that are by 1.": cost.multiplications,
            "Those are the multiplications by 1: the numbers that a lookup reads.": (
                cost.numbers_read
            ),
            "You counted each zero once. But each zero is multiplied once for each column.": (
                letters * (rows - 1)
            ),
            "That is for a single letter. There are more.": dim * (rows - 1),
            "That is for a single letter, with its multiplications by 1.": dim * rows,
            f"You took as many letters as the table has rows. The text has {letters}.": (
                rows * rows * dim
            ),
            f"One letter comes twice, but you counted it once. The text has {letters} letters.": (
                (letters - 1) * dim * (rows - 1)
            ),
        },
        hints=(
            "How many zeros has one one-hot row? By how many numbers is each zero multiplied?",
            "All letters need as many multiplications as the first.",
        ),
        why=f"{letters} · {rows} · {dim} = {cost.multiplications} multiplications. "
        f"{letters} · {dim} = {cost.numbers_read} are by 1, and the other "
        f"{cost.multiplications_by_zero} are by zero. A lookup reads the {cost.numbers_read} "
        "numbers and multiplies nothing.",
        start=_times(given, given.text),
        small=_times(given, given.text[0]),
        picture=(Grid("multiplications", counts, given.text, ["by 1", "by 0"]),),
    )


def _times(given: Letters, letters: str) -> Picture:
    hot = Grid("one-hot", blank(len(letters), len(given.chars)), letters, given.chars)
    return hot, "×", given.blank()


def _misread(weight: torch.Tensor, row: int, column: int) -> tuple[float, float, float]:
    """The number at a place; the one at this place of the transpose; the one counted from 1."""
    right, transposed = weight[row, column], weight[column, row]
    return float(right), float(transposed), float(weight[row - 1, column - 1])


def linear(given: Letters) -> Question:
    """The transposed weight."""
    weight, table = given.layers.linear.weight.detach(), given.table
    places = [(2, 1), (1, 2)] if given.first_id % 2 else [(1, 2), (2, 1)]
    row, column = next(
        (place for place in places if len({*_misread(weight, *place)}) == 3), places[0]
    )
    right, transposed, from_one = _misread(weight, row, column)
    shapes = tuple(weight.shape), tuple(table.shape)
    return numbers(
        "The same numbers, transposed",
        f"`nn.Linear` keeps its weight transposed: `linear.weight` has the shape `{shapes[0]}`, "
        f"and the table `embedding.weight` has the shape `{shapes[1]}`. Both hold the same "
        f"numbers. This is the table, from row 0 down:\n\n{fence(table)}\n\n"
        f"Which number is `linear.weight[{row}, {column}]`? The first index is the row, the "
        "second is the column, and both count from 0.",
        right,
        {
            "You forgot the transpose: that number is at this place in `embedding.weight`.": (
                transposed
            ),
            "You counted from 1. Both indices count from 0.": from_one,
        },
        hints=(
            "Row i of one is column i of the other.",
            f"Look in column {row} of the table.",
        ),
        why=f"`linear.weight[{row}, {column}]` is `embedding.weight[{column}, {row}]`, which is "
        f"{int(weight[row, column])}. Without the transpose you would read "
        f"{int(table[row, column])}. That is why a copy from one layer to the other needs `.T`.",
        small=(
            Grid("a table", ["abc", "def"], marked=[(0, 2)]),
            ".T →",
            Grid("its transpose", ["ad", "be", "cf"], marked=[(2, 0)]),
        ),
        picture=(
            Grid("table", filled(table), marked=[(column, row)]),
            ".T →",
            Grid("linear.weight", filled(weight), marked=[(row, column)]),
        ),
    )


def _bits(output: torch.Tensor) -> str:
    """Sign, exponent and fraction of an output's first number."""
    number = f"{int(output.flatten()[0].view(torch.int32)) & 0xFFFFFFFF:032b}"
    return f"{number[0]} {number[1:9]} {number[9:]}"


SAME, ALMOST, DIFFERENT = "yes, bit for bit", "almost: they differ after 6 digits", "no"


def bits(given: Letters) -> Question:
    """Whether both outputs agree to the last bit."""
    both = Comparison(given.layers.lookup(given.ids), given.layers.multiply(given.ids))
    right = SAME if both.bitwise_equal else ALMOST if both.max_abs_error < 1e-4 else DIFFERENT
    return choice(
        "To the last bit",
        "One route reads rows. The other route multiplies and adds, more than a hundred times for "
        "your text. The table has whole numbers from 1 to 9. "
        "PyTorch keeps each number as 32 bits; a bit is 0 or 1.\n\nWill both outputs be the same "
        "to the last bit?",
        right,
        {
            SAME: "",
            ALMOST: "That is what rounding does to sums. But each number here times 1 is that "
            "number, and adding 0 to it changes no bit. So what is there to round?",
            DIFFERENT: "Look again at the matmul that you made by hand.",
        },
        hints=(
            "What is a number times 1, and what is it plus 0, to the last bit?",
            "Nothing in `x * 1 + 0 + 0` has to be rounded.",
        ),
        why=f"{both.num_equal} of {both.num_values} numbers have the same bits: *{right}*. Times "
        "1 and plus 0 need no rounding here. There are exceptions. "
        "One is NaN or infinity anywhere in the table: 0 times infinity is not 0. Another is a "
        "setting that lets PyTorch first round the table to fewer digits. The page *Where it "
        "breaks* proves each exception that we know.",
        small=(
            Grid("number", filled(given.table[0, :1])),
            "× 1 + 0 + 0 =",
            Grid("result", blank(1, 1, UNKNOWN)),
        ),
        picture=(
            Grid("bits of the first number", [[_bits(both.lookup)]], ["lookup"]),
            "=" if both.bitwise_equal else "≠",
            Grid("bits of the first number", [[_bits(both.matmul)]], ["matmul"]),
        ),
    )


STEPS = (
    Step(
        product,
        3,
        "Let one student say which products could have been left out. What remains is a copy.",
    ),
    Step(
        waste,
        3,
        "Ask which of the three numbers in the product changes with a larger vocabulary. Then ask "
        "which of them a lookup depends on.",
    ),
    Step(
        linear,
        3,
        "Say that PyTorch applies a Linear layer as `x @ weight.T`, and so keeps one row for each "
        "output.",
    ),
    Step(
        bits,
        4,
        "Ask what there is to round. Then ask what happens if one number of the table is NaN.",
    ),
)
