import torch
from torch import nn

from embviz.limits.cases import case_named
from embviz.limits.prove import prove
from tests.limits.test_outcome import tensors


def test_with_positions_order_counts() -> None:
    """With positions added, another order gives other rows, not the same rows in another order."""
    proof = prove(case_named("order-and-context"))
    assert torch.equal(*tensors(proof.problem))
    assert proof.fixed is not None
    assert proof.fixed.verdict == "differ"
    after, before = tensors(proof.fixed)
    assert not torch.equal(after.sort(dim=0).values, before.sort(dim=0).values)


def test_training_moves_what_the_linear_is_given() -> None:
    """The trained weight is what the Linear gets."""
    untrained, _ = tensors(prove(case_named("linear-cannot-replace"), steps=0).fixed)
    trained, _ = tensors(prove(case_named("linear-cannot-replace"), steps=3).fixed)
    assert not torch.equal(untrained, trained)


def test_layers_start_as_the_myth_says_they_do_not() -> None:
    """The case's numbers are those of PyTorch's own layers."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        table = nn.Embedding(1000, 16).weight.detach().abs().max()
        linear = nn.Linear(1000, 16, bias=False).weight.detach().abs().max()
    proof = prove(case_named("embeddings-start-small"), rows=1000)
    assert proof.problem is not None
    assert proof.problem.left == round(float(table), 3)
    assert proof.problem.right == round(float(linear), 3)
