"""Documents, one a line, turned into a matrix of counts by scikit-learn.

Line i is row i. An empty line becomes a row without words; empty lines at the end are dropped.
scikit-learn is imported on first use, because its import is slow.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import Any

import numpy as np

from embviz.bag.matrix import Matrix, checked
from embviz.text.refused import Refused
from embviz.text.wording import few_names, isolate, quote

MAX_TEXT = 1_000_000  # characters
MAX_DOCUMENTS = 100_000
LETTERS = 20  # Letters of a word in a sentence, at most: the sentence keeps to its place.


def vectorize(text: str, kind: str, stop: bool = False) -> Matrix:
    r"""Count the words of documents.

    Args:
        text: documents, one a line.
        kind: `binary`, 1 where the document has the word; `count`, how often it has it; `tfidf`,
            that, less for words of many documents, scaled to rows of length 1.
        stop: whether scikit-learn's list of common English words is left out.

    Returns:
        one row a document, one column a word, in alphabetical order.

    Raises:
        Refused: no words, only stop words, or too much text.

    >>> matrix = vectorize("the cat\nthe cat saw the dog", "count")
    >>> matrix.columns, matrix.csr.toarray().astype(int).tolist()
    (('cat', 'dog', 'saw', 'the'), [[1, 0, 0, 1], [1, 1, 1, 2]])
    """
    documents = split(text)
    if not documents:
        raise Refused("No documents were given; write one a line.", about="docs")
    vectorizer = _vectorizer(kind, stop)
    try:
        counted = vectorizer.fit_transform(documents)
    except ValueError:  # an empty vocabulary
        raise Refused(
            f"{quote(text)} has no word. A word has two or more letters, digits or underscores"
            f"{', and is not a stop word' if stop else ''}. {cut_words(text)}".rstrip(),
            {"Keep stop words": {"stop": False}} if stop else None,
            "docs",
        ) from None
    columns = tuple(vectorizer.get_feature_names_out().tolist())
    return replace(checked(counted), columns=columns, documents=tuple(documents))


def dropped(document: str, stop: bool = False) -> list[str]:
    """The words and signs of a document that the vectorizer leaves out, each once, with the reason.

    >>> dropped("I like my CAT I do"), dropped("I like my CAT, I do", stop=True)[1:]
    (['i (one letter)'], ['my (stop word)', 'do (stop word)', "',' (no letter or digit)"])
    """
    kept = {*_vectorizer("count", stop).build_analyzer()(document)}
    words = dict.fromkeys(re.findall(r"\w+", document.lower()))
    left_out = []
    for word in words:
        if word not in kept:
            left_out.append(f"{isolate(word)} ({'one letter' if len(word) == 1 else 'stop word'})")
    if signs := "".join(dict.fromkeys(re.findall(r"[^\w ]", document))):
        left_out.append(f"{few_names(signs)} (no letter or digit)")
    return left_out


def cut_words(document: str) -> str:
    r"""Says which words the vectorizer cuts at a mark on a letter; empty if none.

    A vowel sign of Arabic or Hebrew, or an accent that is a character of its own, is no letter.

    >>> cut_words("ro\u0302les caf\u00e9").partition(" it ")[2], cut_words("rôle")
    ("takes 'ro', 'les'.", '')
    """
    if document.isascii():
        return ""
    analyze, cut = _vectorizer("count", stop=False).build_analyzer(), dict[str, list[str]]()
    for run in re.findall(r"[^\W_]\S*", document):
        letters = "".join(one for one in run if unicodedata.category(one)[0] != "M")
        if letters != run and (found := analyze(run)) != analyze(letters):
            cut[run] = found
    if not cut:
        return ""
    (word, found), *others = cut.items()
    more = f"; {len(others):,} more" if others else ""
    return (
        "A mark on a letter, such as a vowel sign, ends a word: "
        f"from {quote(word, LETTERS)} it takes {few_names(found) or 'nothing'}{more}."
    )


def split(text: str) -> list[str]:
    r"""The documents of a text, one a line.

    Raises:
        Refused: more than `MAX_TEXT` characters or `MAX_DOCUMENTS` lines.

    >>> split("\na b\r\n \rc\n\n \n"), split("\n \n")
    (['', 'a b', ' ', 'c'], [])
    """
    if len(text) > MAX_TEXT:
        raise Refused(f"{len(text):,} characters of documents are more than {MAX_TEXT:,}.")
    lines = re.sub(r"\r\n?", "\n", text).rstrip().split("\n")
    if len(lines) > MAX_DOCUMENTS:
        raise Refused(f"{len(lines):,} documents are more than {MAX_DOCUMENTS:,}.")
    return lines if any(lines) else []


def _vectorizer(kind: str, stop: bool) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    words = "english" if stop else None
    if kind == "tfidf":
        return TfidfVectorizer(stop_words=words)
    return CountVectorizer(binary=kind == "binary", stop_words=words, dtype=np.float64)
