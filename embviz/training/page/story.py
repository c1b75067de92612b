"""Both layers learn, lesson by lesson."""

import streamlit as st

from embviz.training.page import one_step, sizes, unseen, write
from embviz.ui.elements.links import Try, headline, try_this, typed
from embviz.ui.elements.widgets import segments
from embviz.ui.frame.body import body
from embviz.ui.state.address import setting

LESSONS = {"step": one_step, "unseen": unseen, "write": write, "size": sizes}
TITLES = {
    "step": "One step",
    "unseen": "Rows nobody looks up",
    "write": "Learn to write",
    "size": "How large is D?",
}
CLAIMS = {
    "step": "A step of SGD moves the row looked up alone, and in both layers alike.",
    "unseen": "Whether a row moves without being looked up depends on the optimizer.",
    "write": "Training gives rows a meaning: characters that are used alike come together.",
    "size": "How large should `embedding_dim` be? Double it until the loss hardly falls.",
}
# Words of each lesson that its headline's tooltip explains.
TERMS = {
    "step": ("token", "one-hot", "matmul"),
    "unseen": ("token", "one-hot", "matmul"),
    "write": ("token", "logits", "nats"),
    "size": ("token", "logits", "nats"),
}


def draw() -> None:
    """The lesson, with its settings."""
    lesson = setting("lesson")
    headline(CLAIMS[lesson], *TERMS[lesson])
    segments(
        "Lesson",
        "lesson",
        format_func=TITLES.__getitem__,
        label_visibility="collapsed",
        wrap=True,
    )
    steps()
    try_this(*TRIES[lesson])


@body
def steps() -> None:
    """Draw the lesson."""
    with st.container(gap="xsmall"):  # as between the folds below it
        LESSONS[setting("lesson")].draw()


LONG = "each letter of this text takes its row from the table, and each row is one of a hundred"
TWO = {"lesson": "write", "char_dim": 2}
TRIES: dict[str, tuple[Try, ...]] = {
    "step": (
        ("The target `stripes`: press *Play*.", "training", {"target": "stripes"}),
        (
            "`sparse_adam` on minibatches: another rule, and the weights differ visibly.",
            "training",
            {"optimizer": "sparse_adam", "batches": "minibatch"},
        ),
        (
            "`adam` at 10x on a long text, for 2,000 steps: does rounding become visible?",
            "training",
            typed(
                LONG, optimizer="adam", rate="10x", batches="fixed", dtype="float32", steps=2_000
            ),
        ),
    ),
    "unseen": (
        ("*hello*: the row of *l* is left out after 10 steps.", "training", typed("hello")),
        ("The lab *It learns*: say by hand which rule moves a row.", "labs", {"lab": "learns"}),
    ),
    "write": (
        ("*How large is D?*: the loss with 2 to 32 numbers a row.", "training", {"lesson": "size"}),
        ("Temperature 0.5: it writes what is likely.", "training", {"temperature": "0.5"}),
    ),
    "size": (
        ("D = 2, all of it on a map: does it write worse?", "training", TWO),
        ("Another seed, other random numbers: the same D?", "training", {"seed": 7}),
    ),
}
