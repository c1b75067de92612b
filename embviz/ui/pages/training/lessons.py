"""The lessons of the training page, by the value of the parameter `lesson`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from embviz.ui.pages.training import one_step, unseen, write
from embviz.ui.parts.links import Try, typed
from embviz.ui.parts.widgets import opens, segments, text_line
from embviz.ui.state.session import setting

_LONG = "each letter of this text takes its row from the table, and each row is one of a hundred"


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Attributes:
        title: its name in the choice of lessons.
        claim: what is true for all that it shows.
        tries: links to what is worth a look.
        draw: draws it; it gets the inputs where it needs ids.
        settings: draws its widgets, outside the body: a key does not draw them again.
        needs_ids: whether it learns from the ids of the text field.
    """

    title: str
    claim: str
    tries: tuple[Try, ...]
    draw: Callable[..., None]
    settings: Callable[[], None] = lambda: None
    needs_ids: bool = True


def _loss() -> None:
    """Widgets of the learning rate, the loss and its target."""
    fold = st.expander("Learning rate, loss, target", opens("loss fold", *one_step.READS))
    left, middle, right = fold.columns(3, vertical_alignment="bottom")
    with left:
        segments("Learning rate", "rate")
    with middle:
        segments("Loss", "loss")
    with right:
        text_line("Target", "target", disabled=setting("loss") != "mse")


LESSONS = {
    "step": Lesson(
        "One step",
        "A step of SGD moves one row: the one looked up.",
        (
            (
                "*hello*, and open the whole text: the gradient of *l* is the sum over both "
                "places.",
                "training",
                typed("hello", token=2),
            ),
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
        ),
        one_step.draw,
        _loss,
    ),
    "unseen": Lesson(
        "Rows nobody looks up",
        "Whether a row moves without being looked up depends on the optimizer.",
        (
            ("*hello*: the row of *l* is left out after 10 steps.", "training", typed("hello")),
            ("The lab *It learns*: say by hand which rule moves a row.", "labs", {"lab": "learns"}),
        ),
        unseen.draw,
    ),
    "write": Lesson(
        "Learn to write",
        "As the model learns what comes next, each row finds its place.",
        (
            (
                "Pieces in place of characters: which loss per character is lower?",
                "training",
                {"learn_on": "pieces"},
            ),
            ("Temperature 0.5: it writes what is likely.", "training", {"temperature": "0.5"}),
        ),
        write.draw,
        write.choose,
        needs_ids=False,
    ),
}
