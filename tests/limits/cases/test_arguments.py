import pytest
import torch
from torch import nn


def test_padding_is_zero_until_the_weight_is_set() -> None:
    """A new layer has zeros in the row of `padding_idx`, an initializer fills it, a reset not."""
    with torch.random.fork_rng(devices=[]):
        embedding = nn.Embedding(4, 3, padding_idx=1)
        assert not embedding.weight[1].any()
        assert embedding.weight[2].all()
        nn.init.xavier_uniform_(embedding.weight)
        assert embedding.weight[1].all()
        embedding.reset_parameters()
    assert not embedding.weight[1].any()
    kept = nn.Embedding.from_pretrained(torch.ones(4, 3), padding_idx=1)
    assert kept.weight[1].all()


def test_a_weight_used_before_max_norm_has_no_backward() -> None:
    """`max_norm` changes a weight that backward needs; used after the lookup, backward works."""
    table = nn.Parameter(torch.arange(12.0).reshape(4, 3))
    before = (table * table).sum()
    rows = nn.functional.embedding(torch.tensor([1, 2]), table, max_norm=1.0).sum()
    ((table * table).sum() + rows).backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        (before + rows).backward()
