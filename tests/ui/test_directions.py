"""Words from right to left in sentences that run from left to right: each stands in an isolate."""

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ui.headless import open_page, refused, sent, unescaped

LETTERS = "\u0627\u0628\u062a\u062b\u062c\u062d\u062e\u062f\u0631\u0633\u0645\u0644 \u064a"
WORD = "\u0645\u0631\u062d\u0628\u0627"
POINTED = "\u0643\u0650\u062a\u064e\u0627\u0628\u064c \u0661\u0662 \u05d0 \u05d5\u05d5 \u05d5\u05d5"
MIXED = f"{WORD} is a table, \u05e9\u05dc\u05d5\u05dd"
OWN = {"vocab": "custom", "chars": LETTERS, "text": WORD}
LEARN = {"corpus": "own", "learn_steps": "0", "size_steps": "0"}
FROM_THE_RIGHT = {"R", "AL", "AN"}
# Parts of a picture's record that are no sentences: one token or text each, drawn by itself.
NO_SENTENCE = {
    *("labels", "names", "tokens", "documents", "counts", "cells", "title", "text", "question")
}


def sentences(record: Any) -> Iterator[str]:
    """The texts of a record that are sentences, or pieces of one."""
    if isinstance(record, str):
        yield record
    elif isinstance(record, list):
        for part in record:
            yield from sentences(part)
    elif isinstance(record, dict):
        for name, part in record.items():
            if name not in NO_SENTENCE:
                yield from sentences(part)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("playground", OWN | {"panel": "nearest"}),
        ("playground", OWN | {"panel": "in a model"}),
        ("playground", OWN | {"panel": "one_hot"}),
        ("playground", OWN | {"unknown": "error", "text": MIXED}),
        ("playground", {"text": MIXED}),
        ("training", OWN),
        ("training", OWN | {"lesson": "unseen"}),
        ("training", LEARN | {"lesson": "write", "text": MIXED}),
        ("training", LEARN | {"lesson": "size", "text": MIXED}),
        ("training", LEARN | {"lesson": "size", "text": WORD}),
        ("context", OWN),
        ("context", OWN | {"edit": WORD[::-1]}),
        ("context", OWN | {"chapter": "contextual"}),
        ("bag_of_words", {"docs": POINTED}),
        ("bag_of_words", {"docs": POINTED, "forget": "1"}),
        ("bag_of_words", {"docs": f"{POINTED[:7]} \u05d0"}),
    ],
    ids=str,
)
def test_a_sentence_isolates_each_word_from_right_to_left(page: str, query: dict[str, str]) -> None:
    """Else a list of such words is drawn with its last one first."""
    app = open_page(page, **query)
    said = [unescaped(one.value) for one in (*app.markdown, *app.caption, *app.info)]
    for name in ("stage", "film", "strips", "bag", "one_hot"):
        for record in sent(app, f"embviz_{name}"):
            found = record | {"answer": answer_of(record)}
            said += sentences(found)
    told = [*said, *refused(app)]
    isolates = [part for one in told for part in re.findall("\u2068[^\u2068\u2069]*\u2069", one)]
    bare = [re.sub("\u2068[^\u2068\u2069]*\u2069", "", one) for one in told]
    assert [one for one in bare if {*map(unicodedata.bidirectional, one)} & FROM_THE_RIGHT] == []
    assert isolates or page == "playground"  # its stage makes sentences in the browser


def answer_of(record: dict[str, Any]) -> Any:
    """The answer of a picture that follows typing; a browser isolates the words of a refusal."""
    found = json.loads(record.get("answer", "{}"))
    return {} if "refusal" in found else found
