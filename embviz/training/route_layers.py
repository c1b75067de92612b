"""The layers of a next-character model, by lookup and by one-hot x Linear; and their weights.

`both_routes` gives the two from the same start. This module takes no training step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config, ConfigError
from embviz.core.layers import TiedLayers
from embviz.core.vocabulary import Named

HEAD_SEED = 1  # added to the seed, so that the head's numbers are not the table's
TENSORS = (
    "embedding",
    "linear",
    "embedding_head",
    "linear_head",
    "embedding_bias",
    "linear_bias",
)


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
    drawn = torch.empty(weight.shape).uniform_(-bound, bound, generator=generator).to(weight)

    def head() -> nn.Linear:
        linear = nn.Linear(weight.shape[1], len(weight), device="meta")  # draws no number
        linear.weight = nn.Parameter(drawn.clone())
        linear.bias = nn.Parameter(drawn.new_zeros(len(drawn)))
        return linear

    return Route(layers.embedding, head()), Route(layers.linear, head())


@dataclass(frozen=True)
class Weights:
    """All weights of a trained model.

    Attributes:
        characters, unk: the vocabulary, as `Config` has it.
        step: steps taken.
        tensors: by the names in TENSORS, on the CPU, in the model's dtype: tables (V, D) and
            (D, V), heads (V, D), biases (V,).
    """

    characters: str | bytes | Named
    unk: bool
    step: int
    tensors: dict[str, torch.Tensor]

    @classmethod
    def of(cls, config: Config, step: int, lookup: Route, matmul: Route) -> Weights:
        """Copies of two routes' weights."""
        copies = {
            name: parameter.detach().cpu().clone()
            for name, parameter in _parameters(lookup, matmul).items()
        }
        return cls(config.characters, config.unk, step, copies)

    @torch.no_grad()
    def copy_into(self, config: Config, lookup: Route, matmul: Route) -> None:
        """Set two routes' parameters; if one does not fit, none is changed.

        Raises:
            ConfigError: another vocabulary or another shape.
        """
        if (self.characters, self.unk) != (config.characters, config.unk):
            raise ConfigError("These weights belong to another vocabulary.")
        parameters = _parameters(lookup, matmul)
        for name, given in self.tensors.items():
            shapes = tuple(given.shape), tuple(parameters[name].shape)
            if shapes[0] != shapes[1]:
                raise ConfigError(
                    f"{name} of these weights is {shapes[0]}; of this model it is {shapes[1]}.",
                )
        for name, given in self.tensors.items():
            parameters[name].copy_(given)


def _parameters(lookup: Route, matmul: Route) -> dict[str, torch.Tensor]:
    values = (
        lookup.layer.weight,
        matmul.layer.weight,
        lookup.head.weight,
        matmul.head.weight,
        lookup.head.bias,
        matmul.head.bias,
    )
    return dict(zip(TENSORS, values, strict=True))
