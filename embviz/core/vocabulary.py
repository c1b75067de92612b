"""Characters <-> ids, and how a character is made visible.

A `Vocabulary` holds its characters in id order. A `bytes` vocabulary holds the 256 byte values,
and a text becomes its UTF-8 bytes. Duplicates are refused by name, and so are unknown characters
without an `<unk>` row. Pieces of several characters are in `pieces`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from embviz.core.refused import Refused

UNK = "<unk>"


@dataclass(frozen=True)
class Named:
    """The symbols of a vocabulary that is not a list of characters: its name stands for them.

    Attributes:
        vocab: its name in links and on the command line.
        size: number of symbols.
        merges: of byte-pair pieces.
    """

    vocab: str
    size: int
    merges: int | None = None

    def __len__(self) -> int:
        """Number of symbols."""
        return self.size


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


class VocabularyError(Refused):
    """Characters that cannot be a vocabulary."""


class UnknownCharacterError(Refused):
    """Text with a character that has no id; names the first and its position."""


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
            return list(utf8(text))
        if self.unk:
            return [self._ids.get(character, len(self.characters)) for character in text]
        try:
            return [self._ids[character] for character in text]
        except KeyError:
            unknown = [i for i, character in enumerate(text) if character not in self._ids]
            more = len(unknown) - 1
            others = f" {more:,} more {'is' if more == 1 else 'are'} unknown too." if more else ""
            raise UnknownCharacterError(
                f"{describe(text[unknown[0]])} at position {unknown[0]:,} is not among the "
                f"{len(self.characters):,} characters of the vocabulary.{others}"
            ) from None

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; an unknown character becomes `<unk>`.

        Raises:
            ValueError: an id outside the vocabulary.
        """
        given = check_ids(ids, len(self))
        if isinstance(self.characters, bytes):
            return bytes(t for t in given if t < 256).decode("utf-8", errors="replace")
        return "".join(UNK if t == self.unk_id else self.characters[t] for t in given)

    @property
    def unit(self) -> str:
        """The unit of one id: `"character"` or `"byte"`."""
        return "byte" if isinstance(self.characters, bytes) else "character"

    def label(self, token: int) -> str:
        """A short visible stand-in for an id: `'a'` -> `a`, space -> `·`, 0xC3 -> `C3`."""
        if not 0 <= token < len(self):
            return ""
        if token == self.unk_id:
            return UNK
        character = self.characters[token]
        if isinstance(character, int):
            return visible(chr(character)) if character < 0x80 else f"{character:02X}"
        return visible(character)

    def symbol(self, token: int) -> str | bytes:
        """The character, the byte, or `<unk>`."""
        return UNK if token == self.unk_id else self.characters[token : token + 1]

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


def check_ids(ids: Iterable[int], size: int) -> list[int]:
    """The ids as a list.

    Raises:
        ValueError: one outside 0 to `size` - 1; names it and its position.
    """
    given = list(ids)
    for place, token in enumerate(given):
        if not 0 <= token < size:
            raise ValueError(
                f"Id {token} at position {place} stands for no symbol; "
                f"ids here run from 0 to {size - 1}."
            )
    return given


@lru_cache(4096)  # each key shows hundreds of labels
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


def utf8(text: str) -> bytes:
    """The text's bytes.

    Raises:
        UnknownCharacterError: a lone surrogate.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        said = f"{describe(text[error.start])} at position {error.start:,} has no UTF-8 bytes"
        raise UnknownCharacterError(f"{said}, so no id.") from None
