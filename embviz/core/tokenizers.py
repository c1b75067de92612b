"""The vocabularies that are chosen by name, one record each.

A record says how its vocabulary is made of the settings, and which of them it reads. Nothing else
compares names of vocabularies. The modules that make a vocabulary say how it splits a text.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from embviz.core import merges, o200k
from embviz.core.refused import Refused
from embviz.core.vocabulary import BYTES, Symbols, Vocabulary


@dataclass(frozen=True)
class Tokenizer:
    """A vocabulary that is chosen by name.

    Attributes:
        name: its value in links and on the command line.
        sentence: how the page explains it.
        make: the vocabulary of these settings: `chars`, `merges`.
        reads: those settings of its own that a user sets.
        missing: says how to install what it needs; `""` if it is there.
    """

    name: str
    sentence: str
    make: Callable[[Mapping[str, Any]], Symbols]
    reads: tuple[str, ...] = ()
    missing: Callable[[], str] = str


def _of(characters: str) -> Callable[[Mapping[str, Any]], Symbols]:
    known = Vocabulary(characters)
    return lambda _settings: known


VOCABULARIES = {
    one.name: one
    for one in (
        Tokenizer("printable", "Python's `string.printable`, so 'a' is 10", _of(string.printable)),
        Tokenizer("letters", "a to z, then A to Z", _of(string.ascii_letters)),
        Tokenizer("digits", "0 to 9", _of(string.digits)),
        Tokenizer("bytes", "the 256 bytes of UTF-8", lambda _settings: BYTES),
        Tokenizer(
            "custom",
            "the characters you give",
            lambda settings: Vocabulary(settings["chars"]),
            reads=("chars",),
        ),
        Tokenizer(
            "bpe",
            "byte-pair pieces: letters that often stand together are one id",
            lambda settings: merges.bpe(settings["merges"]),
            reads=("merges",),
        ),
        Tokenizer(
            "o200k",
            "the 200,019 pieces that GPT-4o reads",
            lambda _settings: o200k.o200k(),
            missing=o200k.missing,
        ),
    )
}


def vocabulary(settings: Mapping[str, Any]) -> Symbols:
    """The vocabulary that the settings `vocab`, `chars` and `merges` name.

    Raises:
        Refused: no vocabulary has this name, or what it needs is not installed.

    >>> vocabulary({"vocab": "printable"}).encode("a")
    [10]
    """
    if settings["vocab"] not in VOCABULARIES:
        raise Refused(f"vocab={settings['vocab']!r} is not one of: {', '.join(VOCABULARIES)}.")
    return VOCABULARIES[settings["vocab"]].make(settings)
