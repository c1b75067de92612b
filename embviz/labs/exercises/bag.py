"""Lab "A bag of words": a sentence as counts, their product as a sum of rows.

The weight is that of an `nn.Linear`, shape (3, words): its columns are the words. Whole numbers
throughout, and a word that comes more than once, so that whoever forgets the counts notices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD

from embviz.labs.answers import Number, Text, Vector, Whole, turned
from embviz.labs.formatting import grid, listed, plus, row, short
from embviz.labs.record import Lab, Mistake, Step, draw
from embviz.labs.student import Student

CODE = "bag"
OUTPUTS = 3
WORDS = ("bird", "cat", "cow", "dog", "fish", "fox", "frog", "hen", "owl", "pig")
COLUMNS = 5
STORED = 3  # of the columns have a count
ALIKE = ("the same as the Linear layer gives", "something else", "an error")
LEARNS = ("it changes, as the Linear layer's does", "it stays as it is", "an error")


@dataclass(frozen=True, eq=False)
class BagValues:
    """What a student works with.

    Attributes:
        words: 5, sorted; word k is column k.
        sentence: 4 to 6 of them, three different ones.
        weight: `Linear.weight`, float32 (3, 5), whole numbers without 0.
        word: the number of a word whose column is asked for, 0 to 2.
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
        """What a sparse row stores: the columns with a count, int64 (3,)."""
        return self.counts.nonzero().flatten()

    @property
    def data(self) -> torch.Tensor:
        """And their counts, float32 (3,)."""
        return self.counts[self.indices]

    @property
    def table(self) -> torch.Tensor:
        """The transposed weight, (5, 3): a row for each word."""
        return self.weight.t().contiguous()

    @property
    def rows(self) -> torch.Tensor:
        """The rows of the words in the sentence, each once: `embedding(indices)`."""
        return F.embedding(self.indices, self.table)

    @property
    def product(self) -> torch.Tensor:
        """What the Linear layer gives for the counts, (3,)."""
        return F.linear(self.counts, self.weight)

    def mean(self) -> torch.Tensor:
        """What a bag with `mode="mean"` gives for the indices, (3,)."""
        offsets = torch.tensor([0])
        return F.embedding_bag(self.indices, self.table, offsets, mode="mean")[0]

    @property
    def shown(self) -> str:
        """The weight, a line for each output and a column for each word."""
        return grid(self.weight, [f"output {k}" for k in range(OUTPUTS)], self.words)


def _make(seed: int, generator: torch.Generator) -> BagValues:
    def some(count: int, of: int) -> list[int]:
        return [int(one) for one in torch.randperm(of, generator=generator)[:count].tolist()]

    def whole(high: int) -> int:
        return int(torch.randint(0, high, (1,), generator=generator))

    words = tuple(sorted(WORDS[place] for place in some(COLUMNS, len(WORDS))))
    word = whole(OUTPUTS)  # not in the sentence, whose rows another step shows
    kept = [place for place in some(COLUMNS, COLUMNS) if place != word][:STORED]
    tokens = [place for place in kept for _ in range(1 + whole(2))]
    tokens.append(kept[whole(STORED)])
    tokens = [tokens[place] for place in some(len(tokens), len(tokens))]
    size = torch.randint(1, 7, (OUTPUTS, COLUMNS), generator=generator)
    sign = 1 - 2 * (torch.randint(0, 3, (OUTPUTS, COLUMNS), generator=generator) == 0).long()
    return BagValues(
        words,
        tuple(words[place] for place in tokens),
        (size * sign).float(),
        word,
        whole(6),
    )


def values(student: Student) -> BagValues:
    """All that the student's name gives."""
    return draw(student, CODE, _make, STEPS)


def _show(panel: str) -> Callable[[BagValues], dict[str, Any]]:
    def show(given: BagValues) -> dict[str, Any]:
        lines = [" ".join(short(value) for value in line) for line in given.weight.tolist()]
        settings = {
            "bag": "matrix",
            "x": " ".join(short(value) for value in given.counts.tolist()),
            "row": 0,
            "start": "own",
            "linear": "\n".join(lines),
            "bag_dtype": "float32",
            "bag_panel": panel,
        }
        return {"part": "bag", "settings": settings}

    return show


def _words(given: BagValues) -> str:
    return ", ".join(f"`{word}` = {place}" for place, word in enumerate(given.words))


def _sentence(given: BagValues) -> str:
    return " ".join(given.sentence)


COUNT = Step[BagValues](
    name="count",
    title="A sentence as counts",
    kind="do",
    prompt=lambda given: (
        f"The words have these columns: {_words(given)}.\n\nThe sentence is `{_sentence(given)}`. "
        f"A bag of words forgets the order and keeps how often each word comes. Write its row: "
        f"{COLUMNS} counts, column 0 first."
    ),
    answer=Vector(COLUMNS, 0.001),
    solve=lambda given: listed(given.counts),
    mistakes=(
        Mistake(
            "You wrote 1 for every word that is there. One of them comes more than once.",
            lambda given: listed((given.counts > 0).float()),
        ),
        Mistake(
            "Each count stands one column too far: columns count from 0.",
            lambda given: listed(given.counts.roll(1)),
        ),
    ),
    hints=(
        "Take one column after the other and count its word in the sentence.",
        "A word that is not there has the count 0, and its column stays.",
    ),
    explanation=lambda given: (
        f"The row is {row(given.counts)}. Its numbers add up to {int(given.counts.sum())}, as many "
        f"as the sentence has words, and {COLUMNS - len(given.indices)} of {COLUMNS} are zero."
    ),
    show=_show("matrix"),
)

SPARSE = Step[BagValues](
    name="sparse",
    title="What a sparse row stores",
    kind="do",
    prompt=lambda given: (
        f"Take the counts of `{_sentence(given)}` that you wrote; the columns are "
        f"{_words(given)}. A sparse row (CSR) leaves the zeros out. It stores `indices`, the "
        "columns that have a count, and `data`, the counts themselves.\n\n"
        f"Write `indices` and then `data`: {2 * STORED} numbers."
    ),
    answer=Vector(2 * STORED, 0.001),
    solve=lambda given: listed(torch.cat([given.indices.float(), given.data])),
    mistakes=(
        Mistake(
            "Your columns are counted from 1.",
            lambda given: listed(torch.cat([given.indices + 1.0, given.data])),
        ),
        Mistake(
            "Your `indices` are right, but `data` holds the counts, not just ones.",
            lambda given: listed(torch.cat([given.indices.float(), torch.ones(STORED)])),
        ),
        Mistake(
            "You wrote `data` first and `indices` after it.",
            lambda given: listed(torch.cat([given.data, given.indices.float()])),
        ),
    ),
    hints=(
        "Which columns are not 0? Write them first, the smallest before the others.",
        "Then write, in the same order, what stands in those columns.",
    ),
    explanation=lambda given: (
        f"`indices` = {row(given.indices)} and `data` = {row(given.data)}. The indices are ids: "
        "an `nn.Embedding` can look them up."
    ),
    show=_show("contributions"),
)

PLAIN = Step[BagValues](
    name="plain",
    title="Is a plain sum enough?",
    kind="predict",
    prompt=lambda given: (
        "Somebody writes `embedding(indices).sum(0)`: the rows of the words in the sentence, "
        f"added up. The sentence is `{_sentence(given)}`, and `indices` has each of its words "
        "once.\n\n"
        "Compared with the Linear layer, which multiplies the counts, what will come out?"
    ),
    answer=lambda given: turned(ALIKE, given.turn),
    solve=lambda given: ALIKE[0 if torch.equal(given.rows.sum(0), given.product) else 1],
    mistakes=(
        Mistake(
            "It would, if every stored count were 1. Look at `data` again.",
            lambda given: ALIKE[0],
        ),
        Mistake("Nothing is wrong for PyTorch here: it adds rows.", lambda given: ALIKE[2]),
    ),
    hints=(
        "Does that line of code use `data` at all?",
        "A word that comes more than once must count more than once.",
    ),
    explanation=lambda given: (
        f"The plain sum is {row(given.rows.sum(0))}, and "
        f"{int((given.rows.sum(0) != given.product).sum())} of its {OUTPUTS} numbers are not the "
        f"Linear layer's. The line never looks at `data` = {row(given.data)}. The two agree on a "
        "row of ones and zeros, and that is how the mistake hides."
    ),
    show=_show("contributions"),
)


def _transposed_wrongly(given: BagValues) -> tuple[float, ...]:
    # weight.view(5, 3): the shape fits, the numbers are others.
    table = given.weight.reshape(COLUMNS, OUTPUTS)
    return listed(given.counts @ table)


SUM = Step[BagValues](
    name="sum",
    title="The product by hand",
    kind="do",
    prompt=lambda given: (
        "This is `linear.weight`, one column for each word:\n\n"
        f"{given.shown}\n\n"
        f"The sentence is still `{_sentence(given)}`. What are the {OUTPUTS} outputs of "
        "`linear(counts)`? For each output, multiply the counts by its line and add up."
    ),
    answer=Vector(OUTPUTS, 0.001),
    solve=lambda given: listed(given.product),
    mistakes=(
        Mistake(
            "You forgot the counts: that is `embedding(indices).sum(0)`, without `data`.",
            lambda given: listed(given.rows.sum(0)),
        ),
        Mistake(
            "That is one word's column only: you forgot to add up, `sum(0)`.",
            lambda given: listed(given.rows[0]),
        ),
        Mistake(
            "You added along the wrong side: `sum(1)` adds up the numbers of each word, and "
            "`sum(0)` the words of each output.",
            lambda given: listed((given.rows * given.data[:, None]).sum(1)),
        ),
        Mistake(
            "You forgot the transpose: you read the weight line by line as if it were a table of "
            f"{COLUMNS} rows of {OUTPUTS}.",
            _transposed_wrongly,
        ),
        Mistake(
            "That is the mean over the words of the sentence, not the sum.",
            lambda given: listed(given.product / given.counts.sum()),
        ),
    ),
    hints=(
        "Only the columns with a count matter; cross the others out.",
        "Write the columns that are left under each other, each times its count, and add.",
    ),
    explanation=lambda given: (
        f"Output 0 is {plus((given.rows * given.data[:, None])[:, 0].tolist())} = "
        f"{short(float(given.product[0]))}; all of them are {row(given.product)}. Looked up and "
        "weighted, `(embedding(indices) * data[:, None]).sum(0)` is "
        f"{row((given.rows * given.data[:, None]).sum(0))}: the same sum, without the zeros."
    ),
    show=_show("contributions"),
)

MEAN = Step[BagValues](
    name="mean",
    title="A mean instead of a sum",
    kind="do",
    prompt=lambda given: (
        '`nn.EmbeddingBag` has `mode="mean"` as its default. It takes the `indices` of the '
        "sentence, each word once, and no counts. The rows of these words are\n\n"
        f"{grid(given.rows, [given.words[place] for place in given.indices.tolist()])}\n\n"
        "What is its first output, to two decimals?"
    ),
    answer=Number(0.006),
    solve=lambda given: float(given.mean()[0]),
    mistakes=(
        Mistake("That is the sum, not the mean.", lambda given: float(given.rows.sum(0)[0])),
        Mistake(
            "You weighted each row by its count; without `per_sample_weights` a bag knows no "
            "counts, and with `mean` it takes none.",
            lambda given: float(given.product[0] / given.counts.sum()),
        ),
        Mistake(
            "You took the mean of the first row. The mean goes down the columns.",
            lambda given: float(given.rows[0].mean()),
        ),
        Mistake(
            f"You divided by all {COLUMNS} words; only those in the bag count.",
            lambda given: float(given.rows.sum(0)[0] / COLUMNS),
        ),
    ),
    hints=(
        "Add up the first number of each row.",
        "Then divide by how many rows there are.",
    ),
    explanation=lambda given: (
        f"({plus(given.rows[:, 0].tolist())}) / {len(given.rows)} = "
        f"{short(float(given.mean()[0]))}, while the Linear layer's first output is "
        f'{short(float(given.product[0]))}. To get that, say `mode="sum"` and pass the counts as '
        "`per_sample_weights`."
    ),
    show=_show("contributions"),
)


def _pretrained(table: torch.Tensor) -> nn.Embedding:
    embedding: nn.Embedding = nn.Embedding.from_pretrained(table)  # type: ignore[no-untyped-call]
    return embedding


ROWS = Step[BagValues](
    name="rows",
    title="from_pretrained",
    kind="predict",
    prompt=lambda given: (
        f"`linear.weight` has the shape `{tuple(given.weight.shape)}`: {OUTPUTS} outputs, "
        f"{COLUMNS} words. Somebody writes `nn.Embedding.from_pretrained(linear.weight)`.\n\n"
        "How many rows, that is ids, does this table have?"
    ),
    answer=Whole(0, 100),
    solve=lambda given: _pretrained(given.weight).num_embeddings,
    mistakes=(
        Mistake(
            "You want a row for each word, and so did they; but nobody transposed anything.",
            lambda given: _pretrained(given.table).num_embeddings,
        ),
        Mistake(
            "That is how many numbers there are altogether.",
            lambda given: given.weight.numel(),
        ),
    ),
    hints=(
        "`from_pretrained` takes the table as it is given.",
        "The first number of a shape is how many rows there are.",
    ),
    explanation=lambda given: (
        f"It takes the weight as it is: {_pretrained(given.weight).num_embeddings} rows of "
        f"{_pretrained(given.weight).embedding_dim} numbers. Ids from "
        f"{_pretrained(given.weight).num_embeddings} on raise an IndexError, and smaller ones give "
        "wrong numbers without a word. Right is `from_pretrained(linear.weight.t())`, with "
        f"{_pretrained(given.table).num_embeddings} rows."
    ),
    show=_show("from_pretrained"),
)

COLUMN = Step[BagValues](
    name="column",
    title="The row a word should have",
    kind="do",
    prompt=lambda given: (
        f"Again `linear.weight`:\n\n{given.shown}\n\n"
        f"Which {OUTPUTS} numbers must `embedding` give for `{given.words[given.word]}`, id "
        f"{given.word}, so that it fits the Linear layer?"
    ),
    answer=Vector(OUTPUTS, 0.001),
    solve=lambda given: listed(given.table[given.word]),
    mistakes=(
        Mistake(
            "You forgot the transpose: these are the first numbers of a line of the weight. A "
            "line belongs to an output, not to a word.",
            lambda given: listed(given.weight[given.word, :OUTPUTS]),
        ),
        Mistake(
            "That is the next word's column: ids count from 0.",
            lambda given: listed(given.table[given.word + 1]),
        ),
    ),
    hints=(
        "Which words stand over the weight?",
        lambda given: f"Read down under `{given.words[given.word]}`.",
    ),
    explanation=lambda given: (
        f"Column {given.word} of the weight: {row(given.table[given.word])}. "
        f"`from_pretrained(linear.weight)`, without the transpose, gives "
        f"{row(_pretrained(given.weight)(torch.tensor(given.word)))} for id {given.word}."
    ),
    show=_show("from_pretrained"),
)


def _learns(given: BagValues) -> str:
    """One step of training, with a layer of ones behind the embedding."""
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
    kind="predict",
    prompt=lambda given: (
        "Now it is right: `table` is a transposed copy of `linear.weight`, and you write "
        "`embedding = nn.Embedding.from_pretrained(table)`. You put it into a model, before a "
        "layer that learns, and train. What becomes of `embedding.weight`?"
    ),
    answer=lambda given: turned(LEARNS, given.turn),
    solve=_learns,
    mistakes=(
        Mistake(
            "It would with `freeze=False`. What is the default?",
            lambda given: LEARNS[0],
        ),
        Mistake(
            "Only if nothing in the model could learn; here another layer does.",
            lambda given: LEARNS[2],
        ),
    ),
    hints=("`from_pretrained` has an argument `freeze`.", "Its default is True."),
    explanation=lambda given: (
        f"`embedding.weight.requires_grad` is {_pretrained(given.table).weight.requires_grad}: "
        f"*{_learns(given)}*. Write `freeze=False` if it is to learn. And make a copy, "
        "`linear.weight.detach().t().clone()`: a bare `.t()` shares its memory with the Linear "
        "layer."
    ),
    show=_show("from_pretrained"),
)

WHY = Step[BagValues](
    name="why",
    title="In your own words",
    kind="explain",
    prompt=lambda given: (
        "Explain to somebody who missed the lesson why a row of counts times a weight is a "
        "**weighted sum of rows**, and name two mistakes that give wrong numbers without any "
        "error."
    ),
    answer=Text(),
    hints=("Think of the counts that were forgotten, and of the transpose.",),
    explanation=lambda given: (
        "A good answer says that each count multiplies its word's row and zeros add nothing: here "
        f"{len(given.indices)} of {COLUMNS} rows. Silent mistakes are a forgotten `data`, a "
        'forgotten transpose, and `mode="mean"`.'
    ),
)

STEPS = (COUNT, SPARSE, PLAIN, SUM, MEAN, ROWS, COLUMN, FREEZE, WHY)

LAB = Lab[BagValues](
    code=CODE,
    title="A bag of words",
    minutes=15,
    goals=(
        "Write a sentence as counts, dense and sparse.",
        "Compute a Linear layer's output as a weighted sum of embedding rows.",
        "Name the mistakes that give wrong numbers without an error.",
    ),
    values=values,
    steps=STEPS,
)
