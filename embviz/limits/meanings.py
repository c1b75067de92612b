"""The answer to a question that asks only what a word means: the line of the glossary.

The search by likeness is no use there: many cases have such a word, and none explains it.
"""

from __future__ import annotations

import re

from embviz.limits.elsewhere import Elsewhere
from embviz.text.glossary import TERMS

# Words with which people ask what another word means, and that name nothing themselves.
# fmt: off
_ASKING = frozenset((
    "a", "an", "are", "define", "definition", "does", "explain", "in", "is", "it", "mean",
    "meaning", "means", "of", "please", "s", "term", "the", "this", "what", "word",
))
# fmt: on


def meaning(text: str) -> Elsewhere | None:
    """The meaning of the word that a text asks for; None where it asks for anything else.

    The word alone asks for nothing: it may be a part of an error, or a case.

    >>> meaning("What does causal mask mean?").title
    'What causal mask means'
    >>> meaning("why is my loss nan?"), meaning("loss")
    (None, None)
    """
    words = _words(text)
    named = [word for word in words if word not in _ASKING]
    return _MEANINGS.get(" ".join(named)) if len(named) < len(words) else None


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _record(name: str) -> Elsewhere:
    term = TERMS[name]
    return Elsewhere(
        title=f"What {name} means",
        page=term.page,
        answer=term.says,
        questions=(f"What is {name}?",),
        settings={**term.settings},
    )


_MEANINGS = {
    " ".join(_words(asked)): _record(name) for name in TERMS for asked in (name, f"{name}s")
}
