"""Codes and pseudonyms."""

import math

import pytest

from embviz.classes.names import ADJECTIVES, ANIMALS, SIGNS, new_code, pseudonym, read_code


def test_codes_cannot_be_guessed() -> None:
    """At least 32 bits; each is read as itself."""
    codes = {new_code() for _ in range(500)}
    assert 7 * math.log2(len({*SIGNS})) >= 32
    assert {sign for code in codes for sign in code} == {*SIGNS, "-"}
    assert all(read_code(code) == code and len(code) == 8 for code in codes)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        *dict.fromkeys(["k7m-q2x4", " K7M Q2X4 ", "k-7-m-q-2-x-4"], "k7m-q2x4").items(),
        *dict.fromkeys(["", "k7m-q2x", "k7m-q2x44", "k7m-q2xa", "k" * 10**6], "").items(),
    ],
)
def test_a_code_is_read_as_people_type_it(typed: str, code: str) -> None:
    """With capitals, spaces or hyphens; other texts are none."""
    assert read_code(typed) == code


def test_members_share_no_word_while_there_are_enough() -> None:
    """Nobody is taken for somebody else; later each word comes as seldom as it can."""
    names = set[str]()
    for _ in range(2 * len(ADJECTIVES)):
        names.add(pseudonym(names))
        words = [word for name in names for word in name.split()]
        if len(names) <= min(len(ADJECTIVES), len(ANIMALS)):
            assert len({*words}) == len(words)
    assert max(words.count(word) for word in words) == 2


def test_pseudonyms_are_unique() -> None:
    """There are more than the members of a class; a name that is taken is not given again."""
    names = {f"{one} {other}" for one in ADJECTIVES for other in ANIMALS}
    assert len(names) >= 1_000
    last = names.pop()
    assert pseudonym(names) == last
    every = {*names, last}
    with_number = pseudonym(every)
    assert with_number.removesuffix(" 2") in every  # a class of thousands has names too
    numbered = {f"{name} 2" for name in every}
    assert pseudonym(every | numbered).endswith(" 3")
