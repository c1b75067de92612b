"""The gradient of one step on a whole text."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config
from embviz.core.layers import tie
from embviz.training.losses import Loss, Mse, NextId
from embviz.training.step import one_step

WEIGHT = tie(Config("", 9, 4, dtype="float64")).embedding.weight.detach()
TEXT = torch.tensor([[3, 1, 4, 1, 5, 1]])


@pytest.mark.parametrize("loss", [Mse([1.0, -1.0, 0.0, 2.0]), NextId(9, 4, 2)], ids=["mse", "next"])
def test_all_three_gradients_are_those_of_autograd(loss: Loss) -> None:
    """Lookup, one-hot x Linear and the sum by hand; rows that are not looked up have 0."""
    step = one_step(WEIGHT, TEXT, loss)
    layer = nn.Embedding(9, 4, _weight=WEIGHT.clone())
    ids, following = loss.pairs(TEXT)
    if isinstance(loss, Mse):
        value = (layer(ids) - torch.tensor([1.0, -1.0, 0.0, 2.0])).square().mean()
    else:
        head, bias = loss.weight.detach().double(), loss.bias.detach().double()
        value = F.cross_entropy(layer(ids) @ head.T + bias, following)
    value.backward()
    for found in (step.embedding_gradient, step.linear_gradient, step.closed_form):
        torch.testing.assert_close(found, layer.weight.grad)
    assert step.losses == (pytest.approx(float(value.detach())),) * 2
    rows, counts = step.touched
    assert rows.tolist() == sorted({*ids.tolist()})
    assert counts[0] == ids.tolist().count(1)
    assert step.largest_untouched == 0.0
    places, gradients = step.terms(1)
    assert places.tolist() == [k for k, one in enumerate(ids.tolist()) if one == 1]
    torch.testing.assert_close(gradients.sum(dim=0), layer.weight.grad[1])
    assert step.terms(8)[0].tolist() == []
    assert torch.equal(one_step(WEIGHT, TEXT, loss).closed_form, step.closed_form)


def test_the_largest_gradient_elsewhere_is_measured() -> None:
    """A gradient in a row that was not looked up would be found, on either route."""
    step = one_step(WEIGHT, TEXT, Mse())
    step.linear_gradient[8, 2] = -0.25
    assert step.largest_untouched == 0.25
    every = one_step(WEIGHT, torch.arange(9), Mse())
    assert every.largest_untouched == 0.0
