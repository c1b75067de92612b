"""Codes are many and easy to say; a pseudonym and a lab's values follow from a token."""

import re

import pytest

from embviz.classes import codes
from embviz.classes.words import ADJECTIVES, ANIMALS
from embviz.labs.student import Student


def test_there_are_enough_codes() -> None:
    """There are at least 2**20 codes, no word stands twice, and each code has the code's form."""
    words = {*ADJECTIVES, *ANIMALS}
    assert len(words) == len(ADJECTIVES) + len(ANIMALS)
    assert len(ADJECTIVES) * len(ANIMALS) * len(codes.NUMBERS) >= 2**20
    assert all(re.fullmatch("[a-z]{2,12}", word) for word in words)
    made = {codes.new_code() for _ in range(200)}
    assert len(made) > 190
    assert all(map(codes.is_code, made))


@pytest.mark.parametrize(
    "text",
    ["", "tidy-otter", "shy-otter-7", "tidy-otter-042", "tidy otter 42", "tidy-otter-42\n", 42],
)
def test_what_is_no_code(text: str) -> None:
    """Other forms are no code, whatever their type."""
    assert not codes.is_code(text)
    assert not codes.is_token(text)


def test_a_token_gives_a_guest() -> None:
    """A token is a guest of the labs: always the same one."""
    token = codes.new_token()
    assert codes.is_token(token)
    guest = Student(codes.guest_of(token))
    assert guest.name == guest.key == codes.guest_of(token)


def test_pseudonyms_are_unique() -> None:
    """A pseudonym follows from the token, and the next free one is taken after it."""
    key = codes.digest("token")
    names: list[str] = []
    for _ in range(300):
        names.append(codes.pseudonym(key, set(names)))
    assert len({*names}) == 300
    assert codes.pseudonym(key, set()) == names[0]
    assert all(re.fullmatch("[a-z]+ [a-z]+", name) for name in names)
