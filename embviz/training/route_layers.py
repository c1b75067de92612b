"""The layers of a next-character model, by lookup and by one-hot x Linear.

`both_routes` gives the two from the same start. This module takes no training step.
"""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.layers import TiedLayers

HEAD_SEED = 1  # added to the seed, so that the head's numbers are not the table's


class Route(nn.Module):
    """Ids -> logits of the next id.

    Attributes:
        layer: an `nn.Embedding` (V, D), or a bias-free `nn.Linear` whose weight is (D, V).
        head: `nn.Linear(D, V)` that scores the next id.
    """

    def __init__(self, layer: nn.Embedding | nn.Linear, head: nn.Linear) -> None:
        super().__init__()
        self.layer, self.head = layer, head

    def rows(self) -> torch.Tensor:
        """The table as (V, D); a view of the layer's weight, without gradient."""
        weight = self.layer.weight.detach()
        return weight if isinstance(self.layer, nn.Embedding) else weight.t()

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits (B, V) for ids (B,)."""
        inputs = ids
        if isinstance(self.layer, nn.Linear):
            inputs = F.one_hot(ids, self.layer.in_features).to(self.layer.weight.dtype)
        logits: torch.Tensor = self.head(self.layer(inputs))
        return logits

    @torch.no_grad()
    def all_logits(self) -> torch.Tensor:
        """Logits (V, V): row i holds those of what follows id i."""
        logits: torch.Tensor = self.head(self.rows())
        return logits


def both_routes(layers: TiedLayers, seed: int) -> tuple[Route, Route]:
    """The lookup route and the matmul route, each with its own head, from the same numbers.

    The heads' weights start as `nn.Linear(D, V)` does, U(-1/sqrt(D), 1/sqrt(D)); biases are 0.

    Args:
        layers: embedding (V, D) and linear (D, V); they are trained in place.
        seed: of the table; the heads use the next seed.
    """
    weight = layers.embedding.weight
    bound = 1 / math.sqrt(weight.shape[1])
    generator = torch.Generator().manual_seed(seed + HEAD_SEED)
    drawn = torch.empty(weight.shape).uniform_(-bound, bound, generator=generator)

    def head() -> nn.Linear:
        linear = nn.Linear(weight.shape[1], len(weight), device="meta")  # draws no number
        linear.weight = nn.Parameter(drawn.clone())
        linear.bias = nn.Parameter(drawn.new_zeros(len(drawn)))
        return linear

    return Route(layers.embedding, head()), Route(layers.linear, head())
