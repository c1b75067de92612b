"""A student: a name or a number, and the seeds that follow from it alone.

The same name is the same student on every machine, whatever its case and spaces. Two students of
one name get the same numbers: one of them can add a letter. PyTorch's global generator is not
used. Nothing proves that the name is the student's own.

A guest has given no name: `guest-` and six hex digits stand for one. A name before them is for the
teacher and changes no number, so that a guest can add it to finished work.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from secrets import token_hex

import torch

from embviz.core.wording import quote

MAX_NAME = 60  # characters
# Control characters, surrogates, private ones, line and paragraph separators.
_REFUSED = {"Cc", "Cs", "Co", "Zl", "Zp"}
_GUEST = re.compile(r"(.* )?(guest-[0-9a-f]{6})")
# Characters that change the direction of the text after them.
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class StudentError(ValueError):
    """A text that cannot be a name."""


@dataclass(frozen=True)
class Student:
    """A person who works through a lab.

    Attributes:
        name: 1 to 60 characters, as it was typed, with single spaces.

    Raises:
        StudentError: (a ValueError) what is wrong with the name.

    >>> Student("  Ada   Lovelace ").name
    'Ada Lovelace'
    >>> Student("Ada guest-0a1b2c").key
    'guest-0a1b2c'
    >>> Student("ADA LOVELACE").seed("row") == Student("Ada Lovelace").seed("row")
    True
    """

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise StudentError(f"{quote(str(self.name))} is not a name: write letters or digits.")
        name = self.name.strip()
        if len(name) > 10 * MAX_NAME:  # before the loops below take long
            raise _too_long(name, len(name))
        for place, character in enumerate(name):
            if unicodedata.category(character) in _REFUSED or character in _DIRECTION:
                raise StudentError(
                    f"U+{ord(character):04X} at position {place} of the name {quote(name)} cannot "
                    "be shown; write letters, digits and spaces."
                )
        name = " ".join(unicodedata.normalize("NFKC", name).split())
        object.__setattr__(self, "name", name)
        if not any(character.isalnum() for character in name):
            raise StudentError(
                f"{quote(name)} is not a name: it needs at least one letter or digit."
                if name
                else "The name is empty: write your name or your number."
            )
        if len(name) > MAX_NAME:
            raise _too_long(name, len(name))

    @property
    def key(self) -> str:
        """The name without case, extra spaces and joiners of letters: equal for one student.

        A guest's key is the part that begins with `guest-`.
        """
        folded = self._folded
        guest = _GUEST.fullmatch(folded)
        return guest[2] if guest else folded

    @property
    def nameless(self) -> bool:
        """Whether this is a guest without a name."""
        found = _GUEST.fullmatch(self._folded)
        return found is not None and found[1] is None

    @property
    def _folded(self) -> str:
        plain = self.name.replace("\u200c", "").replace("\u200d", "")
        folded = unicodedata.normalize("NFKC", plain).casefold()
        return " ".join(unicodedata.normalize("NFKC", folded).split())

    def seed(self, lab_code: str) -> int:
        """The student's seed in a lab, 0 to 2**32 - 1."""
        return int.from_bytes(self._digest(lab_code, self.key)[:4], "big")

    def generator(self, lab_code: str, step: str) -> torch.Generator:
        """The student's own generator for a part of a lab."""
        start = self._digest(lab_code, step, self.key)[:8]
        return torch.Generator().manual_seed(int.from_bytes(start, "big") >> 1)

    @staticmethod
    def _digest(*parts: str) -> bytes:
        return hashlib.sha256("|".join(("embviz-lab-1", *parts)).encode()).digest()


def guest() -> Student:
    """A new guest, with numbers of his or her own."""
    return Student(f"guest-{token_hex(3)}")


def _too_long(name: str, length: int) -> StudentError:
    return StudentError(
        f"The name {quote(name, 20)} has {length:,} characters; {MAX_NAME} are allowed."
    )
