"""A row never depends on its neighbours: proved by shuffling a text and by editing it.

The text is embedded again after each change, by both routes. Every row is compared with the row
that the same character had before: rows move, and none changes. There is no attention here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
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
        order: int64 (N,); the character at place p was at place `order[p]` before.
        ids: int64 (N,), the text before.
        before, after: (N, D), the rows of both texts, each looked up by itself.
        same_bits: whether each character's row has the same bits before and after, by both routes.
        max_abs_difference: largest |difference| of a character's rows before and after; 0.0 if
            bits are equal.
        max_abs_difference_matmul: the same for one-hot x nn.Linear.
        moved: places whose row moved (`order[p] != p`).
    """

    order: torch.Tensor
    ids: torch.Tensor
    before: torch.Tensor
    after: torch.Tensor
    same_bits: bool
    max_abs_difference: float
    max_abs_difference_matmul: float
    moved: int

    @property
    def shuffled_ids(self) -> torch.Tensor:
        """int64 (N,), the text afterwards."""
        return self.ids[self.order]


@dataclass(frozen=True)
class EditProof:
    """Two texts, and the rows of their common characters.

    Attributes:
        kept: places (before, after) of the characters that both texts have in the same order.
        before, after: (N, D) and (M, D), the rows of both texts, each looked up by itself.
        same_bits: whether each of these characters has a row of the same bits, by both routes.
        max_abs_difference: largest |difference| between their rows; 0.0 if bits are equal.
        max_abs_difference_matmul: the same for one-hot x nn.Linear.
        moved: how many of them are at another place afterwards.
    """

    kept: list[tuple[int, int]]
    before: torch.Tensor
    after: torch.Tensor
    same_bits: bool
    max_abs_difference: float
    max_abs_difference_matmul: float
    moved: int


def new_order(length: int, seed: int) -> torch.Tensor:
    """A random order of `length` places; with two or more, never the identity.

    Returns:
        int64 of shape (length,), each place once.
    """
    places = torch.arange(length)
    order = torch.randperm(length, generator=torch.Generator().manual_seed(seed))
    return order.roll(1) if torch.equal(order, places) else order


def shuffled(layers: TiedLayers, ids: torch.Tensor, seed: int) -> ShuffleProof:
    """Shuffle a text, embed it again, and compare each character's rows.

    Args:
        layers: the tables.
        ids: int64 (N,), each from 0 to V - 1; N may be 0.
        seed: of the new order.

    Raises:
        IndexError: an id without a row.
    """
    order = new_order(len(ids), seed)
    ids = ids.cpu()
    before, after = layers.lookup(ids), layers.lookup(ids[order])
    there = order.to(before.device)
    lookup = Comparison(before[there], after)
    matmul = Comparison(layers.multiply(ids)[there], layers.multiply(ids[order]))
    return ShuffleProof(
        order,
        ids,
        before,
        after,
        same_bits=lookup.bitwise_equal and matmul.bitwise_equal,
        max_abs_difference=lookup.max_abs_error,
        max_abs_difference_matmul=matmul.max_abs_error,
        moved=int((order != torch.arange(len(ids))).sum()),
    )


def edited(layers: TiedLayers, before_ids: torch.Tensor, after_ids: torch.Tensor) -> EditProof:
    """Compare the rows of the characters that `difflib` finds in both texts.

    Args:
        layers: the tables.
        before_ids: int64 (N,), up to 256 ids.
        after_ids: int64 (M,), up to 256 ids.

    Raises:
        IndexError: an id without a row.
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
    before, after = layers.lookup(before_ids), layers.lookup(after_ids)
    lookup = Comparison(before[was], after[now])
    matmul = Comparison(layers.multiply(before_ids)[was], layers.multiply(after_ids)[now])
    return EditProof(
        kept,
        before,
        after,
        lookup.bitwise_equal and matmul.bitwise_equal,
        lookup.max_abs_error,
        matmul.max_abs_error,
        moved=sum(a != b for a, b in kept),
    )


def pair(ids: torch.Tensor, prefer: Collection[int] = ()) -> tuple[int, int] | None:
    """The first two places of the most frequent id, or None if every id occurs once.

    Args:
        ids: int64 (N,).
        prefer: ids that are chosen before any other, such as the letters.

    >>> pair(torch.tensor([5, 7, 5, 7, 7, 1])), pair(torch.tensor([5, 7, 5, 7, 7, 1]), prefer={5})
    ((1, 3), (0, 2))
    """
    tokens = ids.tolist()
    repeated = [token for token, count in Counter(tokens).most_common() if count > 1]
    if not repeated:
        return None
    token = next((token for token in repeated if token in prefer), repeated[0])
    first = tokens.index(token)
    return first, tokens.index(token, first + 1)


def max_abs_difference(one: torch.Tensor, other: torch.Tensor) -> float:
    """Largest |one - other|; 0.0 where every bit is equal (NaN with the same bits included).

    Args:
        one: any float dtype and shape; may be empty.
        other: of the same shape, dtype and device.
    """
    return Comparison(one, other).max_abs_error
