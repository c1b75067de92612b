"""Byte-pair pieces: `bpe`, 2,000 merges learned once, of which the first k may be used.

The merges were learned by Hugging Face's `tokenizers` from docstrings of Python's library, and lie
in `merges.txt`. So a link gives everybody the same ids. An id below 256 is a byte; 256 + i is the
piece of merge i. Nothing is learned here.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from embviz.core.refused import Refused
from embviz.core.vocabulary import Named, Pieces

MERGES = Path(__file__).with_name("merges.txt")
MOST_MERGES = 2_000

# The letter that the merges write for each byte: printable bytes as they are.
_LETTERS = {byte: chr(byte) for byte in (*range(33, 127), *range(161, 173), *range(174, 256))}
for _byte in range(256):
    _LETTERS.setdefault(_byte, chr(256 + len(_LETTERS) - 188))
_BYTES = {letter: byte for byte, letter in _LETTERS.items()}


@cache
def _merges() -> list[tuple[str, str]]:
    lines = MERGES.read_text("utf-8").splitlines()[1:]
    return [(first, second) for first, second in (line.split(" ") for line in lines)]


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

    used = _merges()[:merges]
    letters = [_LETTERS[byte] for byte in range(256)] + ["".join(pair) for pair in used]
    # Its own cache would keep visitors' words: up to 100 MB for each number of merges.
    model = models.BPE({text: place for place, text in enumerate(letters)}, used, cache_capacity=0)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    spelled = [bytes(_BYTES[letter] for letter in text) for text in letters]
    return Pieces(
        Named("bpe", len(spelled), merges),
        lambda text: list(tokenizer.encode(text).ids),
        spelled.__getitem__,
    )
