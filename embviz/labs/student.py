"""A student: a name or a number, and the seeds that follow from it alone.

The same name is the same student on every machine, whatever its case and spaces. Two students of
one name get the same numbers: one of them can add a letter. PyTorch's global generator is not
used. Nothing proves that the name is the student's own.

A guest has given no name: `guest-` and six hex digits stand for one.
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from secrets import token_hex

import torch

from embviz.core.refused import Refused
from embviz.core.wording import quote

MAX_NAME = 60  # characters


class StudentError(Refused):
    """A text that cannot be a name."""


@dataclass(frozen=True)
class Student:
    """A person who works through a lab.

    Attributes:
        name: 1 to 60 characters, as it was typed, with single spaces and nothing invisible.

    Raises:
        StudentError: (a ValueError) what is wrong with the name.

    >>> Student("  Ada   Lovelace ").name
    'Ada Lovelace'
    >>> Student("ADA LOVELACE").seed("row") == Student("Ada Lovelace").seed("row")
    True
    """

    name: str

    def __post_init__(self) -> None:
        plain = unicodedata.normalize("NFKC", self.name[: 10 * MAX_NAME])
        # Joiners of letters and marks of direction cannot be seen.
        seen = "".join(one for one in plain if unicodedata.category(one) != "Cf")
        name = " ".join(seen.split())
        object.__setattr__(self, "name", name)
        if not name.isprintable() or not any(map(str.isalnum, name)):
            raise StudentError(f"{quote(name)} is not a name: write letters, digits and spaces.")
        if len(name) > MAX_NAME:
            raise StudentError(
                f"The name {quote(name, 20)} has {len(name):,} characters; {MAX_NAME} are allowed."
            )

    @property
    def key(self) -> str:
        """The name without case: equal for one student."""
        return unicodedata.normalize("NFKC", self.name.casefold())

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
