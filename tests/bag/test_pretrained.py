import math
from typing import Any

import pytest
import torch
from torch import nn

from embviz.bag.layers import WeightError, draw_weight
from embviz.bag.pretrained import facts

WEIGHT = draw_weight(4, 3, seed=123)


@pytest.mark.parametrize("shape", [(3, 4), (4, 4), (5, 2), (1, 4), (4, 1), (1, 1)])
def test_every_fact_holds_for_every_shape(shape: tuple[int, int]) -> None:
    """Every fact holds, and changes neither the weight nor the global generator."""
    generator = torch.Generator().manual_seed(0)
    drawn = torch.randn(shape, generator=generator)
    for weight in (drawn, drawn.double(), torch.zeros(shape), drawn * 1e30, drawn.t().clone().t()):
        before, state = weight.clone(), torch.get_rng_state()
        assert [fact.holds for fact in facts(weight)] == [True] * 4
        assert torch.equal(weight, before)
        assert torch.equal(torch.get_rng_state(), state)


def run(code: str, names: dict[str, Any]) -> Any:
    """The value of the code's last line."""
    *before, last = code.splitlines()
    exec("\n".join(before), names)  # noqa: S102 - our own lines
    return eval(last, names)  # noqa: S307


def test_the_lines_do_what_the_outcomes_say() -> None:
    """The wrong line does not transpose, shares, freezes or is thrown away; the right one not."""
    linear = nn.Linear(4, 3, bias=False)
    linear.weight = nn.Parameter(WEIGHT.clone())
    names = {"torch": torch, "nn": nn, "linear": linear, "ids": torch.tensor([0]), "V": 4, "D": 3}
    names["table"] = WEIGHT.t().contiguous().clone()
    turned, copied, frozen, made = facts(WEIGHT)
    wrong = run(turned.code, names)
    assert torch.equal(wrong.weight, WEIGHT)
    with pytest.raises(IndexError) as error:
        wrong(torch.tensor([3]))
    assert turned.outcome.endswith(f"word 3 raises IndexError: {error.value}.")
    assert torch.equal(run(turned.right_code, names).weight, WEIGHT.t())
    own = linear.weight.data_ptr()
    assert run(copied.code, names).weight.data_ptr() == own
    assert run(copied.right_code, names).weight.data_ptr() != own
    assert run(frozen.code, names) is None
    assert type(run(frozen.right_code, names)).__name__ in frozen.right_outcome
    with torch.random.fork_rng():
        new = run(made.code, names)
    assert new is not names["embedding"]
    assert new.padding_idx is None
    exec(made.right_code, names)  # noqa: S102 - our own lines
    assert torch.equal(names["embedding"].weight, WEIGHT.t())


@pytest.mark.parametrize("bad", [torch.ones(3), torch.tensor([[math.nan]])])
def test_what_is_no_weight_is_refused(bad: torch.Tensor) -> None:
    """A wrong shape or number is refused."""
    with pytest.raises(WeightError):
        facts(bad)
