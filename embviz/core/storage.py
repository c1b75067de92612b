"""Where the two weights live: shapes, strides, addresses, and the `.T` trap.

The trap is sprung on a copy: nothing of a shared table is ever changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from embviz.core.layers import TiedLayers


@dataclass(frozen=True)
class Placement:
    """One tensor's layout in memory, as PyTorch tells it."""

    name: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    data_ptr: int
    contiguous: bool
    shares_storage: bool


@dataclass(frozen=True)
class Trap:
    """What one step on `Embedding.weight[0, 0]` does to a transpose made in two ways.

    Attributes:
        before: the weight before the step.
        after: the weight after it, 1 larger.
        view: the same place of `nn.Parameter(embedding.weight.T)` after the step.
        copy: the same place of `nn.Parameter(embedding.weight.T.contiguous().clone())`.
    """

    before: float
    after: float
    view: float
    copy: float


def placements(layers: TiedLayers) -> list[Placement]:
    """Both weights, and the view that `.T` gives."""
    table = layers.embedding.weight
    tensors = {
        "Embedding.weight": table,
        "Linear.weight": layers.linear.weight,
        "Embedding.weight.T (a view)": table.T,
    }
    return [
        Placement(
            name,
            tuple(tensor.shape),
            tensor.stride(),
            tensor.data_ptr(),
            tensor.is_contiguous(),
            tensor.data_ptr() == table.data_ptr(),
        )
        for name, tensor in tensors.items()
    ]


@torch.no_grad()
def spring_trap(layers: TiedLayers) -> Trap:
    """Add 1 to the first weight of a copy, and look at a transposed view and a real copy."""
    table = nn.Parameter(layers.embedding.weight[:1].clone())
    view, copy = nn.Parameter(table.T), nn.Parameter(table.T.contiguous().clone())
    before = float(table[0, 0])
    table[0, 0] += 1
    return Trap(before, float(table[0, 0]), float(view[0, 0]), float(copy[0, 0]))
