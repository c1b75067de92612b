"""Documents, one a line, as a sparse matrix of words."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from embviz.bag.documents import (
    MAX_WORDS,
    Kind,
    split,
    vectorize,
)
from embviz.bag.matrix import MatrixError

TEXT = "The cat saw the dog\nthe dog saw a cat, the CAT!\n\nNo dog: Übermut 猫犬\n\n"
WORDS = ("cat", "dog", "no", "saw", "the", "übermut", "猫犬")
COUNTS = [[1, 1, 0, 1, 2, 0, 0], [2, 1, 0, 1, 2, 0, 0], [0] * 7, [0, 1, 1, 0, 0, 1, 1]]


def test_counts_are_those_of_a_hand() -> None:
    """Counts of a small text are those made by hand."""
    matrix = vectorize(TEXT, "count")
    assert matrix.columns == WORDS
    assert matrix.csr.toarray().tolist() == COUNTS
    assert matrix.csr.data.dtype == np.float32
    assert matrix.row(2).binary
    ones = vectorize(TEXT, "binary").csr
    assert ones.toarray().tolist() == [[min(1, n) for n in row] for row in COUNTS]


def test_tfidf_is_scikit_learns() -> None:
    """`tfidf` gives the numbers of TfidfVectorizer."""
    matrix = vectorize(TEXT, "tfidf")
    theirs = TfidfVectorizer().fit_transform(TEXT.strip().split("\n"))
    assert matrix.csr.toarray().tolist() == theirs.toarray().tolist()
    assert matrix.csr.data.dtype == np.float64
    lengths = np.sqrt((matrix.csr.toarray() ** 2).sum(1))
    assert lengths.tolist() == pytest.approx([1, 1, 0, 1])


def test_line_i_is_row_i() -> None:
    """Line i is row i, also after an empty line."""
    matrix = vectorize("\ncat\r\n \r\ndog\n\n \n", "count")
    assert matrix.documents == ("", "cat", " ", "dog")
    assert matrix.csr.toarray().tolist() == [[0, 0], [1, 0], [0, 0], [0, 1]]
    assert split("") == []
    assert split("\n\n") == []


def test_stop_words_are_left_out_when_asked() -> None:
    """Stop words are left out only on request."""
    assert vectorize("the cat", "count").columns == ("cat", "the")
    matrix = vectorize("the cat\nthe", "count", "english")
    assert matrix.columns == ("cat",)
    assert matrix.row(1).indices.tolist() == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "No documents were given"),
        ("\na b\n!", "The vocabulary is empty: 'a b' has no word"),
        ("!\nthe it\nand", "only stop words, such as those of 'the it'"),
        ("x" * 1_000_001, "1,000,001 characters of documents are more than 1,000,000"),
        ("\n" * 100_000 + "ab", "100,001 documents are more than 100,000"),
    ],
)
def test_documents_that_cannot_be_counted(text: str, words: str) -> None:
    """Documents without words or over the limits are refused."""
    with pytest.raises(MatrixError) as refused:
        vectorize(text, "count", "english")
    assert words in str(refused.value)
    assert len(str(refused.value)) < 200


def test_too_many_different_words() -> None:
    """Too many different words are refused."""
    text = " ".join(f"{word:05x}" for word in range(MAX_WORDS + 1))
    with pytest.raises(MatrixError, match="100,001 different words are more than 100,000"):
        vectorize(text, "count")


@given(st.text(max_size=60), st.sampled_from(get_args(Kind)), st.sampled_from([None, "english"]))
@settings(deadline=None, max_examples=150)
def test_any_text_is_counted_or_a_sentence(text: str, kind: Kind, stop_words: None) -> None:
    """Any text gives a row for each line, or a MatrixError."""
    try:
        matrix = vectorize(text, kind, stop_words)
    except MatrixError:
        return
    documents = split(text)
    assert matrix.shape == (len(documents), len(matrix.columns or ()))
    words = CountVectorizer(stop_words=stop_words).build_analyzer()
    for place, document in enumerate(documents):
        row = matrix.row(place)
        assert bool(words(document)) == (len(row.indices) > 0)
