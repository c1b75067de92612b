"""Lab "What does it cost?": predict memory and work, measure time, compare, find the crossing.

What can be counted is computed. What only the student's own machine can say, the medians of a
sweep, is checked for consistency alone: a ratio against the two times that it was made of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from embviz.core.cost import ID_BYTES, Cost
from embviz.core.wording import format_bytes
from embviz.labs.answers import Number, Text, Vector, Whole, turned
from embviz.labs.record import Lab, Mistake, Step, draw
from embviz.labs.student import Student

CODE = "cost"
FLOAT = torch.float32.itemsize
MOST = 10**15
SLACK = 0.03  # of a ratio that is computed from what was typed
# Of one that was read off: the page rounds both times and their ratio to two digits, 5 % at most.
READ_SLACK = 0.12
SLOWEST = 1e9  # microseconds
SMALL, LARGE = 64, 16_384  # rows, the ends of the sweep
FEW_LOW, FEW_HIGH = 2, 4_096  # and of the second one
GROWTH = (
    "both double",
    "the lookup stays, the product doubles",
    "the lookup doubles, the product stays",
    "both stay",
)


@dataclass(frozen=True)
class CostValues:
    """What a student works with.

    Attributes:
        num_embeddings: V, rows of the table.
        embedding_dim: D, its columns.
        tokens: N, ids looked up.
        turn: where the list of choices begins.
    """

    num_embeddings: int
    embedding_dim: int
    tokens: int
    turn: int

    @property
    def cost(self) -> Cost:
        """What each route reads, multiplies and stores."""
        return Cost(self.tokens, self.num_embeddings, self.embedding_dim, FLOAT)

    @property
    def doubled(self) -> Cost:
        """The same with twice the rows."""
        return Cost(self.tokens, 2 * self.num_embeddings, self.embedding_dim, FLOAT)

    @property
    def table_bytes(self) -> int:
        """Of the table in float32: that many, were it made."""
        shape = (self.num_embeddings, self.embedding_dim)
        return torch.empty(shape, dtype=torch.float32, device="meta").nbytes

    @property
    def times_larger(self) -> float:
        """Bytes of the one-hot for each byte of the ids."""
        return self.cost.one_hot_bytes / self.cost.ids_bytes

    @property
    def work_ratio(self) -> float:
        """Multiplications for each number that a lookup reads, at the large end of the sweep."""
        cost = Cost(self.tokens, LARGE, self.embedding_dim, FLOAT)
        return cost.multiplications / cost.numbers_read

    @property
    def sizes(self) -> str:
        """The three sizes in words."""
        return (
            f"V = {self.num_embeddings:,} rows, D = {self.embedding_dim} columns and "
            f"N = {self.tokens} ids"
        )


def _make(seed: int, generator: torch.Generator) -> CostValues:
    def whole(low: int, high: int) -> int:
        return int(torch.randint(low, high + 1, (1,), generator=generator))

    return CostValues(100 * whole(50, 600), 4 * whole(8, 32), 2 * whole(30, 120), whole(0, 3))


def values(student: Student) -> CostValues:
    """All that the student's name gives."""
    return draw(student, CODE, _make, STEPS)


def _show(low: int, high: int, tokens: int | None = None) -> Callable[[CostValues], dict[str, Any]]:
    def show(given: CostValues) -> dict[str, Any]:
        settings = {
            "vary": "vocab",
            "span": [str(low), str(high)],
            "pass": "forward",
            "methods": ["lookup", "matmul", "onehot_matmul"],
            "devices": ["cpu"],
            "skew": "uniform",
            "output": "fresh",
            "time_dim": given.embedding_dim,
            "time_tokens": tokens or given.tokens,
            "time_dtype": "float32",
        }
        return {"part": "timing", "settings": settings}

    return show


TABLE = Step[CostValues](
    name="table",
    title="Memory of the table",
    kind="predict",
    prompt=lambda given: (
        f"A table has **{given.num_embeddings:,} rows** and **{given.embedding_dim} columns** of "
        "`float32` numbers, the usual kind. One has 32 bits.\n\nHow many **bytes** does the table "
        "need?"
    ),
    answer=Whole(0, MOST),
    solve=lambda given: given.table_bytes,
    mistakes=(
        Mistake("Those are bits. A byte has 8 of them.", lambda given: 8 * given.table_bytes),
        Mistake(
            "You took 8 bytes a number, as in float64.",
            lambda given: 2 * given.table_bytes,
        ),
        Mistake(
            "That is how many numbers it has. How many bytes has one?",
            lambda given: given.num_embeddings * given.embedding_dim,
        ),
        Mistake(
            "That is one column. There are more.",
            lambda given: given.num_embeddings * FLOAT,
        ),
    ),
    hints=(
        "How many numbers does the table have?",
        "32 bits are 4 bytes, for each of them.",
    ),
    explanation=lambda given: (
        f"{given.num_embeddings:,} · {given.embedding_dim} · {FLOAT} = {given.table_bytes:,} "
        f"bytes, {format_bytes(given.table_bytes)}. Lookup and product need the same table."
    ),
)

ONE_HOT = Step[CostValues](
    name="one-hot",
    title="Memory of the one-hot rows",
    kind="predict",
    prompt=lambda given: (
        f"You look up **{given.tokens} ids** in that table of {given.num_embeddings:,} rows. The "
        "product needs them as one-hot rows of `float32`.\n\nHow many **bytes** do all the "
        "one-hot rows need?"
    ),
    answer=Whole(0, MOST),
    solve=lambda given: given.cost.one_hot_bytes,
    mistakes=(
        Mistake(
            "Those are bits. A byte has 8 of them.",
            lambda given: 8 * given.cost.one_hot_bytes,
        ),
        Mistake(
            "You took 8 bytes a number. `F.one_hot` does make int64 first, and that is its hidden "
            "cost; but here it is float32 that is asked for.",
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
        "Then 4 bytes for each number, zeros too.",
    ),
    explanation=lambda given: (
        f"{given.tokens} · {given.num_embeddings:,} · {FLOAT} = {given.cost.one_hot_bytes:,} "
        f"bytes, {format_bytes(given.cost.one_hot_bytes)}, of which "
        f"{given.tokens * FLOAT:,} bytes are ones. The table has "
        f"{format_bytes(given.table_bytes)}."
    ),
)

IDS = Step[CostValues](
    name="ids",
    title="How many times larger?",
    kind="do",
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
            "That is how many times more numbers they are. An id has 8 bytes, a float32 has 4.",
            lambda given: float(given.num_embeddings),
        ),
        Mistake(
            "You took the two kinds the wrong way round: the id is the larger one.",
            lambda given: float(2 * given.num_embeddings),
        ),
        Mistake(
            "That is how many bytes the one-hot rows have; divide by those of the ids.",
            lambda given: float(given.cost.one_hot_bytes),
        ),
        Mistake(
            "You divided by the bits of an id, not by its bytes.",
            lambda given: given.times_larger / 8,
        ),
    ),
    hints=(
        "Take a single id: how many bytes has it, and how many has its one-hot row?",
        "8 bytes for the id; 4 for each number of its one-hot row.",
    ),
    explanation=lambda given: (
        f"One-hot: {given.cost.one_hot_bytes:,} bytes. Ids: {given.tokens} · {ID_BYTES} = "
        f"{given.cost.ids_bytes:,} bytes. That is {given.times_larger:,.0f} times as much, and it "
        "grows with every row of the table."
    ),
)

WORK = Step[CostValues](
    name="work",
    title="Multiplications by zero",
    kind="do",
    prompt=lambda given: (
        f"One-hot times table, with {given.sizes}. How many multiplications are **by zero**?"
    ),
    answer=Whole(0, MOST),
    solve=lambda given: given.cost.multiplications_by_zero,
    mistakes=(
        Mistake(
            "Those are all of them, with the ones by 1.",
            lambda given: given.cost.multiplications,
        ),
        Mistake(
            "Those are the ones that are **not** by zero.",
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
        "How many zeros has one one-hot row?",
        "Each zero is multiplied once for each column, and there are N such rows.",
    ),
    explanation=lambda given: (
        f"{given.tokens} · {given.num_embeddings - 1:,} · {given.embedding_dim} = "
        f"{given.cost.multiplications_by_zero:,}. The other {given.cost.numbers_read:,} are by 1, "
        "and a lookup replaces them by reading."
    ),
)


def _growth(given: CostValues) -> str:
    lookup = given.doubled.numbers_read == 2 * given.cost.numbers_read
    product = given.doubled.multiplications == 2 * given.cost.multiplications
    return GROWTH[{(True, True): 0, (False, True): 1, (True, False): 2}.get((lookup, product), 3)]


TWICE = Step[CostValues](
    name="twice",
    title="Twice the rows",
    kind="predict",
    prompt=lambda given: (
        f"Now the table gets twice the rows: {2 * given.num_embeddings:,} instead of "
        f"{given.num_embeddings:,}. You still look up {given.tokens} ids.\n\n"
        "Count the work: the numbers that the lookup reads, and the multiplications of the "
        "product. What becomes of them?"
    ),
    answer=lambda given: turned(GROWTH, given.turn),
    solve=_growth,
    mistakes=(
        Mistake(
            "The lookup reads a row for each id. Does it read the rows that nobody asked for?",
            lambda given: GROWTH[0],
        ),
        Mistake("You have them the wrong way round.", lambda given: GROWTH[2]),
        Mistake(
            "The one-hot rows get wider, and every number in them is multiplied.",
            lambda given: GROWTH[3],
        ),
    ),
    hints=(
        "How many rows does a lookup read?",
        "How wide is a one-hot row of the larger table?",
    ),
    explanation=lambda given: (
        f"The lookup reads {given.cost.numbers_read:,} numbers before and "
        f"{given.doubled.numbers_read:,} after. The product multiplies "
        f"{given.cost.multiplications:,} times before and {given.doubled.multiplications:,} "
        "after. A clock need not follow a count exactly: measure it in the next step."
    ),
    show=_show(SMALL, LARGE),
)


def _times(answer: tuple[float, ...]) -> bool:
    return all(0 < one <= SLOWEST for one in answer)


def _near(found: float, right: float, slack: float = SLACK) -> bool:
    return abs(found - right) <= slack * abs(right)


SWEEP = Step[CostValues](
    name="sweep",
    title="Measure it",
    kind="do",
    prompt=lambda given: (
        f"Run the sweep over the rows, {SMALL:,} to {LARGE:,}, with {given.embedding_dim} columns "
        f"and {given.tokens} ids. At {LARGE:,} rows, read off the median time of *lookup* and of "
        "*matmul* (its one-hot rows are ready), both **in microseconds**: 1 ms = 1,000 µs.\n\n"
        "Write three numbers: lookup, matmul, and how many times longer the matmul takes."
    ),
    answer=Vector(3, 0.0),
    check=lambda given, answer: (
        _times(answer) and _near(answer[2], answer[1] / answer[0], READ_SLACK)
    ),
    mistakes=(
        Mistake(
            "Your last number is lookup divided by matmul. Turn it round.",
            met=lambda given, answer: _times(answer) and _near(answer[2], answer[0] / answer[1]),
        ),
        Mistake(
            "Your last number is the difference. Divide instead.",
            met=lambda given, answer: _times(answer) and _near(answer[2], answer[1] - answer[0]),
        ),
        Mistake(
            "The ratio is 1,000 times off: is one of the times in milliseconds?",
            met=lambda given, answer: (
                _times(answer)
                and any(_near(answer[2] * by, answer[1] / answer[0]) for by in (1000, 1 / 1000))
            ),
        ),
        Mistake(
            "A time is more than 0, and so is a ratio of two.",
            met=lambda given, answer: not _times(answer),
        ),
    ),
    hints=(
        "The first sentence under the chart has both times; write them in the same unit.",
        "Divide the time of the matmul by that of the lookup.",
    ),
    explanation=lambda given: (
        f"Only your machine knows the two times. What can be counted: at {LARGE:,} rows the "
        f"product does {given.work_ratio:,.0f} multiplications for each number that a lookup "
        "reads."
    ),
    show=_show(SMALL, LARGE),
)

MODEL = Step[CostValues](
    name="compare",
    title="Count against clock",
    kind="do",
    prompt=lambda given: (
        f"By the count, the product at {LARGE:,} rows does {given.work_ratio:,.0f} "
        "multiplications for each number that the lookup reads. Your clock gave a ratio of the two "
        "times, the last number of the step before.\n\n"
        "Write two numbers: your measured ratio, and how many times **smaller** it is than the "
        "count."
    ),
    answer=Vector(2, 0.0),
    check=lambda given, answer: _times(answer) and _near(answer[1], given.work_ratio / answer[0]),
    mistakes=(
        Mistake(
            "You divided the wrong way round: take the count divided by your ratio.",
            met=lambda given, answer: (
                _times(answer) and _near(answer[1], answer[0] / given.work_ratio)
            ),
        ),
        Mistake(
            "That is the difference; divide instead.",
            met=lambda given, answer: (
                _times(answer) and _near(answer[1], given.work_ratio - answer[0])
            ),
        ),
        Mistake(
            "Both numbers are more than 0.",
            met=lambda given, answer: not _times(answer),
        ),
    ),
    hints=(
        "The count is in the question; your ratio is in the step before.",
        "Divide the count by your ratio.",
    ),
    explanation=lambda given: (
        f"The count says {given.work_ratio:,.0f}; on most machines the clock says less. A "
        "call of PyTorch costs a fixed time even if it reads little, a processor does many "
        "multiplications at once, and several cores share a product. Counts say how a time grows, "
        "not how long it is."
    ),
    show=_show(SMALL, LARGE),
)


def _power(answer: int) -> bool:
    return answer == 0 or (
        FEW_LOW <= answer <= FEW_HIGH and math.log2(answer) == round(math.log2(answer))
    )


CROSSING = Step[CostValues](
    name="crossing",
    title="Where does the matmul win?",
    kind="do",
    prompt=lambda given: (
        f"Now a sweep with a **single id** and few rows, {FEW_LOW} to {FEW_HIGH:,}: there is "
        "little to skip. The one-hot row is ready before the clock starts.\n\n"
        "What is the **largest** number of rows at which *matmul* is not slower than *lookup* on "
        "your machine? Write 0 if it is always slower."
    ),
    answer=Whole(0, 10**7),
    check=lambda given, answer: _power(answer),
    mistakes=(
        Mistake(
            f"The sweep has the sizes 2, 4, 8 and so on, up to {FEW_HIGH:,}. Write one of them.",
            met=lambda given, answer: not _power(answer),
        ),
    ),
    hints=(
        "Read the sentences under the chart: they say where which is faster.",
        "Choose among the sizes that were measured: 2, 4, 8 and so on.",
    ),
    explanation=lambda given: (
        f"With one id and {FEW_LOW} rows a product does "
        f"{Cost(1, FEW_LOW, given.embedding_dim, FLOAT).multiplications} multiplications, and the "
        f"lookup reads {Cost(1, FEW_LOW, given.embedding_dim, FLOAT).numbers_read} numbers: then "
        "the fixed cost of the call decides, and either may win. If the clock also had to build "
        "the one-hot row, it would be one more call to pay for."
    ),
    show=_show(FEW_LOW, FEW_HIGH, tokens=1),
)

WHY = Step[CostValues](
    name="why",
    title="In your own words",
    kind="explain",
    prompt=lambda given: (
        "A blog says: *“A lookup is always faster.”* What did you measure, and what would you tell "
        "the author? Give a number for memory and one for time."
    ),
    answer=Text(),
    hints=("You have a factor for memory that no machine changes, and a ratio of times.",),
    explanation=lambda given: (
        f"A good answer has the memory, {given.times_larger:,.0f} times more for the one-hot rows "
        f"here, and the ratio of times that you measured, with the machine it was measured on. It "
        "also says what you found at a single id and few rows."
    ),
)

STEPS = (TABLE, ONE_HOT, IDS, WORK, TWICE, SWEEP, MODEL, CROSSING, WHY)

LAB = Lab[CostValues](
    code=CODE,
    title="What does it cost?",
    minutes=15,
    goals=(
        "Predict the memory of a table and of its one-hot rows.",
        "Count multiplications, and say how they grow.",
        "Measure, and tell a count from a time.",
    ),
    values=values,
    steps=STEPS,
)
