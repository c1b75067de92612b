"""What stands in front of a saved table: found without work that grows faster than the text."""

import sys
from collections.abc import Callable

import pytest

from embviz.text.refused import Refused
from embviz.text.saved import read_saved, read_words

# Texts of so many characters on which a search could begin anew at each character, or each cell.
CRAFTED: dict[str, Callable[[int], str]] = {
    "blanks": lambda size: " " * size + "\n0,1\n.5,.5",
    "semicolons": lambda size: "0;1\n" + "  ;" * (size // 3),
    "a gap": lambda size: "0;1\n.5;" + " " * size + ".5",
    "comments": lambda size: "#\n" * (size // 2) + "1 2",
    "quotes": lambda size: '"a",' * (size // 4) + "\n1,2",
    "a count": lambda size: ",".join(map(str, range(size // 6))) + "\n.5,.5",
    "points": lambda size: "0 1\n" + ". " * (size // 2),
    "quotes in a word": lambda size: '"' + 'a""' * (size // 3) + ",.5\nb,.5",
    "an open quote": lambda size: "cat,.5\n" + '"a,' * (size // 3),
    "blanks in a word": lambda size: "a" + " b" * (size // 2) + " .5\ncat .5",
    "a header of blanks": lambda size: "a" + " " * size + "b\n1 2",
    "thousands": lambda size: "1,234;" * (size // 6) + "5",
    "empty cells": lambda size: "1" + "\t " * (size // 2) + "\t2\n1\t2",
    "floats that count": lambda size: "0.0" + "0" * size + ",1.0\n.5,.5",
    "a word": lambda size: "a" * size + " .5\n" + "b" * size + " .5",
}


def steps(text: str) -> int:
    """Functions that are called, in Python and in C, while a text is read."""
    called = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal called
        called += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        for read in (
            lambda: read_saved(text, 10**6, is_file=True),
            lambda: read_words(text, 10**6),
        ):
            try:
                read()
            except Refused:
                continue
    finally:
        sys.setprofile(None)
    return called


@pytest.mark.parametrize("name", CRAFTED)
def test_a_long_line_costs_no_more_calls_than_its_length(name: str) -> None:
    """Ten times the text is at most some ten times the calls, and few of them look at all of it."""
    short, long = (steps(CRAFTED[name](size)) for size in (5_000, 50_000))
    assert long <= 10 * short + 1_000


def test_only_the_first_characters_of_a_line_are_cut_into_cells() -> None:
    """A header is known by them, however long it is, and the table keeps all its columns."""
    header = ",".join(f"column{place}" for place in range(5_000))
    row = ",".join(["0.5"] * 5_000)
    found = read_saved(f"{header}\n{row}\n{row}", 10**6)
    assert found.rows.shape == (2, 5_000)
    assert "names the columns" in found.said
