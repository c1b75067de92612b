"""Lab "A bag of words": a sentence as counts, and their product as a sum of rows.

The weight is that of an `nn.Linear`, shape (2, words): its columns are the words. All numbers are
whole. At least one word comes more than once, so that forgotten counts give another result.
"""

from __future__ import annotations

from embviz.labs import code, easier, harder, pretrained
from embviz.labs.asking import Lab, Step, choice, fence, listed, numbers, plus
from embviz.labs.counts import COLUMNS, OUTPUTS, STORED, Bag, draw
from embviz.labs.drawing import Grid, blank, cells_of, filled, hidden, short
from embviz.labs.question import Question


def count(given: Bag) -> Question:
    """A sentence as counts."""
    counts = given.counts
    columns = ", ".join(f"`{word}` = {place}" for place, word in enumerate(given.words))
    sentence, row = (
        Grid("text", [given.sentence]),
        Grid("counts", filled(counts), heads=given.words),
    )
    met = {word: given.sentence.count(word) for word in given.sentence}
    return numbers(
        "A sentence as counts",
        f"The words have these columns: {columns}.\n\nThe sentence is {given.text}. A bag of words "
        "forgets the order of the words and keeps how often each word comes. Write its row: "
        f"{COLUMNS} counts, column 0 first.",
        counts,
        {
            "You wrote 1 for every word that is there. At least one comes more than once.": (
                (counts > 0).float()
            ),
            "Each count is one column too far: columns are counted from 0.": counts.roll(1),
            "Those counts are in the order of the sentence. Keep the order of the columns.": (
                [*met.values(), *[0] * (COLUMNS - STORED)]
            ),
        },
        most=len(given.sentence),
        per="one for each column",
        hints=(
            "Take one column after the other. Count its word in the sentence.",
            "A word that is not there has the count 0. Its column stays.",
        ),
        why=f"The row is {listed(counts)}. Its numbers add up to {int(counts.sum())}, the number "
        f"of words in the sentence. {COLUMNS - STORED} of the {COLUMNS} numbers are zero.",
        start=(sentence, "→", hidden(row)),
        small=(sentence, "→", Grid("column 0", filled(counts[:1]), heads=given.words[:1])),
        picture=(sentence, "→", row),
    )


def plain(given: Bag) -> Question:
    """A sum without the counts."""
    differ = int((given.rows.sum(0) != given.product).sum())
    repeats = [k for k, word in enumerate(given.sentence) if word in given.sentence[:k]]
    once = Grid(
        "embedding(indices)",
        blank(STORED, OUTPUTS),
        [given.words[place] for place in given.indices],
    )
    same, other = "the same numbers as the Linear layer", "other numbers, in any order"
    return choice(
        "A sum of rows",
        f"The sentence is {given.text}. Somebody writes `embedding(indices).sum(0)`. `indices` is "
        f"{listed(given.indices)}: the column of each different word, once. So this line adds the "
        "rows of these words.\n\nThe Linear layer multiplies the counts. Compared with the Linear "
        "layer's output, what does this line give?",
        other if differ else same,
        {
            same: "That would be so if every word came once. Count them again.",
            other: "Each word comes once here. What could differ then?",
            "an error": "Nothing is wrong for PyTorch here: it adds rows.",
            "other numbers that depend on the order": (
                "Except for rounding, a sum is the same in every order, and so is a bag of words."
            ),
        },
        hints=(
            "Does that line of code use how often a word comes?",
            "A word that comes more than once must count more than once.",
        ),
        why=f"{differ} of the {OUTPUTS} numbers differ from the Linear layer's. The line never "
        "uses the counts: it adds the row of each word once. On a sentence without repeats the two "
        "agree, and so the mistake stays hidden.",
        small=(once,),
        picture=(
            once,
            "≠" if differ else "=",
            Grid(
                "a row for each word",
                blank(len(given.sentence), OUTPUTS),
                given.sentence,
                marked=cells_of(repeats, OUTPUTS),
            ),
        ),
    )


def total(given: Bag) -> Question:
    """The product by hand."""
    weight, counts = given.weight, given.counts
    table = fence(weight, [f"output {k}" for k in range(OUTPUTS)], given.words)
    return numbers(
        "The matmul by hand",
        f"This is `linear.weight`, one column for each word:\n\n{table}\n\n"
        f"The sentence is still {given.text}. What are the {OUTPUTS} outputs of "
        "`linear(counts)`? It is a matmul (matrix multiplication): for each output, multiply its "
        "line by the counts and add up.",
        given.product,
        {
            "You took each word of the sentence once.": given.rows.sum(0),
            "You took all columns once, also those of words that are not in the sentence.": (
                weight.sum(1)
            ),
            "You swapped the outputs: output 0 is the first line of the weight.": (
                given.product.flip(0)
            ),
            "That is the column of one word only: add up the others too.": given.rows[0],
            "You forgot the transpose: you read the weight line by line, as if it were a table "
            f"of {COLUMNS} rows of {OUTPUTS}.": counts @ weight.reshape(COLUMNS, OUTPUTS),
            "That is the mean over the words of the sentence, not the sum.": (
                given.product / counts.sum()
            ),
        },
        tolerance=0.05,
        hints=(
            "Only the columns with a count matter. Cross the others out.",
            "Write each of these columns times its count, one below the other. Then add them.",
        ),
        why=f"Output 0 is {plus(given.weighted[:, 0])} = {short(given.product[0])}; both "
        f"outputs are {listed(given.product)}. A lookup with the counts, "
        f"`(embedding(indices) * data[:, None]).sum(0)`, is {listed(given.weighted.sum(0))}: the "
        "same sum, without the zeros.",
        small=(
            Grid("one word", filled(given.rows[:1]), given.times(given.data)[:1]),
            "→",
            Grid("its part of the sum", filled(given.weighted[0])),
        ),
        picture=(
            Grid("rows", filled(given.rows), given.times(given.data)),
            "=",
            Grid("times the counts", filled(given.weighted)),
            "→",
            Grid("sum", filled(given.product)),
        ),
    )


LAB = Lab(
    title="A bag of words",
    about="Add rows up, each by its count.",
    sign=(
        Grid("counts", [["2"], ["1"], ["3"]]),
        "×",
        Grid("rows", blank(3, 3)),
        "→",
        Grid("sum", blank(1, 3), marked=cells_of([0], 3)),
    ),
    draw=draw,
    steps=(
        Step(
            count,
            3,
            "Ask which other sentence has the same counts. A bag forgets the order.",
        ),
        Step(
            plain,
            6,
            "Ask for which sentences the plain sum is right, and why a test on such a sentence "
            "finds nothing.",
        ),
        Step(
            total,
            4,
            "Let one student name the columns that never had to be read.",
        ),
        Step(
            pretrained.rows,
            3,
            "Ask which words still get a row, and whether it is the right row. No error tells you.",
        ),
        Step(
            pretrained.freeze,
            3,
            "Ask when a frozen table is what one wants, and when it is not.",
        ),
        Step(
            code.bag,
            3,
            "Ask what the line prints without `mode`. Then let a student write the same sum with "
            "counts and a matmul.",
        ),
    ),
    goals=(
        "Write a sentence as a row of counts, and compare the Linear layer with a sum of rows.",
        "Multiply the counts by a weight by hand, and say what `from_pretrained` makes of it.",
        "Find what a few lines with `F.embedding_bag` print.",
    ),
    needs="You know what an id, a row and a one-hot row are: the lab *One row of a table*.",
    exit_ticket=(plain, total),
    easier=easier.bag,
    harder=harder.bag,
    try_it=Bag.page,
)
