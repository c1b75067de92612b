"""Lab "One row of a table": ids, rows, one-hot rows, and why most of the product is zeros.

All numbers are whole and small: a student does every step by hand and checks with the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional as F

from embviz.core.comparison import Comparison
from embviz.core.config import Config
from embviz.core.cost import Cost
from embviz.core.layers import TiedLayers, tie
from embviz.core.vocabulary import Vocabulary, resolve
from embviz.labs.answers import Ids, Kind, Text, Vector, Whole, turned
from embviz.labs.formatting import grid, listed, row
from embviz.labs.record import Lab, Mistake, Step, draw
from embviz.labs.student import Student

CODE = "row"
DIM = 3
LENGTH = 5
# No vowels, so that no words come out, and no l, which looks like a figure.
LETTERS = "bcdfghjkmnpqrstvwxz"
BITS = ("yes, bit for bit", "almost: they differ after 6 digits", "no")


@dataclass(frozen=True, eq=False)
class RowValues:
    """What a student works with.

    Attributes:
        chars: the vocabulary, sorted letters.
        text: 5 of them, one twice.
        seed: of the table.
        table: float32 (V, 3), whole numbers 0 to 9.
        looked: the letter whose row is looked up by hand.
        hot: another letter, for the product.
        cell: a row and a column of the linear layer's weight.
        turn: where the list of choices begins.
    """

    chars: str
    text: str
    seed: int
    table: torch.Tensor
    looked: str
    hot: str
    cell: tuple[int, int]
    turn: int

    @property
    def ids(self) -> torch.Tensor:
        """The text as ids, int64 (5,)."""
        return torch.tensor(Vocabulary(self.chars).encode(self.text))

    @property
    def layers(self) -> TiedLayers:
        """Both layers, of this very table."""
        return tie(self.config)

    @property
    def config(self) -> Config:
        """What draws the table; the page has the same settings."""
        return Config(self.chars, len(self.chars), DIM, self.seed, "integers")

    @property
    def cost(self) -> Cost:
        """What each route reads and multiplies."""
        return Cost(len(self.text), len(self.chars), DIM, self.table.element_size())

    @property
    def shown(self) -> str:
        """The table, a line for each letter, without its ids."""
        return grid(self.table, list(self.chars))

    def id_of(self, letter: str) -> int:
        """The place of a letter, counted from 0."""
        return self.chars.index(letter)

    def one_hot(self, letter: str) -> torch.Tensor:
        """(1, V), float32."""
        return F.one_hot(torch.tensor([self.id_of(letter)]), len(self.chars)).float()


def _make(seed: int, generator: torch.Generator) -> RowValues:
    def whole(high: int) -> int:
        return int(torch.randint(0, high, (1,), generator=generator))

    size = 7 + whole(3)  # with 6, several mistakes would lead to one number
    order = torch.randperm(len(LETTERS), generator=generator)[:size]
    chars = "".join(sorted(LETTERS[place] for place in order.tolist()))
    places = torch.randperm(size, generator=generator)[: LENGTH - 1].tolist()
    word = [chars[place] for place in places]
    word.insert(1 + whole(LENGTH - 1), word[0])
    table = tie(Config(chars, size, DIM, seed, "integers")).embedding.weight.detach()
    cell = torch.randperm(DIM, generator=generator)[:2].tolist()
    return RowValues(
        chars,
        "".join(word),
        seed,
        table,
        word[0],
        next(c for c in word if c != word[0]),
        (cell[0], cell[1]),
        whole(4),
    )


def values(student: Student) -> RowValues:
    """All that the student's name gives."""
    return draw(student, CODE, _make, STEPS)


def _show(given: RowValues) -> dict[str, Any]:
    settings = {
        "input": "text",
        "text": given.text,
        "vocab": "custom",
        "chars": given.chars,
        "rows": len(given.chars),
        "dim": DIM,
        "seed": given.seed,
        "init": "integers",
        "dtype": "float32",
        "unknown": "error",
        "escapes": False,
    }
    return {"part": "playground", "settings": settings}


def _panel(panel: str) -> Any:
    def show(given: RowValues) -> dict[str, Any]:
        return {"part": "playground", "settings": _show(given)["settings"] | {"panel": panel}}

    return show


# The shape of the output.


def _shape_kind(given: RowValues) -> Kind:
    tokens, rows = len(given.text), len(given.chars)
    shapes = [(tokens, DIM), (tokens, rows), (rows, DIM), (DIM, tokens)]
    return turned([str(shape) for shape in shapes], given.turn)


def _shape_why(given: RowValues) -> str:
    output = given.layers.lookup(given.ids)
    return (
        f"Each of the {len(given.ids)} ids gives one row of {DIM} numbers: the output has the "
        f"shape `{tuple(output.shape)}`. The table itself is `{tuple(given.table.shape)}`, and "
        f"that stays so whatever you type."
    )


SHAPE = Step[RowValues](
    name="shape",
    title="How large is the output?",
    kind="predict",
    prompt=lambda given: (
        f"A table has **{len(given.chars)} rows**, one for each letter of `{given.chars}`, and "
        f"**{DIM} columns**. You look up the {len(given.text)} letters of `{given.text}`.\n\n"
        "What is the shape of what you get? Decide before you look."
    ),
    answer=_shape_kind,
    solve=lambda given: str(tuple(given.layers.lookup(given.ids).shape)),
    mistakes=(
        Mistake(
            "That is the shape of the one-hot rows: as wide as the table has rows.",
            lambda given: str(tuple(F.one_hot(given.ids, len(given.chars)).shape)),
        ),
        Mistake(
            "That is the shape of the whole table, with the rows that nobody asked for.",
            lambda given: str(tuple(given.table.shape)),
        ),
        Mistake(
            "That is the output lying on its side: rows come first, columns second.",
            lambda given: str(tuple(given.layers.lookup(given.ids).T.shape)),
        ),
    ),
    hints=(
        "Think of one letter first: how many numbers does it get?",
        "One letter gets one row of the table. Now stack as many rows as there are letters.",
    ),
    explanation=_shape_why,
    show=_show,
)

# Text to ids.


IDS = Step[RowValues](
    name="ids",
    title="From letters to ids",
    kind="do",
    prompt=lambda given: (
        f"The vocabulary is `{given.chars}`. The id of a letter is its place there, and **places "
        f"count from 0**.\n\nWhich ids does `{given.text}` become?"
    ),
    answer=Ids(LENGTH),
    solve=lambda given: tuple(given.ids.tolist()),
    mistakes=(
        Mistake(
            "These are the places counted from 1, so each is one too large.",
            lambda given: tuple((given.ids + 1).tolist()),
        ),
        Mistake(
            "These are the right ids, sorted; a text keeps its order.",
            lambda given: tuple(sorted(given.ids.tolist())),
        ),
        Mistake(
            "You named each letter once; a letter that comes twice has its id twice.",
            lambda given: tuple(dict.fromkeys(given.ids.tolist())),
        ),
    ),
    hints=(
        lambda given: f"The first letter of the vocabulary, `{given.chars[0]}`, has the id 0.",
        "Go letter by letter, and write an id again when its letter comes again.",
    ),
    explanation=lambda given: (
        f"`{given.text}` becomes {row(given.ids)}. `{given.looked}` comes twice, so "
        f"{given.id_of(given.looked)} stands there twice. The largest id of this table is "
        f"{len(given.chars) - 1}, one less than its {len(given.chars)} rows."
    ),
    show=_show,
)

# One row by lookup.


LOOKUP = Step[RowValues](
    name="lookup",
    title="Read a row",
    kind="do",
    prompt=lambda given: (
        "This is the table, one line for each row, from id 0 down:\n\n"
        f"{grid(given.table, [''] * len(given.chars))}\n\n"
        f"The vocabulary is `{given.chars}`. Which {DIM} numbers does the letter "
        f"`{given.looked}` get?"
    ),
    answer=Vector(DIM, 0.001),
    solve=lambda given: listed(given.table[given.id_of(given.looked)]),
    mistakes=(
        Mistake(
            "That is the row below: its id is one too large. Count from 0.",
            lambda given: listed(given.table[(given.id_of(given.looked) + 1) % len(given.chars)]),
        ),
        Mistake(
            "That is the row above: its id is one too small. The first line is id 0.",
            lambda given: listed(given.table[given.id_of(given.looked) - 1]),
        ),
        Mistake(
            "You read down a column. A letter gets a row.",
            lambda given: listed(given.table[:DIM, given.id_of(given.looked) % DIM]),
        ),
    ),
    hints=(
        lambda given: f"First the id: where does `{given.looked}` stand in `{given.chars}`?",
        "Then go down the lines of the table to that id; the top line is id 0.",
    ),
    explanation=lambda given: (
        f"`{given.looked}` has id {given.id_of(given.looked)}, and that row is "
        f"{row(given.layers.lookup(torch.tensor(given.id_of(given.looked))))}. That is all "
        "`nn.Embedding` does: it copies a row."
    ),
    show=_show,
)

# How many zeros.


def _ones_only(given: RowValues) -> int:
    return int(F.one_hot(given.ids, len(given.chars)).sum())


ZEROS = Step[RowValues](
    name="zeros",
    title="How many zeros?",
    kind="predict",
    prompt=lambda given: (
        "A one-hot row has a 1 at its id and a 0 everywhere else. It is as wide as the table has "
        f"rows, here {len(given.chars)}.\n\n`{given.text}` becomes {len(given.text)} one-hot rows. "
        "How many **zeros** stand in all of them together?"
    ),
    answer=Whole(0, 10_000),
    solve=lambda given: int((F.one_hot(given.ids, len(given.chars)) == 0).sum()),
    mistakes=(
        Mistake("That is how many ones there are.", _ones_only),
        Mistake(
            "That is all the numbers, with the ones.",
            lambda given: F.one_hot(given.ids, len(given.chars)).numel(),
        ),
        Mistake(
            "You counted one-hot rows as columns: there is a single 1 in each **row**.",
            lambda given: len(given.chars) * (len(given.text) - 1),
        ),
        Mistake(
            "That is one row's. Now take all of them.",
            lambda given: len(given.chars) - 1,
        ),
    ),
    hints=(
        "How many zeros are in one row?",
        "All rows have as many zeros as the first; multiply by the number of letters.",
    ),
    explanation=lambda given: (
        f"{len(given.text)} rows of {len(given.chars)} are "
        f"{F.one_hot(given.ids, len(given.chars)).numel()} numbers, {_ones_only(given)} of them 1: "
        f"{int((F.one_hot(given.ids, len(given.chars)) == 0).sum())} zeros. With the "
        f"{len(resolve('printable'))} signs of the playground's own vocabulary, "
        f"{len(resolve('printable')) - 1} of every {len(resolve('printable'))} numbers would be "
        "zeros."
    ),
    show=_panel("one_hot"),
)

# The product by hand.


def _product(given: RowValues) -> torch.Tensor:
    return (given.one_hot(given.hot) @ given.table)[0]


PRODUCT = Step[RowValues](
    name="product",
    title="Multiply it out",
    kind="do",
    prompt=lambda given: (
        f"The one-hot row of `{given.hot}` stands over the table's rows:\n\n"
        f"{grid(given.one_hot(given.hot), ['one-hot'], list(given.chars))}\n\n"
        f"{given.shown}\n\n"
        "Multiply each row of the table by the number of the one-hot row above its letter, then "
        f"add all the rows up. Which {DIM} numbers come out?"
    ),
    answer=Vector(DIM, 0.001),
    solve=lambda given: listed(_product(given)),
    mistakes=(
        Mistake(
            "You added up all the rows, as if every number of the one-hot row were 1.",
            lambda given: listed(given.table.sum(0)),
        ),
        Mistake(
            "That is the neighbour: your 1 stands one place too far.",
            lambda given: listed(given.table[(given.id_of(given.hot) + 1) % len(given.chars)]),
        ),
        Mistake(
            "Everything cannot vanish: one of the numbers in the one-hot row is 1.",
            lambda given: (0.0,) * DIM,
        ),
    ),
    hints=(
        "A row times 0 is all zeros, and adding zeros changes nothing.",
        "Only one row is multiplied by 1. Which one?",
    ),
    explanation=lambda given: (
        f"{len(given.chars) - 1} of the {len(given.chars)} rows were multiplied by 0, one by 1: "
        f"{row(_product(given))}. That is row {given.id_of(given.hot)}, which a lookup reads at "
        f"once: {row(given.layers.lookup(torch.tensor(given.id_of(given.hot))))}."
    ),
    show=_panel("one_hot"),
)

# How many multiplications by zero.


WASTE = Step[RowValues](
    name="waste",
    title="Work for nothing",
    kind="do",
    prompt=lambda given: (
        f"Now all {len(given.text)} letters of `{given.text}`: their one-hot rows times the table "
        f"of {len(given.chars)} rows and {DIM} columns. Each of the {len(given.text)} x {DIM} "
        f"numbers that come out is a sum of {len(given.chars)} products.\n\n"
        "How many of all these multiplications are **by zero**?"
    ),
    answer=Whole(0, 100_000),
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
            "You counted the zeros, and each of them once. Each meets every column of the table.",
            lambda given: len(given.text) * (len(given.chars) - 1),
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
    show=_show,
)

# Linear's weight.


def _linear_at(given: RowValues) -> float:
    return float(given.layers.linear.weight.detach()[given.cell])


LINEAR = Step[RowValues](
    name="linear",
    title="The same numbers, turned",
    kind="do",
    prompt=lambda given: (
        "`nn.Linear` keeps its weight the other way round: `linear.weight` has the shape "
        f"`{(DIM, len(given.chars))}`, and the table `embedding.weight` the shape "
        f"`{tuple(given.table.shape)}`. Both hold the same numbers. This is the table, from row 0 "
        f"down:\n\n{given.shown}\n\n"
        f"Which number is `linear.weight[{given.cell[0]}, {given.cell[1]}]`? The first index is "
        "the row, the second the column, and both count from 0."
    ),
    answer=Whole(-9, 9),
    solve=lambda given: int(_linear_at(given)),
    mistakes=(
        Mistake(
            "You forgot the transpose: that number stands there in `embedding.weight`.",
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
        f"{int(_linear_at(given))}. Without the transpose you would read "
        f"{int(given.table[given.cell])}. That is why a copy from one layer to the other needs "
        "`.T`."
    ),
    show=_panel("weights"),
)

# Same bits.


def _compared(given: RowValues) -> Comparison:
    return Comparison(given.layers.lookup(given.ids), given.layers.multiply(given.ids))


def _bits(given: RowValues) -> str:
    result = _compared(given)
    if result.bitwise_equal:
        return BITS[0]
    return BITS[1] if result.max_abs_error < 1e-4 else BITS[2]


BITWISE = Step[RowValues](
    name="bits",
    title="Exactly the same?",
    kind="predict",
    prompt=lambda given: (
        "One route reads rows. The other multiplies and adds "
        f"{given.cost.multiplications} times for your text.\n\n"
        "Will both outputs be the same to the last bit?"
    ),
    answer=lambda given: turned(BITS, given.turn),
    solve=_bits,
    mistakes=(
        Mistake(
            "That is what rounding does to sums. But a number times 1 is that number, and adding "
            "0 to it changes no bit: what is there to round?",
            lambda given: BITS[1],
        ),
        Mistake("Look again at the product that you made by hand.", lambda given: BITS[2]),
    ),
    hints=(
        "What is a number times 1, and what is it plus 0, to the last bit?",
        "Nothing in `x * 1 + 0 + 0` has to be rounded.",
    ),
    explanation=lambda given: (
        f"Largest difference here: {_compared(given).max_abs_error:g}; the answer is "
        f"*{_bits(given)}*. Times 1 and plus 0 are exact. There are exceptions, such as NaN or "
        "infinity anywhere in the table, for 0 times infinity is not 0: the page of limits has "
        "them all."
    ),
    show=_show,
)

WHY = Step[RowValues](
    name="why",
    title="In your own words",
    kind="explain",
    prompt=lambda given: (
        "A friend says: *“One-hot times a matrix is how it is done; an embedding is something "
        "else.”* Answer in two or three sentences. Use the words *row*, *zero* and *lookup*."
    ),
    answer=Text(),
    hints=("What did the zeros contribute to your sum, and what did the single 1 choose?",),
    explanation=lambda given: (
        "A good answer says that the 1 chooses a **row**, that each **zero** adds nothing, and "
        "that a **lookup** gives the same row without the "
        f"{given.cost.multiplications_by_zero} multiplications by zero."
    ),
)

STEPS = (SHAPE, IDS, LOOKUP, ZEROS, PRODUCT, WASTE, LINEAR, BITWISE, WHY)

LAB = Lab[RowValues](
    code=CODE,
    title="One row of a table",
    minutes=15,
    goals=(
        "Turn letters into ids, and ids into rows.",
        "Multiply a one-hot row by a table, and see that it only chooses.",
        "Say what the zeros cost, and why a lookup may leave them out.",
    ),
    values=values,
    steps=STEPS,
)
