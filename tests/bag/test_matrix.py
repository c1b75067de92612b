"""Matrices of counts and documents: read, checked, and changed by hand."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from embviz.bag.documents import vectorize
from embviz.bag.matrix import Matrix, checked, parse_matrix
from embviz.core.refused import Refused

TEXT = "The cat saw the dog\nthe dog saw a cat, the CAT!\n\nNo dog: Übermut 猫犬\n\n"
COUNTS = [[1, 1, 0, 1, 2, 0, 0], [2, 1, 0, 1, 2, 0, 0], [0] * 7, [0, 1, 1, 0, 0, 1, 1]]


def count(text: str) -> Matrix:
    """Documents without stop words."""
    return vectorize(text, "count", stop=True)


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (parse_matrix, "", "No matrix was given. Write one row a line"),
        (parse_matrix, "1 2\n3", "Row 1 has 1 numbers and row 0 has 2.* Write one row a line"),
        (parse_matrix, "0 0\n1 nan", "nan in row 1, column 1 is not a number between -9,007,199,"),
        (parse_matrix, "0 -9007199254740992", "in row 0, column 1 is not a number"),
        (parse_matrix, "1 1 1", "3 stored values are more than the 2 allowed"),
        (count, " \n", "No documents were given"),
        (count, "\na b\n!", r"^'a b\\n!' has no word: two or more letters"),
        (count, "the it\nand", "'the it.* has no word: two or more.*, and no stop word"),
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
        monkeypatch.setenv("EMBVIZ_MAX_CELLS", "2")
    with pytest.raises(Refused, match=words):
        read(text)


def test_limits_hold_for_what_is_summed() -> None:
    """A sum of two counts is checked as well; a million columns are allowed, and no more."""
    assert parse_matrix("0 9007199254740991").csr.data.tolist() == [2**53 - 1]
    for given, words in (
        (sp.coo_array((np.full(2, 2**52), ([0, 0], [1, 1])), (1, 2)), "in row 0, column 1"),
        (sp.csr_array((1_000_001, 1)), "1,000,001 x 1 is outside 1 to 1,000,000"),
    ):
        with pytest.raises(Refused, match=words):
            checked(given)


def test_a_changed_count_changes_its_row_alone() -> None:
    """A count is replaced, added, or with 0 removed; words and the old matrix stay."""
    matrix = vectorize("aa bb bb\ncc cc\naa", "count")
    found = matrix.changed(1, {0: 5.0, 2: 0.0})
    assert found.csr.toarray().tolist() == [[1, 2, 0], [5, 0, 0], [1, 0, 0]]
    assert found.csr.nnz == 4
    assert (found.columns, found.documents) == (matrix.columns, matrix.documents)
    assert matrix.csr.toarray()[1].tolist() == [0, 0, 2]
    with pytest.raises(Refused, match="Column 3 of edit is not one of 0 to 2"):
        matrix.changed(0, {3: 1})


def test_the_three_kinds_of_counts() -> None:
    """Counts are those made by hand, `binary` has ones, `tfidf` the numbers of TfidfVectorizer."""
    assert vectorize(TEXT, "count").columns == ("cat", "dog", "no", "saw", "the", "übermut", "猫犬")
    theirs = TfidfVectorizer().fit_transform(TEXT.strip().split("\n")).toarray()
    for kind, numbers in ("count", COUNTS), ("binary", np.minimum(COUNTS, 1)), ("tfidf", theirs):
        assert np.array_equal(vectorize(TEXT, kind).csr.toarray(), numbers)
        matrix = vectorize("the cat\nthe", kind, stop=True)
        assert (matrix.columns, matrix.csr.toarray().tolist()) == (("cat",), [[1], [0]])
