"""The tables that all sessions share, in a cache bounded by bytes.

A configuration gives the same tables to everybody, so a class that opens one link builds a table
once. Both routes run for each answer, but for one thing: one row times a large table reads hundreds
of megabytes, so each id is multiplied with it once.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from operator import attrgetter

import torch
from cachetools import LRUCache, cached

from embviz.core.config import ONE_HOT_SLICE_BYTES, Config, budget_bytes
from embviz.core.layers import TiedLayers, tie
from embviz.core.routes import BothRoutes, run_both
from embviz.request.inputs import Inputs

MODULES_BYTES = 60_000  # of an embedding and a linear layer, without their weights
LARGE_TABLE = 4_000_000  # numbers; from here on the product of one id takes milliseconds
KEPT_IDS = 4096


@dataclass(frozen=True)
class LargeLayers(TiedLayers):
    """Layers that keep the product of each id. Nobody changes their weights."""

    products: dict[int, torch.Tensor] = field(default_factory=dict, compare=False, repr=False)

    def multiply(self, ids: torch.Tensor, slice_bytes: int = ONE_HOT_SLICE_BYTES) -> torch.Tensor:
        """As that of `TiedLayers`, without multiplying an id a second time."""
        distinct, place = torch.unique(ids, return_inverse=True)
        if not 0 < len(distinct) <= KEPT_IDS:
            return super().multiply(ids, slice_bytes)
        kept = {one: self.products.get(one) for one in distinct.tolist()}
        found = {one: product for one, product in kept.items() if product is not None}
        if missing := [one for one in kept if one not in found]:
            found.update(zip(missing, super().multiply(torch.tensor(missing)), strict=True))
            if len(self.products) + len(missing) > KEPT_IDS:
                self.products.clear()
            self.products.update(found)
        return torch.stack([found[one] for one in kept])[place]


def _kept_bytes(layers: TiedLayers) -> int:
    weight = layers.embedding.weight
    row = weight[:1].nbytes * isinstance(layers, LargeLayers)
    return 2 * weight.nbytes + row * min(KEPT_IDS, len(weight)) + MODULES_BYTES


# Without the characters: they name rows and change no weight.
_key = attrgetter("num_embeddings", "embedding_dim", "seed", "init", "dtype", "device", "unk")


@cached(LRUCache(budget_bytes(), _kept_bytes), _key, condition=threading.Condition())
def tables(config: Config) -> TiedLayers:
    """The tied layers of a configuration, built once even if many sessions ask at once.

    Nobody changes their weights.
    """
    layers = tie(config)
    if layers.embedding.weight.numel() < LARGE_TABLE:
        return layers
    return LargeLayers(layers.embedding, layers.linear)


def layers_of(given: Inputs) -> TiedLayers:
    """The layers of usable inputs: shared ones, or new ones with the user's own weights."""
    return tables(given.config) if given.table is None else tie(given.config, given.table)


def run_both_cached(given: Inputs) -> BothRoutes:
    """`run_both` for usable inputs, on the shared tables."""
    return run_both(given.config, given.ids, lambda _config: layers_of(given))
