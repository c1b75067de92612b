"""The later steps of the lab "A bag of words": `from_pretrained`."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim import SGD

from embviz.labs.asking import choice, numbers
from embviz.labs.counts import COLUMNS, OUTPUTS, STORED, Bag
from embviz.labs.drawing import UNKNOWN, Grid, blank, filled
from embviz.labs.question import Question


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
        hints=(
            "`from_pretrained` takes the table as it is given.",
            "The first number of a shape is the number of rows.",
        ),
        why=f"It takes the weight as it is: {size[0]} rows of {size[1]} numbers. Ids from "
        f"{size[0]} on raise an IndexError. Smaller ids give wrong numbers without any error. "
        f"The right line is `from_pretrained(linear.weight.t())`: {right.num_embeddings} rows.",
        start=(weight, "→", Grid("embedding.weight", [[UNKNOWN]])),
        small=(weight,),
        picture=(weight, "→", Grid(f"embedding.weight {size}", blank(*size), labels)),
    )


CHANGES, STAYS, FAILS = (
    "it changes, like the weight of a Linear layer",
    "it stays as it is",
    "an error",
)


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
            FAILS: "That is so if nothing in the model can learn. But here another layer does.",
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
