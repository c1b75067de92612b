"""Lab "What does it cost?": predict memory and work, measure time, compare, find the crossing.

Everything that can be counted is computed. Only the student's machine knows the medians of a
sweep; so these answers are checked for consistency only, such as a ratio against its two times.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from embviz.core.cost import ID_BYTES, Cost
from embviz.core.wording import format_bytes
from embviz.labs.answers import Integer, Number, Vector, rotated
from embviz.labs.picture import UNKNOWN, Grid, Picture, blank, whole
from embviz.labs.record import Lab, Mistake, Step, integer

FLOAT = torch.float32.itemsize
MOST = 10**15
SLACK = 0.03  # relative error allowed in a ratio that is computed from typed numbers
# The same for a ratio that was read off: the page rounds both times and their ratio to two
# digits, at most 5 % each.
READ_SLACK = 0.12
SLOWEST = 1e9  # microseconds
SMALL, LARGE = 64, 16_384  # rows, the ends of the first sweep
FEW_LOW, FEW_HIGH = 2, 4_096  # rows, the ends of the second sweep
GROWTH = (
    "both double",
    "the lookup stays, the product doubles",
    "the lookup doubles, the product stays",
    "both stay",
)


@dataclass(frozen=True)
class CostValues:
    """A student's values.

    Attributes:
        num_embeddings: V, rows of the table.
        embedding_dim: D, its columns.
        tokens: N, ids to look up.
        turn: where the list of choices begins.
    """

    num_embeddings: int
    embedding_dim: int
    tokens: int
    turn: int

    def at(self, rows: int, tokens: int | None = None) -> Cost:
        """The cost of each route for a table of `rows` rows."""
        return Cost(tokens or self.tokens, rows, self.embedding_dim, FLOAT)

    @property
    def cost(self) -> Cost:
        """The cost for the student's table."""
        return self.at(self.num_embeddings)

    @property
    def doubled(self) -> Cost:
        """The cost with twice the rows."""
        return self.at(2 * self.num_embeddings)

    @property
    def table_bytes(self) -> int:
        """Bytes that the float32 table would need."""
        shape = (self.num_embeddings, self.embedding_dim)
        return torch.empty(shape, dtype=torch.float32, device="meta").nbytes

    @property
    def times_larger(self) -> float:
        """Bytes of the one-hot rows for each byte of the ids."""
        return self.cost.one_hot_bytes / self.cost.ids_bytes

    @property
    def work_ratio(self) -> float:
        """Multiplications for each number that a lookup reads, at the large end of the sweep."""
        return self.at(LARGE).multiplications / self.at(LARGE).numbers_read

    @property
    def sizes(self) -> str:
        """The three sizes in words."""
        return (
            f"V = {self.num_embeddings:,} rows, D = {self.embedding_dim} columns and "
            f"N = {self.tokens} ids"
        )


def _make(seed: int, generator: torch.Generator) -> CostValues:
    rows, columns, tokens = (
        integer(generator, high, low) for low, high in ((50, 601), (8, 33), (30, 121))
    )
    return CostValues(100 * rows, 4 * columns, 2 * tokens, integer(generator, 4))


def _live(
    given: CostValues, low: int = SMALL, high: int = LARGE, tokens: int | None = None
) -> dict[str, Any]:
    settings = {
        "vary": "vocab",
        "span": [str(low), str(high)],
        "mode": "forward",
        "methods": ["lookup", "matmul", "onehot_matmul"],
        "devices": ["cpu"],
        "skew": "uniform",
        "cache": ["same"],
        "time_dim": given.embedding_dim,
        "time_tokens": tokens or given.tokens,
        "time_dtype": "float32",
    }
    return {"part": "timing", "settings": settings}


def _line(part: str, terms: Mapping[str, float], known: int, answered: bool) -> Picture:
    """A computation in one line, its terms by their heads; the first `known` are always shown."""
    shown = len(terms) if answered else known
    cells = [f"{one:,.0f}" if k < shown else UNKNOWN for k, one in enumerate(terms.values())]
    marked = frozenset({(0, len(cells) - 1)})
    return (Grid(part, [cells], heads=list(terms), marked=marked),)


def _table_picture(given: CostValues, answered: bool) -> Picture:
    terms = {"rows": given.num_embeddings, "× columns": given.embedding_dim}
    more = {"× bytes each": FLOAT, "= bytes": given.table_bytes}
    return _line("bytes", terms | more, 2, answered)


def _one_hot_picture(given: CostValues, answered: bool) -> Picture:
    terms = {"ids": given.tokens, "× width": given.num_embeddings}
    more = {"× bytes each": FLOAT, "= bytes": given.cost.one_hot_bytes}
    return _line("bytes", terms | more, 1, answered)


def _ids_picture(given: CostValues, answered: bool) -> Picture:
    terms = {"one-hot rows": given.cost.one_hot_bytes, "÷ ids": given.cost.ids_bytes}
    return _line("bytes", terms | {"= times": given.times_larger}, 0, answered)


def _work_picture(given: CostValues, answered: bool) -> Picture:
    terms = {"ids": given.tokens, "× columns": given.embedding_dim}
    zeros = {"× zeros in a row": given.num_embeddings - 1}
    by_zero = {"= by zero": given.cost.multiplications_by_zero}
    return _line("work", terms | zeros | by_zero, 2, answered)


def _twice_picture(given: CostValues, answered: bool) -> Picture:
    both = given.cost, given.doubled
    counts = [[one.numbers_read for one in both], [one.multiplications for one in both]]
    cells = [[f"{count:,}" if answered else UNKNOWN for count in line] for line in counts]
    heads = [f"{one.num_embeddings:,} rows" for one in both]
    return (Grid("work", cells, labels=["lookup reads", "product multiplies"], heads=heads),)


TABLE = Step[CostValues](
    name="table",
    title="Memory of the table",
    predict=True,
    prompt=lambda given: (
        f"A table has **{given.num_embeddings:,} rows** and **{given.embedding_dim} columns** of "
        "`float32` numbers, the usual type. One number has 32 bits.\n\nHow many **bytes** does "
        "the table need?"
    ),
    answer=Integer(0, MOST),
    solve=lambda given: given.table_bytes,
    mistakes=(
        Mistake("Those are bits. A byte has 8 of them.", lambda given: 8 * given.table_bytes),
        Mistake(
            "You took 8 bytes for each number, as in float64.", lambda given: 2 * given.table_bytes
        ),
        Mistake(
            "That is how many numbers it has. How many bytes does one number have?",
            lambda given: given.num_embeddings * given.embedding_dim,
        ),
        Mistake(
            "That is one column. There are more.",
            lambda given: given.num_embeddings * FLOAT,
        ),
    ),
    hints=(
        "How many numbers does the table have?",
        "Each number has 32 bits, and that is 4 bytes.",
    ),
    explanation=lambda given: (
        f"{given.num_embeddings:,} · {given.embedding_dim} · {FLOAT} = {given.table_bytes:,} "
        f"bytes, {format_bytes(given.table_bytes)}. Lookup and product need the same table."
    ),
    picture=_table_picture,
)

ONE_HOT = Step[CostValues](
    name="one-hot",
    title="Memory of the one-hot rows",
    predict=True,
    prompt=lambda given: (
        f"You look up **{given.tokens} ids** in that table of {given.num_embeddings:,} rows. The "
        "product needs them as one-hot rows of `float32`.\n\nHow many **bytes** do all the "
        "one-hot rows need?"
    ),
    answer=Integer(0, MOST),
    solve=lambda given: given.cost.one_hot_bytes,
    mistakes=(
        Mistake(
            "Those are bits. A byte has 8 of them.",
            lambda given: 8 * given.cost.one_hot_bytes,
        ),
        Mistake(
            "You took 8 bytes for each number. `F.one_hot` does make int64 first, and that is its "
            "hidden cost. But the question asks for float32.",
            lambda given: 2 * given.cost.one_hot_bytes,
        ),
        Mistake(
            "That is how many numbers there are, not yet bytes.",
            lambda given: given.tokens * given.num_embeddings,
        ),
        Mistake(
            "You counted one-hot rows as columns: a one-hot row is as wide as the table has "
            "**rows**, not as it has columns.",
            lambda given: given.tokens * given.embedding_dim * FLOAT,
        ),
    ),
    hints=(
        "How wide is a one-hot row, and how many are there?",
        "Each number needs 4 bytes, a zero too.",
    ),
    explanation=lambda given: (
        f"{given.tokens} · {given.num_embeddings:,} · {FLOAT} = {given.cost.one_hot_bytes:,} "
        f"bytes, {format_bytes(given.cost.one_hot_bytes)}. Only "
        f"{given.tokens * FLOAT:,} of these bytes are ones. The table has "
        f"{format_bytes(given.table_bytes)}."
    ),
    picture=_one_hot_picture,
)

IDS = Step[CostValues](
    name="ids",
    title="How many times larger?",
    prompt=lambda given: (
        f"A lookup needs no one-hot rows, only the {given.tokens} ids themselves. An id is an "
        "`int64`: 64 bits. The one-hot rows are `float32`, and "
        f"{given.num_embeddings:,} wide.\n\n"
        "How many **times** larger, in bytes, are the one-hot rows than the ids?"
    ),
    answer=Number(0.001, relative=True),
    solve=lambda given: given.times_larger,
    mistakes=(
        Mistake(
            "That compares how many numbers they have. An id has 8 bytes, a float32 has 4.",
            lambda given: float(given.num_embeddings),
        ),
        Mistake(
            "You took the two types the wrong way round: the id is the larger one.",
            lambda given: float(2 * given.num_embeddings),
        ),
        Mistake(
            "That is how many bytes the one-hot rows have. Divide by the bytes of the ids.",
            lambda given: float(given.cost.one_hot_bytes),
        ),
        Mistake(
            "You divided by the bits of an id, not by its bytes.",
            lambda given: given.times_larger / 8,
        ),
    ),
    hints=(
        "Take a single id. How many bytes does it have, and how many does its one-hot row have?",
        "The id has 8 bytes; each number of its one-hot row has 4.",
    ),
    explanation=lambda given: (
        f"One-hot: {given.cost.one_hot_bytes:,} bytes. Ids: {given.tokens} · {ID_BYTES} = "
        f"{given.cost.ids_bytes:,} bytes. That is {given.times_larger:,.0f} times as much, and it "
        "grows with every row of the table."
    ),
    picture=_ids_picture,
)

WORK = Step[CostValues](
    name="work",
    title="Multiplications by zero",
    prompt=lambda given: (
        f"One-hot times table, with {given.sizes}. How many multiplications are **by a zero of a "
        "one-hot row**?"
    ),
    answer=Integer(0, MOST),
    solve=lambda given: given.cost.multiplications_by_zero,
    mistakes=(
        Mistake(
            "Those are all of them, with the ones by 1.",
            lambda given: given.cost.multiplications,
        ),
        Mistake(
            "Those are the multiplications that are **not** by zero.",
            lambda given: given.cost.numbers_read,
        ),
        Mistake(
            "You counted the zeros once. Each zero meets every column of the table.",
            lambda given: given.tokens * (given.num_embeddings - 1),
        ),
        Mistake(
            "You counted one-hot rows as columns: there is a single 1 in each **row**.",
            lambda given: (given.tokens - 1) * given.num_embeddings * given.embedding_dim,
        ),
    ),
    hints=(
        "How many zeros does one one-hot row have?",
        "Each zero is multiplied once for each column, and there are N such rows.",
    ),
    explanation=lambda given: (
        f"{given.tokens} · {given.num_embeddings - 1:,} · {given.embedding_dim} = "
        f"{given.cost.multiplications_by_zero:,}. The other {given.cost.numbers_read:,} are by 1, "
        "and a lookup reads these numbers instead."
    ),
    picture=_work_picture,
)


def _growth(given: CostValues) -> str:
    lookup = given.doubled.numbers_read == 2 * given.cost.numbers_read
    product = given.doubled.multiplications == 2 * given.cost.multiplications
    return GROWTH[{(True, True): 0, (False, True): 1, (True, False): 2}.get((lookup, product), 3)]


TWICE = Step[CostValues](
    name="twice",
    title="Twice the rows",
    predict=True,
    prompt=lambda given: (
        f"Now the table gets twice the rows: {2 * given.num_embeddings:,} instead of "
        f"{given.num_embeddings:,}. You still look up {given.tokens} ids.\n\n"
        "Count the work: the numbers that the lookup reads, and the multiplications of the "
        "product. How do both change?"
    ),
    answer=lambda given: rotated(GROWTH, given.turn),
    solve=_growth,
    mistakes=(
        Mistake(
            "The lookup reads a row for each id. Does it read the rows that nobody asked for?",
            GROWTH[0],
        ),
        Mistake("You have them the wrong way round.", GROWTH[2]),
        Mistake("The one-hot rows get wider, and every number in them is multiplied.", GROWTH[3]),
    ),
    hints=(
        "How many rows does a lookup read?",
        "How wide is a one-hot row of the larger table?",
    ),
    explanation=lambda given: (
        f"The lookup reads {given.cost.numbers_read:,} numbers before and "
        f"{given.doubled.numbers_read:,} after. The product multiplies "
        f"{given.cost.multiplications:,} times before and {given.doubled.multiplications:,} "
        "after. A measured time need not follow a count exactly: measure it in the next step."
    ),
    picture=_twice_picture,
)


def _times(answer: tuple[float, ...]) -> bool:
    return all(0 < one <= SLOWEST for one in answer)


def _near(found: float, right: float, slack: float = SLACK) -> bool:
    return abs(found - right) <= slack * abs(right)


SWEEP = Step[CostValues](
    name="sweep",
    title="Measure it",
    prompt=lambda given: (
        f"Run the sweep over the rows, {SMALL:,} to {LARGE:,}, with {given.embedding_dim} columns "
        f"and {given.tokens} ids. Read off the median times of *lookup* and *matmul* at {LARGE:,} "
        "rows. The one-hot rows of *matmul* are ready. Write both times **in microseconds**: "
        "1 ms = 1,000 µs.\n\n"
        "Write three numbers: lookup, matmul, and matmul's time divided by lookup's."
    ),
    answer=Vector(3, 0.0),
    check=lambda given, answer: (
        _times(answer) and _near(answer[2], answer[1] / answer[0], READ_SLACK)
    ),
    mistakes=(  # the first one makes sure that the others can divide
        Mistake(
            "A time is more than 0, and so is a ratio of two times.",
            found=lambda given, answer: not _times(answer),
        ),
        Mistake(
            "Your last number is lookup divided by matmul. Turn it round.",
            found=lambda given, answer: _near(answer[2], answer[0] / answer[1]),
        ),
        Mistake(
            "Your last number is the difference. Divide instead.",
            found=lambda given, answer: _near(answer[2], answer[1] - answer[0]),
        ),
        Mistake(
            "The ratio is 1,000 times off: is one of the times in milliseconds?",
            found=lambda given, answer: any(
                _near(answer[2] * by, answer[1] / answer[0]) for by in (1000, 1 / 1000)
            ),
        ),
    ),
    hints=(
        "The first sentence under the chart has both times. Write them in the same unit.",
        "Divide the time of the matmul by the time of the lookup.",
    ),
    explanation=lambda given: (
        f"Only your machine knows the two times. What can be counted: at {LARGE:,} rows the "
        f"product does {given.work_ratio:,.0f} multiplications for each number that a lookup "
        "reads."
    ),
    live=_live,
    measured=True,
)

COMPARE = Step[CostValues](
    name="compare",
    title="Count against time",
    prompt=lambda given: (
        f"By the count, the product at {LARGE:,} rows does {given.work_ratio:,.0f} "
        "multiplications for each number that the lookup reads. You measured a ratio of the two "
        "times: the last number of the step before.\n\n"
        "Write two numbers: your measured ratio, and the count **divided by** it."
    ),
    answer=Vector(2, 0.0),
    check=lambda given, answer: _times(answer) and _near(answer[1], given.work_ratio / answer[0]),
    mistakes=(
        Mistake(
            "Both numbers are more than 0.",
            found=lambda given, answer: not _times(answer),
        ),
        Mistake(
            "You divided the wrong way round: take the count divided by your ratio.",
            found=lambda given, answer: _near(answer[1], answer[0] / given.work_ratio),
        ),
        Mistake(
            "That is the difference; divide instead.",
            found=lambda given, answer: _near(answer[1], given.work_ratio - answer[0]),
        ),
    ),
    hints=(
        "The count is in the question. Your ratio is in the step before.",
        "Divide the count by your ratio.",
    ),
    explanation=lambda given: (
        f"The count says {given.work_ratio:,.0f}. A ratio of times need not agree with it. One "
        "multiplication need not take as long as reading one number. A call also does work that "
        "is not counted here, such as making the output. And each call of the sweep looks up the "
        "same ids, so their rows stay in the cache. With new ids a lookup in a large table may "
        "wait for memory."
    ),
    live=_live,
    measured=True,
)


def _measured_size(answer: int) -> bool:
    return answer == 0 or (
        FEW_LOW <= answer <= FEW_HIGH and math.log2(answer) == round(math.log2(answer))
    )


CROSSING = Step[CostValues](
    name="crossing",
    title="Where is matmul not slower?",
    prompt=lambda given: (
        f"Now run a sweep with a **single id** and few rows, {FEW_LOW} to {FEW_HIGH:,}. With "
        f"{FEW_LOW} rows a lookup skips a single one. For *matmul* the one-hot row is made before "
        "the measurement.\n\n"
        "What is the **largest** number of rows at which *matmul* is not slower than *lookup* on "
        "your machine? Write 0 if it is always slower."
    ),
    answer=Integer(0, 10**7),
    check=lambda given, answer: _measured_size(answer),
    mistakes=(
        Mistake(
            f"The sweep has the sizes 2, 4, 8 and so on, up to {FEW_HIGH:,}. Write one of them.",
            found=lambda given, answer: not _measured_size(answer),
        ),
    ),
    hints=(
        "Read the sentences under the chart. They say which method is faster, and where.",
        "Choose one of the measured sizes: 2, 4, 8 and so on.",
    ),
    explanation=lambda given: (
        f"With one id and {FEW_LOW} rows a product does {given.at(FEW_LOW, 1).multiplications} "
        f"multiplications, and the lookup reads {given.at(FEW_LOW, 1).numbers_read} numbers. "
        "Such counts do not tell which is faster on your machine; your sweep does. In *one-hot "
        "built + matmul* the one-hot row is made inside the clock too."
    ),
    live=lambda given: _live(given, FEW_LOW, FEW_HIGH, tokens=1),
    measured=True,
)

LAB = Lab[CostValues](
    code="cost",
    title="What does it cost?",
    sign=(
        Grid("table", blank(3, 3), marked=whole([1], 3)),
        "<",
        Grid("table", blank(3, 3), marked=whole(range(3), 3)),
    ),
    goals=(
        "Predict the memory of a table and of its one-hot rows.",
        "Count multiplications, and say how they grow.",
        "Measure, and tell a count from a time.",
    ),
    make=_make,
    steps=(TABLE, ONE_HOT, IDS, WORK, TWICE, SWEEP, COMPARE, CROSSING),
)
