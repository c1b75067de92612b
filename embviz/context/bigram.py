"""The loss of a bigram model on text that it has not counted.

The model knows how often each character followed each in the training part, and falls
back on how often it stands there at all: p(b | a) = (n(a, b) + s p(b)) / (n(a) + s), with
p(b) = (n(b) + 1) / (N + V). The smoothing s is the one of `SMOOTHING` that predicts the
training part best when each pair is left out of the counts that predict it. It sees
nothing of the held-out part.
"""

from __future__ import annotations

import torch

SMOOTHING = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


def bigram_loss(train: torch.Tensor, held_out: torch.Tensor, rows: int) -> float:
    """Mean cross-entropy over the pairs of the held-out text, in nats.

    Args:
        train: int64 (N,), N at least 2, counted.
        held_out: int64 (M,), M at least 2, predicted; its first id is given.
        rows: V; every id is below it.

    >>> ids = torch.tensor([0, 1] * 50)
    >>> bigram_loss(ids, ids[:10], 2) < 0.01  # after a 0 comes a 1, and after a 1 a 0
    True
    """
    singles = torch.bincount(train, minlength=rows).double()
    alone = (singles + 1) / (len(train) + rows)
    before = torch.bincount(train[:-1], minlength=rows).double()
    pairs, counts = torch.unique(train[:-1] * rows + train[1:], return_counts=True)
    this, following, count = pairs // rows, pairs % rows, counts.double()

    def left_out(s: float) -> float:
        chance = (count - 1 + s * alone[following]) / (before[this] - 1 + s)
        return float(-(chance.log() * count).sum())

    s = min(SMOOTHING, key=left_out)
    asked, answer = held_out[:-1], held_out[1:]
    wanted = asked * rows + answer
    place = torch.searchsorted(pairs, wanted).clamp(max=len(pairs) - 1)
    seen = torch.where(pairs[place] == wanted, count[place], 0.0)
    chance = (seen + s * alone[answer]) / (before[asked] + s)
    return float(-chance.log().mean())
