"""The main job in one call: ids through both routes, compared and counted.

The page and the command line call the same `run_both`.
"""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch

from embviz.fact.comparison import Comparison
from embviz.fact.cost import Cost
from embviz.fact.layers import TiedLayers
from embviz.fact.nearest import nearest
from embviz.fact.table import Table

NEAR_TOKENS = 20  # Distinct tokens whose neighbours are in the JSON.
# Cosines in the JSON, at most: of a large table they take 40 ns each.
NEAR_COSINES = 2_000_000


@dataclass(frozen=True)
class BothRoutes:
    """The outputs of both routes for the same ids, and the counts of their work.

    Attributes:
        table: sizes, seed, init, dtype and device.
        ids: int64, shape (...).
        layers: the tied layers.
        comparison: both outputs, each of shape (..., D).
        cost: counts for these ids.
    """

    table: Table
    ids: torch.Tensor
    layers: TiedLayers
    comparison: Comparison
    cost: Cost

    @property
    def ids_shape(self) -> tuple[int, ...]:
        """Shape of the ids, as torch prints it."""
        return tuple(self.ids.shape)

    @property
    def one_hot_shape(self) -> tuple[int, ...]:
        """Shape of the whole one-hot, which is never made."""
        return (*self.ids_shape, self.table.num_embeddings)

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of either output."""
        return tuple(self.comparison.lookup.shape)

    def to_json(self, label: Callable[[int], str]) -> str:
        """One JSON object with all numbers: what `compare --json` and the route `live` give.

        Args:
            label: an id's symbol; empty without one.
        """
        comparison = self.comparison
        error = comparison.max_abs_error
        return json.dumps(
            {
                "ids": self.ids.tolist(),
                "ids_shape": list(self.ids_shape),
                "output_shape": list(self.output_shape),
                "lookup": comparison.lookup.tolist(),
                "matmul": comparison.matmul.tolist(),
                "bitwise_equal": comparison.bitwise_equal,
                "max_abs_error": error if math.isfinite(error) else str(error),
                "ids_bytes": self.cost.ids_bytes,
                "one_hot_bytes": self.cost.one_hot_bytes,
                "nearest": self._nearest(label),
                "table": asdict(self.table),
            }
        )

    def _nearest(self, label: Callable[[int], str]) -> list[dict[str, Any]]:
        """The nearest rows of the first distinct ids; None for a row without a direction."""
        most = min(NEAR_TOKENS, NEAR_COSINES // self.table.num_embeddings)
        ids = [*dict.fromkeys(self.ids.flatten().tolist())][:most]

        def named(token: int) -> dict[str, Any]:
            return {"id": token, "symbol": label(token)}

        found = []
        for token, near in zip(ids, nearest(self.layers.embedding.weight, ids), strict=True):
            rows = None  # it has no direction
            if near is not None:
                rows = [named(neighbour.id) | {"cosine": neighbour.cosine} for neighbour in near]
            found.append(named(token) | {"nearest": rows})
        return found


def run_both(table: Table, ids: torch.Tensor, layers: TiedLayers) -> BothRoutes:
    """Send ids through nn.Embedding and through one-hot x nn.Linear.

    Args:
        table: that of the layers.
        ids: int64, any shape (...), each below `table.num_embeddings`, as `read_inputs` checks
            them, and what both outputs need.
        layers: both, of one weight.
    """
    comparison = Comparison(layers.lookup(ids), layers.multiply(ids))
    cost = Cost(ids.numel(), table.num_embeddings, table.embedding_dim, table.torch_dtype.itemsize)
    return BothRoutes(table, ids, layers, comparison, cost)
