"""Lab "It learns": which rows get a gradient, how repeats add up, and which rows move.

A text of five letters, one of them three times, and two columns. The loss is the mean of the
squares, so each place where a letter stands adds 2 w / 10 to its gradient: a student can do that by
hand, and each mistake leads to another factor of w. PyTorch computes all answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam, Optimizer

from embviz.labs import code
from embviz.labs.asking import Lab, Step, choice, fence, listed, numbers, plus
from embviz.labs.drawing import UNKNOWN, Grid, blank, cells_of, filled, short
from embviz.labs.letters import Letters, draw
from embviz.labs.question import Question

DIM = 2
LENGTH = 5
TIMES = 3  # How often the first letter comes.
ROWS = 6
NUMBERS = LENGTH * DIM  # Squares that the loss is the mean of.
SGD_LR, ADAM_LR, DECAY = 0.5, 0.01, 0.01
RULES: dict[str, Callable[[Any], Optimizer]] = {
    "SGD": partial(SGD, lr=SGD_LR),
    "Adam": partial(Adam, lr=ADAM_LR),
    "SGD with weight decay": partial(SGD, lr=SGD_LR, weight_decay=DECAY),
}
TOGETHER = 5  # Steps of both routes.


def _draw(random: np.random.Generator) -> Letters:
    return draw(random, ROWS, LENGTH, DIM, TIMES)


def _one_hot_linear(ids: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.linear(F.one_hot(ids, ROWS).float(), weight)


def _train(
    weight: torch.Tensor,
    batches: Iterable[torch.Tensor],
    rule: Callable[[Any], Optimizer],
    route: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] = F.embedding,
) -> list[torch.Tensor]:
    """The weight after each step; the target is 0."""
    parameter, seen = nn.Parameter(weight.clone()), []
    optimizer = rule([parameter])
    for ids in batches:
        optimizer.zero_grad()
        route(ids, parameter).square().mean().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        seen.append(parameter.detach().clone())
    return seen


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


def _moved(moves: Mapping[str, float], known: bool = True) -> Grid:
    """How far a row moves, by rule."""
    cells = [[f"{moved:.4g}" if known else UNKNOWN] for moved in moves.values()]
    marked = {(k, 0) for k, moved in enumerate(moves.values()) if moved > 0 and known}
    return Grid("largest move", cells, list(moves), marked=frozenset(marked))


def touched(given: Letters) -> Question:
    """Rows with a gradient."""
    grad = _gradient(given, given.ids)
    found = grad.abs().sum(1).nonzero().flatten()
    others = [place for place in range(ROWS) if place not in found]

    def table(rows: list[int], unknown: str = "0") -> Grid:
        cells = [["not 0" if k in rows else unknown] * DIM for k in range(ROWS)]
        labels = [f"{place} {letter}" for place, letter in enumerate(given.chars)]
        return Grid("gradient", cells, labels, marked=cells_of(rows, DIM))

    text = Grid("text", [[letter] for letter in given.text])
    return numbers(
        "After loss.backward()",
        f"{_setting(given)}\n\nAfter `loss.backward()`, which rows of `embedding.weight.grad` "
        "have numbers other than 0? Write their ids, counted from 0.",
        found,
        {
            "Those are the rows that nobody looked up.": others,
            "Those are all the rows. Does every row play a part in the loss?": range(ROWS),
            "You counted from 1: the first letter has id 0.": found + 1,
            "Those are the places in the text. The question is for rows of the table.": (
                range(LENGTH)
            ),
            "That is the letter that comes more than once. What about the other letters?": (
                given.first_id
            ),
        },
        integers=True,
        most=ROWS,
        per="one for each row",
        count=ROWS,
        fewer=True,
        ordered=False,
        hints=(
            "If you changed a row a little, would the loss change?",
            "The loss contains only the rows of the letters in the text.",
        ),
        why=f"{len(found)} of {ROWS} rows: ids {listed(found)}, the letters of the text, each "
        f"once. The largest gradient in the other {len(others)} rows is "
        f"{float(grad[others].abs().max()):g}.",
        start=(text, "→", table([], UNKNOWN)),
        small=(Grid("a text of one letter", [[given.text[0]]]), "→", table([given.first_id])),
        picture=(text, "→", table(found.tolist())),
    )


def twice(given: Letters) -> Question:
    """A letter that comes three times."""
    letter, row = given.text[0], given.table[given.first_id]
    places = [place for place, one in enumerate(given.text) if one == letter]
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


def unseen(given: Letters) -> Question:
    """A row that nobody looks up."""
    others = [place for place in range(ROWS) if place not in given.ids]
    moves = {
        name: float(
            (_train(given.table, [given.ids] * 3, rule)[-1] - given.table)[others].abs().max()
        )
        for name, rule in RULES.items()
    }
    moving = [name for name, moved in moves.items() if moved > 0]
    none = "none of them"
    uses = [["its gradient"], ["its gradients so far"], [f"its gradient, {UNKNOWN}"]]
    return choice(
        "A row nobody looks up",
        f"`{given.chars[others[0]]}` is in the table, but not in the text `{given.text}`: nobody "
        "looks it up. You train for a few steps, by one of three rules: SGD with the learning "
        f"rate {SGD_LR:g}, Adam with {ADAM_LR:g}, or the same SGD with a weight decay of "
        f"{DECAY:g}.\n\nUnder which rule does its row **move all the same**?",
        moving[0] if len(moving) == 1 else none,
        {
            "SGD": "SGD moves a row by the learning rate times its gradient, and by nothing else.",
            "Adam": "Adam follows the gradients of a row. Which could that be here?",
            "SGD with weight decay": "",
            none: "One of them changes every weight, with or without a gradient.",
        },
        hints=(
            "Which rule changes a weight and does not need its gradient?",
            "What does the word *decay* say?",
        ),
        why="Largest move in 3 steps: "
        + ", ".join(f"{name} {moved:.4g}" for name, moved in moves.items())
        + ". Weight decay pulls every weight towards 0 in every step, looked up or not.",
        start=(_moved(moves, known=False),),
        small=(Grid("a row moves by", uses, list(RULES)),),
        picture=(_moved(moves),),
    )


def afterwards(given: Letters) -> Question:
    """A row after its last lookup."""
    letter = given.other
    place = given.chars.index(letter)
    batches = given.ids, given.ids[given.ids != place]
    moves = {}
    for name in ("SGD", "Adam"):
        first, second = _train(given.table, batches, RULES[name])
        moves[name] = float((second[place] - first[place]).abs().max())
    options = {
        "none of the two": "One of them has a memory: it keeps a running mean of old gradients.",
        "SGD only": "SGD forgets at once: it moves by the gradient of this step alone.",
        "Adam only": "Adam has a memory.",
        "both": "SGD does not: its step is lr * gradient, and nothing else.",
    }
    moving = [name for name, moved in moves.items() if moved > 0]
    right = "none of the two"
    if len(moving) == 1:
        right = f"{moving[0]} only"
    elif moving:
        right = "both"
    lookups = [[str(int((ids == place).sum()))] for ids in batches]
    return choice(
        "After its last lookup",
        f"Step 1 looks up all of `{given.text}`. Step 2 looks up the same letters **without** "
        f"`{letter}`.\n\nIn step 2, which rule still moves the row of `{letter}`?",
        right,
        options,
        hints=(
            "Which of the two remembers the gradients of earlier steps?",
            "Adam keeps two running means for every weight, and they fade slowly.",
        ),
        why=f"In step 2 the row of `{letter}` moves by {moves['SGD']:.4g} under SGD and by "
        f"{moves['Adam']:.4g} under Adam (learning rate {ADAM_LR:g}), which still remembers "
        "step 1.",
        start=(_moved(moves, known=False),),
        small=(Grid(f"lookups of {letter}", lookups, ["step 1", "step 2"]),),
        picture=(_moved(moves),),
    )


def routes(given: Letters) -> Question:
    """Both routes, trained."""
    batches = [given.ids] * TOGETHER
    looked = _train(given.table, batches, RULES["Adam"])
    multiplied = _train(given.table.T, batches, RULES["Adam"], _one_hot_linear)
    apart = float((looked[-1] - multiplied[-1].T).abs().max())
    right = "0 to 0.0001"
    if apart > 1e-4:
        right = "0.0001 to 0.1" if apart <= 0.1 else "0.1 to 100"
    once = [looked[0][given.first_id], multiplied[0].T[given.first_id]]
    return choice(
        "Two routes, one training",
        "There are two copies of the table. One is the weight of an `nn.Embedding`. The other, "
        "transposed, is the weight of an `nn.Linear` for one-hot rows. Both train on "
        f"`{given.text}` for {TOGETHER} steps of Adam with the learning rate {ADAM_LR:g}, each "
        "with its own optimizer.\n\nHow far apart are the two weights afterwards?",
        right,
        {
            "0 to 0.0001": "They do differ a little more here.",
            "0.0001 to 0.1": "That would be another way of learning. Are the gradients of the two "
            "different?",
            "0.1 to 100": "They would have to learn different things for that.",
        },
        hints=(
            "They begin with the same numbers. Are their gradients the same?",
            "Same weights, same gradients, same rule: only rounding can make them differ.",
        ),
        why=f"In {TOGETHER} steps they differed by at most {apart:.3g}. With the same start, "
        "gradient and rule, only rounding can part them. Near the minimum, after many more steps, "
        "Adam can enlarge it.",
        small=(
            Grid("one row after 1 step", filled(once[0]), "E"),
            Grid("by one-hot and Linear", blank(1, DIM, UNKNOWN), "L"),
        ),
        picture=(
            Grid("one row after 1 step", filled(torch.stack(once)), ["Embedding", "Linear"]),
            Grid(f"largest difference after {TOGETHER}", [[f"{apart:.3g}"]]),
        ),
    )


LAB = Lab(
    title="It learns",
    about="Gradients, and which rows move.",
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
            unseen,
            3,
            "Ask what this means for a rare word of a large vocabulary.",
        ),
        Step(
            afterwards,
            3,
            "Ask how one could keep Adam from doing this. `torch.optim.SparseAdam` leaves such "
            "rows as they are.",
        ),
        Step(
            routes,
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
        "Say which rows of a table get a gradient, and compute it where a letter repeats.",
        "Say which rules move rows that nobody looks up, and why.",
    ),
    needs="You know the derivative of a square, and what a gradient step is.",
    exit_ticket=(2, 3),
    try_it=Letters.playground,
)
