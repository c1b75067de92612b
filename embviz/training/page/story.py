"""Both layers learn, lesson by lesson."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from embviz.training.page import one_step, six_letters, sizes, unseen, write
from embviz.ui.elements.links import Try, headline, try_this, typed
from embviz.ui.elements.widgets import segments
from embviz.ui.frame.body import body
from embviz.ui.state.address import setting
from embviz.ui.state.session import session


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Attributes:
        title: its name on the page.
        claim: what it shows, in one sentence.
        terms: words that the tooltip of the claim explains.
        draw: draws it.
        tries: links to try.
    """

    title: str
    claim: str
    terms: tuple[str, ...]
    draw: Callable[[], None]
    tries: tuple[Try, ...]


def draw() -> None:
    """The lesson, with its settings."""
    lesson = LESSONS[setting("lesson")]
    with session().tabs:
        segments(
            "Lesson",
            "lesson",
            format_func=lambda name: LESSONS[name].title,
            label_visibility="collapsed",
            wrap=True,
        )
    headline(lesson.claim, *lesson.terms)
    steps()
    try_this(*lesson.tries)


@body
def steps() -> None:
    """Draw the lesson."""
    with st.container(gap="xsmall"):  # as between the folds below it
        LESSONS[setting("lesson")].draw()


LONG = "each letter of this text takes its row from the table, and each row is one of a hundred"
TWO = {"lesson": "write", "char_dim": 2}
LESSONS = {
    "letters": Lesson(
        "Six letters learn",
        "Letters that are followed by the same letters get similar rows.",
        (),
        six_letters.draw,
        (
            ("Another seed, other random rows: the same two in the end?", "training", {"seed": 7}),
            (
                "*One step*: how a single row moves, number by number.",
                "training",
                {"lesson": "step"},
            ),
        ),
    ),
    "step": Lesson(
        "One step",
        "A step of SGD moves only the row that is looked up, in both layers alike.",
        ("token", "one-hot", "matmul"),
        one_step.draw,
        (
            (
                "The target `stripes`: press *Play*.",
                "training",
                {"lesson": "step", "target": "stripes", "optimizer": "sgd", "batches": "fixed"},
            ),
            (
                "`sparse_adam` on minibatches: another rule, and the weights differ visibly.",
                "training",
                {"lesson": "step", "optimizer": "sparse_adam", "batches": "minibatch"},
            ),
            (
                "`adam` at 10x on a long text, for 2,000 steps: does rounding become visible?",
                "training",
                typed(
                    LONG,
                    optimizer="adam",
                    rate="10x",
                    batches="fixed",
                    dtype="float32",
                    steps=2_000,
                ),
            ),
        ),
    ),
    "unseen": Lesson(
        "Rows nobody looks up",
        "Whether a row moves without being looked up depends on the optimizer.",
        ("token", "one-hot", "matmul"),
        unseen.draw,
        (
            ("*hello*: the row of *l* is left out after 10 steps.", "training", typed("hello")),
            ("The lab *It learns*: say by hand which rule moves a row.", "labs", {"lab": "learns"}),
        ),
    ),
    "write": Lesson(
        "Letters find their kind",
        "Training gives rows a meaning: characters that are used alike come together.",
        ("token", "logits", "nats"),
        write.draw,
        (
            (
                "*How large is D?*: the loss with 2 to 32 numbers a row.",
                "training",
                {"lesson": "size"},
            ),
            ("Temperature 0.5: it writes what is likely.", "training", {"temperature": "0.5"}),
        ),
    ),
    "size": Lesson(
        "How large is D?",
        "How large should `embedding_dim` be? Double it until the loss hardly falls.",
        ("token", "logits", "nats"),
        sizes.draw,
        (
            ("D = 2, all of it on a map: does it write worse?", "training", TWO),
            ("Another seed, other random numbers: the same D?", "training", {"seed": 7}),
        ),
    ),
}
