import torch
from torch import nn

from embviz.limits.cases import case_named
from embviz.limits.prove import prove
from tests.limits.test_outcome import tensors


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
    """`max_norm` changes a weight that backward needs; after the lookup, backward works."""
    for first, works in ((True, False), (False, True)):
        table = nn.Parameter(torch.arange(12.0).reshape(4, 3))
        squares = (table * table).sum() if first else torch.zeros(())
        rows = nn.functional.embedding(torch.tensor([1, 2]), table, max_norm=1.0).sum()
        loss = rows + (squares if first else (table * table).sum())
        try:
            loss.backward()
        except RuntimeError:
            assert not works
        else:
            assert works


def test_padding_in_the_fix_has_no_gradient() -> None:
    """Both sides of the fix have zeros for the padding row alone."""
    for gradient in tensors(prove(case_named("padding-idx-gradient")).fixed):
        assert gradient.any(dim=1).tolist() == [False, True, True, True]
