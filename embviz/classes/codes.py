"""Codes of classes, tokens of members, and what follows from a token. Nothing is stored here."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Container

from embviz.classes.words import ADJECTIVES, ANIMALS
from embviz.core.refused import Refused

NUMBERS = range(10, 100)
_CODE = re.compile(r"[a-z]{2,12}-[a-z]{2,12}-[1-9][0-9]", re.ASCII)
_TOKEN = re.compile(r"[A-Za-z0-9_-]{12}", re.ASCII)


def new_code() -> str:
    """A random code, such as `tidy-otter-42`."""
    words = secrets.choice(ADJECTIVES), secrets.choice(ANIMALS)
    return "-".join((*words, str(secrets.choice(NUMBERS))))


def is_code(text: str) -> bool:
    """Whether a text has the form of a code; the class need not exist.

    >>> is_code("tidy-otter-42"), is_code("Tidy otter 42")
    (True, False)
    """
    return isinstance(text, str) and _CODE.fullmatch(text) is not None


def new_token() -> str:
    """A random token of a member: 72 bits as 12 letters."""
    return secrets.token_urlsafe(9)


def is_token(text: str) -> bool:
    """Whether a text has the form of a token."""
    return isinstance(text, str) and _TOKEN.fullmatch(text) is not None


def digest(secret: str) -> bytes:
    """What the store keeps of a secret: nobody can find the secret from it."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def guest_of(token: str) -> str:
    """The guest's name that decides a member's values, as `labs.student.guest` makes names.

    >>> guest_of("AAAAAAAAAAAA")
    'guest-0592ce'
    """
    return guest_from(digest(token))


def guest_from(token_digest: bytes) -> str:
    """The same, from the digest of a token."""
    return f"guest-{token_digest[:3].hex()}"


def pseudonym(token_digest: bytes, taken: Container[str]) -> str:
    """Two words that follow from the token, such as `brave heron`; the first that is not taken."""
    start = int.from_bytes(token_digest[3:11], "big")
    for place in range(start, start + len(ADJECTIVES) * len(ANIMALS)):
        first, second = divmod(place, len(ANIMALS))
        name = f"{ADJECTIVES[first % len(ADJECTIVES)]} {ANIMALS[second]}"
        if name not in taken:
            return name
    raise Refused("All pseudonyms are taken.")
