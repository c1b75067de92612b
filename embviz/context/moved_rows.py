"""A row never depends on its neighbours: proved by shuffling a text and by editing it.

The text is embedded again after each change, by both routes. Every row is compared with the row
that the same character had before: rows move, and none changes. There is no attention here.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import torch

from embviz.fact.comparison import Pair
from embviz.fact.layers import TiedLayers


@dataclass(frozen=True)
class MovedRows:
    """Two texts, and the rows of the characters that both have.

    Attributes:
        kept: places (before, after) of these characters.
        after_ids: int64 (M,), the text afterwards.
        before, after: (N, D) and (M, D), the rows of both texts, each looked up by itself.
        lookup, matmul: their rows before and after, by both routes.
    """

    kept: list[tuple[int, int]]
    after_ids: torch.Tensor
    before: torch.Tensor
    after: torch.Tensor
    lookup: Pair
    matmul: Pair

    @property
    def same_bits(self) -> bool:
        """Whether each of these characters has a row of the same bits, by both routes."""
        return self.lookup.bitwise_equal and self.matmul.bitwise_equal

    @property
    def moved(self) -> int:
        """The number of these characters that are at another place afterwards."""
        return sum(a != b for a, b in self.kept)


def new_order(length: int, seed: int) -> torch.Tensor:
    """A random order of `length` places; with two or more, never the identity.

    Returns:
        int64 of shape (length,), each place once.
    """
    places = torch.arange(length)
    order = torch.randperm(length, generator=torch.Generator().manual_seed(seed))
    return order.roll(1) if torch.equal(order, places) else order


def shuffled(layers: TiedLayers, ids: torch.Tensor, seed: int) -> MovedRows:
    """Shuffle a text, embed it again, and compare each character's rows.

    Args:
        layers: the tables.
        ids: int64 (N,), each from 0 to V - 1; N may be 0.
        seed: of the new order.

    Raises:
        IndexError: an id without a row.
    """
    order = new_order(len(ids), seed)
    kept = [(was, now) for now, was in enumerate(order.tolist())]
    return _compared(layers, ids, ids[order], kept)


def edited(layers: TiedLayers, before_ids: torch.Tensor, after_ids: torch.Tensor) -> MovedRows:
    """Compare the rows of the characters that both texts have.

    A character that both have at one place has stayed there. Each other one has moved to the first
    free place of its kind: of *cab* and *bac* all three are kept.

    Args:
        layers: the tables.
        before_ids: int64 (N,).
        after_ids: int64 (M,).

    Raises:
        IndexError: an id without a row.
    """
    before, after = before_ids.tolist(), after_ids.tolist()
    kept = [(k, k) for k in range(min(len(before), len(after))) if before[k] == after[k]]
    stayed = {k for k, _ in kept}
    free = defaultdict[int, list[int]](list)  # places before of those that moved, by id
    for place, token in enumerate(before):
        if place not in stayed:
            free[token].append(place)
    for place, token in enumerate(after):
        if place not in stayed and free[token]:
            kept.append((free[token].pop(0), place))
    return _compared(layers, before_ids, after_ids, sorted(kept))


def _compared(
    layers: TiedLayers, ids: torch.Tensor, after_ids: torch.Tensor, kept: list[tuple[int, int]]
) -> MovedRows:
    was, now = [a for a, _ in kept], [b for _, b in kept]
    before, after = layers.lookup(ids), layers.lookup(after_ids)
    lookup = Pair(before[was], after[now])
    matmul = Pair(layers.multiply(ids)[was], layers.multiply(after_ids)[now])
    return MovedRows(kept, after_ids, before, after, lookup, matmul)
