"""The chapters of the context page, by the value of the parameter `chapter`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from embviz.ui.pages.context import contextual, sentences, static


@dataclass(frozen=True)
class Chapter:
    """One chapter.

    Attributes:
        claim: what it shows, in one sentence.
        draw: draws it; it gets the inputs where it needs ids.
        settings: draws its widgets above it, outside the body: a key does not draw them again.
        more: draws those below it, folded unless the address sets one.
        try_this: what to change and what to look for, as Markdown.
        needs_ids: whether it uses the ids of the text field.
    """

    claim: str
    draw: Callable[..., None]
    try_this: str
    settings: Callable[[], None] = lambda: None
    more: Callable[[], None] = lambda: None
    needs_ids: bool = True


CHAPTERS = {
    "static": Chapter(
        "A letter takes its row with it: a row never depends on its neighbours.",
        static.draw,
        """
- Type a word twice, such as *bank bank*: both times the same rows, whatever stands around them.
- Choose *edit* and change a letter: all other rows stay as they are.""",
        more=static.more,
    ),
    "contextual": Chapter(
        "Equal letters have equal rows; positions and attention on top can make them differ.",
        contextual.draw,
        """
- Switch self-attention off and on: the rows of the table never change, what comes out does.
- Take the mask `full` without positions: shuffling the text only shuffles what comes out.
- Add positions: equal letters get different vectors at once.""",
        settings=contextual.settings,
    ),
    "sentences": Chapter(
        "A word has one row in every sentence; a {{Sentence-BERT}} on top tells its senses apart.",
        sentences.draw,
        """
- Write sentences of your own with one word in two senses, such as *spring* or *bat*.
- Take a long word: the model reads it in pieces.""",
        needs_ids=False,
    ),
}
