"""How far each row of a table moved, summed step by step.

Lengths are Euclidean, in the weight's dtype. A row that moves away and back has a path above 0.
"""

from __future__ import annotations

import torch


class Journey:
    """The paths of one table's rows (V, D).

    Attributes:
        start: (V, D), the table before the first step.
        path: (V,), sum over steps of how far each row moved.
        path_since_lookup: (V,), the part of the path after the row's last lookup.
    """

    def __init__(self, table: torch.Tensor) -> None:
        self.start = table.detach().clone()
        self._before = self.start.clone()
        self.path = table.new_zeros(len(table)).detach()
        self.path_since_lookup = self.path.clone()

    def move(self, table: torch.Tensor, looked_up: torch.Tensor) -> torch.Tensor:
        """Add a step.

        Args:
            table: (V, D), after the step.
            looked_up: int64, the rows that the step looked up.

        Returns:
            (V,), how far each row moved in this step.
        """
        moved: torch.Tensor = torch.linalg.vector_norm(table.detach() - self._before, dim=1)
        self._before.copy_(table.detach())
        self.path += moved
        self.path_since_lookup += moved
        self.path_since_lookup[looked_up] = 0.0
        return moved
