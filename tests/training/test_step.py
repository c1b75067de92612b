"""The gradient of one step on a whole text."""

import pytest
import torch

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.training.losses import Loss, Mse, NextId
from embviz.training.step import one_step

WEIGHT = tie(Config("", 9, 4, dtype="float64")).embedding.weight.detach()
TEXT = torch.tensor([[3, 1, 4, 1, 5, 1]])


@pytest.mark.parametrize("loss", [Mse([1.0, -1.0, 0.0, 2.0]), NextId(9, 4, 2)])
def test_all_three_gradients_are_those_of_autograd(loss: Loss) -> None:
    """Lookup, one-hot x Linear and the sum by hand; rows that are not looked up have 0."""
    step, weight = one_step(WEIGHT, TEXT, loss), WEIGHT.clone().requires_grad_()
    ids, following = loss.pairs(TEXT)
    value = loss.double()(weight[ids], following)
    (expected,) = torch.autograd.grad(value, weight)
    for found in (step.embedding_gradient, step.linear_gradient, step.closed_form):
        torch.testing.assert_close(found, expected)
    assert step.losses == (pytest.approx(float(value.detach())),) * 2
    rows, counts = step.touched
    assert rows.tolist() == sorted({*ids.tolist()})
    assert counts[0] == ids.tolist().count(1)
    places, gradients = step.terms(1)
    assert places.tolist() == [k for k, one in enumerate(ids.tolist()) if one == 1]
    torch.testing.assert_close(gradients.sum(dim=0), expected[1])
    assert step.largest_untouched == 0.0
    step.linear_gradient[8, 2] = -0.25  # on either route it would be found
    assert step.largest_untouched == 0.25
