"""Characters <-> ids, and how a character is made visible.

A `Vocabulary` holds its characters in id order. A `bytes` vocabulary holds the 256 byte values,
and a text becomes its UTF-8 bytes. Duplicates are refused by name, and so are unknown characters
without an `<unk>` row. Text is not split into words or subwords.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

UNK = "<unk>"


@dataclass(frozen=True)
class Alphabet:
    """A vocabulary that is chosen by name.

    Attributes:
        name: its value in links and on the command line.
        sentence: how the page explains it.
        characters: in id order, or None where the user gives them.
        code: the Python expression that an exported script writes for the characters.
    """

    name: str
    sentence: str
    characters: str | bytes | None = None
    code: str = ""


VOCABULARIES = {
    one.name: one
    for one in (
        Alphabet(
            "printable",
            "Python's `string.printable`, so 'a' is 10",
            string.printable,
            "string.printable",
        ),
        Alphabet("letters", "a to z, then A to Z", string.ascii_letters, "string.ascii_letters"),
        Alphabet("digits", "0 to 9", string.digits, "string.digits"),
        Alphabet("bytes", "the 256 bytes of UTF-8", bytes(range(256))),
        Alphabet("custom", "the characters you give"),
    )
}

# Common fonts draw these, but not the control pictures such as U+2420.
_GLYPHS = {" ": "·", "\t": "⇥", "\n": "↵"}
# Letters and symbols by category, but without ink: four Hangul fillers, an empty Braille cell.
_BLANK = "\u115f\u1160\u3164\uffa0\u2800"
_NAMELESS = {"Co": "private-use character", "Cn": "unassigned character", "Cs": "lone surrogate"}
_ASCII_NAMES = {
    " ": "space",
    "\t": "tab",
    "\n": "line feed",
    "\r": "carriage return",
    "\x0b": "vertical tab",
    "\x0c": "form feed",
    "\x00": "null",
}


class VocabularyError(ValueError):
    """Characters that cannot be a vocabulary."""


class UnknownCharacterError(ValueError):
    """Text with a character that is not in the vocabulary; names the first and its position."""

    def __init__(self, character: str, position: int, vocabulary_size: int, more: int) -> None:
        others = "" if not more else f" {more:,} more {'is' if more == 1 else 'are'} unknown too."
        super().__init__(
            f"{describe(character)} at position {position:,} is not among the "
            f"{vocabulary_size:,} characters of the vocabulary.{others}"
        )


@dataclass(frozen=True)
class Vocabulary:
    """The characters in id order, and optionally one `<unk>` row after them.

    Raises:
        VocabularyError: no characters, or one of them twice.

    >>> Vocabulary("abc").encode("cab")
    [2, 0, 1]
    >>> Vocabulary("abc").decode([2, 0, 1])
    'cab'
    >>> Vocabulary("ab", unk=True).encode("a?b")
    [0, 2, 1]
    """

    characters: str | bytes
    unk: bool = False

    def __post_init__(self) -> None:
        if not self.characters:
            raise VocabularyError("A vocabulary needs at least one character; none was given.")
        if isinstance(self.characters, bytes):
            if self.characters != bytes(range(256)):
                raise VocabularyError(
                    f"A bytes vocabulary holds all 256 bytes in order, not {len(self.characters)}."
                )
            return
        first: dict[str, int] = {}
        for place, character in enumerate(self.characters):
            if character in first:
                raise VocabularyError(
                    f"{describe(character)} stands in the vocabulary twice, at positions "
                    f"{first[character]:,} and {place:,}; each character may stand there once."
                )
            first[character] = place

    def __len__(self) -> int:
        """Number of ids: the characters and, if there is one, `<unk>`."""
        return len(self.characters) + self.unk

    @property
    def unk_id(self) -> int | None:
        """Id of the `<unk>` row, or None without one."""
        return len(self.characters) if self.unk else None

    @cached_property
    def _ids(self) -> dict[str, int]:
        assert isinstance(self.characters, str)
        return {character: place for place, character in enumerate(self.characters)}

    def encode(self, text: str) -> list[int]:
        """One id per character (per UTF-8 byte for a bytes vocabulary).

        Raises:
            UnknownCharacterError: without `<unk>`; names character and position.
        """
        if isinstance(self.characters, bytes):
            return list(_utf8(text, len(self.characters)))
        if self.unk:
            return [self._ids.get(character, len(self.characters)) for character in text]
        try:
            return [self._ids[character] for character in text]
        except KeyError:
            unknown = [i for i, character in enumerate(text) if character not in self._ids]
            raise UnknownCharacterError(
                text[unknown[0]], unknown[0], len(self.characters), len(unknown) - 1
            ) from None

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; an unknown character becomes `<unk>`.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        given = list(ids)
        for place, token in enumerate(given):
            if not 0 <= token < len(self):
                raise ValueError(
                    f"Id {token} at position {place} stands for no character; "
                    f"ids here run from 0 to {len(self) - 1}."
                )
        if isinstance(self.characters, bytes):
            return bytes(t for t in given if t < 256).decode("utf-8", errors="replace")
        return "".join(UNK if t == self.unk_id else self.characters[t] for t in given)

    @property
    def unit(self) -> str:
        """The unit of one id: `"char"` or `"byte"`."""
        return "byte" if isinstance(self.characters, bytes) else "char"

    @cached_property
    def _labels(self) -> dict[int, str]:
        return {}

    def label(self, token: int) -> str:
        """A short visible stand-in for an id: `'a'` -> `a`, space -> `·`, 0xC3 -> `C3`."""
        if not 0 <= token < len(self):
            return ""
        if (known := self._labels.get(token)) is None:
            known = self._labels[token] = self._label(token)
        return known

    def _label(self, token: int) -> str:
        if token == self.unk_id:
            return UNK
        character = self.characters[token]
        if isinstance(character, int):
            return visible(chr(character)) if character < 0x80 else f"{character:02X}"
        return visible(character)

    def is_stand_in(self, token: int) -> bool:
        """Whether the label is not the character itself: a space's dot, a hex name, `<unk>`."""
        known = self.characters
        symbols = known if isinstance(known, str) else known.decode("latin-1")
        return self.label(token) not in ("", symbols[token : token + 1])

    def name(self, token: int) -> str:
        """An id's symbol in words, such as `'a' (U+0061)` or `byte 0xC3`."""
        if token == self.unk_id:
            return "any unknown character"
        if not 0 <= token < len(self.characters):
            return "a row that no character uses"
        character = self.characters[token]
        if isinstance(character, str):
            return describe(character)
        return f"byte 0x{character:02X}" + (f" {chr(character)!r}" if 32 < character < 127 else "")


def visible(character: str) -> str:
    r"""A visible stand-in that common fonts can draw.

    >>> [visible(c) for c in "a \t\n\x0b"]
    ['a', '·', '⇥', '↵', '0B']
    """
    if character in _GLYPHS:
        return _GLYPHS[character]
    category = unicodedata.category(character)
    if category in ("Mn", "Me", "Mc"):
        return "◌" + character
    if category[0] in "CZ" or not character.isprintable() or character in _BLANK:
        return f"{ord(character):02X}"
    return character


def describe(character: str) -> str:
    """A character by sight and code point, safe to print: `'é' (U+00E9)`."""
    code = f"U+{ord(character):04X}"
    if name := _ASCII_NAMES.get(character):
        return f"{name} ({code})"
    if visible(character) != character:
        kind = _NAMELESS.get(unicodedata.category(character), "control character")
        return f"{unicodedata.name(character, kind).lower()} ({code})"
    return f"'{character}' ({code})"


def resolve(vocab: str, characters: str = "") -> str | bytes:
    """The characters of a named vocabulary, or `characters` where the user gives them.

    Raises:
        VocabularyError: no vocabulary has this name.

    >>> resolve("printable").index("a")
    10
    """
    if vocab not in VOCABULARIES:
        raise VocabularyError(f"vocab={vocab!r} is not one of: {', '.join(VOCABULARIES)}.")
    named = VOCABULARIES[vocab].characters
    return characters if named is None else named


@lru_cache
def named(vocab: str, unk: bool = False) -> Vocabulary:
    """The vocabulary of this name, one object for all sessions.

    >>> named("digits").encode("12") == Vocabulary("0123456789").encode("12")
    True
    """
    return Vocabulary(resolve(vocab), unk)


def _utf8(text: str, size: int) -> Sequence[int]:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:  # a lone surrogate has no UTF-8
        raise UnknownCharacterError(text[error.start], error.start, size, 0) from None
