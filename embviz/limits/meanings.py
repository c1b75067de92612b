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


_MEANINGS: dict[str, Elsewhere] = {}
for _name, _term in TERMS.items():
    _record = Elsewhere(
        title=f"What {_name} means",
        page=_term.page,
        answer=_term.says,
        questions=(f"What is {_name}?",),
        settings={**_term.settings},
    )
    for _asked in _name, f"{_name}s":
        _MEANINGS[" ".join(_words(_asked))] = _record
