"""Lab "One row of a table": ids, rows, one-hot rows, and why most of the product is zeros.

All numbers are whole and small: a student does every step by hand.
"""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional as F

from embviz.core.comparison import Comparison
from embviz.core.cost import Cost
from embviz.labs.asking import Lab, choice, fence, listed, numbers
from embviz.labs.drawing import UNKNOWN, Grid, Picture, blank, filled, whole
from embviz.labs.letters import Letters, draw
from embviz.labs.question import Question

DIM = 3
LENGTH = 5
HEADS = ("1-hot", "row", "", "")  # of the product's table


def _draw(random: np.random.Generator) -> Letters:
    return draw(random, int(random.integers(7, 10)), LENGTH, DIM)


def _one_hot(given: Letters) -> torch.Tensor:
    return F.one_hot(given.ids, len(given.chars)).float()


def _table(given: Letters, *marked: int) -> Grid:
    labels = [f"{place} {letter}" for place, letter in enumerate(given.chars)]
    return Grid("table", filled(given.table), labels, marked=whole(marked, DIM))


def _blank_table(given: Letters, *marked: int) -> Grid:
    shape = len(given.chars), DIM
    return Grid("table", blank(*shape), given.chars, marked=whole(marked, DIM))


def ids(given: Letters) -> Question:
    """Letters to ids."""
    found, rows = given.ids, len(given.chars)
    known = [str(place) if place < 2 else UNKNOWN for place in range(rows)]
    text = Grid("ids", blank(1, LENGTH, UNKNOWN), heads=given.text)
    return numbers(
        "From letters to ids",
        f"The vocabulary is `{given.chars}`. The id of a letter is its place there, **counted "
        f"from 0**.\n\nWhich ids does `{given.text}` become?",
        found,
        {
            "These places are counted from 1, so each is one too large.": found + 1,
            "These are the right ids, but sorted. A text keeps its order.": found.sort().values,
            "You wrote each letter once. A letter that comes twice has its id twice.": (
                dict.fromkeys(found.tolist())
            ),
        },
        whole=True,
        fewer=True,
        hints=(
            f"The first letter of the vocabulary, `{given.chars[0]}`, has the id 0.",
            "Go letter by letter. Write an id again when its letter comes again.",
        ),
        why=f"`{given.text}` becomes {listed(found)}. `{given.text[0]}` comes twice, so its id "
        f"{given.place} comes twice too. The largest id of a table with {rows} rows is "
        f"{rows - 1}.",
        start=(Grid("vocabulary", blank(1, rows, UNKNOWN), heads=given.chars), text),
        small=(Grid("vocabulary", [known], heads=given.chars),),
        picture=(
            Grid("vocabulary", filled(torch.arange(rows)), heads=given.chars),
            Grid("ids", filled(found), heads=given.text),
        ),
    )


def lookup(given: Letters) -> Question:
    """An id to a row."""
    letter, place, table = given.text[0], given.place, given.table
    row = table[place]
    return numbers(
        "Read a row",
        "This is the table. Each line is one row; the top line is id 0:\n\n"
        f"{fence(table)}\n\nThe vocabulary is `{given.chars}`. Which {DIM} numbers does the "
        f"letter `{letter}` get?",
        row,
        {
            "That is the row below: its id is one too large. Count from 0.": (
                table.roll(-1, 0)[place]
            ),
            "That is the row above: its id is one too small. The top line is id 0.": (
                table.roll(1, 0)[place]
            ),
            "You read down a column. A letter gets a row.": table[:DIM, place % DIM],
        },
        whole=True,
        pressed=True,
        hints=(
            f"First find the id: where is `{letter}` in `{given.chars}`?",
            "Then go down the lines of the table to that id. The top line is id 0.",
        ),
        why=f"`{letter}` has id {place}, and that row is {listed(row)}. "
        "That is all `nn.Embedding` does: it copies a row.",
        small=(Grid("the top lines", blank(2, DIM), ["id 0", "id 1"]),),
        picture=(_table(given, place), "→", Grid("output", filled(row), letter)),
    )


def shape(given: Letters) -> Question:
    """The shape of the output."""
    tokens, rows = LENGTH, len(given.chars)
    with_batch = given.ids[None]
    output = given.layers.lookup(with_batch)
    letters = Grid("text", [[letter] for letter in given.text])
    return choice(
        "How large is the output?",
        f"A table has **{rows} rows**, one for each letter of `{given.chars}`, and **{DIM} "
        f"columns**. You look up the {tokens} letters of `{given.text}`, as a batch of one text: "
        f"the ids have the shape `{tuple(with_batch.shape)}`.\n\nWhat is the shape of the output?",
        str(tuple(output.shape)),
        {
            f"(1, {tokens}, {rows})": (
                "That is the shape of the one-hot rows: they are as wide as the table has rows."
            ),
            f"(1, {rows}, {DIM})": (
                "That is the shape of the whole table. It has rows that you did not ask for."
            ),
            f"(1, {tokens}, {DIM})": "",
            f"(1, {DIM}, {tokens})": (
                "That is the transposed output: rows come first, columns second."
            ),
        },
        hints=(
            "Think of one letter first: how many numbers does it get?",
            "One letter gets one row of the table. Now stack as many rows as there are letters.",
        ),
        why=f"Each of the {tokens} ids gives one row of {DIM} numbers: `{tuple(output.shape)}`. "
        f"The table itself is `{tuple(given.table.shape)}`, whatever you look up.",
        start=(letters, "→", _blank_table(given), "→", Grid("output", [[UNKNOWN]])),
        small=(
            Grid("one letter", [[given.text[0]]]),
            "→",
            _blank_table(given, given.place),
            "→",
            Grid("its output", blank(1, DIM)),
        ),
        picture=(
            letters,
            "→",
            _blank_table(given),
            "→",
            Grid(f"output {tuple(output.shape)}", blank(tokens, DIM), given.text),
        ),
    )


def zeros(given: Letters) -> Question:
    """The zeros of one-hot rows."""
    hot, rows = _one_hot(given), len(given.chars)
    found = (hot == 0).sum()
    first = frozenset({(0, given.place)})
    return numbers(
        "How many zeros?",
        "A one-hot row has a 1 at its id and a 0 everywhere else. It is as wide as the table has "
        f"rows, here {rows}.\n\n`{given.text}` becomes {LENGTH} one-hot rows. How many **zeros** "
        "do they have together?",
        found,
        {
            "That is how many ones there are.": hot.sum(),
            "That is how many numbers there are, with the ones.": hot.numel(),
            "You counted one-hot rows as columns: there is a single 1 in each **row**.": (
                rows * (LENGTH - 1)
            ),
            "That is the number of zeros in one row. Now take all rows.": rows - 1,
        },
        whole=True,
        hints=(
            "How many zeros are in one row?",
            "All rows have as many zeros as the first. Multiply by the number of letters.",
        ),
        why=f"{LENGTH} rows of {rows} are {hot.numel()} numbers, {int(hot.sum())} of them 1: "
        f"{int(found)} zeros. With a vocabulary of 100 characters, 99 of every 100 numbers are "
        "zeros.",
        start=(Grid("one-hot rows", blank(LENGTH, rows, UNKNOWN), given.text, given.chars),),
        small=(Grid("one of the rows", filled(hot[0]), given.text[0], given.chars, first),),
        picture=(
            Grid(
                "one-hot rows",
                filled(hot),
                given.text,
                given.chars,
                frozenset(enumerate(given.ids.tolist())),
            ),
        ),
    )


def product(given: Letters) -> Question:
    """One one-hot row times the table."""
    letter, table = given.other, given.table
    place, rows = given.chars.index(letter), len(given.chars)
    hot = F.one_hot(torch.tensor(place), rows).float()
    found = hot @ table
    other = table[next(k for k in range(rows) if k not in (place, given.place))]
    return numbers(
        "Multiply it out",
        f"Each line has a letter, its number in the one-hot row of `{letter}`, and its row of the "
        f"table:\n\n{fence(torch.cat([hot[:, None], table], 1), given.chars, HEADS)}\n\n"
        "Multiply each row by the number to its left. Then add all rows. "
        f"Which {DIM} numbers do you get?",
        found,
        {
            "You added all rows, as if every number of the one-hot row were 1.": table.sum(0),
            "That is the next row: your 1 is one place too far.": table.roll(-1, 0)[place],
            "Not everything is 0: one of the numbers in the one-hot row is 1.": [0.0] * DIM,
        },
        whole=True,
        hints=(
            "A row times 0 is all zeros, and adding zeros changes nothing.",
            "Only one row is multiplied by 1. Which one?",
        ),
        why=f"{rows - 1} of the {rows} rows were multiplied by 0, and one by 1: {listed(found)}. "
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
            _table(given, place),
            "×",
            Grid("one-hot row", filled(hot[:, None]), marked=whole([place], 1)),
            "=",
            Grid("products", filled(hot[:, None] * table), marked=whole([place], DIM)),
            "→",
            Grid("sum", filled(found), letter),
        ),
    )


def waste(given: Letters) -> Question:
    """Multiplications by a zero of a one-hot row."""
    rows = len(given.chars)
    cost = Cost(LENGTH, rows, DIM, given.table.element_size())
    counts = [[str(DIM), str(DIM * (rows - 1))]] * LENGTH
    return numbers(
        "The work of the product",
        f"Now take all {LENGTH} letters of `{given.text}`: their one-hot rows times the table of "
        f"{rows} rows and {DIM} columns. The output has {LENGTH} x {DIM} numbers. Each is a sum "
        f"of {rows} products.\n\nHow many of all these multiplications are **by a zero of a "
        "one-hot row**?",
        cost.multiplications_by_zero,
        {
            "Those are all the multiplications, with the few that are by 1.": cost.multiplications,
            "Those are the multiplications by 1: the numbers that a lookup reads.": (
                cost.numbers_read
            ),
            "You counted each zero once. But each zero meets every column of the table.": (
                LENGTH * (rows - 1)
            ),
            "That is for a single letter. There are more.": DIM * (rows - 1),
        },
        whole=True,
        hints=(
            "How many multiplications by zero does one number of the output need?",
            f"There are {LENGTH} x {DIM} numbers in the output.",
        ),
        why=f"{LENGTH} · {rows} · {DIM} = {cost.multiplications} multiplications; "
        f"{LENGTH} · {DIM} = {cost.numbers_read} are by 1, the other "
        f"{cost.multiplications_by_zero} by zero. A lookup reads the {cost.numbers_read} numbers "
        "and multiplies nothing.",
        start=_times(given, given.text),
        small=_times(given, given.text[0]),
        picture=(Grid("multiplications", counts, given.text, ["by 1", "by 0"]),),
    )


def _times(given: Letters, letters: str) -> Picture:
    hot = Grid("one-hot", blank(len(letters), len(given.chars)), letters, given.chars)
    return hot, "×", _blank_table(given), "=", Grid("output", blank(len(letters), DIM), letters)


def linear(given: Letters) -> Question:
    """The transposed weight."""
    row, column = 2, 0 if given.place % 2 else 1
    weight, table = given.layers.linear.weight.detach(), given.table
    shapes = tuple(weight.shape), tuple(table.shape)
    return numbers(
        "The same numbers, transposed",
        f"`nn.Linear` keeps its weight transposed: `linear.weight` has the shape `{shapes[0]}`, "
        f"and the table `embedding.weight` has the shape `{shapes[1]}`. Both hold the same "
        f"numbers. This is the table, from row 0 down:\n\n{fence(table, given.chars)}\n\n"
        f"Which number is `linear.weight[{row}, {column}]`? The first index is the row, the "
        "second is the column, and both count from 0.",
        weight[row, column],
        {
            "You forgot the transpose: that number is at this place in `embedding.weight`.": (
                table[row, column]
            ),
        },
        whole=True,
        hints=(
            "Row i of one is column i of the other.",
            f"Look in column {row} of the table.",
        ),
        why=f"`linear.weight[{row}, {column}]` is `embedding.weight[{column}, {row}]`, which is "
        f"{int(weight[row, column])}. Without the transpose you would read "
        f"{int(table[row, column])}. That is why a copy from one layer to the other needs `.T`.",
        small=(
            Grid("a table", ["abc", "def"], marked=frozenset({(0, 2)})),
            ".T →",
            Grid("its transpose", ["ad", "be", "cf"], marked=frozenset({(2, 0)})),
        ),
        picture=(
            Grid("table", filled(table), given.chars, marked=frozenset({(column, row)})),
            ".T →",
            Grid("linear.weight", filled(weight), marked=frozenset({(row, column)})),
        ),
    )


SAME, ALMOST, DIFFERENT = "yes, bit for bit", "almost: they differ after 6 digits", "no"


def bits(given: Letters) -> Question:
    """Whether both outputs agree to the last bit."""
    cost = Cost(LENGTH, len(given.chars), DIM, given.table.element_size())
    both = Comparison(given.layers.lookup(given.ids), given.layers.multiply(given.ids))
    right = SAME if both.bitwise_equal else ALMOST if both.max_abs_error < 1e-4 else DIFFERENT
    one = filled(given.table[0, :1])
    return choice(
        "To the last bit",
        "One route reads rows. The other route multiplies and adds "
        f"{cost.multiplications} times for your text. The table has whole numbers from 1 to 9.\n\n"
        "Will both outputs be the same to the last bit?",
        right,
        {
            SAME: "",
            ALMOST: "That is what rounding does to sums. But each number here times 1 is that "
            "number, and adding 0 to it changes no bit. So what is there to round?",
            DIFFERENT: "Look again at the product that you made by hand.",
        },
        hints=(
            "What is a number times 1, and what is it plus 0, to the last bit?",
            "Nothing in `x * 1 + 0 + 0` has to be rounded.",
        ),
        why=f"{both.num_equal} of {both.num_values} numbers have the same bits: *{right}*. Times "
        "1 and plus 0 need no rounding here. There are exceptions. "
        "NaN or infinity anywhere in the table is one: 0 times infinity is not 0. A setting such "
        "as “medium” precision, which rounds the table first, is another. The page *Where it "
        "breaks* proves each exception that we know.",
        small=(Grid("number", one), "× 1 + 0 + 0 =", Grid("result", blank(1, 1, UNKNOWN))),
        picture=(
            Grid("lookup", filled(both.lookup), given.text),
            "=" if both.bitwise_equal else "≠",
            Grid("one-hot × table", filled(both.matmul), given.text),
        ),
    )


LAB = Lab(
    title="One row of a table",
    about="Ids, rows, and one-hot products.",
    learned=(
        "Letters become ids, and an id picks a row of the table.",
        "A one-hot row times the table gives the same row, bit for bit, with much more work.",
    ),
    sign=(
        Grid("table", blank(4, 3), marked=whole([2], 3)),
        "→",
        Grid("output", blank(1, 3), marked=whole([0], 3)),
    ),
    draw=_draw,
    steps=(ids, lookup, shape, zeros, product, waste, linear, bits),
)
