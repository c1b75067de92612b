"""Documents, one a line, as a matrix of words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from embviz.bag.documents import KINDS, dropped, split, vectorize
from embviz.core.refused import Refused

TEXT = "The cat saw the dog\nthe dog saw a cat, the CAT!\n\nNo dog: Übermut 猫犬\n\n"
WORDS = ("cat", "dog", "no", "saw", "the", "übermut", "猫犬")
COUNTS = [[1, 1, 0, 1, 2, 0, 0], [2, 1, 0, 1, 2, 0, 0], [0] * 7, [0, 1, 1, 0, 0, 1, 1]]


def test_the_three_kinds() -> None:
    """Counts are those made by hand, `binary` has ones, `tfidf` the numbers of TfidfVectorizer."""
    matrix = vectorize(TEXT, "count")
    assert matrix.columns == WORDS
    assert matrix.csr.toarray().tolist() == COUNTS
    assert vectorize(TEXT, "binary").csr.toarray().tolist() == np.minimum(COUNTS, 1).tolist()
    theirs = TfidfVectorizer().fit_transform(TEXT.strip().split("\n"))
    assert vectorize(TEXT, "tfidf").csr.toarray().tolist() == theirs.toarray().tolist()


def test_line_i_is_row_i() -> None:
    """Line i is row i, also after an empty line; empty lines at the end are none."""
    matrix = vectorize("\ncat\r\n \rdog\n\n \n", "count")
    assert matrix.documents == ("", "cat", " ", "dog")
    assert matrix.csr.toarray().tolist() == [[0, 0], [1, 0], [0, 0], [0, 1]]
    assert split("") == split("\n \n") == []


def test_stop_words_are_left_out_when_asked() -> None:
    """Stop words are left out of every kind, but only on request."""
    for kind in KINDS:
        assert vectorize("the cat", kind).columns == ("cat", "the")
        matrix = vectorize("the cat\nthe", kind, stop=True)
        assert matrix.columns == ("cat",)
        assert matrix.csr.toarray().tolist() == [[1], [0]]


def test_what_is_dropped_has_a_reason() -> None:
    """A word of one letter and a stop word are named once, in order, with the reason."""
    assert dropped("I like my CAT, I do like A cat") == ["i (one letter)", "a (one letter)"]
    said = ["i (one letter)", "my (stop word)", "do (stop word)"]
    assert dropped("I like my cat, I do", stop=True) == said
    assert dropped("like 猫犬 x_1") == []


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


@given(st.text(max_size=60), st.sampled_from([*KINDS]), st.booleans())
@settings(deadline=None, max_examples=100)
def test_any_text_is_counted_or_a_sentence(text: str, kind: str, stop: bool) -> None:
    """Any text gives a row for each line, with a number for each word that is not dropped."""
    try:
        matrix = vectorize(text, kind, stop)
    except Refused:
        return
    assert matrix.csr.shape == (len(split(text)), len(matrix.columns))
    words = CountVectorizer(stop_words="english" if stop else None).build_analyzer()
    for row, document in enumerate(matrix.documents):
        assert {matrix.columns[k] for k in matrix.csr[[row]].indices} == {*words(document)}
        left = {one.partition(" (")[0] for one in dropped(document, stop)}
        assert not left & {*matrix.columns}
