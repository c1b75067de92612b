"""Lab "It learns": which rows get a gradient, how repeats add up, and which rows move.

A text of four letters, one of them twice, and two columns. The loss is the mean of the squares, so
each place where a letter stands adds 2 w / 8 to its gradient: a student can do that by hand.
PyTorch computes all solutions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from embviz.labs.answers import Ids, Number, Vector, rotated
from embviz.labs.exercises.letters import LetterTable, letter_table
from embviz.labs.formatting import plus, row, short
from embviz.labs.picture import UNKNOWN, Grid, Picture, blank, filled, whole
from embviz.labs.record import Lab, Mistake, Step, integer
from embviz.training.losses import Mse
from embviz.training.optimizers import OPTIMIZERS, RATES
from embviz.training.step import OneStep, one_step
from embviz.training.training import Training

DIM = 2
LENGTH = 4
NUMBERS = LENGTH * DIM  # that the loss is the mean of
SGD_LR = OPTIMIZERS["sgd"].usual_lr
STEPS_APART = 10  # of both routes
LATER = ("none of the two", "SGD only", "Adam only", "both")
LATER_RULES = {"SGD": "sgd", "Adam": "adam"}
UNSEEN_RULES = {"SGD": "sgd", "Adam": "adam", "SGD with weight decay": "weight_decay"}
NO_RULE = "none of them"
ROUNDING = 0.00001
APART = (f"at most {ROUNDING:f}".rstrip("0"), "about 0.01", "more than 1")


@dataclass(frozen=True, eq=False)
class LearnsValues(LetterTable):
    """A student's values: a table of 6 rows and 2 columns without 0, and a text of 4 letters.

    Attributes:
        rate: a key of RATES, for Adam.
        turn: where the lists of choices begin.
    """

    rate: str
    turn: int

    @property
    def twice(self) -> str:
        """The letter that the text has twice."""
        return self.text[0]

    @property
    def once(self) -> str:
        """The first letter that the text has once."""
        return next(letter for letter in self.text if self.text.count(letter) == 1)

    @property
    def lr(self) -> float:
        """Adam's learning rate."""
        return OPTIMIZERS["adam"].usual_lr * RATES[self.rate]

    @cached_property
    def step(self) -> OneStep:
        """One step forward and backward, by both routes."""
        return one_step(self.table, self.ids, Mse())

    @cached_property
    def untouched(self) -> tuple[int, ...]:
        """Ids that the text does not have."""
        return tuple(sorted({*range(len(self.chars))} - {*self.ids.tolist()}))

    def gradient(self, letter: str) -> torch.Tensor:
        """The gradient of a letter's row, (2,)."""
        return self.step.embedding_gradient[self.id_of(letter)]

    def one_place(self, letter: str) -> torch.Tensor:
        """The part of a row's gradient, (2,), that one place of its letter adds, by the formula."""
        return 2 * self.row_of(letter) / NUMBERS

    def trained(self, optimizer: str, batches: list[torch.Tensor]) -> list[torch.Tensor]:
        """The table after each step, (6, 2), on one batch of ids a step; the target is 0."""
        record = OPTIMIZERS[optimizer]
        weight = nn.Parameter(self.table.clone())
        update = record.make([weight], lr=self.lr if optimizer == "adam" else record.usual_lr)
        tables = []
        for ids in batches:
            update.zero_grad()
            loss = F.embedding(ids, weight).square().mean()
            (weight.grad,) = torch.autograd.grad(loss, weight)
            update.step()
            tables.append(weight.detach().clone())
        return tables

    @cached_property
    def after_sgd(self) -> torch.Tensor:
        """The row of `twice` after one step of SGD on the text, (2,)."""
        return self.trained("sgd", [self.ids])[0][self.id_of(self.twice)]

    @cached_property
    def adam_move(self) -> torch.Tensor:
        """How far the row of `once` moves in the first step of Adam, (2,), without signs."""
        place = self.id_of(self.once)
        return (self.trained("adam", [self.ids])[0] - self.table)[place].abs()

    @cached_property
    def afterwards(self) -> dict[str, float]:
        """How far the row of `once` moves in step 2, which does not look it up, by optimizer."""
        place = self.id_of(self.once)
        found = {}
        for name, key in LATER_RULES.items():
            first, second = self.trained(key, [self.ids, self.ids[self.ids != place]])
            found[name] = float((second[place] - first[place]).abs().max())
        return found

    @cached_property
    def never(self) -> dict[str, float]:
        """How far the rows that are not in the text move in 3 steps, by rule."""
        rows = list(self.untouched)
        return {
            name: float((self.trained(key, [self.ids] * 3)[-1] - self.table)[rows].abs().max())
            for name, key in UNSEEN_RULES.items()
        }

    @cached_property
    def apart(self) -> float:
        """Largest difference of the two routes' weights after 10 steps of Adam."""
        run = Training(self.table, self.ids, Mse(), "adam", self.lr)
        run.advance(STEPS_APART)
        return run.furthest.max_abs_weight_difference

    @property
    def setting(self) -> str:
        """The beginning of several prompts."""
        return (
            f"The table has a row for each letter of `{self.chars}`:\n\n{self.shown}\n\n"
            f"The text is `{self.text}`. The loss is the mean of the squares of all "
            f"{LENGTH} x {DIM} = {NUMBERS} numbers that are looked up"
        )


def _make(seed: int, generator: torch.Generator) -> LearnsValues:
    letters = letter_table(generator, seed, 6, LENGTH, DIM)
    rate = list(RATES)[integer(generator, len(RATES))]
    return LearnsValues(*letters, rate, integer(generator, 12))


def _usable(given: LearnsValues) -> bool:
    # A 0 in the table has no gradient though it is looked up; an unseen row of zeros cannot decay.
    return bool((given.table != 0).all())


def _live(given: LearnsValues) -> dict[str, Any]:
    fixed = {"loss": "mse", "target": "0", "lesson": "step"}
    more = {"optimizer": "adam", "rate": given.rate, "batches": "fixed"}
    return {"part": "training", "settings": given.settings | fixed | more}


def _touched_picture(given: LearnsValues, answered: bool) -> Picture:
    touched = given.step.touched[0].tolist()
    cells = blank(len(given.chars), DIM, UNKNOWN)
    if answered:
        cells = [["not 0" if k in touched else "0"] * DIM for k in range(len(given.chars))]
    marked = whole(touched, DIM) if answered else frozenset()
    labels = [f"{place} {letter}" for place, letter in enumerate(given.chars)]
    text = Grid("text", [[letter] for letter in given.text])
    return text, "→", Grid("gradient", cells, labels=labels, marked=marked)


def _once_picture(given: LearnsValues, answered: bool) -> Picture:
    if not answered:
        return ()
    row = Grid("row", filled(given.row_of(given.once)), labels=given.once)
    return row, f"× 2 / {NUMBERS} =", Grid("gradient", filled(given.gradient(given.once)))


def _twice_picture(given: LearnsValues, answered: bool) -> Picture:
    if not answered:
        return ()
    places, gradients = given.step.terms(given.id_of(given.twice))
    labels = [f"{given.twice} at place {place}" for place in places.tolist()]
    each = Grid("place", filled(gradients), labels=labels)
    return each, "sum →", Grid("gradient", filled(given.gradient(given.twice)))


def _sgd_picture(given: LearnsValues, answered: bool) -> Picture:
    if not answered:
        return ()
    return (
        Grid("row", filled(given.row_of(given.twice)), labels=given.twice),
        f"- {SGD_LR:g} ×",
        Grid("gradient", filled(given.gradient(given.twice))),
        "=",
        Grid("new row", filled(given.after_sgd), labels=given.twice),
    )


def _moved(by: dict[str, float], answered: bool) -> Picture:
    """How far a row moves, by rule."""
    cells = [[f"{moved:.4g}"] if answered else [UNKNOWN] for moved in by.values()]
    marked = {(k, 0) for k, moved in enumerate(by.values()) if moved > 0 and answered}
    return (Grid("moved", cells, labels=list(by), marked=frozenset(marked)),)


def _adam_picture(given: LearnsValues, answered: bool) -> Picture:
    if not answered:
        return ()
    gradient = given.gradient(given.once)
    moves = [[f"{float(moved):.3g}" for moved in given.adam_move]]
    return (
        Grid("gradient", filled(gradient), labels=given.once),
        "→",
        Grid("sign", filled(gradient.sign())),
        f"× {given.lr:g} →",
        Grid("moved", moves, labels=given.once),
    )


TOUCHED = Step[LearnsValues](
    name="touched",
    title="Which rows get a gradient?",
    predict=True,
    prompt=lambda given: (
        f"{given.setting}.\n\nAfter `loss.backward()`, which rows of `embedding.weight.grad` "
        "are **not** all zeros? Write their ids, counted from 0."
    ),
    answer=Ids(6, ordered=False),
    solve=lambda given: given.step.embedding_gradient.abs().sum(1).nonzero().flatten(),
    mistakes=(
        Mistake("Those are the rows that nobody looked up.", lambda given: given.untouched),
        Mistake(
            "Those are all the rows. Does every row play a part in the loss?",
            lambda given: tuple(range(len(given.chars))),
        ),
        Mistake(
            "You counted from 1: the first letter has id 0.",
            lambda given: sorted({*(given.ids + 1).tolist()}),
        ),
    ),
    hints=(
        "If you changed a row a little, would the loss change?",
        "The loss contains only the rows of the letters in the text.",
    ),
    explanation=lambda given: (
        f"{len(given.step.touched[0])} of {len(given.chars)} rows: ids "
        f"{row(given.step.touched[0])}, the letters of the text, each once. The largest gradient "
        f"in the other {len(given.untouched)} rows is {given.step.largest_untouched:g}."
    ),
    picture=_touched_picture,
)

ONCE = Step[LearnsValues](
    name="once",
    title="A gradient by hand",
    prompt=lambda given: (
        f"{given.setting}. So each number `w` adds `w * w / {NUMBERS}` to the loss, and its "
        f"gradient is `2 * w / {NUMBERS}`.\n\n"
        f"`{given.once}` stands in the text once. What is the gradient of its row, {DIM} numbers?"
    ),
    answer=Vector(DIM, 0.006),
    solve=lambda given: given.gradient(given.once),
    mistakes=(
        Mistake(
            f"You forgot the mean: the loss divides by {NUMBERS}.",
            lambda given: 2 * given.row_of(given.once),
        ),
        Mistake(
            f"You divided by the {LENGTH} letters. The mean is over {NUMBERS} numbers.",
            lambda given: 2 * given.row_of(given.once) / LENGTH,
        ),
        Mistake(
            "You forgot the 2: the derivative of w * w is 2 * w.",
            lambda given: given.row_of(given.once) / NUMBERS,
        ),
        Mistake(
            "That is the next letter's row.",
            lambda given: given.one_place(
                given.chars[(given.id_of(given.once) + 1) % len(given.chars)]
            ),
        ),
    ),
    hints=(
        lambda given: f"Read the row of `{given.once}` first.",
        f"Then multiply each of its numbers by 2 and divide by {NUMBERS}.",
    ),
    explanation=lambda given: (
        f"The row is {row(given.row_of(given.once))}, its gradient "
        f"{row(given.gradient(given.once))}: each number times 2, divided by {NUMBERS}. "
        f"Autograd through one-hot and `nn.Linear` gives "
        f"{row(given.step.linear_gradient[given.id_of(given.once)])}."
    ),
    picture=_once_picture,
)

TWICE = Step[LearnsValues](
    name="twice",
    title="A letter that comes twice",
    prompt=lambda given: (
        f"{given.setting}.\n\n`{given.twice}` stands in the text **twice**. What is the "
        f"gradient of its row, {DIM} numbers?"
    ),
    answer=Vector(DIM, 0.006),
    solve=lambda given: given.gradient(given.twice),
    mistakes=(
        Mistake(
            "You counted it once. Its row is in the loss at both places.",
            lambda given: given.one_place(given.twice),
        ),
        Mistake(
            f"You forgot the mean: the loss divides by {NUMBERS}.",
            lambda given: 4 * given.row_of(given.twice),
        ),
    ),
    hints=(
        "Compute what one place gives, as you did before.",
        "Two places have the same row: their gradients add up.",
    ),
    explanation=lambda given: (
        f"Each place gives {row(given.one_place(given.twice))}, and both go to the same "
        f"row: {row(given.gradient(given.twice))}. First number: "
        f"{plus(given.step.terms(given.id_of(given.twice))[1][:, 0])}"
        f" = {short(given.gradient(given.twice)[0])}."
    ),
    picture=_twice_picture,
)

SGD = Step[LearnsValues](
    name="sgd",
    title="One step of SGD",
    prompt=lambda given: (
        f"The row of `{given.twice}` is {row(given.row_of(given.twice))}, and you have its "
        f"gradient. Take one step of SGD with a learning rate of {SGD_LR:g}: "
        "`w - lr * gradient`.\n\nWhat is the row afterwards?"
    ),
    answer=Vector(DIM, 0.006),
    solve=lambda given: given.after_sgd,
    mistakes=(
        Mistake(
            "You went uphill: subtract the gradient, do not add it.",
            lambda given: given.row_of(given.twice) + SGD_LR * given.gradient(given.twice),
        ),
        Mistake(
            "You forgot the learning rate.",
            lambda given: given.row_of(given.twice) - given.gradient(given.twice),
        ),
        Mistake(
            "That is only by how much it moves.",
            lambda given: SGD_LR * given.gradient(given.twice),
        ),
    ),
    hints=(
        "Multiply the gradient by the learning rate first.",
        "Then subtract that from the row, number by number.",
    ),
    explanation=lambda given: (
        f"{row(given.row_of(given.twice))} - {SGD_LR:g} · {row(given.gradient(given.twice))} = "
        f"{row(given.after_sgd)}. All numbers came nearer to 0, the target."
    ),
    picture=_sgd_picture,
)


def _never(given: LearnsValues) -> str:
    moving = [name for name, moved in given.never.items() if moved > 0]
    return moving[0] if len(moving) == 1 else NO_RULE


UNSEEN = Step[LearnsValues](
    name="unseen",
    title="A row nobody looks up",
    predict=True,
    prompt=lambda given: (
        f"`{given.chars[given.untouched[0]]}` is in the table, but not in the text "
        f"`{given.text}`: its gradient is 0 in every step. You train for a few steps.\n\n"
        "Under which rule does its row **move all the same**?"
    ),
    answer=lambda given: rotated((*UNSEEN_RULES, NO_RULE), given.turn),
    solve=_never,
    mistakes=(
        Mistake("SGD moves by lr * gradient, and 0.5 * 0 is 0.", "SGD"),
        Mistake("Adam remembers old gradients, but this row never had one.", "Adam"),
        Mistake("One of them changes every weight, with or without a gradient.", NO_RULE),
    ),
    hints=(
        "Which rule changes a weight and does not need its gradient?",
        "What does the word *decay* say?",
    ),
    explanation=lambda given: (
        "Largest move in 3 steps: "
        + ", ".join(f"{name} {moved:.4g}" for name, moved in given.never.items())
        + ". Weight decay pulls every weight towards 0 in every step, looked up or not."
    ),
    picture=lambda given, answered: _moved(given.never, answered),
)


def _later(given: LearnsValues) -> str:
    sgd, adam = (given.afterwards[name] > 0 for name in LATER_RULES)
    return LATER[2 * adam + sgd]


AFTERWARDS = Step[LearnsValues](
    name="afterwards",
    title="After its last lookup",
    predict=True,
    prompt=lambda given: (
        f"Step 1 looks up all of `{given.text}`. Step 2 looks up the same letters **without** "
        f"`{given.once}`.\n\nIn step 2, which rule still moves the row of `{given.once}`?"
    ),
    answer=lambda given: rotated(LATER, given.turn),
    solve=_later,
    mistakes=(
        Mistake("One of them has a memory: it keeps a running mean of old gradients.", LATER[0]),
        Mistake("SGD forgets at once: with gradient 0 it moves by 0.", LATER[1]),
        Mistake("SGD does not: its step is lr * gradient, and nothing else.", LATER[3]),
    ),
    hints=(
        "Which of the two remembers the gradients of earlier steps?",
        "Adam keeps two running means for every weight, and they fade slowly.",
    ),
    explanation=lambda given: (
        f"In step 2 the row of `{given.once}` moves by {given.afterwards['SGD']:.4g} under SGD and "
        f"by {given.afterwards['Adam']:.4g} under Adam (learning rate {given.lr:g}), which still "
        "remembers step 1."
    ),
    picture=lambda given, answered: _moved(given.afterwards, answered),
)

ADAM = Step[LearnsValues](
    name="adam",
    title="The first step of Adam",
    prompt=lambda given: (
        f"The row of `{given.once}` is {row(given.row_of(given.once))}, and you have its gradient. "
        f"Adam's learning rate is {given.lr:g}.\n\n"
        "In its very first step Adam divides the gradient by its own size, so that only its sign "
        "is left. Then it multiplies by the learning rate. **By how much** does the first number "
        "of the row move? Leave out the sign."
    ),
    answer=Number(0.01, relative=True),
    solve=lambda given: given.adam_move[0],
    mistakes=(
        Mistake(
            "That is what SGD would do with this learning rate: lr * gradient.",
            lambda given: given.lr * given.gradient(given.once)[0],
        ),
        Mistake("That is the gradient itself.", lambda given: given.gradient(given.once)[0]),
        Mistake("That is SGD's learning rate.", lambda given: SGD_LR),
    ),
    hints=(
        "A number divided by its own size is 1 or -1.",
        "What is the learning rate times 1?",
    ),
    explanation=lambda given: (
        "Both numbers of the row move by "
        + " and ".join(f"{float(moved):.3g}" for moved in given.adam_move)
        + f": the learning rate, {given.lr:g}, though the gradients are "
        f"{row(given.gradient(given.once))}. SGD would move the first by "
        f"{short(abs(given.lr * float(given.gradient(given.once)[0])))}."
    ),
    picture=_adam_picture,
)


def _apart(given: LearnsValues) -> str:
    if given.apart <= ROUNDING:
        return APART[0]
    return APART[1] if given.apart < 1 else APART[2]


ROUTES = Step[LearnsValues](
    name="routes",
    title="Two routes, one gradient",
    predict=True,
    prompt=lambda given: (
        "There are two copies of the table. One is the weight of an `nn.Embedding`. The other, "
        f"transposed, is the weight of an `nn.Linear` for one-hot rows. Both train on "
        f"`{given.text}` for {STEPS_APART} steps of Adam with the learning rate {given.lr:g}, each "
        "with its own optimizer.\n\n"
        "How far apart are the two weights afterwards, at most?"
    ),
    answer=lambda given: rotated(APART, given.turn),
    solve=_apart,
    mistakes=(
        Mistake(
            "That would be another way of learning. Are the gradients of the two different?",
            APART[1],
        ),
        Mistake("They would have to learn different things for that.", APART[2]),
    ),
    hints=(
        "They begin with the same numbers. Are their gradients the same?",
        "Same weights, same gradients, same rule: only rounding can make them differ.",
    ),
    explanation=lambda given: (
        f"In {STEPS_APART} steps they differed by at most {given.apart:.3g}. With the same start, "
        "gradient and rule, only rounding can part them. Near the minimum, after many more steps, "
        "Adam can enlarge it."
    ),
    live=_live,
)

LAB = Lab[LearnsValues](
    code="learns",
    title="It learns",
    sign=(
        Grid("row", blank(1, 2)),
        "-",
        Grid("gradient", blank(1, 2)),
        "→",
        Grid("new row", blank(1, 2), marked=whole([0], 2)),
    ),
    goals=(
        "Say which rows get a gradient, and compute one by hand.",
        "Add up the gradients of a letter that comes twice.",
        "Tell which rules move a row that nobody looks up.",
    ),
    make=_make,
    steps=(TOUCHED, ONCE, TWICE, SGD, UNSEEN, AFTERWARDS, ADAM, ROUTES),
    usable=_usable,
)
