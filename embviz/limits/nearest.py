"""The cases and pages nearest to a text in words: TF-IDF over groups of 3 to 5 letters.

Groups of letters find "freezing" for "freeze" and "embeding" for "embedding" without a word list.
No limit of likeness decides: none parts a question in unusual words from one about something else.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from embviz.limits.case import Case
from embviz.limits.cases import CASES, group_of
from embviz.limits.elsewhere import ELSEWHERE, Elsewhere
from embviz.limits.messages import plain

# Characters of a text that are compared, from its end: a question, or the message of an error.
MAX_CHARACTERS = 2_000


class Index(NamedTuple):
    """All that is searched, in numbers.

    Attributes:
        searched: the cases and pages.
        vectorizer: scikit-learn's, which knows the weight of each group of letters.
        rows: a row of numbers for each case or page.
    """

    searched: list[Case | Elsewhere]
    vectorizer: Any
    rows: Any


def nearest(text: str) -> list[Case | Elsewhere]:
    """The cases and pages that have anything in common with a plain text, the nearest first.

    >>> nearest("does weight decay shrink rare words?")[0].name
    'weight-decay-unseen'
    >>> nearest("?!")
    []
    """
    index = _index()
    row = index.vectorizer.transform([text[-MAX_CHARACTERS:]]).T
    likeness = (index.rows @ row).toarray()[:, 0]
    return [index.searched[place] for place in (-likeness).argsort() if likeness[place] > 0]


@cache
def _index() -> Index:
    from sklearn.feature_extraction.text import TfidfVectorizer  # it takes a second

    texts = [*map(_text_of_case, CASES), *map(_text_of_page, ELSEWHERE)]
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    rows = vectorizer.fit_transform(map(plain, texts))
    return Index([*CASES, *ELSEWHERE], vectorizer, rows)


def _text_of_case(case: Case) -> str:
    says = [case.title, *case.questions, case.name, case.words, case.claim, case.why, case.fix]
    return " ".join([*says, group_of(case), *case.raises, *case.messages])


def _text_of_page(page: Elsewhere) -> str:
    return " ".join([page.title, *page.questions, page.words, page.answer])
