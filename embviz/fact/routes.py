"""The main job in one call: ids through both routes, compared and counted.

The page and the command line call the same `run_both`.
"""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch

from embviz.fact.comparison import Comparison
from embviz.fact.cost import Cost
from embviz.fact.layers import TiedLayers, tie
from embviz.fact.table import Table, check_work_bytes


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

    def to_json(self) -> str:
        """One JSON object with all numbers: what `compare --json` and the route `live` give."""
        found = self.comparison
        error = found.max_abs_error
        return json.dumps(
            {
                "ids": self.ids.tolist(),
                "ids_shape": list(self.ids_shape),
                "output_shape": list(self.output_shape),
                "lookup": found.lookup.tolist(),
                "matmul": found.matmul.tolist(),
                "bitwise_equal": found.bitwise_equal,
                "max_abs_error": error if math.isfinite(error) else str(error),
                "ids_bytes": self.cost.ids_bytes,
                "one_hot_bytes": self.cost.one_hot_bytes,
                "table": asdict(self.table),
            }
        )


def run_both(
    table: Table, ids: torch.Tensor, layers_of: Callable[[Table], TiedLayers] = tie
) -> BothRoutes:
    """Send ids through nn.Embedding and through one-hot x nn.Linear.

    Args:
        table: what to build.
        ids: int64, any shape (...), each below `table.num_embeddings`.
        layers_of: gives the layers; a server passes its cache.

    Raises:
        OverLimitError: tables and outputs together exceed the memory budget.
    """
    check_work_bytes(table, ids.numel())
    layers = layers_of(table)
    comparison = Comparison(layers.lookup(ids), layers.multiply(ids))
    cost = Cost(ids.numel(), table.num_embeddings, table.embedding_dim, table.torch_dtype.itemsize)
    return BothRoutes(table, ids, layers, comparison, cost)
