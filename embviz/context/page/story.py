"""A row of nn.Embedding never depends on its neighbours; what is added on top does."""

import streamlit as st

from embviz.context.page import contextual, sentences, static
from embviz.ui.elements.links import Try, headline, try_this, typed
from embviz.ui.elements.widgets import segments
from embviz.ui.frame.body import body
from embviz.ui.state.address import setting
from embviz.ui.state.session import session

CHAPTERS = {"static": static, "contextual": contextual, "sentences": sentences}


def draw() -> None:
    """The chapter, with its settings."""
    chapter = CHAPTERS[setting("chapter")]
    with session().tabs:
        segments("Chapter", "chapter", label_visibility="collapsed", wrap=True)
    headline(chapter.claim(), *chapter.TERMS)
    letters()
    more = READ if setting("chapter") == "sentences" and sentences.can_read() else ()
    try_this(*TRIES[setting("chapter")], *more)


@body
def letters() -> None:
    """Draw the chapter."""
    with st.container(gap="xsmall"):  # as between the folds below it
        CHAPTERS[setting("chapter")].draw()


DEED = {"world": "letters", "input": "text", "text": "deed"}
TRIES: dict[str, tuple[Try, ...]] = {
    "static": (
        (
            "*cab* and *bac*: the same three rows, in another order.",
            "context",
            {"world": "letters", "input": "text", "text": "cab", "edit": "bac"},
        ),
        (
            "*bank bank*: both times the same rows, whatever stands around them.",
            "context",
            typed("bank bank"),
        ),
        (
            "A changed token, *bark bank*: all other rows stay as they are.",
            "context",
            typed("bank bank", edit="bark bank"),
        ),
    ),
    "contextual": (
        (
            "*deed*, neither places nor attention: the rows stay, equal tokens come out equal.",
            "context",
            DEED | {"places": False, "attention": False},
        ),
        (
            "Attention alone, with the mask `full`: all pairs stay the same.",
            "context",
            DEED | {"places": False, "attention": True, "mask": "full"},
        ),
    ),
    "sentences": (
        (
            "*bank* as this model's `nn.Embedding` knows it, without a sentence: its nearest rows.",
            "playground",
            {"world": "words", "input": "text", "text": "bank", "panel": "nearest"},
        ),
    ),
}
# Where a model is there to read them.
READ: tuple[Try, ...] = (
    (
        "Sentences with *spring* in two senses; or write your own, with *bat*.",
        "context",
        {
            "sentences": "we drank from the spring\nthe spring of the clock broke",
            "word": "spring",
        },
    ),
    (
        "A long word, *embeddings*: the model reads it as four tokens.",
        "context",
        {"sentences": "embeddings rise\nwords about embeddings", "word": "embeddings"},
    ),
)
