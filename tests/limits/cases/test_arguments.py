import torch
from torch import nn


def test_padding_is_zero_only_at_the_start() -> None:
    """A new layer has zeros in the row of `padding_idx` and nowhere else."""
    with torch.random.fork_rng(devices=[]):
        embedding = nn.Embedding(4, 3, padding_idx=1)
    assert not embedding.weight[1].any()
    assert embedding.weight[2].all()
