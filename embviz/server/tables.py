"""The tables that all sessions share, in a cache bounded by bytes.

A configuration gives the same tables to everybody, so a class that opens one link builds a table
once. Nothing that is computed with a table is kept: both routes run for each answer.
"""

from __future__ import annotations

import threading

from cachetools import LRUCache, cached

from embviz.core.config import Config, budget_bytes
from embviz.core.layers import TiedLayers, tie
from embviz.core.routes import BothRoutes, run_both
from embviz.request.inputs import Inputs

MODULES_BYTES = 60_000  # of an embedding and a linear layer, without their weights


def _kept_bytes(layers: TiedLayers) -> int:
    return 2 * layers.embedding.weight.nbytes + MODULES_BYTES


def _key(config: Config) -> tuple[object, ...]:
    # Without the characters: they name rows and change no weight.
    drawn = config.num_embeddings, config.embedding_dim, config.seed, config.init
    return *drawn, config.dtype, config.device, config.unk


@cached(LRUCache(budget_bytes(), _kept_bytes), _key, condition=threading.Condition())
def tables(config: Config) -> TiedLayers:
    """The tied layers of a configuration, built once even if many sessions ask at once.

    Nobody changes their weights.
    """
    return tie(config)


def layers_of(given: Inputs) -> TiedLayers:
    """The layers of usable inputs: shared ones, or new ones with the user's own weights."""
    return tables(given.config) if given.table is None else tie(given.config, given.table)


def run_both_cached(given: Inputs) -> BothRoutes:
    """`run_both` for usable inputs, on the shared tables."""
    return run_both(given.config, given.ids, lambda _config: layers_of(given))
