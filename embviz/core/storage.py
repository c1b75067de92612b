"""The memory of the two weights: shapes, strides, addresses, and the trap of `.T`.

The trap is tried on a copy; a shared table is never changed.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from embviz.core.layers import TiedLayers


def placements(layers: TiedLayers) -> list[dict[str, Any]]:
    """The layouts of both weights and of the view `Embedding.weight.T`, one row each."""
    table = layers.embedding.weight
    tensors = {
        "Embedding.weight": table,
        "Linear.weight": layers.linear.weight,
        "Embedding.weight.T (a view)": table.T,
    }
    return [
        {
            "tensor": name,
            "shape": str(tuple(tensor.shape)),
            "stride": str(tensor.stride()),
            "data_ptr": hex(tensor.data_ptr()),
            "contiguous": tensor.is_contiguous(),
            "shares Embedding's storage": tensor.data_ptr() == table.data_ptr(),
        }
        for name, tensor in tensors.items()
    ]


@torch.no_grad()
def spring_trap(layers: TiedLayers) -> tuple[float, float, float, float]:
    """Add 1 to the first weight of a copy, and read it in a transposed view and a real copy.

    Returns:
        the weight before and after, and then the same place of
        `nn.Parameter(embedding.weight.T)` and of its contiguous clone.
    """
    table = nn.Parameter(layers.embedding.weight[:1].clone())
    view, copy = nn.Parameter(table.T), nn.Parameter(table.T.contiguous().clone())
    before = float(table[0, 0])
    table[0, 0] += 1
    return before, float(table[0, 0]), float(view[0, 0]), float(copy[0, 0])
