"""From a question or a pasted error to the cases and pages about it.

A case opens only by a message that it lists, if no other lists it as well. For any other text the
nearest in words are offered; a headline says where no case lists an error.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from embviz.limits.case import Case
from embviz.limits.elsewhere import Elsewhere
from embviz.limits.meanings import meaning
from embviz.limits.messages import cases_by_message, plain
from embviz.limits.nearest import UNSURE, nearest
from embviz.limits.settings import MAX_CHARACTERS

OFFERED = 5
NO_CASE = "No case lists this error. The nearest in words:"
NOT_SURE = "No sure answer. The nearest in words:"
_ERROR = re.compile("(?:error|exception|warning): ")


class Found(NamedTuple):
    """The result of a search.

    Attributes:
        opened: the case that lists the text, or None.
        listed: other cases that list it too, the best first.
        near: the cases and pages that are nearest in words; OFFERED with those that list it.
        is_error: whether the text looks like an error message.
        is_unsure: whether even the nearest in words is far from the text.
    """

    opened: Case | None = None
    listed: tuple[Case | Elsewhere, ...] = ()
    near: tuple[Case | Elsewhere, ...] = ()
    is_error: bool = False
    is_unsure: bool = False

    @property
    def offered(self) -> tuple[Case | Elsewhere, ...]:
        """All but the opened case, the best first; at most OFFERED."""
        return self.listed + self.near

    def parts(self) -> list[tuple[str, tuple[Case | Elsewhere, ...]]]:
        """Each headline with the cases and pages below it, for a text that opens no case."""
        nearest_said = "The nearest in words:"
        if self.is_error and not self.listed:
            nearest_said = NO_CASE
        elif self.is_unsure and not self.listed:
            nearest_said = NOT_SURE
        headlines = {
            "This text has several causes. Cases that list it:": self.listed,
            nearest_said: self.near,
        }
        return [(headline, records) for headline, records in headlines.items() if records]


def find(text: str) -> Found:
    """Search for a text.

    >>> find("IndexError: index out of range in self").opened.name
    'out-of-range'
    >>> found = find("how large should embedding_dim be?")
    >>> found.opened, found.offered[0].title
    (None, 'How large is D?')
    >>> find("What is a gradient?").offered[0].title
    'What gradient means'
    """
    text = plain(text[-MAX_CHARACTERS:])
    if not text:
        return Found()  # the search is not imported before something is asked
    if word := meaning(text):
        others = tuple(record for record, _ in nearest(text))[: OFFERED - 1]
        return Found(near=(word, *others))
    opened, fitting = cases_by_message(text)
    listed = tuple(case for case in fitting if case is not opened)[:OFFERED]
    message = _ERROR.split(text)[-1]
    hits = nearest(message)
    near = tuple(record for record, _ in hits if record not in fitting)[: OFFERED - len(listed)]
    is_unsure = bool(hits) and hits[0][1] < UNSURE
    return Found(opened, listed, near, message != text, is_unsure)
