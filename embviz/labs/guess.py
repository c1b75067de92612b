"""The last step of the lab "What does it cost?": a guess about times that were recorded.

The right answer is computed from the recorded run that the page *Timing* opens with. A guess is
judged by its order of magnitude.
"""

from __future__ import annotations

from functools import cache

from embviz.labs.asking import COMMAS, Clash, numbers
from embviz.labs.drawing import UNKNOWN, Grid, short
from embviz.labs.question import Question
from embviz.labs.sizes import Sizes
from embviz.timing.tell.questions import QUESTIONS
from embviz.timing.tell.recorded import recorded
from embviz.timing.tell.times import format_ratio, format_time

WITHIN = 4.0  # The largest factor between a guess and the number that it counts as.
METHODS = ["lookup", "matmul"]


@cache
def _seconds() -> dict[int, list[float]]:
    """The recorded seconds of both methods, by the rows of the table."""
    points = recorded(QUESTIONS[0].name).points
    table = points.pivot(index="num_embeddings", columns="method", values="seconds")
    return {int(rows): table.loc[rows, METHODS].tolist() for rows in table.index}


def guess(given: Sizes) -> Question:
    """How many times as long a matmul takes as a lookup, on the machine that was recorded.

    Raises:
        Clash: the lab's own numbers happen to show the answer.
    """
    run, seconds = recorded(QUESTIONS[0].name), _seconds()
    facts, case = run.environment, run.measured[0]
    rows, fewest = max(seconds), min(seconds)
    times, early = seconds[rows], seconds[fewest]
    shown = format_ratio(times[1] / times[0])
    right = int(shown.replace(",", ""))
    if right in (given.num_embeddings, given.num_embeddings // 2):
        raise Clash(f"{right} stands in an earlier step")
    version = facts["torch"].partition("+")[0]
    threads = "one thread" if facts["threads"] == 1 else f"{facts['threads']} threads"
    return numbers(
        "Guess the time",
        f"On one machine ({facts['cpu']}, {threads}, PyTorch {version}, {facts['date'][:10]}) both "
        f"were timed: *lookup* and *matmul*, for a table of {rows:,} rows and "
        f"{case.embedding_dim} columns in {case.dtype}, and {case.tokens} ids. Each call had the "
        "same ids, and the one-hot rows were made before the clock started.\n\nGuess: divide the "
        "time of the matmul by the time of the lookup. How many **times** as long is it? A rough "
        "guess is right: it may be four times too small or four times too large.",
        right,
        {
            "That is much too small. How many rows of the table does each of the two read?": (
                right // 500
            ),
            "That would be as long as the lookup. But the matmul reads every number of the "
            "table.": 1,
            "That is too small: think of the zeros. The matmul multiplies by each of them.": (
                right // 100
            ),
            "That is too small, by a factor between 4 and 25. A lookup reads one row for each "
            "id.": right // 10,
            f"That is too large, and so is the count: {rows:,} multiplications for each number "
            "that a lookup reads. But a processor multiplies several numbers at once, and a call "
            "has a cost of its own.": 10 * right,
            "That is longer than even the count says. How many products are there for each number "
            "that a lookup reads?": 100 * right,
        },
        within=WITHIN,
        per=COMMAS,
        hints=(
            f"With {fewest} rows the matmul took {format_ratio(early[1] / early[0])} times as long "
            "as the lookup.",
            f"The table has {rows // fewest:,} times as many rows as that one. The lookup still "
            "reads one row for each id.",
        ),
        why=f"The lookup took {format_time(times[0])} and the matmul {format_time(times[1])}: "
        f"{shown} times as long. A count is no time: one multiplication need not take as long as "
        "reading one number. Another machine gives other times, and new ids in each call may make "
        "a lookup wait for memory. The page *Timing* measures yours.",
        start=(_times("time", UNKNOWN, UNKNOWN),),
        small=(_times(f"time, {fewest} rows", *map(format_time, early)),),
        picture=(
            _times(f"time, {rows:,} rows", *map(format_time, times)),
            "→",
            Grid("times as long", [[short(right)]], marked=[(0, 0)]),
        ),
    )


def _times(caption: str, *cells: str) -> Grid:
    return Grid(caption, [[cell] for cell in cells], METHODS)
