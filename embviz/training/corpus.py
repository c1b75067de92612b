"""Text to learn from, as ids, and the least loss that a bigram model can reach on it.

The text is a law that comes with embviz, or one of the user.
"""

from __future__ import annotations

import torch

from embviz.fact.vocabulary import Vocabulary
from embviz.text.refused import Refused
from embviz.text.wording import counted, few_names

MAX_TEXT = 1_000_000  # characters
OTHER_TEXT = {"Learn from the constitution": {"corpus": "constitution"}}


class TextError(Refused):
    """A text that cannot be learned from, with the reason."""


def prepare(text: str, vocabulary: Vocabulary) -> torch.Tensor:
    """The text as ids to learn from; characters without an id are left out.

    Args:
        text: up to 1,000,000 characters.
        vocabulary: gives the ids.

    Returns:
        int64 (N,), on the CPU, N at least 2, with at least two distinct ids.

    Raises:
        TextError: the text is too long, or has fewer than two known characters, or only
            one distinct one.

    >>> prepare("cab?", Vocabulary("abc")).tolist()
    [2, 0, 1]
    """
    if len(text) > MAX_TEXT:
        raise TextError(f"{len(text):,} characters are more than the {MAX_TEXT:,} allowed.")
    if not text:
        raise TextError("There is no text. To learn what comes next takes two characters or more.")
    missing = left_out(text, vocabulary)
    unknown = set(vocabulary.unknown(text))
    kept = "".join(character for character in text if character not in unknown)
    if not kept:
        raise TextError(f"{missing} There is nothing to learn.", OTHER_TEXT)
    ids = torch.tensor(vocabulary.encode(kept), dtype=torch.int64)
    only = vocabulary.name(int(ids[0]))
    if len(ids) < 2:
        left = f"{missing} One is left" if missing else "The text has one character"
        raise TextError(f"{left}, {only}: to learn what comes next takes two or more.", OTHER_TEXT)
    if bool((ids == ids[0]).all()):
        those = (
            f"{missing} All {len(ids):,} others"
            if missing
            else f"All {len(ids):,} characters of the text"
        )
        raise TextError(
            f"{those} are {only}: what comes next is certain, and there is nothing to learn.",
            OTHER_TEXT,
        )
    return ids


def left_out(text: str, vocabulary: Vocabulary) -> str:
    """Says how many characters of a text have no id, and which; empty if all have one.

    >>> left_out("cab?", Vocabulary("abc"))
    "1 of 4 characters has none of the 3 ids here and is left out: '?'."
    >>> left_out("abc", Vocabulary("abc"))
    ''
    """
    if not (unknown := vocabulary.unknown(text)):
        return ""
    those = set(unknown)
    count = sum(character in those for character in text)
    verbs = ("has", "is") if count == 1 else ("have", "are")
    return (
        f"{count:,} of {counted(len(text), 'character')} {verbs[0]} none of the "
        f"{len(vocabulary):,} ids here and {verbs[1]} left out: {few_names(unknown)}."
    )


def bigram_entropy(ids: torch.Tensor, num_embeddings: int) -> float:
    """Entropy of the next id given this one, in nats: the least loss of any bigram model.

    H(next | this) = H(this, next) - H(this), over the N - 1 pairs of the text. No model that sees
    one id has a lower mean cross-entropy over these pairs.

    Args:
        ids: int64 of shape (N,), N at least 2.
        num_embeddings: V; every id is below it.

    >>> round(bigram_entropy(torch.tensor([0, 1, 0, 1, 1]), 2), 4)  # after a 1: either
    0.3466
    """
    this = ids[:-1]
    return _entropy(this * num_embeddings + ids[1:]) - _entropy(this)


def _entropy(values: torch.Tensor) -> float:
    """Entropy of the values' frequencies, in nats."""
    counts = torch.unique(values, return_counts=True)[1].double()
    return float(torch.special.entr(counts / counts.sum()).sum())
