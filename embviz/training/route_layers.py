"""One layer with its head, by lookup or by one-hot x Linear; and all weights as plain tensors.

`both_routes` gives the two from the same start. A tied head's weight is the table
itself, (V, D), so the linear route multiplies by its (D, V) weight and then by its
transpose: one parameter, two uses, two gradients added up. It takes no step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from embviz.core.config import Config, ConfigError
from embviz.core.layers import TiedLayers

HEAD_SEED = 1  # added to the seed, so that the head's numbers are not the table's


class Route(nn.Module):
    """Ids -> logits of the next id.

    Attributes:
        layer: an `nn.Embedding` (V, D), or a bias-free `nn.Linear` whose weight is (D, V).
        head: weight (V, D) of the head, or None if it is the layer's own.
        bias: (V,), or None.
    """

    def __init__(
        self, layer: nn.Embedding | nn.Linear, head: torch.Tensor | None, bias: bool
    ) -> None:
        super().__init__()
        self.layer = layer
        self.head = None if head is None else nn.Parameter(head.clone())
        rows = self.rows()
        self.bias = nn.Parameter(rows.new_zeros(len(rows))) if bias else None

    def rows(self) -> torch.Tensor:
        """The table as (V, D); a view of the layer's weight, outside of autograd."""
        weight = self.layer.weight.detach()
        return weight if isinstance(self.layer, nn.Embedding) else weight.t()

    def _head(self) -> torch.Tensor:
        if self.head is not None:
            return self.head
        weight = self.layer.weight
        return weight if isinstance(self.layer, nn.Embedding) else weight.t()

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits (B, V) for ids (B,)."""
        if isinstance(self.layer, nn.Linear):
            weight = self.layer.weight
            one_hot = F.one_hot(ids, self.layer.in_features).to(weight.dtype)
            vectors = self.layer(one_hot)
        else:
            vectors = self.layer(ids)
        return F.linear(vectors, self._head(), self.bias)

    def all_logits(self) -> torch.Tensor:
        """Logits (V, V): what the model says after each id."""
        return F.linear(self.rows(), self._head(), self.bias)


def both_routes(layers: TiedLayers, seed: int, bias: bool, tied: bool) -> tuple[Route, Route]:
    """The lookup route and the matmul route, from the same numbers.

    The head starts as `nn.Linear(D, V)` does, U(-1/sqrt(D), 1/sqrt(D)), and its bias at 0.

    Args:
        layers: embedding (V, D) and linear (D, V); trained in place.
        seed: of the table; the head is drawn by the next one.
        bias: whether the heads have one.
        tied: whether the heads' weight is the table.
    """
    head = None
    if not tied:
        weight = layers.embedding.weight
        generator = torch.Generator().manual_seed(seed + HEAD_SEED)
        bound = 1 / math.sqrt(weight.shape[1])
        drawn = torch.empty(weight.shape).uniform_(-bound, bound, generator=generator)
        head = drawn.to(weight)
    return Route(layers.embedding, head, bias), Route(layers.linear, head, bias)


@dataclass(frozen=True)
class Weights:
    """All that a model has learned: tensors on the CPU, in the model's dtype.

    Attributes:
        characters, unk: the vocabulary, as `Config` has it.
        step: steps taken.
        embedding: (V, D), the lookup route's table.
        linear: (D, V), the matmul route's weight.
        embedding_head, linear_head: (V, D), or None if the head is tied to the table.
        embedding_bias, linear_bias: (V,), or None.
    """

    characters: str | bytes
    unk: bool
    step: int
    embedding: torch.Tensor
    linear: torch.Tensor
    embedding_head: torch.Tensor | None = None
    linear_head: torch.Tensor | None = None
    embedding_bias: torch.Tensor | None = None
    linear_bias: torch.Tensor | None = None

    @classmethod
    def of(cls, config: Config, step: int, lookup: Route, matmul: Route) -> Weights:
        """Copies of two routes' weights."""
        return cls(
            config.characters,
            config.unk,
            step,
            *(_copy(p) for pair in _pairs(lookup, matmul) for p in pair),  # type: ignore[arg-type]
        )

    @property
    def tensors(self) -> dict[str, torch.Tensor | None]:
        """The six by name, in the order of the fields."""
        return {name: getattr(self, name) for name in TENSORS}

    @torch.no_grad()
    def copy_into(self, config: Config, lookup: Route, matmul: Route) -> None:
        """Set two routes' parameters; none is changed if one does not fit.

        Raises:
            ConfigError: the sentence names what does not fit.
        """
        if (self.characters, self.unk) != (config.characters, config.unk):
            raise ConfigError("characters", "These weights belong to another vocabulary.")
        own = dict(zip(TENSORS, [p for pair in _pairs(lookup, matmul) for p in pair], strict=True))
        for name, given in self.tensors.items():
            mine = own[name]
            shapes = [None if t is None else tuple(t.shape) for t in (given, mine)]
            if shapes[0] != shapes[1]:
                shown = ["absent" if shape is None else str(shape) for shape in shapes]
                raise ConfigError(
                    "init",
                    f"{name} of these weights is {shown[0]}; of this model it is {shown[1]}.",
                )
        for name, given in self.tensors.items():
            if given is not None:
                own[name].copy_(given)  # type: ignore[union-attr]


TENSORS = (
    "embedding",
    "linear",
    "embedding_head",
    "linear_head",
    "embedding_bias",
    "linear_bias",
)


def _pairs(
    lookup: Route, matmul: Route
) -> tuple[tuple[torch.Tensor | None, torch.Tensor | None], ...]:
    return (
        (lookup.layer.weight, matmul.layer.weight),
        (lookup.head, matmul.head),
        (lookup.bias, matmul.bias),
    )


def _copy(parameter: torch.Tensor | None) -> torch.Tensor | None:
    return None if parameter is None else parameter.detach().cpu().clone()
