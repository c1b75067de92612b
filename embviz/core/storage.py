"""The memory of the two weights: shapes, strides, addresses, and the trap of `.T`.

The trap is tried on a copy; a shared table is never changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from embviz.core.layers import TiedLayers


@dataclass(frozen=True)
class Placement:
    """One tensor's layout in memory."""

    name: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    data_ptr: int
    contiguous: bool
    shares_storage: bool


@dataclass(frozen=True)
class Trap:
    """The effect of a change of `Embedding.weight[0, 0]` on a transposed view and on a copy.

    Attributes:
        before: the weight before the change.
        after: the weight after it, 1 larger.
        view: the same place of `nn.Parameter(embedding.weight.T)` after it.
        copy: the same place of `nn.Parameter(embedding.weight.T.contiguous().clone())`.
    """

    before: float
    after: float
    view: float
    copy: float


def placements(layers: TiedLayers) -> list[Placement]:
    """The layouts of both weights and of the view `Embedding.weight.T`."""
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
    """Add 1 to the first weight of a copy, and read it in a transposed view and a real copy."""
    table = nn.Parameter(layers.embedding.weight[:1].clone())
    view, copy = nn.Parameter(table.T), nn.Parameter(table.T.contiguous().clone())
    before = float(table[0, 0])
    table[0, 0] += 1
    return Trap(before, float(table[0, 0]), float(view[0, 0]), float(copy[0, 0]))
