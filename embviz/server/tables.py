"""The tables that all sessions share, in a cache bounded by bytes.

A configuration gives the same tables to everybody, so a class that opens one link builds a table
once. Large ones fill at most the memory budget. Of small ones the last `KEPT_SMALL` are kept: they
are drawn within 0.4 ms, and each holds two PyTorch modules.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import torch
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from embviz.core.config import ONE_HOT_SLICE_BYTES, Config, budget_bytes
from embviz.core.layers import TiedLayers, tie
from embviz.core.routes import BothRoutes, run_both
from embviz.request.inputs import Inputs

# From this size on, multiplying one id takes milliseconds, and typing sends the same ids again.
LARGE_TABLE = 2**20  # numbers
KEPT_ROWS = 4096
SHARED_FROM = 2**14  # numbers
KEPT_SMALL = 32  # tables, at most 6 MB
MODULES_BYTES = 60_000  # of an embedding and a linear layer, without their weights


@dataclass(frozen=True)
class SharedLayers(TiedLayers):
    """Layers that multiply each id of a large table once and keep the product.

    The weights of shared tables never change, so the products do not either. At `KEPT_ROWS` rows
    all of them are dropped.
    """

    _rows: dict[int, torch.Tensor] = field(default_factory=dict, compare=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)

    def multiply(self, ids: torch.Tensor, slice_bytes: int = ONE_HOT_SLICE_BYTES) -> torch.Tensor:
        """As `TiedLayers.multiply`, without multiplying an id a second time."""
        distinct, place = torch.unique(ids, return_inverse=True)
        wanted: list[int] = distinct.tolist()
        if self.embedding.weight.numel() < LARGE_TABLE or not 0 < len(wanted) <= KEPT_ROWS:
            return super().multiply(ids, slice_bytes)
        with self._lock:
            missing = [token for token in wanted if token not in self._rows]
            if missing:
                products = super().multiply(torch.tensor(missing), slice_bytes)
                if len(self._rows) + len(missing) > KEPT_ROWS:
                    self._rows.clear()
                    missing, products = wanted, super().multiply(distinct, slice_bytes)
                self._rows.update(zip(missing, products.unbind(), strict=True))
            return torch.stack([self._rows[token] for token in wanted])[place]


def _kept_bytes(layers: TiedLayers) -> int:
    return 2 * layers.embedding.weight.nbytes + MODULES_BYTES


def _key(config: Config) -> tuple[object, ...]:
    # Without the characters: they name rows and change no weight.
    return hashkey(
        config.num_embeddings,
        config.embedding_dim,
        config.seed,
        config.init,
        config.dtype,
        config.device,
        config.unk,
    )


@cached(LRUCache(budget_bytes(), getsizeof=_kept_bytes), key=_key, condition=threading.Condition())
def shared_tables(config: Config) -> TiedLayers:
    """The tied layers of a configuration, built once even if many sessions ask at once."""
    layers = tie(config)
    return SharedLayers(layers.embedding, layers.linear)


@cached(LRUCache(KEPT_SMALL), key=_key, lock=threading.Lock())
def small_tables(config: Config) -> TiedLayers:
    """The tied layers of a small configuration."""
    return tie(config)


def tables(config: Config) -> TiedLayers:
    """The tied layers of a configuration; nobody changes their weights."""
    small = config.num_embeddings * config.embedding_dim < SHARED_FROM
    return small_tables(config) if small else shared_tables(config)


def layers_of(given: Inputs) -> TiedLayers:
    """The layers of the inputs: shared ones, or new ones with the user's own weights."""
    assert given.config is not None
    return tables(given.config) if given.table is None else tie(given.config, given.table)


def run_both_cached(given: Inputs) -> BothRoutes:
    """`run_both` for usable inputs, on the shared tables."""
    assert given.config is not None
    assert given.ids is not None
    return run_both(given.config, given.ids, lambda _config: layers_of(given))
