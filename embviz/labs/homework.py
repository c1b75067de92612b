"""The line that hands in a lab done alone: how it is made, and how it is checked.

    embviz1-row-1234567890-330210003-k7mq2x4abcdefghj-3f9a01bc

Its parts: the version, the lab, the seed of its numbers, a mark for each step, the signature, and a
check sum. The server keeps nothing of it.

The signature says that a server with this class word judged the answers. It does not say whose they
are, so a line can be copied. The check sum only tells a mistyped line from one that was signed
elsewhere: CRC-32 finds each wrong sign, and each two that were swapped. Anyone can compute it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from embviz.labs.catalogue import LABS
from embviz.labs.question import Question, judge
from embviz.labs.work import Answers
from embviz.system.bounds import class_word
from embviz.text.refused import Refused
from embviz.text.wording import counted, quote

VERSION = "embviz1"
PARTS = 6  # Parts of a line, with dashes between them.
MOST = 120  # Characters of a line, with blanks in it.
UNSIGNED = "unsigned"
SIGNED_BYTES = 10  # Bytes of the signature: 16 letters.
# Rounds that make a key of the word. Whoever has a signed line can try words at home; so each try
# takes some tenths of a second.
ROUNDS = 600_000
# Marks of a step: no answer, not right, right later, right at once.
NONE, WRONG, LATER, AT_ONCE = "0", "1", "2", "3"
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe63\uff0d]")  # Word processors make them of `-`.
_LINE = re.compile(
    rf"(?P<said>{VERSION}-(?P<lab>[a-z_]+)-(?P<seed>[0-9]{{1,10}})-(?P<marks>[0-3]+))"
    rf"-(?P<signature>[a-z2-7]{{16}}|{UNSIGNED})-(?P<sum>[0-9a-f]{{8}})"
)
_LIKE = f"A line looks like {VERSION}-row-1234567890-330210003-...-3f9a01bc."


@dataclass(frozen=True)
class HandedIn:
    """A line that was not refused. Where the server has a class word, it is signed with that.

    Attributes:
        lab: its key in `LABS`.
        seed: of its numbers.
        marks: one of `NONE`, `WRONG`, `LATER` and `AT_ONCE` for each step.
    """

    lab: str
    seed: int
    marks: str

    @property
    def right(self) -> int:
        """How many steps are right, at once or later."""
        return self.marks.count(LATER) + self.marks.count(AT_ONCE)


def line(lab: str, seed: int, asked: Sequence[Question], answers: Answers) -> str:
    """The line for a student's answers, signed if the server has a class word.

    Args:
        lab: its key in `LABS`.
        seed: of its numbers.
        asked: its questions with these numbers.
        answers: the first and the last one to each step.
    """
    marks = "".join(_mark(question, answers, step) for step, question in enumerate(asked, 1))
    said = f"{VERSION}-{lab}-{seed}-{marks}"
    signed = f"{said}-{_signature(said)}"
    return f"{signed}-{_sum(signed)}"


def check(text: str) -> HandedIn:
    """Read and check a line. Blanks, capitals and long dashes are no mistakes.

    Raises:
        Refused: it is not whole, mistyped, of other labs, or not signed by this server; quotes it.
    """
    given = quote(text, MOST)
    if len(text) > MOST:
        raise Refused(f"{given} has {len(text):,} characters; a line has {MOST} at most.")
    plain = _DASHES.sub("-", "".join(text.split())).lower()
    said, _, end = plain.rpartition("-")
    if plain.startswith(VERSION) and plain.count("-") == PARTS - 1 and _sum(said) != end:
        raise Refused(
            f"{given} is mistyped or was changed: its end does not fit the rest. Copy it again."
        )
    found = _LINE.fullmatch(plain)
    if not found:
        raise Refused(
            f"{given} is no line of a lab, or not all of it, or of another version. {_LIKE}"
        )
    lab, seed, marks = found["lab"], int(found["seed"]), found["marks"]
    if lab not in LABS or len(marks) != len(LABS[lab].steps):
        raise Refused(
            f"{given} is of a lab {quote(lab)} with {counted(len(marks), 'step')}, which this "
            "version of embviz does not have: another version made it."
        )
    _check_signature(given, found["said"], found["signature"])
    return HandedIn(lab, seed, marks)


def _check_signature(given: str, said: str, signature: str) -> None:
    """Refuse what this server has not signed, or would have signed, or cannot check."""
    expected = _signature(said)
    if hmac.compare_digest(signature, expected):
        return
    why = (
        "is whole, but this server has not signed it. Another server made it, or this one with "
        "another class word, or somebody changed it. Nobody can tell which."
    )
    if expected == UNSIGNED:
        why = (
            "is signed, and this server has no class word to check that. Check it on the server "
            "that made it."
        )
    elif signature == UNSIGNED:
        why = (
            "is not signed, and this server signs. Another server made it, or this one before it "
            "had a class word, or somebody wrote it."
        )
    raise Refused(f"{given} {why}")


def _mark(question: Question, answers: Answers, step: int) -> str:
    right = [judge(question, answer).right for answer in answers.get(step, ())]
    if not right:
        return NONE
    if not right[-1]:
        return WRONG
    return AT_ONCE if right[0] else LATER


def _signature(said: str) -> str:
    """The signature in 16 letters and digits; `UNSIGNED` where the server has no class word."""
    if not (word := class_word()):
        return UNSIGNED
    digest = hmac.digest(_key(word), said.encode(), "sha256")
    return base64.b32encode(digest[:SIGNED_BYTES]).decode().lower()


@lru_cache(maxsize=1)
def _key(word: str) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", word.encode("utf-8", "replace"), b"embviz lab", ROUNDS)


def _sum(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"
