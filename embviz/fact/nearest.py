"""The rows of a table that point most nearly in the direction of one of its rows.

The cosine of two rows is the sum of their products divided by both lengths: 1 for one direction, 0
at a right angle, -1 for the opposite one. It is computed in float64 on the CPU, for all rows at
once. A row of zeros, or with NaN or inf, has no direction. No index is kept, and nothing learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from embviz.system.bounds import MIB

NEIGHBOURS = 5
SLICE_BYTES = 8 * MIB  # Bytes of the float64 rows, or cosines, that are in memory at once.
# Decimals of a cosine. Rows that are equal have equal ones, in whatever order a product adds.
DECIMALS = 12


@dataclass(frozen=True)
class Neighbour:
    """A row near another one.

    Attributes:
        id: its place in the table.
        cosine: of both rows, from -1 to 1.
    """

    id: int
    cosine: float


def nearest(
    weight: torch.Tensor, ids: Sequence[int], count: int = NEIGHBOURS
) -> list[list[Neighbour] | None]:
    """The rows nearest to each of some rows by cosine, the nearest first.

    Of rows with the same cosine the lower one comes first. A row is no neighbour of itself.

    Args:
        weight: shape (V, D), any float dtype and device.
        ids: rows, each from 0 to V - 1.
        count: of neighbours; a smaller table has fewer.

    Returns:
        For each id its neighbours; None where its row has no direction.

    >>> table = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 3.0]])
    >>> nearest(table, [0, 2], 2)
    [[Neighbour(id=1, cosine=1.0), Neighbour(id=3, cosine=0.0)], None]
    """
    if not ids:
        return []
    wanted = _Rows(weight[torch.tensor(ids, device=weight.device)])
    neighbours: list[list[Neighbour]] = [[] for _ in ids]
    step = max(1, SLICE_BYTES // (8 * max(weight.shape[1], len(ids))))  # rows
    for start in range(0, len(weight), step):
        cosines = wanted.cosines(_Rows(weight[start : start + step]))
        for place, token in enumerate(ids):
            own = cosines[place]
            if start <= token < start + len(own):
                own[token - start] = -torch.inf
            near = [Neighbour(start + k, float(own[k])) for k in _first(own, count)]
            neighbours[place] = sorted(
                neighbours[place] + near, key=lambda row: (-row.cosine, row.id)
            )
            del neighbours[place][count:]
    known = wanted.has_direction.tolist()
    return [near if known[place] else None for place, near in enumerate(neighbours)]


class _Rows:
    """Some rows in float64.

    Attributes:
        values: (N, D), each row of any length.
        lengths: (N,), of these values.
        has_direction: bool (N,).
    """

    def __init__(self, rows: torch.Tensor) -> None:
        self.values = rows.detach().cpu().double()
        if rows.dtype == torch.float64:  # squares of its largest and smallest numbers are inf and 0
            largest = self.values.abs().amax(1, keepdim=True)
            self.values = torch.where(largest > 0, self.values / largest, 0.0)
        self.lengths = torch.linalg.vector_norm(self.values, dim=1)
        self.has_direction = (self.lengths > 0) & self.lengths.isfinite()

    def cosines(self, others: _Rows) -> torch.Tensor:
        """(N, M), of each row with each of the others; -inf where these have no direction."""
        cosines: torch.Tensor = (
            (self.values / self.lengths[:, None]) @ others.values.t() / others.lengths
        )
        cosines = cosines.clamp(-1.0, 1.0).round(decimals=DECIMALS)
        return cosines.where(others.has_direction, -torch.inf)


def _first(cosines: torch.Tensor, count: int) -> list[int]:
    """The places of the largest cosines, in any order; of equal ones the lower places."""
    least = cosines.topk(min(count, len(cosines))).values[-1]
    above = (cosines > least).nonzero().flatten().tolist()
    equal = (cosines == least).nonzero().flatten()[: count - len(above)].tolist()
    return [place for place in above + equal if cosines[place] > -torch.inf]
