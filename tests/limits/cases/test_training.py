from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.cases import case_named
from embviz.limits.prove import prove
from tests.limits.test_outcome import tensors


def test_how_decay_reaches_a_row_without_gradient() -> None:
    """Each optimizer decays a row without gradient in the way that the reason gives."""
    before = torch.tensor([2.0, -4.0])
    after = {}
    for name in ("SGD", "Adam", "AdamW"):
        weight = nn.Parameter(before.clone())
        weight.grad = torch.zeros(2)
        getattr(torch.optim, name)([weight], lr=0.5, weight_decay=0.5).step()
        after[name] = weight.detach()
    # SGD and Adam see 0.5 * weight as the gradient: Adam's first step then is lr times its sign.
    torch.testing.assert_close(after["SGD"], before - 0.5 * 0.5 * before)
    torch.testing.assert_close(after["Adam"], before - 0.5 * before.sign())
    torch.testing.assert_close(after["AdamW"], before * (1 - 0.5 * 0.5))


def test_a_tied_output_moves_rows_that_nobody_looked_up() -> None:
    """Every number of the rows of absent ids moves; with a weight of its own, none does."""
    proof = prove(case_named("tied-output"))
    before, after = tensors(proof.problem)
    assert (before != after).all()
    assert torch.equal(*tensors(proof.fixed))


REAL_ADAM = torch.optim.Adam


def apart(monkeypatch: pytest.MonkeyPatch, rule: Any = None, **settings: Any) -> float:
    """How far the two sides of the case are apart, with another rule or other settings of Adam."""
    rule = rule or (lambda weights, **usual: REAL_ADAM(weights, **usual | settings))
    monkeypatch.setattr(torch.optim, "Adam", rule)
    table, linear = case_named("adam-enlarges-rounding").problem()
    assert isinstance(table, torch.Tensor)
    return float((table - linear).abs().max())


def test_adam_enlarges_rounding_until_it_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is visible with beta2 = 0.95, not with the default, with a larger eps or with SGD."""
    assert apart(monkeypatch) > 5e-5
    assert apart(monkeypatch, betas=(0.9, 0.999)) < 1e-6
    assert apart(monkeypatch, eps=1e-3) < 1e-6
    assert apart(monkeypatch, lambda weights, lr, **_: torch.optim.SGD(weights, lr=lr)) < 1e-6


def test_what_has_a_gradient() -> None:
    """Both weights and a soft row have a gradient; a soft row gives a mixture; ids refuse one."""
    weight = torch.arange(12.0).reshape(4, 3).requires_grad_()
    ids = torch.tensor([1])
    by_lookup = F.embedding(ids, weight)
    by_product = F.linear(F.one_hot(ids, 4).float(), weight.T)
    first, second = (torch.autograd.grad(one.sum(), weight)[0] for one in (by_lookup, by_product))
    assert torch.equal(first, second)
    mixture = F.linear(torch.tensor([0.25, 0.75, 0.0, 0.0]), weight.T)
    assert torch.equal(mixture, 0.25 * weight[0] + 0.75 * weight[1])
    proof = prove(case_named("input-gradient"))
    assert proof.problem is not None
    assert torch.equal(proof.problem.right, weight.detach().sum(dim=1)[None])
    for integer in (torch.int64, torch.int32, torch.uint8, torch.bool):
        with pytest.raises(RuntimeError) as raised:
            torch.zeros(1, dtype=integer).requires_grad_()
        assert str(raised.value) == str(proof.problem.left)


def test_a_lookup_adds_gradients_in_the_order_of_the_tokens() -> None:
    """In float32, another order of the tokens gives other bits: `nn.Embedding` keeps the order."""
    fractions = torch.rand(20_480, 2, generator=torch.Generator().manual_seed(0))
    ids = torch.arange(20_480) % 2_048
    table = torch.zeros(2_048, 2, requires_grad=True)
    (forward,) = torch.autograd.grad(F.embedding(ids, table), table, fractions)
    (backward,) = torch.autograd.grad(F.embedding(ids.flip(0), table), table, fractions.flip(0))
    assert not torch.equal(forward, backward)
    in_order = torch.zeros(2_048, 2)
    for some in fractions.view(10, 2_048, 2):
        in_order += some
    assert torch.equal(forward, in_order)
