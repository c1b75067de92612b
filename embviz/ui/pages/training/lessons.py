"""The lessons of the training page, by the value of the parameter `lesson`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from embviz.ui.pages.training import characters, drift, lockstep, one_step
from embviz.ui.parts.terms import Try, typed

_LONG = "each letter of this text takes its row from the table, and each row is one of a hundred"


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Attributes:
        title: its name in the choice of lessons.
        claim: what is true for all that it shows, as `say` reads it; a function reads settings.
        tries: links to what is worth a look.
        draw: draws it; it gets the inputs where it needs ids.
        settings: draw its widgets above it, outside the body: a key does not draw them again.
        more: draw the widgets that are folded below it.
        folded: the names of their settings; one that is not the default unfolds them.
        needs_ids: whether it learns from the ids of the text field.
    """

    title: str
    claim: str | Callable[[], str]
    tries: tuple[Try, ...]
    draw: Callable[..., None]
    settings: Callable[[], None] | None = None
    more: Callable[[], None] | None = None
    folded: tuple[str, ...] = ()
    needs_ids: bool = True


LESSONS = {
    "step": Lesson(
        "One step",
        "A step of SGD moves only the row that was looked up.",
        (
            (
                "Another letter: press *Step*, then *Play*. Which row moves now, and which stay?",
                "training",
                {"token": 4},
            ),
            (
                "*hello*, and open the whole text: the gradient of *l* is the sum over both "
                "places.",
                "training",
                typed("hello", token=2),
            ),
        ),
        one_step.draw,
        more=one_step.more_settings,
        folded=("rate", "loss", "target"),
    ),
    "lockstep": Lesson(
        "Many steps",
        lockstep.claim,
        (
            (
                "`sparse_adam` on minibatches: another rule, and the weights differ visibly.",
                "training",
                {"optimizer": "sparse_adam", "batches": "minibatch"},
            ),
            (
                "`adam` at 10x on a long text: in 2,000 steps rounding can grow until it is "
                "visible.",
                "training",
                typed(_LONG, optimizer="adam", rate="10x", batches="fixed", dtype="float32"),
            ),
            (
                "The same in `float64`: it starts far smaller.",
                "training",
                typed(_LONG, optimizer="adam", rate="10x", batches="fixed", dtype="float64"),
            ),
        ),
        lockstep.draw,
        lockstep.train_settings,
        lockstep.more_settings,
        ("rate", "batches", "loss", "target"),
    ),
    "drift": Lesson(
        "Rows nobody looks up",
        "Whether a row moves without being looked up depends on the {{optimizer}}.",
        (
            (
                "`weight_decay`: every row moves, looked up or not.",
                "training",
                {"drift": "weight_decay"},
            ),
            (
                "`momentum`, and the second question: a row moves on after its last lookup.",
                "training",
                {"drift": "momentum"},
            ),
        ),
        drift.draw,
        drift.choose,
    ),
    "characters": Lesson(
        "Learn to write",
        "As both routes learn what comes next, the table's rows move.",
        (
            (
                "Pieces in place of characters: which loss per character is lower?",
                "training",
                {"learn_on": "pieces"},
            ),
            (
                "The letter *q*, or click another: its nearest rows, and what the model writes "
                "after it.",
                "training",
                {"learn_on": "characters", "letter": "q"},
            ),
        ),
        characters.draw,
        characters.choose,
        characters.more_settings,
        ("learn_on", "char_dim", "space"),
        needs_ids=False,
    ),
}
