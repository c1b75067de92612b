"""The vocabularies that are chosen by name, one record each.

A record says how its vocabulary is made of the settings, and which of them it reads. Nothing else
compares names of vocabularies. The modules that make a vocabulary say how it splits a text.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from embviz.core import merges, o200k
from embviz.core.pieces import Symbols
from embviz.core.vocabulary import Vocabulary, VocabularyError

Make = Callable[[Mapping[str, Any]], Symbols]


@dataclass(frozen=True)
class Tokenizer:
    """A vocabulary that is chosen by name.

    Attributes:
        name: its value in links and on the command line.
        sentence: how the page explains it.
        make: the vocabulary of these settings: `chars`, `merges`, `unknown`.
        reads: those settings of its own that a user sets: `chars`, `merges`.
        code: the Python expression that an exported script writes for its characters.
        example: a text that it reads; `""` where it reads all, or those of its own characters.
        missing: says how to install what it needs; `""` if it is there.
        instead: a built-in vocabulary to offer where something is missing.
        knows_all: whether it encodes every text, so that nothing is unknown.
    """

    name: str
    sentence: str
    make: Make
    reads: tuple[str, ...] = ()
    code: str = ""
    example: str = ""
    missing: Callable[[], str] = str
    instead: str = ""
    knows_all: bool = False


@lru_cache
def named(characters: str | bytes, unk: bool = False) -> Vocabulary:
    """The vocabulary of these characters, one object for all sessions."""
    return Vocabulary(characters, unk)


def _unk(settings: Mapping[str, Any]) -> bool:
    return bool(settings["unknown"] == "unk")


def _of(characters: str | bytes) -> Make:
    return lambda settings: named(characters, _unk(settings))


VOCABULARIES = {
    one.name: one
    for one in (
        Tokenizer(
            "printable",
            "Python's `string.printable`, so 'a' is 10",
            _of(string.printable),
            code="string.printable",
        ),
        Tokenizer(
            "letters",
            "a to z, then A to Z",
            _of(string.ascii_letters),
            code="string.ascii_letters",
            example="embedding",
        ),
        Tokenizer("digits", "0 to 9", _of(string.digits), code="string.digits", example="31415926"),
        Tokenizer("bytes", "the 256 bytes of UTF-8", _of(bytes(range(256))), knows_all=True),
        Tokenizer(
            "custom",
            "the characters you give",
            lambda settings: Vocabulary(settings["chars"], _unk(settings)),
            reads=("chars",),
        ),
        Tokenizer(
            "bpe",
            "byte-pair pieces: letters that often stand together are one id",
            lambda settings: merges.bpe(settings["merges"], _unk(settings)),
            reads=("merges",),
            knows_all=True,
        ),
        Tokenizer(
            "o200k",
            "the 200,019 pieces that GPT-4o reads",
            lambda settings: o200k.o200k(_unk(settings)),
            missing=o200k.missing,
            instead="bpe",
            knows_all=True,
        ),
    )
}

# How a script writes the characters of a named vocabulary.
CODE = {
    one.make({"unknown": "error"}).characters: one.code for one in VOCABULARIES.values() if one.code
}


def vocabulary(settings: Mapping[str, Any]) -> Symbols:
    """The vocabulary that the settings name.

    Args:
        settings: `vocab`, `chars`, `merges` and `unknown`.

    Raises:
        VocabularyError: no vocabulary has this name, or what it needs is not installed.

    >>> vocabulary({"vocab": "printable", "unknown": "error"}).encode("a")
    [10]
    """
    if settings["vocab"] not in VOCABULARIES:
        raise VocabularyError(
            f"vocab={settings['vocab']!r} is not one of: {', '.join(VOCABULARIES)}."
        )
    return VOCABULARIES[settings["vocab"]].make(settings)
