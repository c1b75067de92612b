"""The loss of a bigram model on held-out text.

The model counts the training part: p(b | a) = (n(a, b) + s p(b)) / (n(a) + s), with
p(b) = (n(b) + 1) / (N + V). The smoothing s is the value of `SMOOTHING` with the least loss on the
training part, where each pair is left out of its own counts. The held-out part is not counted.
"""

from __future__ import annotations

import torch

SMOOTHING = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


def bigram_loss(train: torch.Tensor, held_out: torch.Tensor, rows: int) -> float:
    """Mean cross-entropy over the pairs of the held-out text, in nats.

    Args:
        train: int64 (N,), N at least 2, the counted text.
        held_out: int64 (M,), M at least 2, the predicted text; its first id is given.
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
        probability = (count - 1 + s * alone[following]) / (before[this] - 1 + s)
        return float(-(probability.log() * count).sum())

    s = min(SMOOTHING, key=left_out)
    given, answer = held_out[:-1], held_out[1:]
    wanted = given * rows + answer
    place = torch.searchsorted(pairs, wanted).clamp(max=len(pairs) - 1)
    seen = torch.where(pairs[place] == wanted, count[place], 0.0)
    probability = (seen + s * alone[answer]) / (before[given] + s)
    return float(-probability.log().mean())
