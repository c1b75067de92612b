"""The small models whose numbers the panel *in a model* shows: of six letters, of characters.

Each scores the next token after one. It draws nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from embviz.fact import characters, letters
from embviz.fact.inputs import Inputs
from embviz.fact.next_token import Learnt
from embviz.fact.vocabulary import Vocabulary

LIKELIEST = 6  # next tokens that are shown: of six letters all
START, END = 0, -1  # states of a training


@dataclass(frozen=True)
class Guess:
    """The number that a model gives one next token.

    Attributes:
        token: its id.
        score: that number.
        share: of all scores by softmax, 0 to 1.
    """

    token: int
    score: float
    share: float


@dataclass(frozen=True)
class SmallModel:
    """A model that learns which token comes next.

    Attributes:
        learnt: its states; the first is the start, the last the end.
        counts: int64 (V, V), how often each token (columns) follows each (rows) in the text.
        steps: of training.
        text: what it learns from, in words.
        has_program: whether a script can hold its text, and train it.
    """

    learnt: Learnt
    counts: torch.Tensor
    steps: int
    text: str
    has_program: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """Its V and D."""
        _, rows, dim = self.learnt.rows.shape
        return rows, dim

    def row(self, token: int, state: int) -> list[float]:
        """The row of a token."""
        row: list[float] = self.learnt.rows[state, token].tolist()
        return row

    def likeliest(self, token: int, state: int) -> list[Guess]:
        """The likeliest next tokens after this one, as the model says, the first one first."""
        scores = self.learnt.scores(torch.tensor(token), state)
        shares, tokens = scores.softmax(0).topk(LIKELIEST)
        return [
            Guess(token, float(scores[token]), share)
            for token, share in zip(tokens.tolist(), shares.tolist(), strict=True)
        ]

    def most_often(self, token: int) -> tuple[int, int]:
        """The token that follows this one most often in the text, and how often: 0 for never."""
        count, following = self.counts[token].max(0)
        return int(following), int(count)


def small_model(given: Inputs) -> SmallModel | None:
    """The model for this vocabulary, with the seed of the table; None where there is none."""
    known, seed = given.vocabulary, given.table.seed
    if not isinstance(known, Vocabulary):
        return None
    if known.symbols == letters.LETTERS:
        text = f"{len(letters.WORDS)} English words of these letters"
        return SmallModel(letters.learn(seed), letters.following(), letters.STEPS, text, True)
    if known == characters.PRINTABLE:
        text = "the Declaration of Independence and the Constitution of the United States"
        learnt = characters.learn(seed)
        return SmallModel(learnt, characters.following(), characters.STEPS, text)
    return None
