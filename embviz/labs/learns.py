"""Lab "It learns": which rows get a gradient, how repeats add up, and which rows move.

A text of five letters, one of them three times, and two columns. The loss is the mean of the
squares, so each place where a letter stands adds 2 w / 10 to its gradient: a student can do that by
hand, and each mistake leads to another factor of w. PyTorch computes all answers.
"""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional as F

from embviz.labs import code, easier, harder, moves
from embviz.labs.asking import Lab, Step, fence, listed, numbers, plus
from embviz.labs.drawing import Grid, blank, cells_of, filled, hidden, short
from embviz.labs.letters import Letters, draw
from embviz.labs.question import Question

DIM = 2
LENGTH = 5
TIMES = 3  # How often the first letter comes.
ROWS = 6
NUMBERS = LENGTH * DIM  # Squares that the loss is the mean of.


def _draw(random: np.random.Generator) -> Letters:
    return draw(random, ROWS, LENGTH, DIM, TIMES)


def _gradient(given: Letters, ids: torch.Tensor) -> torch.Tensor:
    """The gradient of the table, (6, 2)."""
    weight = given.table.clone().requires_grad_()
    loss = F.embedding(ids, weight).square().sum() / NUMBERS
    return torch.autograd.grad(loss, weight)[0]


def _setting(given: Letters) -> str:
    return (
        f"The table has a row for each letter of `{given.chars}`:\n\n"
        f"{fence(given.table, given.chars)}\n\nThe text is `{given.text}`. The loss is the mean "
        f"of the squares of all {LENGTH} x {DIM} = {NUMBERS} numbers that are looked up."
    )


def touched(given: Letters) -> Question:
    """Rows with a gradient."""
    grad = _gradient(given, given.ids)
    right = grad.abs().sum(1).nonzero().flatten()
    others = [place for place in range(ROWS) if place not in right]

    def table(rows: list[int]) -> Grid:
        cells = [["not 0" if k in rows else "0"] * DIM for k in range(ROWS)]
        labels = [f"{place} {letter}" for place, letter in enumerate(given.chars)]
        return Grid("gradient", cells, labels, marked=cells_of(rows, DIM))

    text = Grid("text", [[letter] for letter in given.text])
    return numbers(
        "After loss.backward()",
        f"{_setting(given)}\n\nAfter `loss.backward()`, which rows of `embedding.weight.grad` "
        "have numbers other than 0? Write their ids, counted from 0.",
        right,
        {
            "Those are the rows that nobody looked up.": others,
            "Those are all the rows. Does every row play a part in the loss?": range(ROWS),
            "You counted from 1: the first letter has id 0.": right + 1,
            "Those are the places in the text. The question is for rows of the table.": (
                range(LENGTH)
            ),
            "That is the letter that comes more than once. What about the other letters?": (
                given.first_id
            ),
        },
        most=ROWS,
        per="one for each row",
        count=ROWS,
        is_set=True,
        hints=(
            "If you changed a row a little, would the loss change?",
            "The loss contains only the rows of the letters in the text.",
        ),
        why=f"{len(right)} of {ROWS} rows: ids {listed(right)}, the letters of the text, each "
        f"once. The largest gradient in the other {len(others)} rows is "
        f"{float(grad[others].abs().max()):g}.",
        start=(text, "→", hidden(table([]))),
        small=(Grid("a text of one letter", [[given.text[0]]]), "→", table([given.first_id])),
        picture=(text, "→", table(right.tolist())),
    )


def twice(given: Letters) -> Question:
    """A letter that comes three times."""
    letter, row = given.text[0], given.table[given.first_id]
    places = [place for place, character in enumerate(given.text) if character == letter]
    grad = _gradient(given, given.ids)[given.first_id]
    parts = torch.stack([_gradient(given, given.ids[[k]])[given.first_id] for k in places])
    return numbers(
        "A letter that comes again",
        f"{_setting(given)}\n\n`{letter}` stands in the text **three times**. What is the "
        f"gradient of its row, {DIM} numbers?",
        grad,
        {
            "You counted it once. Its row is in the loss at three places.": parts[0],
            "You counted two of its places. There are three.": parts[:2].sum(0),
            "You forgot the 2: the derivative of `w * w` is `2 * w`.": grad / 2,
            f"You forgot the mean: the loss divides by {NUMBERS}.": NUMBERS * grad,
            "You forgot the mean, and counted the letter once.": NUMBERS * parts[0],
            "You forgot the mean, and the 2 of the derivative.": NUMBERS * grad / 2,
            f"You divided by the {LENGTH} letters. The mean is over {NUMBERS} numbers.": (
                NUMBERS * grad / LENGTH
            ),
            "You counted it once, and forgot the 2 of the derivative.": parts[0] / 2,
            "That is the row itself, not its gradient.": row,
            "That is the way the row moves. The gradient points the other way.": -grad,
        },
        tolerance=0.006,
        hints=(
            f"Each number `w` adds `w * w / {NUMBERS}` to the loss, so one place gives "
            f"`2 * w / {NUMBERS}`.",
            "Three places have the same row: their gradients add up.",
        ),
        why=f"Each place gives {listed(parts[0])}, and all go to the same row: {listed(grad)}. "
        f"First number: {plus(parts[:, 0])} = {short(grad[0])}.",
        small=(
            Grid("row", filled(row), letter),
            f"× 2 / {NUMBERS} =",
            Grid("gradient of one place", filled(parts[0])),
        ),
        picture=(
            Grid("gradient of each place", filled(parts), [f"{letter} at {k}" for k in places]),
            "sum →",
            Grid("gradient", filled(grad)),
        ),
    )


LAB = Lab(
    title="It learns",
    about="Find which rows move.",
    sign=(
        Grid("row", blank(1, 2)),
        "−",
        Grid("gradient", blank(1, 2)),
        "→",
        Grid("new row", blank(1, 2), marked=cells_of([0], 2)),
    ),
    draw=_draw,
    steps=(
        Step(
            touched,
            3,
            "Ask what an optimizer could save if it knew which rows these are.",
        ),
        Step(
            twice,
            5,
            "Write the loss of one place on the blackboard, and its derivative. Then ask who "
            "counted the letter once.",
        ),
        Step(
            moves.unseen,
            3,
            "Ask what this means for a rare word of a large vocabulary.",
        ),
        Step(
            moves.afterwards,
            3,
            "Ask how one could keep Adam from doing this. `torch.optim.SparseAdam` leaves such "
            "rows as they are.",
        ),
        Step(
            moves.routes,
            3,
            "Ask when one would train the slower route all the same.",
        ),
        Step(
            code.gradient,
            3,
            "Ask which of these numbers an optimizer without weight decay and memory would skip.",
        ),
    ),
    goals=(
        "Compute the gradient of a row, and say whether a rule moves a row that nobody looks up.",
        "Say how close an `nn.Embedding` and an `nn.Linear` stay while both train.",
        "Find the gradient that a few lines of code print.",
    ),
    needs="You know the derivative of a square, and what a gradient step is.",
    exit_ticket=(twice, moves.unseen),
    easier=easier.learns,
    harder=harder.learns,
    try_it=Letters.playground,
)
