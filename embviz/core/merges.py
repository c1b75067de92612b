"""Byte-pair pieces: `bpe`, 2,000 merges learned once, of which the first k may be used.

The merges were learned by Hugging Face's `tokenizers` from docstrings of Python's library, and lie
in `merges.txt`. So a link gives everybody the same ids. An id below 256 is a byte; 256 + i is the
piece of merge i. Nothing is learned here.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from embviz.core.pieces import Pieces
from embviz.core.vocabulary import Named, VocabularyError

MERGES = Path(__file__).with_name("merges.txt")
MOST_MERGES = 2_000


@cache
def _merges() -> list[tuple[str, str]]:
    lines = MERGES.read_text(encoding="utf-8").splitlines()[1:]
    return [(first, second) for first, _, second in (line.partition(" ") for line in lines)]


@cache
def _letters() -> dict[int, str]:
    """The letter that the merges write for each byte: printable bytes as they are."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    shifted = {byte: chr(256 + place) for place, byte in enumerate(others)}
    return {byte: shifted.get(byte, chr(byte)) for byte in range(256)}


@lru_cache(maxsize=32)
def bpe(merges: int = MOST_MERGES, unk: bool = False) -> Pieces:
    """The pieces of the first `merges` merges: 256 + `merges` ids.

    Raises:
        VocabularyError: not from 0 to 2,000 merges.

    >>> [len(bpe(k).encode("the letters")) for k in (0, 300, 2000)]
    [11, 7, 4]
    >>> bpe(0).encode("ab") == list(b"ab")
    True
    """
    if not 0 <= merges <= MOST_MERGES:
        raise VocabularyError(f"merges={merges} is not a whole number from 0 to {MOST_MERGES:,}.")
    from tokenizers import Tokenizer, models, pre_tokenizers

    used = _merges()[:merges]
    spellings = [_letters()[byte] for byte in range(256)] + [one + other for one, other in used]
    places = {text: place for place, text in enumerate(spellings)}
    # Its own cache would keep visitors' words: up to 100 MB for each number of merges.
    model = models.BPE(places, used, cache_capacity=0)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_of = {letter: byte for byte, letter in _letters().items()}
    spelled = [bytes(bytes_of[letter] for letter in text) for text in spellings]
    return Pieces(
        Named("bpe", len(spelled), merges=merges),
        lambda text: list(tokenizer.encode(text).ids),
        spelled.__getitem__,
        unk,
    )
