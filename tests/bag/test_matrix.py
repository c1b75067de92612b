"""Matrices of counts and documents: read, checked, and changed by hand."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from embviz.bag.documents import KINDS, dropped, split, vectorize
from embviz.bag.matrix import checked, parse_matrix
from embviz.core.refused import Refused

TEXT = "The cat saw the dog\nthe dog saw a cat, the CAT!\n\nNo dog: Übermut 猫犬\n\n"
WORDS = ("cat", "dog", "no", "saw", "the", "übermut", "猫犬")
COUNTS = [[1, 1, 0, 1, 2, 0, 0], [2, 1, 0, 1, 2, 0, 0], [0] * 7, [0, 1, 1, 0, 0, 1, 1]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "No matrix was given. Write one row a line"),
        ("1 2\n3", "Row 1 has 1 numbers and row 0 has 2.* Write one row a line"),
        ("[[]]", "1 x 0 is outside 1 to 1,000,000"),
        ("0 0\n1 nan", "nan in row 1, column 1 is not a number between -9,007,199,254,740,992"),
        ("0 -9007199254740992", "in row 0, column 1 is not a number"),
    ],
)
def test_what_is_no_matrix_is_refused(text: str, words: str) -> None:
    """No matrix, an empty one and one with numbers out of range are refused in a sentence."""
    with pytest.raises(Refused, match=words):
        parse_matrix(text)
    assert parse_matrix("0 9007199254740991").csr.data.tolist() == [2**53 - 1]


def test_limits_hold_for_what_is_summed_and_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum of two counts is checked as well; rows, columns and cells have limits."""
    twice = np.array([0, 0]), np.array([1, 1])
    with pytest.raises(Refused, match=r"9.0072e\+15 in row 0, column 1"):
        checked(sp.coo_array((np.full(2, 2**52), twice), shape=(1, 2)))
    assert checked(sp.csr_array((1_000_000, 1))).csr.nnz == 0
    for shape in (1_000_001, 1), (1, 1_000_001):
        with pytest.raises(Refused, match="1,000,001"):
            checked(sp.csr_array(shape))
    monkeypatch.setenv("EMBVIZ_MAX_CELLS", "2")
    assert parse_matrix("1 1").csr.nnz == 2
    with pytest.raises(Refused, match="3 stored values are more than the 2 allowed"):
        parse_matrix("1 1 1")


def test_a_changed_count_changes_its_row_alone() -> None:
    """A count is replaced, added, or with 0 removed; words and the old matrix stay."""
    matrix = vectorize("aa bb bb\ncc cc\naa", "count")
    found = matrix.changed(1, {0: 5.0, 2: 0.0})
    assert found.csr.toarray().tolist() == [[1, 2, 0], [5, 0, 0], [1, 0, 0]]
    assert found.csr.nnz == 4
    assert (found.columns, found.documents) == (matrix.columns, matrix.documents)
    assert matrix.csr.toarray().tolist() == [[1, 2, 0], [0, 0, 2], [1, 0, 0]]
    with pytest.raises(Refused, match="Column 3 of edit is not one of 0 to 2"):
        matrix.changed(0, {3: 1})


def test_the_three_kinds_of_counts() -> None:
    """Counts are those made by hand, `binary` has ones, `tfidf` the numbers of TfidfVectorizer.

    Stop words are left out of each, but only on request.
    """
    matrix = vectorize(TEXT, "count")
    assert matrix.columns == WORDS
    assert matrix.csr.toarray().tolist() == COUNTS
    assert vectorize(TEXT, "binary").csr.toarray().tolist() == np.minimum(COUNTS, 1).tolist()
    theirs = TfidfVectorizer().fit_transform(TEXT.strip().split("\n"))
    assert vectorize(TEXT, "tfidf").csr.toarray().tolist() == theirs.toarray().tolist()
    for kind in KINDS:
        matrix = vectorize("the cat\nthe", kind, stop=True)
        assert (matrix.columns, matrix.csr.toarray().tolist()) == (("cat",), [[1], [0]])


def test_line_i_is_row_i() -> None:
    """Line i is row i, also after an empty line; empty lines at the end are none."""
    matrix = vectorize("\ncat\r\n \rdog\n\n \n", "count")
    assert matrix.documents == ("", "cat", " ", "dog")
    assert matrix.csr.toarray().tolist() == [[0, 0], [1, 0], [0, 0], [0, 1]]
    assert split("") == split("\n \n") == []


def test_what_is_dropped_has_a_reason() -> None:
    """A word of one letter and a stop word are named once, in order, with the reason."""
    assert dropped("I like my CAT, I do like A cat") == ["i (one letter)", "a (one letter)"]
    said = ["i (one letter)", "my (stop word)", "do (stop word)"]
    assert dropped("I like my cat, I do", stop=True) == said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" \n", "No documents were given"),
        ("\na b\n!", r"^'a b\\n!': empty vocabulary.* two or more letters"),
        ("the it\nand", "'the it.*only contain stop words"),
        ("x" * 1_000_001, "1,000,001 characters of documents are more than 1,000,000"),
        ("\n" * 100_000 + "ab", "100,001 documents are more than 100,000"),
    ],
)
def test_documents_that_cannot_be_counted(text: str, words: str) -> None:
    """Documents without words or over the limits are refused in one short sentence."""
    with pytest.raises(Refused, match=words) as refused:
        vectorize(text, "count", stop=True)
    assert len(str(refused.value)) < 200
