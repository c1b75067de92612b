"""The vocabularies that are chosen by name, one record each, and how those of pieces are made.

A record says how its vocabulary is made of the settings, and which of them it reads. Nothing else
compares names of vocabularies.

`bpe`: 2,000 merges learned once by Hugging Face's `tokenizers` from docstrings of Python's library,
of which the first k may be used. They lie in `merges.txt`, so a link gives everybody the same ids:
below 256 a byte, 256 + i the piece of merge i.
"""

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from embviz.fact.vocabulary import BYTES, Symbols, Vocabulary
from embviz.fact.words import words
from embviz.text.records import by_name

MERGES = Path(__file__).with_name("merges.txt")
MOST_MERGES = 2_000

# The letter that the merges write for each byte: printable bytes as they are.
_OTHERS = [*range(33), *range(127, 161), 173]
_LETTERS = {chr(256 + _OTHERS.index(b) if b in _OTHERS else b): bytes([b]) for b in range(256)}


@lru_cache(maxsize=8)  # 0.6 MB each
def bpe(merges: int = MOST_MERGES) -> Symbols:
    """The pieces of the first `merges` merges: 256 + `merges` ids.

    >>> [len(bpe(k).encode("the letters")) for k in (0, 300, 2000)]
    [11, 7, 4]
    >>> bpe(0).encode("ab") == list(b"ab")
    True
    """
    import tokenizers

    used, spelled = list[tuple[str, str]](), dict(_LETTERS)
    for line in MERGES.read_text("utf-8").splitlines()[1 : merges + 1]:
        first, second = line.split(" ")
        used.append((first, second))
        spelled[first + second] = spelled[first] + spelled[second]
    places = {text: place for place, text in enumerate(spelled)}
    # Its own cache would keep visitors' words: up to 100 MB for each number of merges.
    cut = tokenizers.Tokenizer(tokenizers.models.BPE(places, used, cache_capacity=0))
    cut.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return Symbols(
        len(spelled),
        lambda text: list(cut.encode(text).ids),
        list(spelled.values()).__getitem__,
    )


@dataclass(frozen=True)
class Tokenizer:
    """The record of a vocabulary that is chosen by name, and makes its `Symbols`.

    Attributes:
        name: its value in links and on the command line.
        sentence: how the page explains it.
        make: the vocabulary of these settings: `chars`, `merges`.
        reads: those settings of its own that a user sets.
    """

    name: str
    sentence: str
    make: Callable[[Mapping[str, Any]], Symbols]
    reads: tuple[str, ...] = ()


_ALL = (
    Tokenizer(
        "printable",
        "Python's `string.printable`, so 'a' is 10",
        lambda _given: Vocabulary(string.printable),
    ),
    Tokenizer("letters", "a to z, then A to Z", lambda _given: Vocabulary(string.ascii_letters)),
    Tokenizer("digits", "0 to 9", lambda _given: Vocabulary(string.digits)),
    Tokenizer("bytes", "the 256 bytes of UTF-8", lambda _given: BYTES),
    Tokenizer(
        "custom", "the characters you give", lambda given: Vocabulary(given["chars"]), ("chars",)
    ),
    Tokenizer(
        "bpe",
        "byte-pair tokens: letters that often stand together are one id",
        lambda given: bpe(given["merges"]),
        ("merges",),
    ),
    Tokenizer(
        "words",
        "2,800 usual English words in small letters; all others are `<unk>`",
        lambda _given: words(),
    ),
)
VOCABULARIES = by_name(_ALL)


def vocabulary(settings: Mapping[str, Any]) -> Symbols:
    """The vocabulary that the settings `vocab`, `chars` and `merges` name.

    Raises:
        Refused: it has no characters, or one twice.

    >>> vocabulary({"vocab": "printable"}).encode("a")
    [10]
    """
    return VOCABULARIES[settings["vocab"]].make(settings)
