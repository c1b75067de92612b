"""The lessons of the training page, by the value of the parameter `lesson`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from embviz.ui.pages.training import characters, drift, lockstep, one_step


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Attributes:
        title: its name in the choice of lessons.
        claim: what is true for all that it shows, as `say` reads it; a function reads settings.
        try_this: what to change and what to look for.
        draw: draws it; it gets the inputs where it needs ids.
        settings: draw its widgets above it, outside the body: a key does not draw them again.
        more: draw the widgets that are folded below it.
        folded: the names of their settings; one that is not the default unfolds them.
        needs_ids: whether it learns from the ids of the text field.
    """

    title: str
    claim: str | Callable[[], str]
    try_this: str
    draw: Callable[..., None]
    settings: Callable[[], None] | None = None
    more: Callable[[], None] | None = None
    folded: tuple[str, ...] = ()
    needs_ids: bool = True


LESSONS = {
    "step": Lesson(
        "One step",
        "A training step moves only the row that was looked up.",
        """
- Press *Step*, then *Play*. Which rows move, and which stay?
- Choose another letter: now its row moves.
- Open the part on the whole text, and type a letter twice. Its row's gradient is the sum over both
  places.
""",
        one_step.draw,
        more=one_step.more_settings,
        folded=("rate", "loss", "target"),
    ),
    "lockstep": Lesson(
        "Many steps",
        lockstep.claim,
        """
- Choose `sparse_adam` and *minibatch*: another rule, and the weights differ visibly.
- Type a long text and play `adam` at 10x for 2,000 steps. Rounding can grow until it is visible;
  with dtype `float64` it starts far smaller.
""",
        lockstep.draw,
        lockstep.train_settings,
        lockstep.more_settings,
        ("rate", "batches", "loss", "target"),
    ),
    "drift": Lesson(
        "Rows nobody looks up",
        "Whether a row moves without being looked up depends on the {{optimizer}}.",
        """
- Choose `weight_decay`: every row moves, looked up or not.
- Choose `momentum` and open the second question: a row moves on after its last lookup.
""",
        drift.draw,
        drift.choose,
    ),
    "characters": Lesson(
        "Learn to write",
        "As both routes learn what comes next, the table's rows move.",
        """
- Choose *pieces*. Which loss per character is lower?
- Click a letter in the picture: its nearest rows are shown, and what the model writes after it.
""",
        characters.draw,
        characters.choose,
        characters.more_settings,
        ("learn_on", "char_dim", "space"),
        needs_ids=False,
    ),
}
