import torch
from torch import nn

from embviz.limits.cases import case_named
from embviz.limits.prove import run


def test_padding_is_zero_only_at_the_start() -> None:
    """A new layer has zeros in the row of `padding_idx` and nowhere else."""
    with torch.random.fork_rng(devices=[]):
        embedding = nn.Embedding(4, 3, padding_idx=1)
    assert not embedding.weight[1].any()
    assert embedding.weight[2].all()


def test_padding_is_zero_after_a_reset() -> None:
    """`reset_parameters` sets the padding row to zero again; no text says that it happens once."""
    with torch.random.fork_rng(devices=[]):
        embedding = nn.Embedding(4, 3, padding_idx=1)
        nn.init.xavier_uniform_(embedding.weight)
        assert embedding.weight[1].all()
        embedding.reset_parameters()
        proof = run(case_named("padding-idx-reset"), {"dtype": "float32"})
    assert not embedding.weight[1].any()
    assert " once, when the layer is made" not in case_named("padding-idx-value").reason
    assert proof.holds is True
