"""From a question in anybody's words to what is alike, by TF-IDF: rare words weigh more.

Words are compared by their stems, so that "freezing" finds "freeze"; very common ones are left out.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

from snowballstemmer.english_stemmer import EnglishStemmer

from embviz.limits.case import Case
from embviz.limits.cases import CASES, group_of
from embviz.limits.elsewhere import ELSEWHERE, Elsewhere

# Too common to search for; `isn` and `t` are the parts of "isn't".
_COMMON = frozenset(
    re.findall(
        "[a-z]+",
        "a about after all am an and any are as at be been but by can could did do does doesn "
        "doing don during for from get gets getting give gives had has have help here how i if in "
        "into is isn it its just m make me my nn no not of on or please pytorch s should so some "
        "such t than that the their them then there these they this to too torch use using was we "
        "what when where which while why will with won would you your",
    )
)


# Words that people use for one thing, each with the one that is searched for.
_SAME = {
    "backprop": "backpropagation",
    "backpropagate": "backpropagation",
    "cuda": "gpu",
    "dim": "dimension",
    "dims": "dimension",
    "emb": "embedding",
    "frozen": "freeze",
    "grad": "gradient",
    "grads": "gradient",
    "id": "index",
    "ids": "index",
    "idx": "index",
    "indices": "index",
    "init": "initialize",
    "matmul": "product",
    "multiplication": "product",
    "normalise": "norm",
    "normalize": "norm",
    "onehot": "one hot",
    "params": "parameter",
    "pretrained": "pre trained",
    "ram": "memory",
    "vocab": "vocabulary",
}
MAX_WORD = 40  # characters
KNOWN = 0.65  # share of a question's words, by weight; with less it is about something else
ALIKE = 0.25  # likeness that counts, however little of the question is known


class Alike(NamedTuple):
    """How alike a case, or another page, is to a question.

    Attributes:
        what: the case or page.
        likeness: from 0 to 1: the mean of the cosines of the question with the most alike of its
            questions, with the texts that lead to it, and with all its text.
        whole: whether it has all the words of the question.
    """

    what: Case | Elsewhere
    likeness: float
    whole: bool


class Searched(NamedTuple):
    """The texts of a case, or of another page, that are searched.

    Attributes:
        what: the case or page.
        questions: its title and its questions.
        leading: all of these and its further words, in one text.
        every: all its text.
    """

    what: Case | Elsewhere
    questions: tuple[str, ...]
    leading: str
    every: str


def alike(question: str) -> list[Alike]:
    """All cases and other pages, the most alike first.

    For a text without words, or with too few that anything has, there are none.

    >>> alike("Does weight decay shrink rare words?")[0].what.name
    'weight-decay-unseen'
    """
    words = frozenset(stems(question))
    if not words:
        return []
    index = _index()
    known = _share_known(words, index.vectorizer)
    row = index.vectorizer.transform([question]).T
    cosines = (index.texts @ row).toarray()[:, 0].tolist()
    found = []
    for searched, (begin, end), every in zip(_searched(), index.places, index.words, strict=True):
        *questions, leading, whole = cosines[begin:end]
        likeness = known * (max(questions) + leading + whole) / 3
        found.append(Alike(searched.what, likeness, words <= every))
    found.sort(key=lambda one: one.likeness, reverse=True)
    return found if known >= KNOWN or found[0].likeness >= ALIKE else []


@cache
def _searched() -> list[Searched]:
    found = []
    for case in CASES:
        questions = case.title, *case.questions
        leading = " ".join([*questions, case.name, case.words])
        every = " ".join([leading, case.claim, case.why, case.fix, group_of(case)])
        found.append(Searched(case, questions, leading, every))
    for page in ELSEWHERE:
        questions = page.title, *page.questions
        text = " ".join(questions)
        found.append(Searched(page, questions, text, text))
    return found


class Index(NamedTuple):
    """All texts in numbers.

    Attributes:
        vectorizer: scikit-learn's, which knows the weight of each stem.
        texts: a row for each text of each that is searched.
        places: for each that is searched, its first row and that of the next.
        words: for each that is searched, the stems of all its text.
    """

    vectorizer: Any
    texts: Any
    places: list[tuple[int, int]]
    words: list[frozenset[str]]


@cache
def _index() -> Index:
    from sklearn.feature_extraction.text import TfidfVectorizer  # it takes a second

    vectorizer = TfidfVectorizer(analyzer=stems, sublinear_tf=True)
    vectorizer.fit([one.every for one in _searched()])
    texts: list[str] = []
    places = []
    for searched in _searched():
        begin = len(texts)
        texts += [*searched.questions, searched.leading, searched.every]
        places.append((begin, len(texts)))
    words = [frozenset(stems(one.every)) for one in _searched()]
    return Index(vectorizer, vectorizer.transform(texts), places, words)


def _share_known(words: frozenset[str], vectorizer: Any) -> float:
    """The length of a question's row without the words that nobody has, over that with them.

    Such a word weighs as much as the rarest of the others.
    """
    rarest = max(vectorizer.idf_) ** 2
    places = [vectorizer.vocabulary_.get(word) for word in words]
    known = sum(vectorizer.idf_[place] ** 2 for place in places if place is not None)
    every = known + rarest * places.count(None)
    return float((known / every) ** 0.5)


def stems(text: str) -> list[str]:
    """The stems of the words of a text that are not very common.

    >>> stems("Why isn't my onehot initialised? -0.0")
    ['one', 'hot', 'initi', 'minus0', '0']
    """
    plain = re.sub(r"-(?=\d)", " minus", text.casefold())
    plain = re.sub(r"[^\W_]+", lambda word: _SAME.get(word[0], word[0]), plain)
    words = re.findall(r"[^\W_]+", plain)
    return [_stem(word) for word in words if word not in _COMMON and _tells(word)]


def _tells(word: str) -> bool:
    """Whether it may be a word: no single letter, and no line without blanks."""
    return len(word) <= MAX_WORD and (len(word) > 1 or word.isdigit())


@lru_cache(maxsize=1024)
def _stem(word: str) -> str:
    american = re.sub(r"is(?=(e|ed|es|er|ers|ing|ation)$)", "iz", word)
    return str(EnglishStemmer().stemWord(american))
