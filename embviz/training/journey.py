"""How far each row of a table has travelled, kept up step by step.

Two lengths: the way it took (`path`, the sum over steps of how far it moved) and how far it is
from its start (`displacement`); a row that goes out and comes back has a path alone. Euclidean,
in the weight's dtype.
"""

from __future__ import annotations

import torch


class Journey:
    """The rows of one table (V, D).

    Attributes:
        start: (V, D), where they started.
        path: (V,), length of the way each row took.
        path_since_lookup: (V,), the part of it after the row's last lookup.
    """

    def __init__(self, table: torch.Tensor) -> None:
        self.start = table.detach().clone()
        self._before = self.start.clone()
        self.path = table.new_zeros(len(table)).detach()
        self.path_since_lookup = self.path.clone()

    def move(self, table: torch.Tensor, looked_up: torch.Tensor) -> torch.Tensor:
        """Take in the table after a step that looked up the rows `looked_up` (any number).

        Returns:
            (V,), how far each row moved in this step.
        """
        moved: torch.Tensor = torch.linalg.vector_norm(table.detach() - self._before, dim=1)
        self._before.copy_(table.detach())
        self.path += moved
        self.path_since_lookup += moved
        self.path_since_lookup[looked_up] = 0.0
        return moved

    @property
    def displacement(self) -> torch.Tensor:
        """(V,), how far each row is from where it started."""
        length: torch.Tensor = torch.linalg.vector_norm(self._before - self.start, dim=1)
        return length
