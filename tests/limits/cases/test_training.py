import torch
from torch import nn


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
