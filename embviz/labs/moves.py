"""The last steps of the lab "It learns": which rows a rule moves, and both routes trained.

PyTorch trains; nothing is derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import SGD, Adam, Optimizer

from embviz.labs.asking import choice, listed
from embviz.labs.drawing import UNKNOWN, Grid, blank, cells_of, filled, hidden
from embviz.labs.letters import Letters
from embviz.labs.question import Question

SGD_LR, ADAM_LR, DECAY = 0.5, 0.01, 0.01
RULES: dict[str, Callable[[Any], Optimizer]] = {
    "SGD": partial(SGD, lr=SGD_LR),
    "Adam": partial(Adam, lr=ADAM_LR),
    "SGD with weight decay": partial(SGD, lr=SGD_LR, weight_decay=DECAY),
}
TOGETHER = 5  # Steps of both routes.


def _one_hot_linear(ids: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.linear(F.one_hot(ids, weight.shape[1]).float(), weight)


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


def _moved(letter: str, moves: Mapping[str, torch.Tensor]) -> Grid:
    """How far each number of a letter's row moves, by rule."""
    cells = [_digits(moved) for moved in moves.values()]
    marked = [k for k, moved in enumerate(moves.values()) if moved.any()]
    mark = cells_of(marked, len(cells[0]))
    return Grid(f"the row of {letter} moves by", cells, list(moves), marked=mark)


def _digits(moved: torch.Tensor) -> list[str]:
    return [f"{number:.4g}" for number in moved.tolist()]


def _by_rule(moves: Mapping[str, torch.Tensor]) -> str:
    """The moves in a sentence."""
    *others, last = [
        f"`[{', '.join(_digits(moved))}]` under {name}" for name, moved in moves.items()
    ]
    return f"{', '.join(others)} and {last}"


def unseen(given: Letters) -> Question:
    """A row that nobody looks up."""
    place = next(place for place in range(len(given.chars)) if place not in given.ids)
    letter = given.chars[place]
    moves = {
        name: (_train(given.table, [given.ids] * 3, rule)[-1] - given.table)[place]
        for name, rule in RULES.items()
    }
    moving = [name for name, moved in moves.items() if moved.any()]
    none = "none of them"
    uses = [["its gradient"], ["its gradients so far"], [f"its gradient, {UNKNOWN}"]]
    return choice(
        "A row nobody looks up",
        f"`{letter}` is in the table, but not in the text `{given.text}`: nobody "
        "looks it up. You train for a few steps, by one of three rules: SGD with the learning "
        f"rate {SGD_LR:g}, Adam with {ADAM_LR:g}, or the same SGD with a weight decay of "
        f"{DECAY:g}.\n\nWhich rule **moves** its row, without a lookup?",
        moving[0] if len(moving) == 1 else none,
        {
            "SGD": "SGD moves a row by the learning rate times its gradient, and by nothing else.",
            "Adam": "Adam follows the gradients of a row. Which gradients did this row get?",
            "SGD with weight decay": "",
            none: "One of them changes every weight, with or without a gradient.",
        },
        hints=(
            "Which rule changes a weight and does not need its gradient?",
            "What does the word *decay* say?",
        ),
        why=f"In 3 steps the row of `{letter}`, {listed(given.table[place])}, moves by "
        f"{_by_rule(moves)}. Weight decay pulls every weight towards 0 in every step, "
        "looked up or not.",
        start=(hidden(_moved(letter, moves)),),
        small=(Grid("a row moves by", uses, list(RULES)),),
        picture=(_moved(letter, moves),),
    )


def afterwards(given: Letters) -> Question:
    """A row after its last lookup."""
    letter = given.other
    place = given.chars.index(letter)
    batches = given.ids, given.ids[given.ids != place]
    moves = dict[str, torch.Tensor]()
    for name in ("SGD", "Adam"):
        first, second = _train(given.table, batches, RULES[name])
        moves[name] = second[place] - first[place]
    options = {
        "none of the two": "One of them has a memory: it keeps a running mean of old gradients.",
        "SGD only": "SGD forgets at once: it moves by the gradient of this step alone.",
        "Adam only": "Adam has a memory.",
        "both": "SGD does not: its step is lr * gradient, and nothing else.",
    }
    by_sgd, by_adam = (bool(moved.any()) for moved in moves.values())
    right = [*options][by_sgd + 2 * by_adam]
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
        why=f"In step 2 the row of `{letter}` moves by {_by_rule(moves)}. The learning rate "
        f"of Adam is {ADAM_LR:g}. It still remembers step 1.",
        start=(hidden(_moved(letter, moves)),),
        small=(Grid(f"lookups of {letter}", lookups, ["step 1", "step 2"]),),
        picture=(_moved(letter, moves),),
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
        "gradient and rule, only rounding can make them differ. Near the minimum, after many more "
        "steps, Adam can enlarge this difference.",
        small=(
            Grid("one row after 1 step", filled(once[0]), "E"),
            Grid("by one-hot and Linear", blank(1, given.dim, UNKNOWN), "L"),
        ),
        picture=(
            Grid("one row after 1 step", filled(torch.stack(once)), ["Embedding", "Linear"]),
            Grid(f"largest difference after {TOGETHER}", [[f"{apart:.3g}"]]),
        ),
    )
