"""The cases and pages nearest to a text in words: TF-IDF over groups of 3 to 5 letters.

Groups of letters find "freezing" for "freeze" and "embeding" for "embedding" without a word list.
Records with the text as their title, as a question or among their words stand first.
No limit of likeness decides what is offered: none parts a question in unusual words from one about
something else. Below `UNSURE` the page says that the answer is not sure.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from embviz.limits.case import Case
from embviz.limits.cases import CASES
from embviz.limits.elsewhere import ELSEWHERE, Elsewhere
from embviz.limits.messages import plain

# Characters of a text that are compared, from its end: a question, or the message of an error.
MAX_CHARACTERS = 2_000
# Likeness, from 0 to 1, below which few questions are about this subject: of 260 wordings of
# newcomers' questions two are below it, of 24 questions about other things fourteen.
UNSURE = 0.1


class Index(NamedTuple):
    """All that is searched, in numbers.

    Attributes:
        searched: the cases and pages.
        texts: what each says, one after another with a comma between.
        vectorizer: scikit-learn's, which knows the weight of each group of letters.
        rows: a row of numbers for each case or page.
    """

    searched: list[Case | Elsewhere]
    texts: list[str]
    vectorizer: Any
    rows: Any


def nearest(text: str) -> list[tuple[Case | Elsewhere, float]]:
    """The cases and pages that have anything in common with a plain text, the nearest first.

    Each has its likeness, from 0 to 1.

    >>> nearest("does weight decay shrink rare words?")[0][0].name
    'weight-decay-unseen'
    >>> nearest("?!")
    []
    """
    index = _index()
    row = index.vectorizer.transform([text[-MAX_CHARACTERS:]]).T
    likeness = (index.rows @ row).toarray()[:, 0]
    listed = [f", {text.strip('? ')}, " in said for said in index.texts]
    places = (-likeness - listed).argsort()
    return [
        (index.searched[place], float(likeness[place])) for place in places if likeness[place] > 0
    ]


@cache
def _index() -> Index:
    from sklearn.feature_extraction.text import TfidfVectorizer  # it takes a second

    said = [*map(_said_by_case, CASES), *map(_said_by_page, ELSEWHERE)]
    texts = [f", {plain(', '.join(each))}, ".replace("?,", ",") for each in said]
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return Index([*CASES, *ELSEWHERE], texts, vectorizer, vectorizer.fit_transform(texts))


def _said_by_case(case: Case) -> list[str]:
    says = [case.title, *case.questions, case.name, case.words, case.claim, case.why, case.fix]
    return [*says, *case.raises, *case.messages, *case.general]


def _said_by_page(page: Elsewhere) -> list[str]:
    return [page.title, *page.questions, page.words, page.answer]
