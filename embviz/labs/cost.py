"""Lab "What does it cost?": count memory and work, then guess a time."""

from __future__ import annotations

from embviz.fact.cost import ID_BYTES, Cost
from embviz.labs import easier, guess, harder
from embviz.labs.asking import COMMAS, Lab, Step, choice, numbers
from embviz.labs.drawing import UNKNOWN, Grid, blank, cells_of, hidden
from embviz.labs.question import Question
from embviz.labs.sizes import FLOAT, Sizes, draw


def ids(given: Sizes) -> Question:
    """Bytes of a one-hot row beside its id."""
    rows = given.num_embeddings
    heads = ["one-hot row", "÷ id", "= times"]
    right = rows * FLOAT // ID_BYTES
    cells = [f"{rows * FLOAT:,}", f"{ID_BYTES}", f"{right:,}"]
    return numbers(
        "An id and its one-hot row",
        f"An id is an `int64`: {ID_BYTES} bytes. Its one-hot row has `float32` numbers of {FLOAT} "
        f"bytes, one for each of the {rows:,} rows of the table.\n\nDivide the bytes of "
        "the one-hot row by the bytes of the id. How many **times** as large is the row?",
        right,
        {
            f"That compares how many numbers they have. But an id has {ID_BYTES} bytes, and a "
            f"float32 has {FLOAT}.": rows,
            "You swapped the two types: an id has more bytes than a float32.": 2 * rows,
            "That is how many bytes the one-hot row has. Divide by the bytes of the id.": (
                FLOAT * rows
            ),
            f"You forgot that each number of the one-hot row has {FLOAT} bytes.": rows // ID_BYTES,
            f"You divided the rows by {FLOAT}. How many bytes has the whole one-hot row, and how "
            "many has the id?": rows // FLOAT,
        },
        per=COMMAS,
        hints=(
            "How many bytes does the one-hot row have?",
            f"Two of its numbers are as large as one id: {FLOAT} + {FLOAT} = {ID_BYTES}.",
        ),
        why=f"{rows:,} · {FLOAT} = {rows * FLOAT:,} bytes. The id has {ID_BYTES}, so the row is "
        f"{right:,} times as large.",
        start=(Grid("bytes", [[UNKNOWN, cells[1], UNKNOWN]], heads=heads),),
        small=(Grid("a table of 4 rows", [[f"{4 * FLOAT}", cells[1], "2"]], heads=heads),),
        picture=(Grid("bytes", [cells], heads=heads, marked=[(0, 2)]),),
    )


def twice(given: Sizes) -> Question:
    """Twice the rows."""
    both = given.at(given.num_embeddings), given.at(2 * given.num_embeddings)
    counts = [[cost.numbers_read for cost in both], [cost.multiplications for cost in both]]
    # By whether the lookup doubles, and whether the matmul does.
    options = {
        (False, False): (
            "both stay",
            "The one-hot rows get wider, and every number in them is multiplied.",
        ),
        (False, True): ("the lookup stays, the matmul doubles", ""),
        (True, False): ("the lookup doubles, the matmul stays", "You swapped the two."),
        (True, True): (
            "both double",
            "The lookup reads a row for each id. Does it read the rows that nobody asked for?",
        ),
    }
    lookup_doubles, matmul_doubles = (after == 2 * before for before, after in counts)
    right, _ = options[lookup_doubles, matmul_doubles]
    labels = ["lookup reads", "matmul multiplies"]
    heads = [f"{cost.num_embeddings:,} rows" for cost in both]
    small = Cost(1, 4, 1, FLOAT)
    work = Grid("work", [[f"{n:,}" for n in line] for line in counts], labels, heads)
    return choice(
        "Twice the rows",
        f"A table has {both[0].num_embeddings:,} rows and {given.embedding_dim} columns. It gets "
        f"twice the rows: {both[1].num_embeddings:,}. You still look up {given.tokens} ids.\n\n"
        "Count the work: the numbers that the lookup reads, and the multiplications of the "
        "matmul (one-hot rows times table). How do both change?",
        right,
        dict(options.values()),
        hints=(
            "How many rows does a lookup read?",
            "How wide is a one-hot row of the larger table?",
        ),
        why=f"The lookup reads {counts[0][0]:,} numbers before and {counts[0][1]:,} after. The "
        f"matmul multiplies {counts[1][0]:,} times before and {counts[1][1]:,} after. A measured "
        "time need not follow a count exactly.",
        start=(hidden(work),),
        small=(
            Grid(
                "work for 1 id",
                [[f"{small.numbers_read}"], [f"{small.multiplications}"]],
                labels,
                ["4 rows of 1"],
            ),
        ),
        picture=(work,),
    )


LAB = Lab(
    title="What does it cost?",
    about="Count the work, guess the time.",
    sign=(
        Grid("table", blank(3, 3), marked=cells_of([1], 3)),
        "<",
        Grid("table", blank(3, 3), marked=cells_of(range(3), 3)),
    ),
    draw=draw,
    steps=(
        Step(
            ids,
            3,
            "Ask how large the one-hot rows of a whole page of text would be.",
        ),
        Step(
            twice,
            3,
            "Ask what happens to both if the text is twice as long instead.",
        ),
        Step(
            guess.guess,
            3,
            "Let two students defend guesses that lie far apart. Then measure on the laptop that "
            "is projected: the page *Timing*.",
        ),
    ),
    goals=(
        "Count the bytes of a one-hot row, and the work of both routes, from the sizes alone.",
        "Guess how far apart two times are, and say why a count is no time.",
    ),
    needs="You can count the zeros of a one-hot row: the lab *One row of a table*.",
    exit_ticket=(ids, twice),
    easier=easier.cost,
    harder=harder.cost,
    try_it=Sizes.page,
)
