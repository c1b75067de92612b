import math

import pytest
import torch

from embviz.context.bigram import SMOOTHING, bigram_loss


def test_the_bigram_model_is_one() -> None:
    """The bigram model's loss and smoothing are those of its formula."""
    train = torch.tensor([0, 1, 0, 1, 0, 2, 1, 0, 1, 1])
    held_out = torch.tensor([0, 1, 2, 0, 0])
    losses = []
    left_out = []
    for s in SMOOTHING:

        def chance(a: int, b: int, s: float = s, less: int = 0) -> float:
            pairs = list(zip(train[:-1].tolist(), train[1:].tolist(), strict=True))
            alone = (train.tolist().count(b) + 1) / (10 + 3)
            n = pairs.count((a, b)) - less
            return (n + s * alone) / (sum(p[0] == a for p in pairs) - less + s)

        for a in range(3):
            assert sum(chance(a, b) for b in range(3)) == pytest.approx(1)
        asked = list(zip(held_out[:-1].tolist(), held_out[1:].tolist(), strict=True))
        losses.append(-sum(math.log(chance(a, b)) for a, b in asked) / 4)
        known = list(zip(train[:-1].tolist(), train[1:].tolist(), strict=True))
        left_out.append(-sum(math.log(chance(a, b, less=1)) for a, b in known))
    best = min(range(len(SMOOTHING)), key=lambda k: left_out[k])
    assert bigram_loss(train, held_out, 3) == pytest.approx(losses[best])


def test_an_unseen_character_costs_and_does_not_break() -> None:
    """A character that the training part lacks has a finite loss."""
    assert math.isfinite(bigram_loss(torch.tensor([0, 1] * 20), torch.tensor([0, 2, 1, 2]), 3))
