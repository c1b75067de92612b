"""A row of nn.Embedding never depends on its neighbours; what is added on top does."""

import streamlit as st

from embviz.ui.frame.body import body
from embviz.ui.pages.context import contextual, sentences, static
from embviz.ui.parts.links import Try, headline, try_this, typed
from embviz.ui.parts.widgets import segments
from embviz.ui.state.session import setting

CHAPTERS = {"static": static, "contextual": contextual, "sentences": sentences}
CLAIMS = {
    "static": "A letter takes its row with it: a row never depends on its neighbours.",
    "contextual": "Equal letters have equal rows; places and attention on top can make them "
    "differ.",
    "sentences": "One word, one row; a Sentence-BERT on top tells its senses apart.",
}


def draw() -> None:
    """The chapter, with its settings."""
    chapter = setting("chapter")
    headline(CLAIMS[chapter])
    segments("Chapter", "chapter", label_visibility="collapsed", wrap=True)
    letters()
    try_this(*TRIES[chapter])


@body
def letters() -> None:
    """Draw the chapter."""
    with st.container(gap="xsmall"):  # as between the folds below it
        CHAPTERS[setting("chapter")].draw()


TRIES: dict[str, tuple[Try, ...]] = {
    "static": (
        (
            "*bank bank*: both times the same rows, whatever stands around them.",
            "context",
            typed("bank bank"),
        ),
        (
            "A changed letter, *bark bank*: all other rows stay as they are.",
            "context",
            typed("bank bank", edit="bark bank"),
        ),
    ),
    "contextual": (
        (
            "Neither places nor attention: the rows stay, and equal letters come out equal.",
            "context",
            {"places": False, "attention": False},
        ),
        (
            "Attention alone, with the mask `full`: all pairs stay the same.",
            "context",
            {"places": False, "attention": True, "mask": "full"},
        ),
    ),
    "sentences": (
        (
            "Sentences with *spring* in two senses; or write your own, with *bat*.",
            "context",
            {
                "sentences": "we drank from the spring\nthe spring of the clock broke",
                "word": "spring",
            },
        ),
        (
            "A long word, *embeddings*: the model reads it in pieces.",
            "context",
            {"sentences": "embeddings rise\nwords about embeddings", "word": "embeddings"},
        ),
    ),
}
