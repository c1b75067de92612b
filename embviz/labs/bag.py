"""Lab "A bag of words": a sentence as counts, and their product as a sum of rows.

The weight is that of an `nn.Linear`, shape (2, words): its columns are the words. All numbers are
whole. One word comes more than once, so that forgotten counts give another result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD

from embviz.labs import code
from embviz.labs.asking import Lab, Step, choice, fence, listed, numbers, plus
from embviz.labs.drawing import UNKNOWN, Grid, blank, cells_of, filled, short
from embviz.labs.question import Question

OUTPUTS = 2
WORDS = ["bird", "cat", "cow", "dog", "fish", "fox", "frog", "hen", "owl", "pig"]
COLUMNS = 5
STORED = 3  # different words in the sentence


@dataclass(frozen=True)
class Bag:
    """The numbers of the lab.

    Attributes:
        words: 5, sorted; word k is column k.
        sentence: 4 to 7 of them, three different ones.
        weight: `Linear.weight`, float32 (2, 5), whole numbers without 0.
        seed: of the last step's numbers.
    """

    words: tuple[str, ...]
    sentence: tuple[str, ...]
    weight: torch.Tensor
    seed: int

    @cached_property
    def counts(self) -> torch.Tensor:
        """How often each word comes, float32 (5,)."""
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
    def rows(self) -> torch.Tensor:
        """The rows of the words in the sentence, each once: `embedding(indices)`, (3, 2)."""
        return F.embedding(self.indices, self.weight.T)

    @property
    def weighted(self) -> torch.Tensor:
        """These rows, each times its count, (3, 2)."""
        return self.rows * self.data[:, None]

    @property
    def product(self) -> torch.Tensor:
        """The output of the Linear layer for the counts, (2,)."""
        return F.linear(self.counts, self.weight)

    @property
    def text(self) -> str:
        """The sentence as a prompt shows it."""
        return f"`{' '.join(self.sentence)}`"

    def page(self) -> tuple[str, Mapping[str, Any]]:
        """The settings of *Bag of words* that show this sentence and this weight."""
        lines = [" ".join(map(short, line)) for line in self.weight.tolist()]
        return "bag_of_words", {
            "bag": "matrix",
            "x": " ".join(map(short, self.counts.tolist())),
            "row": 0,
            "linear": "\n".join(lines),
            "outputs": OUTPUTS,
            "bag_dtype": "float32",
            "forget": False,
        }

    def times(self, data: torch.Tensor) -> list[str]:
        """The words of the sentence, each once, with a count."""
        named = zip(data, self.indices, strict=True)
        return [f"{count:.0f} × {self.words[place]}" for count, place in named]


def _draw(random: np.random.Generator) -> Bag:
    words = sorted(random.permutation(WORDS)[:COLUMNS].tolist())
    kept = random.permutation(words)[:STORED].tolist()
    sentence = [word for word in kept for _ in range(random.integers(1, 3))] + kept[:1]
    weight = random.integers(1, 7, (OUTPUTS, COLUMNS)) * random.choice([-1, 1, 1], COLUMNS)
    order = tuple(random.permutation(sentence).tolist())
    seed = int(random.integers(2**32))
    return Bag(tuple(words), order, torch.from_numpy(weight).float(), seed)


def count(given: Bag) -> Question:
    """A sentence as counts."""
    counts, first = given.counts, given.counts[:1]
    columns = ", ".join(f"`{word}` = {place}" for place, word in enumerate(given.words))
    sentence = Grid("text", [given.sentence])
    met = {word: given.sentence.count(word) for word in given.sentence}
    return numbers(
        "A sentence as counts",
        f"The words have these columns: {columns}.\n\nThe sentence is {given.text}. A bag of words "
        "forgets the order of the words and keeps how often each word comes. Write its row: "
        f"{COLUMNS} counts, column 0 first.",
        counts,
        {
            "You wrote 1 for every word that is there. One of them comes more than once.": (
                (counts > 0).float()
            ),
            "Each count is one column too far: columns count from 0.": counts.roll(1),
            "Those counts are in the order of the sentence. Keep the order of the columns.": (
                [*met.values(), *[0] * (COLUMNS - STORED)]
            ),
        },
        integers=True,
        most=len(given.sentence),
        per="one for each column",
        hints=(
            "Take one column after the other. Count its word in the sentence.",
            "A word that is not there has the count 0. Its column stays.",
        ),
        why=f"The row is {listed(counts)}. Its numbers add up to {int(counts.sum())}, the number "
        f"of words in the sentence. {COLUMNS - STORED} of the {COLUMNS} numbers are zero.",
        start=(sentence, "→", Grid("counts", blank(1, COLUMNS, UNKNOWN), heads=given.words)),
        small=(sentence, "→", Grid("column 0", filled(first), heads=given.words[:1])),
        picture=(sentence, "→", Grid("counts", filled(counts), heads=given.words)),
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
    same, other = "the same numbers as the Linear layer", "other numbers, in whatever order"
    return choice(
        "A sum of rows",
        "Somebody writes `embedding(indices).sum(0)`. This adds the rows of the words in the "
        f"sentence {given.text}; `indices` has each of its words once.\n\nThe Linear layer "
        "multiplies the counts. Compared with its output, what does this line give?",
        other if differ else same,
        {
            same: "That would be so if every word came once. Count them again.",
            other: "Each word comes once here: what is there to differ?",
            "an error": "Nothing is wrong for PyTorch here: it adds rows.",
            "other numbers that depend on the order": (
                "A sum is the same in every order, and so is a bag of words."
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
        "`linear(counts)`? For each output, multiply its line by the counts and add up.",
        given.product,
        {
            "You took each word of the sentence once.": given.rows.sum(0),
            "You took all columns once, also those of words that are not in the sentence.": (
                weight.sum(1)
            ),
            "That is the column of one word only: add up the others too.": given.rows[0],
            "You forgot the transpose: you read the weight line by line, as if it were a table "
            f"of {COLUMNS} rows of {OUTPUTS}.": counts @ weight.reshape(COLUMNS, OUTPUTS),
            "That is the mean over the words of the sentence, not the sum.": (
                given.product / counts.sum()
            ),
        },
        tolerance=0.01,
        hints=(
            "Only the columns with a count matter. Cross the others out.",
            "Write each of these columns times its count, one below the other. Then add them.",
        ),
        why=f"Output 0 is {plus(given.weighted[:, 0])} = {short(given.product[0])}; both are "
        f"{listed(given.product)}. Looked up and weighted, "
        f"`(embedding(indices) * data[:, None]).sum(0)` is {listed(given.weighted.sum(0))}: the "
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


def _pretrained(table: torch.Tensor) -> nn.Embedding:
    embedding: nn.Embedding = nn.Embedding.from_pretrained(table)  # type: ignore[no-untyped-call]
    return embedding


def rows(given: Bag) -> Question:
    """`from_pretrained` without a transpose."""
    wrong, right = _pretrained(given.weight), _pretrained(given.weight.T.contiguous())
    size = wrong.num_embeddings, wrong.embedding_dim
    heads = [f"output {k}" for k in range(OUTPUTS)]
    weight = Grid("linear.weight", blank(OUTPUTS, COLUMNS), heads, given.words)
    labels = [f"id {k}" for k in range(size[0])]
    return numbers(
        "from_pretrained",
        f"`linear.weight` has the shape `{tuple(given.weight.shape)}`: {OUTPUTS} outputs, "
        f"{COLUMNS} words. Somebody writes `nn.Embedding.from_pretrained(linear.weight)`.\n\n"
        "How many rows, that is ids, does this table have?",
        wrong.num_embeddings,
        {
            "A row for each word is what you want, but nobody transposed the weight.": (
                right.num_embeddings
            ),
            "That is how many numbers there are in all.": given.weight.numel(),
            "That is how many different words the sentence has. A table knows no sentence.": STORED,
        },
        integers=True,
        hints=(
            "`from_pretrained` takes the table as it is given.",
            "The first number of a shape is the number of rows.",
        ),
        why=f"It takes the weight as it is: {size[0]} rows of {size[1]} numbers. Ids from "
        f"{size[0]} on raise an IndexError. Smaller ids give wrong numbers without any error. "
        f"Right is `from_pretrained(linear.weight.t())`, with {right.num_embeddings} rows.",
        start=(weight, "→", Grid("embedding.weight", [[UNKNOWN]])),
        small=(weight,),
        picture=(weight, "→", Grid(f"embedding.weight {size}", blank(*size), labels)),
    )


CHANGES, STAYS, FAILS = "it changes, as the Linear layer's does", "it stays as it is", "an error"


def freeze(given: Bag) -> Question:
    """Whether a pretrained table learns."""
    table = given.weight.T.contiguous()
    embedding, head = _pretrained(table.clone()), nn.Parameter(torch.ones(OUTPUTS))
    right = FAILS
    if (loss := (embedding(given.indices) * head).square().mean()).requires_grad:
        loss.backward()
        SGD([embedding.weight, head], lr=0.1).step()
        right = STAYS if torch.equal(embedding.weight, table) else CHANGES
    before = Grid("embedding.weight", filled(table), given.words)
    return choice(
        "Will it learn?",
        "Now the table is right: `table` is a transposed copy of `linear.weight`, and you write "
        "`embedding = nn.Embedding.from_pretrained(table)`. You put it into a model, before a "
        "layer that learns, and train. What happens to `embedding.weight`?",
        right,
        {
            CHANGES: "That would be so with `freeze=False`. What is the default?",
            STAYS: "",
            FAILS: "Only if nothing in the model could learn; here another layer does.",
        },
        hints=("`from_pretrained` has an argument `freeze`.", "Its default is True."),
        why=f"`embedding.weight.requires_grad` is {embedding.weight.requires_grad}: *{right}*. "
        "Write `freeze=False` if it should learn. And make a copy, "
        "`linear.weight.detach().t().clone()`: a bare `.t()` shares its memory with the Linear "
        "layer.",
        small=(
            Grid("embedding.weight", blank(COLUMNS, OUTPUTS), given.words),
            "→",
            Grid("a layer that learns", blank(1, OUTPUTS)),
        ),
        picture=(
            before,
            "one step →",
            Grid("afterwards", filled(embedding.weight.detach()), given.words),
        ),
    )


LAB = Lab(
    title="A bag of words",
    about="Counts and weighted sums of rows.",
    sign=(
        Grid("counts", [["2"], ["1"], ["3"]]),
        "×",
        Grid("rows", blank(3, 3)),
        "→",
        Grid("sum", blank(1, 3), marked=cells_of([0], 3)),
    ),
    draw=_draw,
    steps=(
        Step(
            count,
            2,
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
            rows,
            2,
            "Ask which words still get a row, and whether it is theirs. No error says so.",
        ),
        Step(
            freeze,
            2,
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
        "Compute a row of counts times a weight as a weighted sum of embedding rows.",
        "Name two mistakes that raise no error, and say what each of them gives.",
    ),
    needs="You know what an id, a row and a one-hot row are: the lab *One row of a table*.",
    exit_ticket=(2, 3),
    try_it=Bag.page,
)
