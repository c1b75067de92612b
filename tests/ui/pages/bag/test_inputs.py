"""Refusals on the bag page: one sentence, and no exception."""

import pytest

from tests.ui.headless import refusals


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"bag": "documents", "start": "random", "docs": " "}, "No documents were given"),
        (
            {"bag": "documents", "start": "random", "docs": "the and of", "stop": "true"},
            "stop words",
        ),
        ({"linear": "1 nan 2 3"}, "nan"),
        ({"x": "1 2\n3"}, "Row 1 has 1 numbers"),
        ({"x": "1 2 3 4 5"}, "The weight has shape (3, 4)"),
        ({"bag": "file", "start": "random"}, "no file is chosen yet"),
    ],
    ids=str,
)
def test_what_is_no_bag_is_refused_in_words(query: dict[str, str], words: str) -> None:
    """Bad input gives one sentence with the reason, and is not replaced."""
    (said,) = refusals("bag_of_words", **query)
    assert words in said
