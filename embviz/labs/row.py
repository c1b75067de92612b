"""Lab "One row of a table": ids, rows and one-hot rows; `product.py` has the steps after them.

All numbers are whole and small: a student does every step by hand.
"""

from __future__ import annotations

import numpy as np
import torch

from embviz.labs import code, easier, harder, product
from embviz.labs.asking import Lab, Step, choice, fence, listed, numbers
from embviz.labs.drawing import UNKNOWN, Grid, blank, cells_of, filled, hidden
from embviz.labs.letters import Letters, draw
from embviz.labs.question import Question

DIM = 3
LENGTH = 5
ALPHABET = 26  # Letters; no id that a student can mean is larger.


def _draw(random: np.random.Generator) -> Letters:
    return draw(random, int(random.integers(7, 10)), LENGTH, DIM)


def ids(given: Letters) -> Question:
    """Letters to ids."""
    right, rows = given.ids, len(given.chars)
    known = [str(place) if place < 2 else UNKNOWN for place in range(rows)]
    alphabet = [ord(letter) - ord("a") for letter in given.text]
    vocabulary = Grid("vocabulary", filled(torch.arange(rows)), heads=given.chars)
    answer = Grid("ids", filled(right), heads=given.text)
    return numbers(
        "From letters to ids",
        f"The vocabulary is `{given.chars}`. The id of a letter is its place there, **counted "
        f"from 0**.\n\nWhich ids does `{given.text}` become?",
        right,
        {
            "These places are counted from 1, so each is one too large.": right + 1,
            "These are the right ids, but sorted. A text keeps its order.": right.sort().values,
            "Those are places in the alphabet, counted from 0. Count in the vocabulary.": (
                alphabet
            ),
            "Those are places in the alphabet, counted from 1. Count in the vocabulary.": [
                place + 1 for place in alphabet
            ],
        },
        most=ALPHABET,
        per="one for each letter of the text",
        hints=(
            f"The first letter of the vocabulary, `{given.chars[0]}`, has the id 0.",
            "Go letter by letter. Write an id again when its letter comes again.",
        ),
        why=f"`{given.text}` becomes {listed(right)}. `{given.text[0]}` comes twice, so its id "
        f"{given.first_id} comes twice too. The vocabulary has {rows} letters. Ids are counted "
        f"from 0, so the largest one is {rows - 1}.",
        start=(hidden(vocabulary), hidden(answer)),
        small=(Grid("vocabulary", [known], heads=given.chars), hidden(answer)),
        picture=(vocabulary, answer),
    )


def lookup(given: Letters) -> Question:
    """An id to a row."""
    letter, place, table = given.text[0], given.first_id, given.table
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
        pressed=True,
        hints=(
            f"First find the id: where is `{letter}` in `{given.chars}`?",
            "Then go down the lines of the table to that id. The top line is id 0.",
        ),
        why=f"`{letter}` has id {place}, and that row is {listed(row)}. "
        "That is all `nn.Embedding` does: it copies a row.",
        small=(Grid("the top lines", blank(2, DIM), ["id 0", "id 1"]),),
        picture=(given.grid(place), "→", Grid("output", filled(row), letter)),
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
        f"columns**. You look up the {tokens} letters of `{given.text}`, as a batch of one text. "
        "A batch is several texts that are looked up at once; here there is only one. The ids have "
        f"the shape `{tuple(with_batch.shape)}`.\n\nWhat is the shape of the output?",
        str(tuple(output.shape)),
        {
            f"(1, {tokens}, {rows})": (
                "That is the shape of the one-hot rows: each is as wide as the table has rows."
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
        start=(letters, "→", given.blank(), "→", Grid("output", [[UNKNOWN]])),
        small=(
            Grid("one letter", [[given.text[0]]]),
            "→",
            given.blank(given.first_id),
            "→",
            Grid("its output", blank(1, DIM)),
        ),
        picture=(
            letters,
            "→",
            given.blank(),
            "→",
            Grid(f"output {tuple(output.shape)}", blank(tokens, DIM), given.text),
        ),
    )


def zeros(given: Letters) -> Question:
    """The zeros of one-hot rows."""
    hot, rows = given.one_hot, len(given.chars)
    right = (hot == 0).sum()
    ones = [*enumerate(given.ids.tolist())]
    shown = Grid("one-hot rows", filled(hot), given.text, given.chars, ones)
    return numbers(
        "How many zeros?",
        "A one-hot row has a 1 at its id and a 0 everywhere else. It is as wide as the table has "
        f"rows, here {rows}.\n\n`{given.text}` becomes {LENGTH} one-hot rows. How many **zeros** "
        "do they have together?",
        right,
        {
            "That is how many ones there are.": hot.sum(),
            "That is how many numbers there are, with the ones.": hot.numel(),
            "You counted one-hot rows as columns: there is a single 1 in each **row**.": (
                rows * (LENGTH - 1)
            ),
            "That is the number of zeros in one row. Now take all rows.": rows - 1,
            f"One letter comes twice, but you counted it once. The text has {LENGTH} letters.": (
                (LENGTH - 1) * (rows - 1)
            ),
        },
        hints=(
            "How many zeros are in one row?",
            "All rows have as many zeros as the first. Multiply by the number of letters.",
        ),
        why=f"{LENGTH} rows of {rows} are {hot.numel()} numbers. {int(hot.sum())} of them are 1, "
        f"so {int(right)} are zeros. With a vocabulary of 100 characters, 99 of every 100 numbers "
        "are zeros.",
        start=(hidden(shown),),
        small=(Grid("one of the rows", filled(hot[0]), given.text[0], given.chars, ones[:1]),),
        picture=(shown,),
    )


LAB = Lab(
    title="One row of a table",
    about="Find one row in two ways, by hand.",
    sign=(
        Grid("table", blank(4, 3), marked=cells_of([2], 3)),
        "→",
        Grid("output", blank(1, 3), marked=cells_of([0], 3)),
    ),
    draw=_draw,
    steps=(
        Step(
            ids,
            3,
            "Ask which id the last letter of the vocabulary has, and why it is one less than the "
            "number of rows.",
        ),
        Step(
            lookup,
            3,
            "Ask what was computed here. Nothing: a row was copied.",
        ),
        Step(
            shape,
            3,
            "Ask what changes in the shape if the text is one letter longer, and what if the "
            "vocabulary is.",
        ),
        Step(
            zeros,
            6,
            "Ask the students who chose the longest bar of the first vote what they counted. "
            "Then ask how many zeros a vocabulary of 50,000 tokens would have in one row.",
        ),
        *product.STEPS,
        Step(
            code.lookup,
            3,
            "Let one student type both lines into a notebook. Then replace `F.embedding` by a "
            "product with `F.one_hot`.",
        ),
    ),
    goals=(
        "Find the ids of a text, their rows in the table, and the shape of the output.",
        "Multiply a one-hot row by the table by hand, and count the work that its zeros make.",
        "Find a row in the weight of `nn.Linear`, and say whether both routes agree bit for bit.",
        "Find what a few lines with `F.embedding` print.",
    ),
    needs="You can multiply a row of numbers by a matrix. No PyTorch is needed.",
    exit_ticket=(lookup, zeros, product.linear),
    easier=easier.row,
    harder=harder.row,
    try_it=Letters.playground,
)
