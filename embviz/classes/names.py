"""Codes of classes, and pseudonyms: random, easy to read aloud. Nothing is stored here."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Collection

# Without vowels, which make words, and without signs that look alike: 27 ** 7 are over 2 ** 33.
SIGNS = "bcdfghjkmnpqrstvwxz23456789"

_ADJECTIVES = """
agile amber brave bright calm careful cheerful clever coral daring eager early fair fearless fresh
gentle golden happy honest humble indigo jolly keen kind lively loyal lucky merry nimble noble olive
patient polite proud quick quiet silver snowy sunny tidy warm wise witty
"""
_ANIMALS = """
badger bear beaver bison camel crane deer dolphin eagle falcon ferret finch fox frog gecko goose
hare hawk heron horse ibex kiwi koala lark lion llama lynx magpie marten mole moose otter owl panda
parrot penguin puffin raven robin seal swan tiger toucan turtle walrus whale wolf wren yak zebra
"""
ADJECTIVES, ANIMALS = _ADJECTIVES.split(), _ANIMALS.split()


def new_code() -> str:
    """A random code, such as `k7m-q2x4`."""
    signs = "".join(secrets.choice(SIGNS) for _ in range(7))
    return f"{signs[:3]}-{signs[3:]}"


def read_code(typed: str) -> str:
    """The stored form of a code that somebody typed; `""` if the text can be no code.

    >>> read_code(" K7M q2x4 "), read_code("k7m")
    ('k7m-q2x4', '')
    """
    signs = re.sub(r"[\s-]", "", typed[:40].lower())
    return f"{signs[:3]}-{signs[3:]}" if re.fullmatch(f"[{SIGNS}]{{7}}", signs) else ""


def pseudonym(taken: Collection[str]) -> str:
    """Two random words, such as `brave heron`, of which nobody in the class has one.

    A class of more members than there are words has each word as seldom as it can. Once all names
    are taken, as in a class of thousands, a number follows: `brave heron 2`.
    """
    names = [f"{adjective} {animal}" for adjective in ADJECTIVES for animal in ANIMALS]
    free, number = {*names}.difference(taken), 1
    while not free:
        number += 1
        free = {f"{name} {number}" for name in names}.difference(taken)
    uses = Counter(word for name in taken for word in name.split())
    shared = {name: sum(uses[word] for word in name.split()) for name in free}
    least = min(shared.values())
    return secrets.choice([name for name, count in shared.items() if count == least])
