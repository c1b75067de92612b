"""From what a reader types or pastes to the cases and pages about it.

A case opens only by a message that it lists, if no other lists it as well. For any other text the
nearest in words are offered, and a headline says that no case lists it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from embviz.limits.case import Case
from embviz.limits.elsewhere import Elsewhere
from embviz.limits.messages import cases_by_message, plain
from embviz.limits.nearest import nearest

# Characters of a text that are read, from its end: a traceback ends with its error.
MAX_CHARACTERS = 20_000
OFFERED = 5
_ERROR = re.compile("(?:error|exception|warning): ")


class Found(NamedTuple):
    """The result of a search.

    Attributes:
        opened: the case that lists the text, or None.
        offered: other cases and pages, the best first; at most OFFERED.
        listed: how many of `offered` list the text too; the others are the nearest in words.
    """

    opened: Case | None = None
    offered: tuple[Case | Elsewhere, ...] = ()
    listed: int = 0

    def parts(self) -> list[tuple[str, tuple[Case | Elsewhere, ...]]]:
        """Each headline with the cases and pages below it, for a text that opens no case."""
        listing, near = self.offered[: self.listed], self.offered[self.listed :]
        if not listing:
            return [("No case lists this text. The nearest in words:", near)] if near else []
        found = [("More than one case lists this text:", listing)]
        return [*found, ("The nearest in words:", near)] if near else found


def find(text: str) -> Found:
    """Search for a text.

    >>> find("IndexError: index out of range in self").opened.name
    'out-of-range'
    >>> found = find("how large should embedding_dim be?")
    >>> found.opened, found.offered[0].title
    (None, 'How large is D?')
    """
    text = plain(text[-MAX_CHARACTERS:])
    opened, fitting = cases_by_message(text)
    listed = [case for case in fitting if case is not opened]
    near = [one for one in nearest(_ERROR.split(text)[-1]) if one not in fitting]
    return Found(opened, tuple([*listed, *near][:OFFERED]), min(len(listed), OFFERED))
