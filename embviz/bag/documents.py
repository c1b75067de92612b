"""Documents, one a line, turned into a sparse matrix of words by scikit-learn.

Line i is row i. An empty line becomes a row without words; empty lines at the end are dropped.
Words are scikit-learn's: two or more letters, digits or underscores in a row, in lower case.
scikit-learn is imported on first use, because its import is slow.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from embviz.bag.matrix import Matrix, MatrixError, check
from embviz.core.wording import printable, quote

MAX_TEXT = 1_000_000  # characters
MAX_DOCUMENTS = 100_000
MAX_WORDS = 100_000  # different words; a row of so many can still be written out
MAX_SHOWN = 80  # characters of a document that are kept for its row

Kind = Literal["binary", "count", "tfidf"]
StopWords = Literal["english"] | None

KINDS: dict[Kind, str] = {
    "binary": "1 where the document has the word, however often",
    "count": "how often the document has the word",
    "tfidf": "the count, less for words of many documents, scaled to rows of length 1",
}


def vectorize(text: str, kind: Kind, stop_words: StopWords = None) -> Matrix:
    r"""Count the words of documents.

    Args:
        text: documents, one a line.
        kind: a key of `KINDS`.
        stop_words: `english` to leave out scikit-learn's list of common words.

    Returns:
        one row a document, one column a word, in alphabetical order; float32
        for `binary` and `count`, float64 for `tfidf`, which is scikit-learn's own.

    Raises:
        MatrixError: no words, only stop words, or too much text.

    >>> matrix = vectorize("the cat\nthe cat saw the dog", "count")
    >>> matrix.columns, matrix.csr.toarray().astype(int).tolist()
    (('cat', 'dog', 'saw', 'the'), [[1, 0, 0, 1], [1, 1, 1, 2]])
    """
    if kind not in KINDS:
        raise MatrixError(f"{quote(str(kind))} is not one of: {', '.join(KINDS)}.")
    if stop_words not in (None, "english"):
        raise MatrixError(f"Stop words {quote(str(stop_words))} are not known; english are.")
    documents = split(text)
    vectorizer = _vectorizer(kind, stop_words)
    words = vectorizer.build_analyzer()
    if not any(map(words, documents)):
        raise MatrixError(_no_words(documents))
    counted = vectorizer.fit_transform(documents)
    columns = vectorizer.get_feature_names_out().tolist()
    if len(columns) > MAX_WORDS:
        raise MatrixError(f"{len(columns):,} different words are more than {MAX_WORDS:,}.")
    shown = tuple(_shorten(document) for document in documents)
    return Matrix(check(counted).csr, tuple(columns), shown)


def split(text: str) -> list[str]:
    r"""The documents of a text, one a line.

    Raises:
        MatrixError: more than `MAX_TEXT` characters or `MAX_DOCUMENTS` lines.

    >>> split("a b\r\n\nc\n\n")
    ['a b', '', 'c']
    """
    if len(text) > MAX_TEXT:
        raise MatrixError(f"{len(text):,} characters of documents are more than {MAX_TEXT:,}.")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) > MAX_DOCUMENTS:
        raise MatrixError(f"{len(lines):,} documents are more than {MAX_DOCUMENTS:,}.")
    return lines


def _vectorizer(kind: Kind, stop_words: StopWords) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    if kind == "tfidf":
        return TfidfVectorizer(stop_words=stop_words)
    return CountVectorizer(binary=kind == "binary", stop_words=stop_words, dtype=np.float32)


def _no_words(documents: list[str]) -> str:
    """The refusal of documents without any word to count."""
    if not documents:
        return "No documents were given; write one a line."
    words = _vectorizer("count", None).build_analyzer()
    if stopped := next(filter(words, documents), None):
        return (
            f"The documents have only stop words, such as those of {quote(stopped)}, "
            "so the vocabulary is empty."
        )
    given = next(filter(str.strip, documents))
    return (
        f"The vocabulary is empty: {quote(given)} has no word, and a word is two or more "
        "letters, digits or underscores in a row."
    )


def _shorten(document: str) -> str:
    shown = "".join(printable(character) for character in document[:MAX_SHOWN])
    return shown + "…" if len(document) > MAX_SHOWN else shown
