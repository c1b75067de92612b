"""The tables all sessions share, in a cache bounded by bytes.

One configuration's tables are the same for everybody, so a class that shares a
link builds them once. The cache never holds more than the memory budget.
"""

from __future__ import annotations

import threading

from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from embviz.config import Config, budget_bytes
from embviz.layers import TiedLayers, tie
from embviz.routes import BothRoutes, run_both
from embviz.ui.inputs import Inputs


def _kept_bytes(layers: TiedLayers) -> int:
    return 2 * layers.embedding.weight.nbytes


def _key(config: Config) -> tuple[object, ...]:
    # The characters name rows but draw no number.
    return hashkey(
        config.num_embeddings, config.embedding_dim, config.seed,
        config.init, config.dtype, config.device,
    )  # fmt: skip


@cached(LRUCache(budget_bytes(), getsizeof=_kept_bytes), key=_key, condition=threading.Condition())
def tables(config: Config) -> TiedLayers:
    """The tied layers of a configuration, built once however many ask at once."""
    return tie(config)


def run_both_cached(given: Inputs) -> BothRoutes:
    """`run_both` for what the user typed, on the shared tables."""
    assert given.config is not None
    assert given.ids is not None
    if given.table is not None:  # one user's own numbers are nobody else's to share
        return run_both(given.config, given.ids, lambda config: tie(config, given.table))
    return run_both(given.config, given.ids, tables)
