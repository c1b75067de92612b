"""Lab "It learns": which rows get a gradient, how repeats add up, and which rows move.

Four letters, one of them twice, two columns and the mean squared distance to 0: a gradient is
2 w / 8 for each place a letter stands, so it can be done by hand. PyTorch computes all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.core.vocabulary import Vocabulary
from embviz.labs.answers import Ids, Number, Text, Vector, turned
from embviz.labs.exercises.row import LETTERS
from embviz.labs.formatting import grid, listed, plus, row, short
from embviz.labs.record import Lab, Mistake, Step, draw
from embviz.labs.student import Student
from embviz.training.batches import whole_text
from embviz.training.lockstep import Lockstep
from embviz.training.losses import mse
from embviz.training.optimizers import OPTIMIZERS, RATES, TOLERANCE, optimizer_named
from embviz.training.step import OneStep, one_step

CODE = "learns"
DIM = 2
LENGTH = 4
SGD_LR = OPTIMIZERS["sgd"].usual_lr
STEPS_APART = 10  # of both routes, side by side
LATER = ("none of the two", "SGD only", "Adam only", "both")
NEVER = {"SGD": "sgd", "Adam": "adam", "SGD with weight decay": "weight_decay"}
APART = (f"at most {TOLERANCE:f}".rstrip("0"), "about 0.01", "more than 1")


@dataclass(frozen=True, eq=False)
class LearnsValues:
    """What a student works with.

    Attributes:
        chars: the vocabulary, 6 sorted letters.
        text: 4 of them, one twice.
        seed: of the table.
        table: float32 (6, 2), whole numbers; the rows of the text have no 0.
        rate: a key of RATES, for Adam.
        turn: where the lists of choices begin.
    """

    chars: str
    text: str
    seed: int
    table: torch.Tensor
    rate: str
    turn: int

    @property
    def config(self) -> Config:
        """What draws the table; the page has the same settings."""
        return Config(self.chars, len(self.chars), DIM, self.seed, "integers")

    @property
    def ids(self) -> torch.Tensor:
        """The text as ids, int64 (4,)."""
        return torch.tensor(Vocabulary(self.chars).encode(self.text))

    @property
    def twice(self) -> str:
        """The letter that stands there twice."""
        return next(letter for letter in self.text if self.text.count(letter) == 2)

    @property
    def once(self) -> str:
        """The first that stands there once."""
        return next(letter for letter in self.text if self.text.count(letter) == 1)

    @property
    def lr(self) -> float:
        """Adam's learning rate."""
        return optimizer_named("adam").usual_lr * RATES[self.rate]

    @cached_property
    def step(self) -> OneStep:
        """One step forward and backward, by both routes."""
        return one_step(tie(self.config), self.ids, mse(0.0))

    @cached_property
    def untouched(self) -> tuple[int, ...]:
        """Ids that the text does not have."""
        return tuple(sorted(set(range(len(self.chars))) - set(self.ids.tolist())))

    def of(self, letter: str) -> torch.Tensor:
        """A letter's row, (2,)."""
        return self.table[self.chars.index(letter)]

    def gradient(self, letter: str) -> torch.Tensor:
        """The gradient of its row, (2,)."""
        return self.step.embedding_gradient[self.chars.index(letter)]

    def trained(self, optimizer: str, batches: list[torch.Tensor]) -> list[torch.Tensor]:
        """The table after each step, (6, 2): a batch of ids a step, distance to 0 as the loss."""
        weight = nn.Parameter(self.table.clone())
        rate = self.lr if optimizer == "adam" else optimizer_named(optimizer).usual_lr
        update = optimizer_named(optimizer).for_embedding(weight, rate)
        tables = []
        for ids in batches:
            update.zero_grad()
            loss = F.embedding(ids, weight).square().mean()
            (weight.grad,) = torch.autograd.grad(loss, weight)
            update.step()
            tables.append(weight.detach().clone())
        return tables

    @cached_property
    def after_one(self) -> dict[str, torch.Tensor]:
        """The table after one step on the text, a rule each."""
        return {name: self.trained(name, [self.ids])[0] for name in ("sgd", "adam")}

    @cached_property
    def afterwards(self) -> dict[str, float]:
        """How far the row of `once` moves in step 2, which does not look it up; a rule each."""
        place = self.chars.index(self.once)
        batches = [self.ids, self.ids[self.ids != place]]
        found = {}
        for name in ("sgd", "adam"):
            first, second = self.trained(name, batches)
            found[name] = float((second[place] - first[place]).abs().max())
        return found

    @cached_property
    def never(self) -> dict[str, float]:
        """How far the rows that the text does not have move in 3 steps; a rule each."""
        rows = list(self.untouched)
        return {
            name: float((self.trained(key, [self.ids] * 3)[-1] - self.table)[rows].abs().max())
            for name, key in NEVER.items()
        }

    @cached_property
    def apart(self) -> float:
        """Largest difference of both routes' weights in 10 steps of Adam."""
        run = Lockstep(
            self.config,
            self.ids,
            optimizer="adam",
            loss=mse(0.0),
            lr=self.lr,
            batches=whole_text(),
        )
        run.advance(STEPS_APART)
        return run.max_abs_weight_difference


def _make(seed: int, generator: torch.Generator) -> LearnsValues:
    def whole(high: int) -> int:
        return int(torch.randint(0, high, (1,), generator=generator))

    order = torch.randperm(len(LETTERS), generator=generator)[:6]
    chars = "".join(sorted(LETTERS[place] for place in order.tolist()))
    letters = [chars[place] for place in torch.randperm(6, generator=generator)[:3].tolist()]
    letters.insert(1 + whole(LENGTH - 1), letters[0])
    given = LearnsValues(chars, "".join(letters), seed, torch.empty(0), "1x", 0)
    table = tie(given.config).embedding.weight.detach()
    rate = list(RATES)[whole(len(RATES))]
    return replace(given, table=table, rate=rate, turn=whole(12))


def values(student: Student) -> LearnsValues:
    """All that the student's name gives."""
    return draw(student, CODE, _make, STEPS, _usable)


def _usable(given: LearnsValues) -> bool:
    # A 0 in the table has no gradient though it is looked up; an unseen row of zeros cannot decay.
    return bool((given.table != 0).all())


def _show(**more: str) -> Callable[[LearnsValues], dict[str, Any]]:
    def show(given: LearnsValues) -> dict[str, Any]:
        settings = {
            "input": "text",
            "text": given.text,
            "vocab": "custom",
            "chars": given.chars,
            "rows": len(given.chars),
            "dim": DIM,
            "seed": given.seed,
            "init": "integers",
            "dtype": "float32",
            "unknown": "error",
            "escapes": False,
            "loss": "mse",
            "target": "0",
            "lesson": "step",
        }
        if more.get("optimizer") == "adam":
            settings["rate"] = given.rate
        return {"part": "training", "settings": settings | more}

    return show


def _setting(given: LearnsValues) -> str:
    """What every step begins with."""
    return (
        f"The table has a row for each letter of `{given.chars}`:\n\n"
        f"{grid(given.table, list(given.chars))}\n\n"
        f"The text is `{given.text}`. The loss is the mean of the squares of all "
        f"{LENGTH} x {DIM} = {LENGTH * DIM} numbers that are looked up"
    )


def _once_by_formula(given: LearnsValues, letter: str) -> torch.Tensor:
    return 2 * given.of(letter) / (LENGTH * DIM)


TOUCHED = Step[LearnsValues](
    name="touched",
    title="Which rows get a gradient?",
    kind="predict",
    prompt=lambda given: (
        f"{_setting(given)}.\n\nAfter `loss.backward()`, which rows of `embedding.weight.grad` "
        "are **not** all zeros? Write their ids, counted from 0."
    ),
    answer=Ids(6, ordered=False),
    solve=lambda given: tuple(
        given.step.embedding_gradient.abs().sum(1).nonzero().flatten().tolist()
    ),
    mistakes=(
        Mistake(
            "Those are the rows that nobody looked up.",
            lambda given: given.untouched,
        ),
        Mistake(
            "Those are all the rows. Does the loss know of every one?",
            lambda given: tuple(range(len(given.chars))),
        ),
        Mistake(
            "You counted from 1: the first letter has id 0.",
            lambda given: tuple(sorted(set((given.ids + 1).tolist()))),
        ),
    ),
    hints=(
        "If you changed a row a little, would the loss change?",
        "Only the rows of letters in the text are in the loss.",
    ),
    explanation=lambda given: (
        f"{len(given.step.touched[0])} of {len(given.chars)} rows: ids "
        f"{row(given.step.touched[0])}, the letters of the text, each once. The largest gradient "
        f"in the other {len(given.untouched)} rows is {given.step.largest_untouched:g}."
    ),
    show=_show(),
)

ONCE = Step[LearnsValues](
    name="once",
    title="A gradient by hand",
    kind="do",
    prompt=lambda given: (
        f"{_setting(given)}, so each number `w` adds `w * w / {LENGTH * DIM}` to it, and its "
        f"gradient is `2 * w / {LENGTH * DIM}`.\n\n"
        f"`{given.once}` stands in the text once. What is the gradient of its row, {DIM} numbers?"
    ),
    answer=Vector(DIM, 0.006),
    solve=lambda given: listed(given.gradient(given.once)),
    mistakes=(
        Mistake(
            "You forgot the mean: the loss divides by the number of numbers.",
            lambda given: listed(2 * given.of(given.once)),
        ),
        Mistake(
            f"You divided by the {LENGTH} letters; the mean is over {LENGTH * DIM} numbers.",
            lambda given: listed(2 * given.of(given.once) / LENGTH),
        ),
        Mistake(
            "You forgot the 2: the derivative of w * w is 2 * w.",
            lambda given: listed(given.of(given.once) / (LENGTH * DIM)),
        ),
        Mistake(
            "That is the next letter's row.",
            lambda given: listed(
                _once_by_formula(
                    given, given.chars[(given.chars.index(given.once) + 1) % len(given.chars)]
                )
            ),
        ),
    ),
    hints=(
        lambda given: f"Read the row of `{given.once}` first.",
        f"Then take each of its numbers times 2 and divide by {LENGTH * DIM}.",
    ),
    explanation=lambda given: (
        f"The row is {row(given.of(given.once))}, its gradient "
        f"{row(given.gradient(given.once))}: each number times 2, divided by {LENGTH * DIM}. "
        f"Autograd through one-hot and `nn.Linear` gives "
        f"{row(given.step.linear_gradient[given.chars.index(given.once)])}."
    ),
    show=_show(),
)

TWICE = Step[LearnsValues](
    name="twice",
    title="A letter that comes twice",
    kind="do",
    prompt=lambda given: (
        f"{_setting(given)}.\n\n`{given.twice}` stands in the text **twice**. What is the "
        f"gradient of its row, {DIM} numbers?"
    ),
    answer=Vector(DIM, 0.006),
    solve=lambda given: listed(given.gradient(given.twice)),
    mistakes=(
        Mistake(
            "You counted it once. Its row is in the loss at both places.",
            lambda given: listed(_once_by_formula(given, given.twice)),
        ),
        Mistake(
            "You forgot the mean: the loss divides by the number of numbers.",
            lambda given: listed(4 * given.of(given.twice)),
        ),
    ),
    hints=(
        "Work out what one place gives, as you did before.",
        "Two places of the same row: their gradients add up.",
    ),
    explanation=lambda given: (
        f"Each place gives {row(_once_by_formula(given, given.twice))}, and both go to the same "
        f"row: {row(given.gradient(given.twice))}. First number: "
        f"{plus(given.step.contributions(given.chars.index(given.twice)).gradients[:, 0].tolist())}"
        f" = {short(float(given.gradient(given.twice)[0]))}."
    ),
    show=_show(),
)

SGD = Step[LearnsValues](
    name="sgd",
    title="One step of SGD",
    kind="do",
    prompt=lambda given: (
        f"The row of `{given.twice}` is {row(given.of(given.twice))}, and you have its gradient. "
        f"Take one step of SGD with a learning rate of {SGD_LR:g}: "
        "`w - lr * gradient`.\n\nWhat is the row afterwards?"
    ),
    answer=Vector(DIM, 0.006),
    solve=lambda given: listed(given.after_one["sgd"][given.ids[given.text.index(given.twice)]]),
    mistakes=(
        Mistake(
            "You went uphill: the gradient is taken away, not added.",
            lambda given: listed(given.of(given.twice) + SGD_LR * given.gradient(given.twice)),
        ),
        Mistake(
            "You forgot the learning rate.",
            lambda given: listed(given.of(given.twice) - given.gradient(given.twice)),
        ),
        Mistake(
            "That is only by how much it moves.",
            lambda given: listed(SGD_LR * given.gradient(given.twice)),
        ),
    ),
    hints=(
        "Multiply the gradient by the learning rate first.",
        "Then take that away from the row, number by number.",
    ),
    explanation=lambda given: (
        f"{row(given.of(given.twice))} - {SGD_LR:g} · {row(given.gradient(given.twice))} = "
        f"{row(given.after_one['sgd'][given.chars.index(given.twice)])}. All "
        "numbers came nearer to 0, the target."
    ),
    show=_show(lesson="lockstep", optimizer="sgd", rate="1x", batches="fixed"),
)


def _never(given: LearnsValues) -> str:
    moving = [name for name, moved in given.never.items() if moved > 0]
    return moving[0] if len(moving) == 1 else "none of them"


UNSEEN = Step[LearnsValues](
    name="unseen",
    title="A row nobody looks up",
    kind="predict",
    prompt=lambda given: (
        f"`{given.chars[given.untouched[0]]}` is in the table, but not in the text "
        f"`{given.text}`: its gradient is 0 in every step. You train for a few steps.\n\n"
        "Under which rule does its row **move all the same**?"
    ),
    answer=lambda given: turned((*NEVER, "none of them"), given.turn),
    solve=_never,
    mistakes=(
        Mistake("SGD moves by lr * gradient, and 0.5 * 0 is 0.", lambda given: "SGD"),
        Mistake(
            "Adam remembers old gradients, but this row never had one.",
            lambda given: "Adam",
        ),
        Mistake(
            "One of them does something to every weight, gradient or not.",
            lambda given: "none of them",
        ),
    ),
    hints=(
        "Which rule changes a weight without asking for its gradient?",
        "What does the word *decay* say?",
    ),
    explanation=lambda given: (
        "Largest move in 3 steps: "
        + ", ".join(f"{name} {moved:.4g}" for name, moved in given.never.items())
        + ". Weight decay pulls every weight towards 0 in every step, looked up or not."
    ),
    show=_show(lesson="drift"),
)


def _later(given: LearnsValues) -> str:
    sgd, adam = (given.afterwards[name] > 0 for name in ("sgd", "adam"))
    return LATER[2 * adam + sgd]


AFTERWARDS = Step[LearnsValues](
    name="afterwards",
    title="After its last lookup",
    kind="predict",
    prompt=lambda given: (
        f"Step 1 looks up all of `{given.text}`. Step 2 looks up the same letters **without** "
        f"`{given.once}`.\n\nIn step 2, which rule still moves the row of `{given.once}`?"
    ),
    answer=lambda given: turned(LATER, given.turn),
    solve=_later,
    mistakes=(
        Mistake(
            "One of them has a memory: it keeps a running mean of old gradients.",
            lambda given: LATER[0],
        ),
        Mistake("SGD forgets at once: with gradient 0 it moves by 0.", lambda given: LATER[1]),
        Mistake(
            "SGD does not: its step is lr * gradient, and nothing else.", lambda given: LATER[3]
        ),
    ),
    hints=(
        "Which of the two remembers the gradients of earlier steps?",
        "Adam keeps two running means for every weight, and they fade slowly.",
    ),
    explanation=lambda given: (
        f"In step 2 the row of `{given.once}` moves by {given.afterwards['sgd']:.4g} under SGD and "
        f"by {given.afterwards['adam']:.4g} under Adam (learning rate {given.lr:g}), which still "
        "remembers step 1."
    ),
    show=_show(lesson="drift"),
)

ADAM = Step[LearnsValues](
    name="adam",
    title="The first step of Adam",
    kind="do",
    prompt=lambda given: (
        f"The row of `{given.once}` is {row(given.of(given.once))}, and you have its gradient. "
        f"Adam's learning rate is {given.lr:g}.\n\n"
        "In its very first step Adam divides the gradient by its own size, so that only its sign "
        "is left, and multiplies by the learning rate. **By how much** does the first number of "
        "the row move? Leave out the sign."
    ),
    answer=Number(0.01, relative=True),
    solve=lambda given: float(
        (given.after_one["adam"] - given.table)[given.chars.index(given.once), 0].abs()
    ),
    mistakes=(
        Mistake(
            "That is what SGD would do with this learning rate: lr * gradient.",
            lambda given: float(given.lr * given.gradient(given.once)[0]),
        ),
        Mistake(
            "That is the gradient itself.",
            lambda given: float(given.gradient(given.once)[0]),
        ),
        Mistake("That is SGD's learning rate.", lambda given: SGD_LR),
    ),
    hints=(
        "A number divided by its own size is 1 or -1.",
        "What is the learning rate times 1?",
    ),
    explanation=lambda given: (
        "Both numbers of the row move by "
        + " and ".join(
            f"{abs(value):.3g}"
            for value in (given.after_one["adam"] - given.table)[
                given.chars.index(given.once)
            ].tolist()
        )
        + f": the learning rate, {given.lr:g}, though the gradients are "
        f"{row(given.gradient(given.once))}. SGD would move the first by "
        f"{short(abs(given.lr * float(given.gradient(given.once)[0])))}."
    ),
    show=_show(lesson="lockstep", optimizer="adam", batches="fixed"),
)


def _apart(given: LearnsValues) -> str:
    if given.apart <= TOLERANCE:
        return APART[0]
    return APART[1] if given.apart < 1 else APART[2]


ROUTES = Step[LearnsValues](
    name="routes",
    title="Two routes, one teacher",
    kind="predict",
    prompt=lambda given: (
        "Two copies of the table: one is the weight of an `nn.Embedding`, the other, turned, of "
        f"an `nn.Linear` that gets one-hot rows. Both train on `{given.text}` for {STEPS_APART} "
        f"steps of Adam with the learning rate {given.lr:g}, each with an optimizer of its own.\n\n"
        "How far apart are the two weights afterwards, at most?"
    ),
    answer=lambda given: turned(APART, given.turn),
    solve=_apart,
    mistakes=(
        Mistake(
            "That would be another way of learning. Are the gradients of the two different?",
            lambda given: APART[1],
        ),
        Mistake("They would have to learn different things for that.", lambda given: APART[2]),
    ),
    hints=(
        "They begin with the same numbers. Are their gradients the same?",
        "Same weights, same gradients, same rule: what could drive them apart but rounding?",
    ),
    explanation=lambda given: (
        f"After {STEPS_APART} steps they differ by at most {given.apart:.3g}. Same start, same "
        "gradient, same rule: they learn in lockstep, but for rounding."
    ),
    show=_show(lesson="lockstep", optimizer="adam", batches="fixed"),
)

WHY = Step[LearnsValues](
    name="why",
    title="In your own words",
    kind="explain",
    prompt=lambda given: (
        "Why is the gradient of a row that was not looked up exactly zero, for the lookup *and* "
        "for one-hot times `nn.Linear`? Two or three sentences."
    ),
    answer=Text(),
    hints=("What does the one-hot row multiply that weight by?",),
    explanation=lambda given: (
        "A good answer: a row that is not looked up is not in the loss, so changing it changes "
        "nothing. In the product its column is multiplied by 0 for each of the "
        f"{LENGTH} letters, and the gradient of `0 * w` is 0. Here that holds for "
        f"{len(given.untouched)} of {len(given.chars)} rows."
    ),
)

STEPS = (TOUCHED, ONCE, TWICE, SGD, UNSEEN, AFTERWARDS, ADAM, ROUTES, WHY)

assert set(NEVER.values()) <= set(OPTIMIZERS)

LAB = Lab[LearnsValues](
    code=CODE,
    title="It learns",
    minutes=15,
    goals=(
        "Say which rows get a gradient, and compute one by hand.",
        "Add up the gradients of a letter that comes twice.",
        "Tell which rules move a row that nobody looks up.",
    ),
    values=values,
    steps=STEPS,
)
