"""The tables all sessions share, in a cache bounded by bytes.

One configuration's tables are the same for everybody, so a class that shares a
link to a large table builds it once. The cache never holds more than the memory
budget. Small tables are drawn anew each time: that takes 0.1 ms, while hundreds
of them kept, each with PyTorch's two modules around it, would take megabytes.
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

# From this size on a product row costs milliseconds, and typing would pay for the same ids again.
LARGE_TABLE = 2**20  # numbers
KEPT_ROWS = 4096
SHARED_FROM = 2**14  # numbers
MODULES_BYTES = 60_000  # of an embedding and a linear layer, whatever their weights


@dataclass(frozen=True)
class SharedLayers(TiedLayers):
    """Layers that multiply each id of a large table once, and keep the product.

    The weights of shared tables never change, so a row's product does not
    either. Rows are kept up to a bound and then all let go.
    """

    _rows: dict[int, torch.Tensor] = field(default_factory=dict, compare=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)

    def multiply(self, ids: torch.Tensor, slice_bytes: int = ONE_HOT_SLICE_BYTES) -> torch.Tensor:
        """As `TiedLayers.multiply`; ids that were multiplied before are not again."""
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
    # The characters name rows but draw no number.
    return hashkey(
        config.num_embeddings,
        config.embedding_dim,
        config.seed,
        config.init,
        config.dtype,
        config.device,
    )


@cached(LRUCache(budget_bytes(), getsizeof=_kept_bytes), key=_key, condition=threading.Condition())
def shared_tables(config: Config) -> TiedLayers:
    """The tied layers of a configuration, built once however many ask at once."""
    layers = tie(config)
    return SharedLayers(layers.embedding, layers.linear)


def tables(config: Config) -> TiedLayers:
    """The tied layers of a configuration: shared ones, or small ones drawn now."""
    small = config.num_embeddings * config.embedding_dim < SHARED_FROM
    return tie(config) if small else shared_tables(config)


def layers_of(given: Inputs) -> TiedLayers:
    """The layers of what the user chose: shared ones, or of the user's own numbers."""
    assert given.config is not None
    # One user's own numbers are nobody else's to share.
    return tables(given.config) if given.table is None else tie(given.config, given.table)


def run_both_cached(given: Inputs) -> BothRoutes:
    """`run_both` for what the user typed, on the shared tables."""
    assert given.config is not None
    assert given.ids is not None
    return run_both(given.config, given.ids, lambda _config: layers_of(given))
