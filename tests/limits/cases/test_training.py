from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.limits.cases import case_named
from embviz.limits.prove import DTYPES, prove
from embviz.limits.search import find


def test_how_decay_reaches_a_row_without_gradient() -> None:
    """Each optimizer on offer decays a row without gradient in the way that the reason gives."""
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


def test_the_two_adams_agree_until_a_step_leaves_the_id_out() -> None:
    """Steps that all look up the same id keep the tables together; no claim says otherwise."""
    weight = torch.arange(1, 13, dtype=torch.float64).reshape(4, 3)
    dense, lazy = nn.Parameter(weight.clone()), nn.Parameter(weight.clone())
    rules = torch.optim.Adam([dense], lr=0.1), torch.optim.SparseAdam([lazy], lr=0.1)
    apart = []
    for ids in map(torch.tensor, ([0], [0], [0], [3])):
        for rule, table, sparse in zip(rules, (dense, lazy), (False, True), strict=True):
            rule.zero_grad()
            F.embedding(ids, table, sparse=sparse).square().sum().backward()
            rule.step()
        apart.append(float((dense[0] - lazy[0]).detach().abs().max()))
    assert max(apart[:3]) < 1e-6 < 0.01 < apart[3]
    assert "the first step without that id" in case_named("adam-and-sparse-adam").claim


ROUNDS = case_named("adam-enlarges-rounding")
REAL_ADAM = torch.optim.Adam


def apart(
    monkeypatch: pytest.MonkeyPatch,
    dtype: torch.dtype,
    steps: int,
    rule: Any = None,
    **settings: Any,
) -> float:
    """How far the two sides of the case are apart, with another rule or other settings of Adam."""
    rule = rule or (lambda weights, **usual: REAL_ADAM(weights, **usual | settings))
    monkeypatch.setattr(torch.optim, "Adam", rule)
    table, linear = ROUNDS.problem(dtype=dtype, steps=steps)
    return float((table - linear).abs().max())


def test_adam_enlarges_rounding_until_it_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    """After 100 steps the difference is of rounding size; after 250 it is visible in float32."""
    assert apart(monkeypatch, torch.float32, 100) < 1e-6
    assert apart(monkeypatch, torch.float32, 250) > 5e-5
    slower = apart(monkeypatch, torch.float32, 250, betas=(0.9, 0.999))
    assert slower < 1e-6  # the default beta2: later


def test_float64_postpones_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In float64 the difference starts smaller; it grows too, and may become visible."""
    assert apart(monkeypatch, torch.float64, 100) < 1e-14
    assert 1e-13 < apart(monkeypatch, torch.float64, 250) < 1e-6
    worst = max(apart(monkeypatch, torch.float64, steps, betas=(0.9, 0.98)) for steps in (680, 700))
    assert worst > 1e-5


@pytest.mark.parametrize(("eps", "holds"), [(1e-8, False), (1e-4, False), (1e-3, True)])
def test_a_larger_eps_holds_where_it_keeps_steps_short(
    monkeypatch: pytest.MonkeyPatch, eps: float, holds: bool
) -> None:
    """Adam overshoots where lr * curvature > 38 * (sqrt(v) + eps), with beta1 = 0.9."""
    curvature, threshold = 2 * 3 / 18, 2 * (1 + 0.9) / (1 - 0.9)
    assert holds == (0.1 * curvature < threshold * eps)
    assert (apart(monkeypatch, torch.float32, 400, eps=eps) < 1e-6) is holds


def test_sgd_does_not_enlarge_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """SGD on the same tokens stays at rounding size."""

    def sgd(weights: list[nn.Parameter], lr: float, **_: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(weights, lr=lr)

    assert apart(monkeypatch, torch.float32, 600, sgd) < 1e-6


@pytest.mark.parametrize("words", ["adam", "AdamW converge", "enlarges rounding", "loss spike"])
def test_the_case_of_adam_is_found(words: str) -> None:
    """The search finds it by its subject."""
    assert ROUNDS in find(words)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_has_a_gradient(dtype: str) -> None:
    """Both weights and the one-hot row have a gradient; of all dtypes, integers refuse one."""
    proof = prove(case_named("input-gradient"), dtype=dtype)
    assert proof.problem is not None
    weight = torch.arange(12, dtype=getattr(torch, dtype)).reshape(4, 3).requires_grad_()
    assert torch.equal(proof.problem.right, weight.detach().sum(dim=1)[None])
    ids = torch.tensor([1])
    by_lookup = F.embedding(ids, weight)
    by_product = F.linear(F.one_hot(ids, 4).to(weight.dtype), weight.T)
    first, second = (torch.autograd.grad(one.sum(), weight)[0] for one in (by_lookup, by_product))
    assert torch.equal(first, second)
    assert bool(first.any())
    assert torch.zeros(1, dtype=torch.complex64).requires_grad_().requires_grad
    for integer in (torch.int64, torch.int32, torch.uint8, torch.bool):
        with pytest.raises(RuntimeError) as raised:
            torch.zeros(1, dtype=integer).requires_grad_()
        assert str(raised.value) == str(proof.problem.left)
