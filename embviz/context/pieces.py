"""A word in a sentence as a model's tokenizer splits it.

Only whole words are found, in upper or lower case. No model is loaded here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from embviz.text.refused import Refused
from embviz.text.wording import quote

MAX_SENTENCES = 12
MAX_CHARACTERS = 1_000  # Characters of one sentence.
MAX_WORD = 100


@dataclass(frozen=True)
class Piece:
    """One token of the model.

    Attributes:
        id: its row in the model's table.
        text: its spelling in the vocabulary, such as `##ing`.
        start: where the piece begins in the sentence.
        end: where it ends; equal to `start` for a special token.
        is_special: whether the tokenizer added it, such as `[CLS]`.
    """

    id: int
    text: str
    start: int
    end: int
    is_special: bool


def places_of(word: str, sentence: str) -> list[tuple[int, int]]:
    """Start and end of every place of a whole word, in upper or lower case.

    Raises:
        Refused: the word is empty or too long, or the sentence lacks it.

    >>> places_of("bank", "Banks bank on a bank's BANK.")
    [(6, 10), (16, 20), (23, 27)]
    """
    wanted = word.strip()
    if not wanted:
        raise Refused(
            "There is no word to look for. Type one that all sentences have.", about="word"
        )
    if len(wanted) > MAX_WORD:
        said = f"{quote(wanted)} is longer than the {MAX_WORD} characters of a word."
        raise Refused(said, about="word")
    pattern = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)", re.IGNORECASE)
    places = [match.span() for match in pattern.finditer(sentence)]
    if not places:
        said = f"The word {quote(wanted)} is not in the sentence {quote(sentence)}."
        raise Refused(said, about="word")
    return places


def check_sentences(sentences: Sequence[str]) -> None:
    """Refuse sentences that are too many, too long or empty.

    Raises:
        Refused: the number of the sentence, and what is allowed.
    """
    if not sentences:
        raise Refused("There is no sentence: write one a line.")
    if len(sentences) > MAX_SENTENCES:
        raise Refused(
            f"Give 1 to {MAX_SENTENCES} sentences, one a line; these are {len(sentences)}."
        )
    for number, sentence in enumerate(sentences, start=1):
        if not sentence.strip():
            raise Refused(f"Sentence {number} is empty.")
        if len(sentence) > MAX_CHARACTERS:
            raise Refused(
                f"Sentence {number}, {quote(sentence)}, has {len(sentence):,} characters; "
                f"a sentence may have {MAX_CHARACTERS:,}."
            )
