"""Lab "A bag of words": a sentence as counts, and their product as a sum of rows.

The weight is that of an `nn.Linear`, shape (3, words): its columns are the words. All numbers are
whole. One word comes more than once, so that forgotten counts give another result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD

from embviz.labs.answers import Integer, Number, Vector, rotated
from embviz.labs.formatting import grid, plus, row, short
from embviz.labs.picture import UNKNOWN, Grid, Picture, blank, filled, whole
from embviz.labs.record import Lab, Mistake, Step, integer, sample

OUTPUTS = 3
WORDS = ("bird", "cat", "cow", "dog", "fish", "fox", "frog", "hen", "owl", "pig")
COLUMNS = 5
STORED = 3  # columns with a count
ALIKE = ("the same as the Linear layer gives", "something else", "an error")
_FIRST = frozenset((row, 0) for row in range(STORED))  # the first column
LEARNS = ("it changes, as the Linear layer's does", "it stays as it is", "an error")


@dataclass(frozen=True, eq=False)
class BagValues:
    """A student's values.

    Attributes:
        words: 5, sorted; word k is column k.
        sentence: 4 to 7 of them, three different ones.
        weight: `Linear.weight`, float32 (3, 5), whole numbers without 0.
        word: the number of the word whose column is asked for, 0 to 2.
        turn: where the lists of choices begin.
    """

    words: tuple[str, ...]
    sentence: tuple[str, ...]
    weight: torch.Tensor
    word: int
    turn: int

    @property
    def counts(self) -> torch.Tensor:
        """How often each word comes, float32 (5,): the dense row."""
        return torch.tensor([float(self.sentence.count(word)) for word in self.words])

    @property
    def indices(self) -> torch.Tensor:
        """The columns with a count, int64 (3,), as a sparse row stores them."""
        return self.counts.nonzero().flatten()

    @property
    def data(self) -> torch.Tensor:
        """Their counts, float32 (3,), as a sparse row stores them."""
        return self.counts[self.indices]

    @property
    def table(self) -> torch.Tensor:
        """The transposed weight, (5, 3): a row for each word."""
        return self.weight.t().contiguous()

    @property
    def rows(self) -> torch.Tensor:
        """The rows of the words in the sentence, each once: `embedding(indices)`, (3, 3)."""
        return F.embedding(self.indices, self.table)

    @property
    def weighted(self) -> torch.Tensor:
        """These rows, each times its count, (3, 3)."""
        return self.rows * self.data[:, None]

    @property
    def product(self) -> torch.Tensor:
        """The output of the Linear layer for the counts, (3,)."""
        return F.linear(self.counts, self.weight)

    @property
    def mean(self) -> torch.Tensor:
        """The output of a bag with `mode="mean"` for the indices, (3,)."""
        return F.embedding_bag(self.indices, self.table, torch.tensor([0]), mode="mean")[0]

    @property
    def shown(self) -> str:
        """The weight, a line for each output and a column for each word."""
        return grid(self.weight, [f"output {k}" for k in range(OUTPUTS)], self.words)

    @property
    def columns(self) -> str:
        """The column of each word."""
        return ", ".join(f"`{word}` = {place}" for place, word in enumerate(self.words))

    @property
    def text(self) -> str:
        """The sentence as a prompt shows it."""
        return f"`{' '.join(self.sentence)}`"


def _make(seed: int, generator: torch.Generator) -> BagValues:
    words = tuple(sorted(WORDS[place] for place in sample(generator, COLUMNS, len(WORDS))))
    word = integer(generator, OUTPUTS)  # not in the sentence: another step shows those rows
    kept = [place for place in sample(generator, COLUMNS, COLUMNS) if place != word][:STORED]
    tokens = [place for place in kept for _ in range(integer(generator, 3, 1))]
    tokens.append(kept[integer(generator, STORED)])
    sentence = tuple(words[tokens[place]] for place in sample(generator, len(tokens), len(tokens)))
    size = torch.randint(1, 7, (OUTPUTS, COLUMNS), generator=generator)
    sign = 1 - 2 * (torch.randint(0, 3, (OUTPUTS, COLUMNS), generator=generator) == 0).long()
    return BagValues(words, sentence, (size * sign).float(), word, integer(generator, 6))


def _live(given: BagValues) -> dict[str, Any]:
    settings = {
        "bag": "matrix",
        "x": " ".join(map(short, given.counts)),
        "row": 0,
        "linear": "\n".join(" ".join(map(short, line)) for line in given.weight),
        "bag_dtype": "float32",
    }
    return {"part": "bag", "settings": settings}


def _names(given: BagValues) -> list[str]:
    """The words of the sentence, each once, by their columns."""
    return [given.words[place] for place in given.indices]


def _count_picture(given: BagValues, answered: bool) -> Picture:
    counts = filled(given.counts) if answered else blank(1, COLUMNS, UNKNOWN)
    sentence = Grid("text", [list(given.sentence)])
    return sentence, "→", Grid("counts", counts, heads=given.words)


def _sparse_picture(given: BagValues, answered: bool) -> Picture:
    heads = [f"{place} {word}" for place, word in enumerate(given.words)]
    marked = frozenset((0, place) for place in given.indices.tolist()) if answered else frozenset()
    shown = filled(given.counts) if answered else blank(1, COLUMNS, UNKNOWN)
    counts = Grid("counts", shown, heads=heads, marked=marked)
    numbers = [given.indices, given.data]
    cells = [filled(one) if answered else blank(1, STORED, UNKNOWN) for one in numbers]
    return counts, "→", Grid("indices", cells[0]), Grid("data", cells[1])


def _plain_picture(given: BagValues, answered: bool) -> Picture:
    if not answered:
        return ()
    shape = STORED, OUTPUTS
    parts = [Grid("rows", blank(*shape), labels=[f"1 × {word}" for word in _names(given)])]
    counted = zip(given.data.tolist(), _names(given), strict=True)
    labels = [f"{count:.0f} × {word}" for count, word in counted]
    more = whole((given.data > 1).nonzero().flatten().tolist(), OUTPUTS)
    parts.append(Grid("weighted", blank(*shape), labels=labels, marked=more))
    return parts[0], "≠", parts[1]


def _sum_picture(given: BagValues, answered: bool) -> Picture:
    if not answered:
        return ()
    return (
        Grid("data", filled(given.data[:, None]), labels=_names(given)),
        "×",
        Grid("rows", filled(given.rows)),
        "=",
        Grid("weighted", filled(given.weighted)),
        "→",
        Grid("sum", filled(given.product)),
    )


def _mean_picture(given: BagValues, answered: bool) -> Picture:
    if not answered:
        return ()
    rows = Grid("rows", filled(given.rows), labels=_names(given), marked=_FIRST)
    return rows, "→", Grid("mean", [[f"{given.mean[0]:.2f}"]])


def _rows_picture(given: BagValues, answered: bool) -> Picture:
    heads = [f"output {k}" for k in range(OUTPUTS)]
    weight = Grid("linear", blank(*given.weight.shape), labels=heads, heads=given.words)
    table = Grid("pretrained", [[UNKNOWN]])
    if answered:
        found = _pretrained(given.weight)
        labels = [f"id {k}" for k in range(found.num_embeddings)]
        size = found.num_embeddings, found.embedding_dim
        table = Grid("pretrained", blank(*size), labels=labels, shape=str(size))
    return weight, "→", table


def _column_picture(given: BagValues, answered: bool) -> Picture:
    if not answered:
        return ()
    marked = frozenset((k, given.word) for k in range(OUTPUTS))
    weight = Grid("linear", filled(given.weight), heads=given.words, marked=marked)
    label = f"id {given.word}, {given.words[given.word]}"
    return weight, ".T →", Grid("output", filled(given.table[given.word]), labels=[label])


COUNT = Step[BagValues](
    name="count",
    title="A sentence as counts",
    prompt=lambda given: (
        f"The words have these columns: {given.columns}.\n\nThe sentence is {given.text}. A bag "
        "of words forgets the order of the words and keeps how often each word comes. Write its "
        f"row: {COLUMNS} counts, column 0 first."
    ),
    answer=Vector(COLUMNS),
    solve=lambda given: given.counts,
    mistakes=(
        Mistake(
            "You wrote 1 for every word that is there. One of them comes more than once.",
            lambda given: (given.counts > 0).float(),
        ),
        Mistake(
            "Each count is one column too far: columns count from 0.",
            lambda given: given.counts.roll(1),
        ),
    ),
    hints=(
        "Take one column after the other. Count its word in the sentence.",
        "A word that is not there has the count 0. Its column stays.",
    ),
    explanation=lambda given: (
        f"The row is {row(given.counts)}. Its numbers add up to {int(given.counts.sum())}, the "
        f"number of words in the sentence. {COLUMNS - STORED} of the {COLUMNS} numbers are zero."
    ),
    picture=_count_picture,
)

SPARSE = Step[BagValues](
    name="sparse",
    title="What a sparse row stores",
    prompt=lambda given: (
        f"Take your counts of {given.text}. The columns are {given.columns}. A sparse row (CSR) "
        "leaves the zeros out. It stores `indices`, the columns that have a count, and `data`, "
        f"the counts themselves.\n\nWrite `indices` and then `data`: {2 * STORED} numbers."
    ),
    answer=Vector(2 * STORED),
    solve=lambda given: torch.cat([given.indices.float(), given.data]),
    mistakes=(
        Mistake(
            "Your columns are counted from 1.",
            lambda given: torch.cat([given.indices + 1.0, given.data]),
        ),
        Mistake(
            "Your `indices` are right, but `data` holds the counts, not just ones.",
            lambda given: torch.cat([given.indices.float(), torch.ones(STORED)]),
        ),
        Mistake(
            "You wrote `data` first and `indices` after it.",
            lambda given: torch.cat([given.data, given.indices.float()]),
        ),
    ),
    hints=(
        "Which columns are not 0? Write them first, from the smallest to the largest.",
        "Then write the counts of these columns, in the same order.",
    ),
    explanation=lambda given: (
        f"`indices` = {row(given.indices)} and `data` = {row(given.data)}. The indices are ids: "
        "an `nn.Embedding` can look them up."
    ),
    picture=_sparse_picture,
)

PLAIN = Step[BagValues](
    name="plain",
    title="Is a plain sum enough?",
    predict=True,
    prompt=lambda given: (
        "Somebody writes `embedding(indices).sum(0)`. This adds the rows of the words in the "
        f"sentence. The sentence is {given.text}, and `indices` has each of its words once.\n\n"
        "The Linear layer multiplies the counts. Compared with its output, what does this line "
        "give?"
    ),
    answer=lambda given: rotated(ALIKE, given.turn),
    solve=lambda given: ALIKE[0 if torch.equal(given.rows.sum(0), given.product) else 1],
    mistakes=(
        Mistake("That would be so if every stored count were 1. Look at `data` again.", ALIKE[0]),
        Mistake("Nothing is wrong for PyTorch here: it adds rows.", ALIKE[2]),
    ),
    hints=(
        "Does that line of code use `data` at all?",
        "A word that comes more than once must count more than once.",
    ),
    explanation=lambda given: (
        f"The plain sum is {row(given.rows.sum(0))}, and "
        f"{int((given.rows.sum(0) != given.product).sum())} of its {OUTPUTS} numbers differ from "
        f"the Linear layer's. The line never uses `data` = {row(given.data)}. On a row of ones "
        "and zeros the two agree, and so the mistake stays hidden."
    ),
    picture=_plain_picture,
)

SUM = Step[BagValues](
    name="sum",
    title="The product by hand",
    prompt=lambda given: (
        "This is `linear.weight`, one column for each word:\n\n"
        f"{given.shown}\n\n"
        f"The sentence is still {given.text}. What are the {OUTPUTS} outputs of "
        "`linear(counts)`? For each output, multiply its line by the counts and add up."
    ),
    answer=Vector(OUTPUTS),
    solve=lambda given: given.product,
    mistakes=(
        Mistake(
            "You forgot the counts: that is `embedding(indices).sum(0)`, without `data`.",
            lambda given: given.rows.sum(0),
        ),
        Mistake(
            "That is the column of one word only: you forgot to add up, `sum(0)`.",
            lambda given: given.rows[0],
        ),
        Mistake(
            "You added along the wrong side: `sum(1)` adds the numbers of each word, and "
            "`sum(0)` adds the words of each output.",
            lambda given: given.weighted.sum(1),
        ),
        Mistake(
            "You forgot the transpose: you read the weight line by line, as if it were a table of "
            f"{COLUMNS} rows of {OUTPUTS}.",
            # As weight.view(5, 3): the shape fits, but the numbers are others.
            lambda given: given.counts @ given.weight.reshape(COLUMNS, OUTPUTS),
        ),
        Mistake(
            "That is the mean over the words of the sentence, not the sum.",
            lambda given: given.product / given.counts.sum(),
        ),
    ),
    hints=(
        "Only the columns with a count matter. Cross the others out.",
        "Write each of these columns times its count, one below the other. Then add them.",
    ),
    explanation=lambda given: (
        f"Output 0 is {plus(given.weighted[:, 0])} = {short(given.product[0])}; all of them are "
        f"{row(given.product)}. Looked up and weighted, "
        f"`(embedding(indices) * data[:, None]).sum(0)` is {row(given.weighted.sum(0))}: the same "
        "sum, without the zeros."
    ),
    picture=_sum_picture,
)

MEAN = Step[BagValues](
    name="mean",
    title="A mean instead of a sum",
    prompt=lambda given: (
        'The default of `nn.EmbeddingBag` is `mode="mean"`. It takes the `indices` of the '
        "sentence, each word once, and no counts. The rows of these words are\n\n"
        f"{grid(given.rows, [given.words[place] for place in given.indices])}\n\n"
        "What is its first output, to two decimals?"
    ),
    answer=Number(0.006),
    solve=lambda given: given.mean[0],
    mistakes=(
        Mistake("That is the sum, not the mean.", lambda given: given.rows.sum(0)[0]),
        Mistake(
            "You weighted each row by its count. Without `per_sample_weights` a bag knows no "
            "counts, and with `mean` it takes none.",
            lambda given: given.product[0] / given.counts.sum(),
        ),
        Mistake(
            "You took the mean of the first row. The mean goes down the columns.",
            lambda given: given.rows[0].mean(),
        ),
        Mistake(
            f"You divided by all {COLUMNS} words. Only the words in the bag count.",
            lambda given: given.rows.sum(0)[0] / COLUMNS,
        ),
    ),
    hints=(
        "Add the first number of each row.",
        "Then divide by the number of rows.",
    ),
    explanation=lambda given: (
        f"({plus(given.rows[:, 0])}) / {STORED} = {short(given.mean[0])}, while the Linear "
        f'layer\'s first output is {short(given.product[0])}. To get that, write `mode="sum"` '
        "and pass the counts as `per_sample_weights`."
    ),
    picture=_mean_picture,
)


def _pretrained(table: torch.Tensor) -> nn.Embedding:
    embedding: nn.Embedding = nn.Embedding.from_pretrained(table)  # type: ignore[no-untyped-call]
    return embedding


ROWS = Step[BagValues](
    name="rows",
    title="from_pretrained",
    predict=True,
    prompt=lambda given: (
        f"`linear.weight` has the shape `{tuple(given.weight.shape)}`: {OUTPUTS} outputs, "
        f"{COLUMNS} words. Somebody writes `nn.Embedding.from_pretrained(linear.weight)`.\n\n"
        "How many rows, that is ids, does this table have?"
    ),
    answer=Integer(0, 100),
    solve=lambda given: _pretrained(given.weight).num_embeddings,
    mistakes=(
        Mistake(
            "A row for each word is what you want, but nobody transposed the weight.",
            lambda given: _pretrained(given.table).num_embeddings,
        ),
        Mistake("That is how many numbers there are in all.", lambda given: given.weight.numel()),
    ),
    hints=(
        "`from_pretrained` takes the table as it is given.",
        "The first number of a shape is the number of rows.",
    ),
    explanation=lambda given: (
        f"It takes the weight as it is: {_pretrained(given.weight).num_embeddings} rows of "
        f"{_pretrained(given.weight).embedding_dim} numbers. Ids from "
        f"{_pretrained(given.weight).num_embeddings} on raise an IndexError. Smaller ids give "
        "wrong numbers without any error. Right is `from_pretrained(linear.weight.t())`, with "
        f"{_pretrained(given.table).num_embeddings} rows."
    ),
    picture=_rows_picture,
)

COLUMN = Step[BagValues](
    name="column",
    title="The row a word should have",
    prompt=lambda given: (
        f"This is `linear.weight` again:\n\n{given.shown}\n\n"
        f"`embedding` must agree with the Linear layer. Which {OUTPUTS} numbers must it give for "
        f"id {given.word}, the word `{given.words[given.word]}`?"
    ),
    answer=Vector(OUTPUTS),
    solve=lambda given: given.table[given.word],
    mistakes=(
        Mistake(
            "You forgot the transpose: these are the first numbers of a line of the weight. A "
            "line belongs to an output, not to a word.",
            lambda given: given.weight[given.word, :OUTPUTS],
        ),
        Mistake(
            "That is the next word's column: ids count from 0.",
            lambda given: given.table[given.word + 1],
        ),
    ),
    hints=(
        "Find the word at the head of its column.",
        lambda given: f"Read down the column of `{given.words[given.word]}`.",
    ),
    explanation=lambda given: (
        f"Column {given.word} of the weight is {row(given.table[given.word])}. "
        f"`from_pretrained(linear.weight)`, without the transpose, gives "
        f"{row(_pretrained(given.weight)(torch.tensor(given.word)))} for id {given.word}."
    ),
    picture=_column_picture,
)


def _learns(given: BagValues) -> str:
    """The result of one training step, with a layer of ones after the embedding."""
    embedding, head = _pretrained(given.table.clone()), nn.Parameter(torch.ones(OUTPUTS))
    loss = (embedding(given.indices) @ head).square().mean()
    try:
        loss.backward()
    except RuntimeError:
        return LEARNS[2]
    SGD([embedding.weight, head], lr=0.1).step()
    return LEARNS[1 if torch.equal(embedding.weight, given.table) else 0]


FREEZE = Step[BagValues](
    name="freeze",
    title="Will it learn?",
    predict=True,
    prompt=lambda given: (
        "Now the table is right: `table` is a transposed copy of `linear.weight`, and you write "
        "`embedding = nn.Embedding.from_pretrained(table)`. You put it into a model, before a "
        "layer that learns, and train. What happens to `embedding.weight`?"
    ),
    answer=lambda given: rotated(LEARNS, given.turn),
    solve=_learns,
    mistakes=(
        Mistake("That would be so with `freeze=False`. What is the default?", LEARNS[0]),
        Mistake("Only if nothing in the model could learn; here another layer does.", LEARNS[2]),
    ),
    hints=("`from_pretrained` has an argument `freeze`.", "Its default is True."),
    explanation=lambda given: (
        f"`embedding.weight.requires_grad` is {_pretrained(given.table).weight.requires_grad}: "
        f"*{_learns(given)}*. Write `freeze=False` if it should learn. And make a copy, "
        "`linear.weight.detach().t().clone()`: a bare `.t()` shares its memory with the Linear "
        "layer."
    ),
    live=_live,
)

LAB = Lab[BagValues](
    code="bag",
    title="A bag of words",
    sign=(
        Grid("counts", [["2"], ["1"], ["3"]]),
        "×",
        Grid("rows", blank(3, 3)),
        "→",
        Grid("sum", blank(1, 3), marked=whole([0], 3)),
    ),
    goals=(
        "Write a sentence as counts, dense and sparse.",
        "Compute a Linear layer's output as a weighted sum of embedding rows.",
        "Name the mistakes that give wrong numbers without an error.",
    ),
    make=_make,
    steps=(COUNT, SPARSE, PLAIN, SUM, MEAN, ROWS, COLUMN, FREEZE),
)
