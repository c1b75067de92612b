"""A row never depends on its neighbours: proved by shuffling a text, and by editing it.

The text is embedded again after each change, by both routes, and every row is
compared with the one that the same character had before. Rows move; none
changes. It knows nothing of attention.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import torch

from embviz.context.similarity import check_length
from embviz.core.comparison import Comparison
from embviz.core.layers import TiedLayers


@dataclass(frozen=True)
class ShuffleProof:
    """A text before and after its characters changed places.

    Attributes:
        order: int64 (N,); the character now at place p stood at place `order[p]`.
        ids: int64 (N,), the text before.
        rows_before, rows_after: shape (N, D), what nn.Embedding gave for each text.
        max_abs_difference: largest |rows_before[order] - rows_after|; 0.0 if bits are equal.
        max_abs_difference_matmul: the same of one-hot x nn.Linear.
        moved: how many places another character's row came to (`order[p] != p`).
    """

    order: torch.Tensor
    ids: torch.Tensor
    rows_before: torch.Tensor
    rows_after: torch.Tensor
    max_abs_difference: float
    max_abs_difference_matmul: float
    moved: int

    @property
    def shuffled_ids(self) -> torch.Tensor:
        """int64 (N,), the text after."""
        return self.ids[self.order]


@dataclass(frozen=True)
class EditProof:
    """Two texts, and the rows of what they have in common.

    Attributes:
        kept: places (before, after) of the characters that both have in the same order.
        max_abs_difference: largest |difference| between their rows; 0.0 if bits are equal.
        max_abs_difference_matmul: the same of one-hot x nn.Linear.
        moved: how many of them stand at another place now.
    """

    kept: list[tuple[int, int]]
    max_abs_difference: float
    max_abs_difference_matmul: float
    moved: int


def new_order(length: int, seed: int) -> torch.Tensor:
    """An order of `length` places by a private generator; with two or more, never as it was.

    Returns:
        int64 of shape (length,), each place once.
    """
    places = torch.arange(length)
    order = torch.randperm(length, generator=torch.Generator().manual_seed(seed))
    return order.roll(1) if torch.equal(order, places) else order


def shuffled(layers: TiedLayers, ids: torch.Tensor, seed: int) -> ShuffleProof:
    """Shuffle a text, embed it again, and compare each row with the one it had.

    Args:
        layers: the tables.
        ids: int64 (N,), each from 0 to V - 1; N may be 0.
        seed: of the new order.

    Raises:
        IndexError: an id that has no row.
    """
    order = new_order(len(ids), seed)
    ids = ids.cpu()
    before, after = layers.lookup(ids), layers.lookup(ids[order])
    there = order.to(before.device)
    return ShuffleProof(
        order,
        ids,
        before,
        after,
        max_abs_difference=max_abs_difference(before[there], after),
        max_abs_difference_matmul=max_abs_difference(
            layers.multiply(ids)[there], layers.multiply(ids[order])
        ),
        moved=int((order != torch.arange(len(ids))).sum()),
    )


def edited(layers: TiedLayers, before_ids: torch.Tensor, after_ids: torch.Tensor) -> EditProof:
    """Compare the rows of what two texts have in common, as `difflib` finds it.

    Args:
        layers: the tables.
        before_ids: int64 (N,), up to 256 ids.
        after_ids: int64 (M,), up to 256 ids.

    Raises:
        IndexError: an id that has no row.
        ValueError: a text of more than 256 ids.
    """
    check_length(max(len(before_ids), len(after_ids)))
    matcher = SequenceMatcher(None, before_ids.tolist(), after_ids.tolist(), autojunk=False)
    kept = [
        (block.a + k, block.b + k)
        for block in matcher.get_matching_blocks()
        for k in range(block.size)
    ]
    was, now = [a for a, _ in kept], [b for _, b in kept]
    return EditProof(
        kept,
        max_abs_difference(layers.lookup(before_ids)[was], layers.lookup(after_ids)[now]),
        max_abs_difference(layers.multiply(before_ids)[was], layers.multiply(after_ids)[now]),
        moved=sum(a != b for a, b in kept),
    )


def same_character(ids: torch.Tensor) -> list[tuple[int, list[int]]]:
    """The ids that stand more than once, most frequent first, each with all its places.

    Equally frequent ones come in the order of their first places.

    >>> same_character(torch.tensor([5, 7, 5, 7, 7, 1]))
    [(7, [1, 3, 4]), (5, [0, 2])]
    """
    places: dict[int, list[int]] = {}
    for place, token in enumerate(ids.tolist()):
        places.setdefault(token, []).append(place)
    repeated = [(token, where) for token, where in places.items() if len(where) > 1]
    return sorted(repeated, key=lambda found: -len(found[1]))


def pair(ids: torch.Tensor, prefer: Collection[int] = ()) -> tuple[int, int] | None:
    """The first two places of the most repeated id, or None if each stands there once.

    Args:
        ids: int64 (N,).
        prefer: ids taken before any other, such as the letters.

    >>> pair(torch.tensor([5, 7, 5, 7, 7, 1])), pair(torch.tensor([5, 7, 5, 7, 7, 1]), prefer={5})
    ((1, 3), (0, 2))
    """
    found = same_character(ids)
    best: Sequence[tuple[int, list[int]]] = [f for f in found if f[0] in prefer] or found
    return (best[0][1][0], best[0][1][1]) if best else None


def max_abs_difference(one: torch.Tensor, other: torch.Tensor) -> float:
    """Largest |one - other|; 0.0 where every bit is equal (NaN with the same bits included).

    Args:
        one: any float dtype and shape; may be empty.
        other: of the same shape, dtype and device.
    """
    return Comparison(one, other).max_abs_error
