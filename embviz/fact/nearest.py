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
SLICE_BYTES = 8 * MIB  # Bytes of the float64 rows that are in memory at once.
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
    places = torch.tensor(ids, dtype=torch.long)
    wanted = _directions(weight[places.to(weight.device)])
    step = max(1, SLICE_BYTES // (8 * weight.shape[1]))  # rows
    parts = [wanted @ _directions(rows).t() for rows in torch.split(weight, step)]
    cosines = torch.cat(parts, dim=1).clamp(-1.0, 1.0).round(decimals=DECIMALS)
    cosines = cosines.nan_to_num(-torch.inf)  # a row without a direction is nobody's neighbour
    cosines[torch.arange(len(ids)), places] = -torch.inf
    found = []
    for own, direction in zip(cosines, wanted, strict=True):
        near = [Neighbour(row, float(own[row])) for row in _first(own, count)]
        found.append(None if direction.isnan().any() else near)
    return found


def _directions(rows: torch.Tensor) -> torch.Tensor:
    """Rows (N, D) of length 1 in float64, on the CPU; one without a direction has NaN."""
    values = rows.detach().cpu().double()
    if rows.dtype == torch.float64:  # squares of its largest and smallest numbers are inf and 0
        values = values / values.abs().amax(1, keepdim=True)
    lengths: torch.Tensor = torch.linalg.vector_norm(values, dim=1, keepdim=True)
    return values / lengths


def _first(cosines: torch.Tensor, count: int) -> list[int]:
    """The places of the largest cosines, the largest first; of equal ones the lower places."""
    least = cosines.topk(min(count, len(cosines))).values[-1]
    places = ((cosines >= least) & (cosines > -torch.inf)).nonzero().flatten()
    order = cosines[places].argsort(descending=True, stable=True)
    first: list[int] = places[order][:count].tolist()
    return first
