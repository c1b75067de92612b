"""The layers that all sessions share, in a cache bounded by bytes.

A `Table` gives the same weights to everybody, so a class that opens one link builds a table
once. Both routes run for each answer, but for one thing: one row times a large table reads hundreds
of megabytes, so each id is multiplied with it once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

import torch

from embviz.fact.inputs import Inputs
from embviz.fact.layers import TiedLayers, tie
from embviz.fact.routes import BothRoutes, run_both
from embviz.fact.table import ONE_HOT_SLICE_BYTES, Table
from embviz.system.bounds import Fixed, budget_bytes
from embviz.system.shared_cache import shared_cache

MODULES_BYTES = 60_000  # bytes of an embedding and a linear layer, without their weights
PRODUCT_BYTES = 1_000  # bytes of a kept product, without its numbers
LARGE_TABLE = 4_000_000  # numbers; from here on the product of one id takes milliseconds
KEPT_IDS = Fixed(4096, 1024)
ROOM_BYTES = 8 << 20  # bytes for the products of a table that is as large as the budget allows


@dataclass(frozen=True)
class LargeLayers(TiedLayers):
    """Layers that keep the product of each id. Nobody changes their weights."""

    products: dict[int, torch.Tensor] = field(default_factory=dict, compare=False, repr=False)

    def multiply(self, ids: torch.Tensor, slice_bytes: int = ONE_HOT_SLICE_BYTES) -> torch.Tensor:
        """The product of `TiedLayers.multiply`, which multiplies no id a second time."""
        distinct, place = torch.unique(ids, return_inverse=True)
        if not 0 < len(distinct) <= KEPT_IDS.value():
            return super().multiply(ids, slice_bytes)
        kept = {token: self.products.get(token) for token in distinct.tolist()}
        found = {token: product for token, product in kept.items() if product is not None}
        if missing := [token for token in kept if token not in found]:
            products = super().multiply(torch.tensor(missing), slice_bytes)
            found.update(zip(missing, products, strict=True))
            if len(self.products) + len(missing) > KEPT_IDS.value():
                self.products.clear()
            self.products.update(found)
        return torch.stack([found[token] for token in kept])[place]


def _kept_bytes(layers: TiedLayers) -> int:
    weight = layers.embedding.weight
    both = 2 * weight.nbytes + MODULES_BYTES
    if not isinstance(layers, LargeLayers):
        return both
    return both + (weight[:1].nbytes + PRODUCT_BYTES) * min(KEPT_IDS.value(), len(weight))


@shared_cache(budget_bytes() + ROOM_BYTES, _kept_bytes, lambda table: table)
def kept_layers(table: Table) -> TiedLayers:
    """The tied layers of a `Table`, built once even if many sessions ask at once.

    Nobody changes their weights.
    """
    layers = tie(table)
    if layers.embedding.weight.numel() < LARGE_TABLE:
        return layers
    return LargeLayers(layers.embedding, layers.linear)


def numbers_of(given: Inputs) -> tuple[object, ...]:
    """A short key that decides every number of the layers; own weights are a digest."""
    weights = given.weights
    own = None if weights is None else blake2b(weights.numpy().tobytes()).digest()
    return (given.table, own)


def layers_of(given: Inputs) -> TiedLayers:
    """The layers of usable inputs: shared ones, or new ones with the user's own weights."""
    return kept_layers(given.table) if given.weights is None else tie(given.table, given.weights)


def run_on_shared_layers(given: Inputs) -> BothRoutes:
    """`run_both` for usable inputs, on the shared layers."""
    return run_both(given.table, given.ids, layers_of(given))
