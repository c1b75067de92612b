"""The characters of `string.printable`, and a small model that learns which one comes next.

It learns from a law that comes with embviz, by the model of `next_token.py`. Its rows at the start
are those of the usual table: `nn.Embedding(100, 10)` with the same seed.
"""

import string
from functools import cache
from pathlib import Path

import torch
from torch import nn

from embviz.fact.next_token import Learnt, begun, counted_pairs, train
from embviz.fact.vocabulary import Vocabulary
from embviz.system.shared_cache import shared_cache

PRINTABLE = Vocabulary(string.printable)
DIM = 10
STEPS = 100
KEPT_BYTES = 100_000  # bytes of the trainings that all sessions share; one has 17 KB


@cache
def constitution() -> str:
    """The Declaration of Independence and the Constitution of the United States.

    53,114 characters, all in `printable`. Both texts are in the public domain.
    """
    return Path(__file__).with_name("constitution.txt").read_text("utf-8")


@cache
def following() -> torch.Tensor:
    """How often each character (columns) follows each (rows) in the law, int64 (100, 100)."""
    ids = torch.tensor(PRINTABLE.encode(constitution()))
    return counted_pairs(ids[:-1], ids[1:], len(PRINTABLE))


@shared_cache(KEPT_BYTES, lambda learnt: learnt.nbytes, lambda seed: seed)
def learn(seed: int) -> Learnt:
    """The model at the start and after `STEPS` steps; about 0.1 s of processor time.

    The loss is the mean cross-entropy over all pairs of neighbours; each distinct pair is computed
    once, and weighted by its count.
    """
    characters, shares = torch.arange(len(PRINTABLE)), following() / following().sum()

    def loss(model: nn.Sequential) -> torch.Tensor:
        scores: torch.Tensor = model(characters)
        return -(shares * scores.log_softmax(1)).sum()

    return train(begun(len(PRINTABLE), DIM, seed), loss, STEPS, every=STEPS)
