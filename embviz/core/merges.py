"""Byte-pair pieces: `bpe`, 2,000 merges learned once, of which the first k may be used.

The merges were learned by Hugging Face's `tokenizers` from docstrings of Python's library, and lie
in `merges.txt`. So a link gives everybody the same ids. An id below 256 is a byte; 256 + i is the
piece of merge i. Nothing is learned here.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from embviz.core.refused import Refused
from embviz.core.vocabulary import Named, Pieces

MERGES = Path(__file__).with_name("merges.txt")
MOST_MERGES = 2_000

# The letter that the merges write for each byte: printable bytes as they are.
_OTHERS = [*range(33), *range(127, 161), 173]
_LETTERS = {chr(256 + _OTHERS.index(b) if b in _OTHERS else b): bytes([b]) for b in range(256)}


@lru_cache(maxsize=32)
def bpe(merges: int = MOST_MERGES) -> Pieces:
    """The pieces of the first `merges` merges: 256 + `merges` ids.

    Raises:
        Refused: not from 0 to 2,000 merges.

    >>> [len(bpe(k).encode("the letters")) for k in (0, 300, 2000)]
    [11, 7, 4]
    >>> bpe(0).encode("ab") == list(b"ab")
    True
    """
    if not 0 <= merges <= MOST_MERGES:
        raise Refused(f"merges={merges} is not a whole number from 0 to {MOST_MERGES:,}.")
    from tokenizers import Tokenizer, models, pre_tokenizers

    used, spelled = list[tuple[str, str]](), dict(_LETTERS)
    for line in MERGES.read_text("utf-8").splitlines()[1 : merges + 1]:
        first, second = line.split(" ")
        used.append((first, second))
        spelled[first + second] = spelled[first] + spelled[second]
    places = {text: place for place, text in enumerate(spelled)}
    # Its own cache would keep visitors' words: up to 100 MB for each number of merges.
    tokenizer = Tokenizer(models.BPE(places, used, cache_capacity=0))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return Pieces(
        Named("bpe", len(spelled), merges),
        lambda text: list(tokenizer.encode(text).ids),
        list(spelled.values()).__getitem__,
    )
