"""The chapters of the context page, by the value of the parameter `chapter`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from embviz.ui.pages.context import contextual, sentences, static
from embviz.ui.parts.links import Try, typed


@dataclass(frozen=True)
class Chapter:
    """One chapter.

    Attributes:
        claim: what it shows, in one sentence.
        draw: draws it; it gets the inputs where it needs ids.
        settings: draws its widgets above it, outside the body: a key does not draw them again.
        more: draws those below it, folded unless the address sets one.
        tries: links to what is worth a look.
        needs_ids: whether it uses the ids of the text field.
    """

    claim: str
    draw: Callable[..., None]
    tries: tuple[Try, ...]
    settings: Callable[[], None] = lambda: None
    more: Callable[[], None] = lambda: None
    needs_ids: bool = True


CHAPTERS = {
    "static": Chapter(
        "A letter takes its row with it: a row never depends on its neighbours.",
        static.draw,
        (
            (
                "*bank bank*: both times the same rows, whatever stands around them.",
                "context",
                typed("bank bank"),
            ),
            (
                "A changed letter, *bark bank*: all other rows stay as they are.",
                "context",
                typed("bank bank", then="edit", edit="bark bank"),
            ),
        ),
        more=static.more,
    ),
    "contextual": Chapter(
        "Equal letters have equal rows; places and attention on top can make them differ.",
        contextual.draw,
        (
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
            (
                "Places alone: equal letters get different vectors at once.",
                "context",
                {"places": True, "attention": False},
            ),
        ),
        settings=contextual.settings,
    ),
    "sentences": Chapter(
        "One word, one row; a Sentence-BERT on top tells its senses apart.",
        sentences.draw,
        (
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
        needs_ids=False,
    ),
}
