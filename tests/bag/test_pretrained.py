import math
from typing import Any

import pytest
import torch
from torch import nn

from embviz.bag.layers import WeightError, draw_weight
from embviz.bag.pretrained import facts
from embviz.core.fact import Fact

WEIGHT = draw_weight(4, 3, seed=123)
SHAPES = [(3, 4), (4, 4), (5, 2), (1, 4), (4, 1), (1, 1)]


def names_of(weight: torch.Tensor) -> dict[str, Any]:
    """The names that the code of a fact may use: a linear layer, the sizes, ids."""
    linear = nn.Linear(weight.shape[1], weight.shape[0], bias=False, dtype=weight.dtype)
    linear.weight = nn.Parameter(weight.clone())
    return {
        "torch": torch,
        "nn": nn,
        "linear": linear,
        "ids": torch.tensor([0]),
        "V": weight.shape[1],
        "D": weight.shape[0],
        "table": weight.t().contiguous().clone(),
    }


def run(code: str, names: dict[str, Any]) -> Any:
    """The value of the code's last line, if that is an expression."""
    *before, last = code.splitlines()
    if last.startswith(" "):
        exec(code, names)  # noqa: S102 - our own lines
        return None
    exec("\n".join(before), names)  # noqa: S102
    return eval(last, names)  # noqa: S307


def by_title(weight: torch.Tensor) -> dict[str, Fact]:
    """The facts by their titles."""
    return {fact.title: fact for fact in facts(weight)}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_fact_holds_for_every_shape(shape: tuple[int, int], dtype: torch.dtype) -> None:
    """Every fact holds for weights of every shape."""
    generator = torch.Generator().manual_seed(0)
    drawn = torch.randn(shape, generator=generator).to(dtype)
    for weight in (drawn, torch.zeros(shape, dtype=dtype), drawn * 1e30, drawn.t().clone().t()):
        found = facts(weight)
        assert [fact.holds for fact in found] == [True] * 4


def test_nothing_that_is_shared_is_touched() -> None:
    """Facts change neither the weight nor the global generator."""
    linear = nn.Linear(4, 3, bias=False)
    before, state = linear.weight.detach().clone(), torch.get_rng_state()
    facts(linear.weight)
    assert torch.equal(linear.weight, before)
    assert linear.weight.requires_grad
    assert linear.weight.grad is None
    assert torch.equal(torch.get_rng_state(), state)


def test_from_pretrained_does_not_transpose() -> None:
    """from_pretrained takes rows of Linear.weight as the table."""
    fact = by_title(WEIGHT)["It transposes nothing"]
    wrong = run(fact.code, names_of(WEIGHT))
    assert torch.equal(wrong.weight, WEIGHT)
    with pytest.raises(IndexError) as error:
        wrong(torch.tensor([3]))
    assert "A table of (3, 4), not (4, 3)" in fact.outcome
    assert fact.outcome.endswith(f"word 3 raises IndexError: {error.value}.")
    right = run(fact.right_code, names_of(WEIGHT))
    assert torch.equal(right.weight, WEIGHT.t())
    first = ", ".join(f"{number:.4f}" for number in WEIGHT[:, 0].tolist())
    assert (
        fact.right_outcome
        == f"A table of (4, 3): word 0 gets [{first}], column 0 of Linear.weight."
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_from_pretrained_shares_and_the_right_line_does_not(shape: tuple[int, int]) -> None:
    """from_pretrained shares memory; the right line copies."""
    weight = draw_weight(shape[1], shape[0], seed=2)
    fact = by_title(weight)["It copies nothing"]
    names = names_of(weight)
    own = names["linear"].weight.data_ptr()
    assert run(fact.code, names).weight.data_ptr() == own
    copied = run(fact.right_code, names)
    assert copied.weight.data_ptr() != own
    assert copied.weight.is_contiguous()
    assert "data_ptr() is that of linear.weight" in fact.outcome
    assert "data_ptr() is another" in fact.right_outcome


def test_from_pretrained_freezes() -> None:
    """from_pretrained freezes unless `freeze=False` is given."""
    fact = by_title(WEIGHT)["It freezes by default"]
    names = names_of(WEIGHT)
    assert run(fact.code, names) is None
    grad_fn = run(fact.right_code, names)
    assert type(grad_fn).__name__ in fact.right_outcome
    assert "requires_grad is False, grad_fn is None; backward() raises Runtime" in fact.outcome


def test_on_a_module_it_leaves_that_module_alone() -> None:
    """from_pretrained called on a module leaves that module unchanged."""
    fact = by_title(WEIGHT)["It makes a new module"]
    names = names_of(WEIGHT)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        made = run(fact.code, names)
        torch.manual_seed(5)
        expected = nn.Embedding(4, 3, padding_idx=0).weight
    assert torch.equal(names["embedding"].weight, expected)
    assert made is not names["embedding"]
    assert made.padding_idx is None
    run(fact.right_code, names)
    assert torch.equal(names["embedding"].weight, WEIGHT.t())
    assert names["embedding"].weight.requires_grad
    assert "padding_idx None, was thrown away" in fact.outcome
    assert "padding_idx is 0, requires_grad True" in fact.right_outcome


@pytest.mark.parametrize("bad", [torch.tensor(1.0), torch.ones(3), torch.tensor([[math.nan]])])
def test_what_is_no_weight_is_refused(bad: torch.Tensor) -> None:
    """A wrong shape or dtype is refused."""
    with pytest.raises(WeightError):
        facts(bad)
