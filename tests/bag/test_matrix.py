"""What is no matrix of counts, or no documents, is refused."""

from typing import Any

import pytest

from embviz.bag.documents import vectorize
from embviz.bag.matrix import Matrix, parse_matrix
from embviz.system import bounds
from embviz.text.refused import Refused


def count(text: str) -> Matrix:
    """Documents without stop words."""
    return vectorize(text, "count", stop=True)


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (parse_matrix, "", "No matrix was given. Write one row a line"),
        (parse_matrix, "1 2\n3", "Row 1 has 1 number and row 0 has 2.* Write one row a line"),
        (parse_matrix, "0 0\n1 nan", "nan in row 1, column 1 is not a number between -9,007,199,"),
        (parse_matrix, "0 -9007199254740992", "in row 0, column 1 is not a number"),
        (parse_matrix, "1 1 1 0", "3 stored values are more than the 2 allowed"),
        (count, " \n", "No documents were given"),
        (count, "\na b\n!", r"^'a b\\n!' has no word. A word has two or more letters"),
        (
            count,
            "the it\nand",
            "'the it.* has no word. A word has two or more.*, and is not a stop word",
        ),
        (count, "x" * 1_000_001, "1,000,001 characters of documents are more than 1,000,000"),
        (count, "\n" * 100_000 + "ab", "100,001 documents are more than 100,000"),
    ],
    ids=lambda one: str(one)[:9],
)
def test_what_is_no_bag_is_refused(
    read: Any, text: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers out of range, no words, and what is over a limit are refused in one sentence."""
    if "stored" in words:
        monkeypatch.setattr(bounds, "CELLS", bounds.Fixed(2, 2))
    with pytest.raises(Refused, match=words):
        read(text)
