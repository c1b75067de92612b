"""Lab "One row of a table": ids, rows, one-hot rows, and why most of the product is zeros.

All numbers are whole and small, so that a student does every step by hand and checks it on the
page.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch.nn import functional as F

from embviz.core.comparison import Comparison
from embviz.core.cost import Cost
from embviz.core.layers import TiedLayers, tie
from embviz.labs.answers import Choice, Ids, Integer, Vector, rotated
from embviz.labs.exercises.letters import LetterTable, letter_table
from embviz.labs.formatting import grid, row
from embviz.labs.picture import UNKNOWN, Grid, Picture, blank, filled, whole
from embviz.labs.record import Lab, Mistake, Step, integer, sample

DIM = 3
LENGTH = 5
PRINTABLE = len(string.printable)
BITS = ("yes, bit for bit", "almost: they differ after 6 digits", "no")


@dataclass(frozen=True, eq=False)
class RowValues(LetterTable):
    """A student's values: a table of 7 to 9 rows and 3 columns without 0, and a text of 5 letters.

    Attributes:
        looked: the letter to look up by hand.
        hot: another letter, for the product.
        cell: a row and a column of the linear layer's weight.
        turn: where the list of choices begins.
    """

    looked: str
    hot: str
    cell: tuple[int, int]
    turn: int

    @cached_property
    def layers(self) -> TiedLayers:
        """Both layers, with this table."""
        return tie(self.config)

    @property
    def output(self) -> torch.Tensor:
        """The result of the lookup, (1, 5, 3): a page reads a text as a batch of one."""
        return self.layers.lookup(self.ids[None])

    @property
    def cost(self) -> Cost:
        """The numbers that each route reads and multiplies."""
        return Cost(len(self.text), len(self.chars), DIM, self.table.element_size())

    @property
    def hot_row(self) -> torch.Tensor:
        """The one-hot row of `hot`, float32 (1, V)."""
        return F.one_hot(torch.tensor([self.id_of(self.hot)]), len(self.chars)).float()

    @property
    def beside(self) -> torch.Tensor:
        """That row as a column, and the table to the right of it, (V, 4)."""
        return torch.cat([self.hot_row.T, self.table], dim=1)

    @property
    def product(self) -> torch.Tensor:
        """That row times the table, (3,)."""
        return (self.hot_row @ self.table)[0]

    @property
    def one_hot(self) -> torch.Tensor:
        """The one-hot rows of the text, int64 (1, 5, V)."""
        return F.one_hot(self.ids[None], len(self.chars))

    @property
    def zeros(self) -> int:
        """How many zeros are in them."""
        return int((self.one_hot == 0).sum())

    def looked_up(self, letter: str) -> torch.Tensor:
        """A letter's row by the embedding layer, (3,)."""
        return self.layers.lookup(torch.tensor(self.id_of(letter)))

    @property
    def linear_number(self) -> int:
        """The number at `cell` in the linear layer's weight."""
        return int(self.layers.linear.weight[self.cell])


def _make(seed: int, generator: torch.Generator) -> RowValues:
    rows = integer(generator, 10, 7)  # with 6 rows, several mistakes lead to the same number
    letters = letter_table(generator, seed, rows, LENGTH, DIM)
    first, cell = letters[1][0], sample(generator, 2, DIM)
    other = next(letter for letter in letters[1] if letter != first)
    return RowValues(*letters, first, other, (cell[0], cell[1]), integer(generator, 4))


def _usable(given: RowValues) -> bool:
    # A 0 in the table would add multiplications by zero to those of the one-hot rows.
    return bool((given.table != 0).all())


def _live(given: RowValues) -> dict[str, Any]:
    return {"part": "playground", "settings": given.settings}


def _shapes(given: RowValues) -> Choice:
    tokens, rows = len(given.text), len(given.chars)
    shapes = [(tokens, DIM), (tokens, rows), (rows, DIM), (DIM, tokens)]
    return rotated([str((1, *shape)) for shape in shapes], given.turn)


def _shape_picture(given: RowValues, answered: bool) -> Picture:
    output = Grid("output", [[UNKNOWN]])
    if answered:
        shape = str(tuple(given.output.shape))
        output = Grid("output", blank(LENGTH, DIM), labels=given.text, shape=shape)
    table = Grid("table", blank(len(given.chars), DIM), labels=given.chars)
    return Grid("text", [[letter] for letter in given.text]), "→", table, "→", output


def _ids_picture(given: RowValues, answered: bool) -> Picture:
    def under(letters: str) -> list[list[str]]:
        ids = torch.tensor([given.id_of(letter) for letter in letters])
        return filled(ids) if answered else blank(1, len(letters), UNKNOWN)

    return (
        Grid("vocabulary", under(given.chars), heads=given.chars),
        Grid("ids", under(given.text), heads=given.text),
    )


def _table(given: RowValues, *letters: str) -> Grid:
    """The table, with the rows of these letters marked."""
    marked = whole(map(given.id_of, letters), DIM)
    labels = [f"{number} {letter}" for number, letter in enumerate(given.chars)]
    return Grid("table", filled(given.table), labels=labels, marked=marked)


def _lookup_picture(given: RowValues, answered: bool) -> Picture:
    if not answered:  # the table is in the question
        return ()
    row = filled(given.looked_up(given.looked))
    return _table(given, given.looked), "→", Grid("output", row, labels=given.looked)


def _zeros_picture(given: RowValues, answered: bool) -> Picture:
    size = LENGTH, len(given.chars)
    cells = filled(given.one_hot[0]) if answered else blank(*size, UNKNOWN)
    marked = frozenset(enumerate(given.ids.tolist())) if answered else frozenset()
    return (Grid("one-hot", cells, labels=given.text, heads=given.chars, marked=marked),)


def _product_picture(given: RowValues, answered: bool) -> Picture:
    if not answered:
        return ()
    place = given.id_of(given.hot)
    column = Grid("one-hot row", filled(given.hot_row.T), marked=frozenset({(place, 0)}))
    parts = Grid("products", filled(given.hot_row.T * given.table), marked=whole([place], DIM))
    total = Grid("output", filled(given.product), labels=given.hot)
    return _table(given, given.hot), "×", column, "=", parts, "→", total


def _waste_picture(given: RowValues, answered: bool) -> Picture:
    rows = len(given.chars)
    return (
        Grid("one-hot", blank(LENGTH, rows), labels=given.text, heads=given.chars),
        "×",
        Grid("table", blank(rows, DIM), labels=given.chars),
        "=",
        Grid("output", blank(LENGTH, DIM), labels=given.text),
    )


def _linear_picture(given: RowValues, answered: bool) -> Picture:
    if not answered:
        return ()
    weight, cell = given.layers.linear.weight.detach(), given.cell
    table = Grid("table", filled(given.table), marked=frozenset({(cell[1], cell[0])}))
    return table, ".T →", Grid("linear", filled(weight), marked=frozenset({cell}))


SHAPE = Step[RowValues](
    name="shape",
    title="How large is the output?",
    predict=True,
    prompt=lambda given: (
        f"A table has **{len(given.chars)} rows**, one for each letter of `{given.chars}`, and "
        f"**{DIM} columns**. You look up the {len(given.text)} letters of `{given.text}`, as a "
        f"batch of one text: the ids have the shape `{(1, len(given.text))}`.\n\n"
        "What is the shape of the output?"
    ),
    answer=_shapes,
    solve=lambda given: str(tuple(given.output.shape)),
    mistakes=(
        Mistake(
            "That is the shape of the one-hot rows: they are as wide as the table has rows.",
            lambda given: str(tuple(given.one_hot.shape)),
        ),
        Mistake(
            "That is the shape of the whole table. It has rows that you did not ask for.",
            lambda given: str((1, *given.table.shape)),
        ),
        Mistake(
            "That is the transposed output: rows come first, columns second.",
            lambda given: str(tuple(given.output.mT.shape)),
        ),
    ),
    hints=(
        "Think of one letter first: how many numbers does it get?",
        "One letter gets one row of the table. Now stack as many rows as there are letters.",
    ),
    explanation=lambda given: (
        f"Each of the {len(given.ids)} ids gives one row of {DIM} numbers. So the output has the "
        f"shape `{tuple(given.output.shape)}`. The table itself is `{tuple(given.table.shape)}`, "
        "whatever you type."
    ),
    picture=_shape_picture,
)

IDS = Step[RowValues](
    name="ids",
    title="From letters to ids",
    prompt=lambda given: (
        f"The vocabulary is `{given.chars}`. The id of a letter is its place there, **counted "
        f"from 0**.\n\nWhich ids does `{given.text}` become?"
    ),
    answer=Ids(LENGTH),
    solve=lambda given: given.ids,
    mistakes=(
        Mistake(
            "These places are counted from 1, so each is one too large.",
            lambda given: given.ids + 1,
        ),
        Mistake(
            "These are the right ids, but sorted. A text keeps its order.",
            lambda given: given.ids.sort().values,
        ),
        Mistake(
            "You wrote each letter once. A letter that comes twice has its id twice.",
            lambda given: list(dict.fromkeys(given.ids.tolist())),
        ),
    ),
    hints=(
        lambda given: f"The first letter of the vocabulary, `{given.chars[0]}`, has the id 0.",
        "Go letter by letter. Write an id again when its letter comes again.",
    ),
    explanation=lambda given: (
        f"`{given.text}` becomes {row(given.ids)}. `{given.looked}` comes twice, so its id "
        f"{given.id_of(given.looked)} comes twice too. The largest id of this table is "
        f"{len(given.chars) - 1}, one less than its {len(given.chars)} rows."
    ),
    picture=_ids_picture,
)

LOOKUP = Step[RowValues](
    name="lookup",
    title="Read a row",
    prompt=lambda given: (
        "This is the table. Each line is one row; the top line is id 0:\n\n"
        f"{grid(given.table, [''] * len(given.chars))}\n\n"
        f"The vocabulary is `{given.chars}`. Which {DIM} numbers does the letter "
        f"`{given.looked}` get?"
    ),
    answer=Vector(DIM),
    solve=lambda given: given.row_of(given.looked),
    mistakes=(
        Mistake(
            "That is the row below: its id is one too large. Count from 0.",
            lambda given: given.table[(given.id_of(given.looked) + 1) % len(given.chars)],
        ),
        Mistake(
            "That is the row above: its id is one too small. The first line is id 0.",
            lambda given: given.table[given.id_of(given.looked) - 1],
        ),
        Mistake(
            "You read down a column. A letter gets a row.",
            lambda given: given.table[:DIM, given.id_of(given.looked) % DIM],
        ),
    ),
    hints=(
        lambda given: f"First find the id: where is `{given.looked}` in `{given.chars}`?",
        "Then go down the lines of the table to that id. The top line is id 0.",
    ),
    explanation=lambda given: (
        f"`{given.looked}` has id {given.id_of(given.looked)}, and that row is "
        f"{row(given.looked_up(given.looked))}. That is all `nn.Embedding` does: it copies a row."
    ),
    picture=_lookup_picture,
)

ZEROS = Step[RowValues](
    name="zeros",
    title="How many zeros?",
    predict=True,
    prompt=lambda given: (
        "A one-hot row has a 1 at its id and a 0 everywhere else. It is as wide as the table has "
        f"rows, here {len(given.chars)}.\n\n`{given.text}` becomes {len(given.text)} one-hot rows. "
        "How many **zeros** do they have together?"
    ),
    answer=Integer(0, 10_000),
    solve=lambda given: given.zeros,
    mistakes=(
        Mistake("That is how many ones there are.", lambda given: given.one_hot.sum()),
        Mistake(
            "That is how many numbers there are, with the ones.",
            lambda given: given.one_hot.numel(),
        ),
        Mistake(
            "You counted one-hot rows as columns: there is a single 1 in each **row**.",
            lambda given: len(given.chars) * (len(given.text) - 1),
        ),
        Mistake(
            "That is the number of zeros in one row. Now take all rows.",
            lambda given: len(given.chars) - 1,
        ),
    ),
    hints=(
        "How many zeros are in one row?",
        "All rows have as many zeros as the first. Multiply by the number of letters.",
    ),
    explanation=lambda given: (
        f"{len(given.text)} rows of {len(given.chars)} are {given.one_hot.numel()} numbers, "
        f"{int(given.one_hot.sum())} of them 1: {given.zeros} zeros. The playground's own "
        f"vocabulary has {PRINTABLE} characters. There, "
        f"{PRINTABLE - 1} of every {PRINTABLE} numbers are zeros."
    ),
    picture=_zeros_picture,
)

PRODUCT = Step[RowValues](
    name="product",
    title="Multiply it out",
    prompt=lambda given: (
        f"Each line has a letter, its number in the one-hot row of `{given.hot}`, and its row of "
        f"the table:\n\n{grid(given.beside, given.chars, ['1-hot', 'row', '', ''])}\n\n"
        "Multiply each row by the number to its left. Then add all rows. "
        f"Which {DIM} numbers do you get?"
    ),
    answer=Vector(DIM),
    solve=lambda given: given.product,
    mistakes=(
        Mistake(
            "You added all rows, as if every number of the one-hot row were 1.",
            lambda given: given.table.sum(0),
        ),
        Mistake(
            "That is the next row: your 1 is one place too far.",
            lambda given: given.table[(given.id_of(given.hot) + 1) % len(given.chars)],
        ),
        Mistake(
            "Not everything is 0: one of the numbers in the one-hot row is 1.",
            lambda given: [0.0] * DIM,
        ),
    ),
    hints=(
        "A row times 0 is all zeros, and adding zeros changes nothing.",
        "Only one row is multiplied by 1. Which one?",
    ),
    explanation=lambda given: (
        f"{len(given.chars) - 1} of the {len(given.chars)} rows were multiplied by 0, and one "
        f"by 1: {row(given.product)}. That is row {given.id_of(given.hot)}. A lookup reads this "
        f"row directly: {row(given.looked_up(given.hot))}."
    ),
    picture=_product_picture,
)

WASTE = Step[RowValues](
    name="waste",
    title="Work for nothing",
    prompt=lambda given: (
        f"Now take all {len(given.text)} letters of `{given.text}`: their one-hot rows times the "
        f"table of {len(given.chars)} rows and {DIM} columns. The output has {len(given.text)} x "
        f"{DIM} numbers. Each is a sum of {len(given.chars)} products.\n\n"
        "How many of all these multiplications are **by a zero of a one-hot row**?"
    ),
    answer=Integer(0, 100_000),
    solve=lambda given: given.cost.multiplications_by_zero,
    mistakes=(
        Mistake(
            "Those are all the multiplications, with the few that are by 1.",
            lambda given: given.cost.multiplications,
        ),
        Mistake(
            "Those are the multiplications by 1: the numbers that a lookup reads.",
            lambda given: given.cost.numbers_read,
        ),
        Mistake(
            "You counted each zero once. But each zero meets every column of the table.",
            lambda given: given.zeros,
        ),
        Mistake(
            "That is for a single letter. There are more.",
            lambda given: DIM * (len(given.chars) - 1),
        ),
    ),
    hints=(
        "How many multiplications by zero does one number of the output need?",
        lambda given: f"There are {len(given.text)} x {DIM} numbers in the output.",
    ),
    explanation=lambda given: (
        f"{len(given.text)} · {len(given.chars)} · {DIM} = {given.cost.multiplications} "
        f"multiplications; {len(given.text)} · {DIM} = {given.cost.numbers_read} are by 1, the "
        f"other {given.cost.multiplications_by_zero} by zero. A lookup reads the "
        f"{given.cost.numbers_read} numbers and multiplies nothing."
    ),
    picture=_waste_picture,
)

LINEAR = Step[RowValues](
    name="linear",
    title="The same numbers, transposed",
    prompt=lambda given: (
        "`nn.Linear` keeps its weight transposed: `linear.weight` has the shape "
        f"`{(DIM, len(given.chars))}`, and the table `embedding.weight` has the shape "
        f"`{tuple(given.table.shape)}`. Both hold the same numbers. This is the table, from row 0 "
        f"down:\n\n{given.shown}\n\n"
        f"Which number is `linear.weight[{given.cell[0]}, {given.cell[1]}]`? The first index is "
        "the row, the second is the column, and both count from 0."
    ),
    answer=Integer(-9, 9),
    solve=lambda given: given.linear_number,
    mistakes=(
        Mistake(
            "You forgot the transpose: that number is at this place in `embedding.weight`.",
            lambda given: int(given.table[given.cell]),
        ),
    ),
    hints=(
        "Row i of one is column i of the other.",
        lambda given: f"Look in column {given.cell[0]} of the table.",
    ),
    explanation=lambda given: (
        f"`linear.weight[{given.cell[0]}, {given.cell[1]}]` is "
        f"`embedding.weight[{given.cell[1]}, {given.cell[0]}]`, which is "
        f"{given.linear_number}. Without the transpose you would read "
        f"{int(given.table[given.cell])}. That is why a copy from one layer to the other needs "
        "`.T`."
    ),
    picture=_linear_picture,
)


def _compared(given: RowValues) -> Comparison:
    return Comparison(given.output, given.layers.multiply(given.ids[None]))


def _bits(given: RowValues) -> str:
    result = _compared(given)
    if result.bitwise_equal:
        return BITS[0]
    return BITS[1] if result.max_abs_error < 1e-4 else BITS[2]


BITWISE = Step[RowValues](
    name="bits",
    title="Exactly the same?",
    predict=True,
    prompt=lambda given: (
        "One route reads rows. The other route multiplies and adds "
        f"{given.cost.multiplications} times for your text.\n\n"
        "Will both outputs be the same to the last bit?"
    ),
    answer=lambda given: rotated(BITS, given.turn),
    solve=_bits,
    mistakes=(
        Mistake(
            "That is what rounding does to sums. But each number here times 1 is that number, and "
            "adding 0 to it changes no bit. So what is there to round?",
            BITS[1],
        ),
        Mistake("Look again at the product that you made by hand.", BITS[2]),
    ),
    hints=(
        "What is a number times 1, and what is it plus 0, to the last bit?",
        "Nothing in `x * 1 + 0 + 0` has to be rounded.",
    ),
    explanation=lambda given: (
        f"The largest difference here is {_compared(given).max_abs_error:g}, so the answer is "
        f"*{_bits(given)}*. Times 1 and plus 0 need no rounding here. There are exceptions. NaN "
        "or infinity anywhere in the table is one: 0 times infinity is not 0. A setting such as "
        "“medium” precision, which rounds the table first, is another. The page *Where it breaks* "
        "proves each exception that we know."
    ),
    live=_live,
)

LAB = Lab[RowValues](
    code="row",
    title="One row of a table",
    sign=(
        Grid("table", blank(4, 3), marked=whole([2], 3)),
        "→",
        Grid("output", blank(1, 3), marked=whole([0], 3)),
    ),
    goals=(
        "Turn letters into ids, and ids into rows.",
        "Multiply a one-hot row by a table, and see that it only chooses a row.",
        "Say what the zeros cost, and why a lookup may leave them out.",
    ),
    make=_make,
    steps=(SHAPE, IDS, LOOKUP, ZEROS, PRODUCT, WASTE, LINEAR, BITWISE),
    usable=_usable,
)
